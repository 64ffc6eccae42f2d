/** That the examples of docs/api.md, run from top to bottom, give the answers of the page, and that it leaves out no route. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { sessionLifetimeMs } from "../src/accounts/account.ts";
import { dayMs } from "../src/core/hit.ts";
import { apiRoutes } from "../src/http/routes.ts";
import { useExecutable } from "./support/executable.ts";
import { withFolder } from "./support/folder.ts";
import { untilDayLasts } from "./support/midnight.ts";
import { isThere, nameWith } from "./support/needs.ts";
import { ServerProcess } from "./support/server.ts";

interface Example {
  readonly command: string;
  readonly answer: string;
}

const executable = useExecutable();
const page = await Bun.file(join(import.meta.dir, "..", "docs", "api.md")).text();
const examples: Example[] = [...page.matchAll(/```sh\n([^]*?)```(?:\n\n```(?:json|text)\n([^]*?)```)?/g)].map(
  ([, command = "", answer = ""]) => ({ command, answer: answer.trim() }),
);

/** An answer as a value if it is JSON, else as its lines, of which some may be. */
function valuesOf(text: string): unknown[] {
  const whole = parsed(text);
  return typeof whole === "object" ? [whole] : text.split(/\r?\n/).map(parsed);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Puts "…" where `expected` has it: for a value, and for all that comes after it in an array. */
function withDots(value: unknown, expected: unknown): unknown {
  if (expected === "…" && value !== undefined) return "…";
  if (Array.isArray(value) && Array.isArray(expected)) {
    const isCut = expected.at(-1) === "…";
    const kept = isCut ? value.slice(0, expected.length) : value;
    return kept.map((each, at) => withDots(each, expected[at]));
  }
  if (typeof value === "object" && value !== null && typeof expected === "object" && expected !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        withDots(each, (expected as Record<string, unknown>)[key]),
      ]),
    );
  return value;
}

const missing = (["curl", "time"] as const).find((need) => !isThere(need));
test.skipIf(missing !== undefined)(
  nameWith(missing ?? "curl", "every example of docs/api.md gives the answer below it"),
  () =>
    withFolder(async (folder) => {
      // An example asks about the page views of today, which others have sent.
      await untilDayLasts();
      const server = await ServerProcess.start([executable], folder);
      try {
        const end = "\n-- end of an example --\n";
        const script = examples
          .map(({ command }) => `${command}printf '${end.replaceAll("\n", "\\n")}'\n`)
          .join("")
          .replaceAll("localhost:8080", `localhost:${server.port}`);
        const child = Bun.spawnSync(["bash", "-c", script], { cwd: folder, stderr: "pipe" });
        expect(child.stderr.toString()).toBe("");
        const answers = child.stdout.toString().split(end);
        expect(answers.length).toBe(examples.length + 1);
        const expected = examples.map(({ command, answer }) => ({ command, answer: valuesOf(answer) }));
        expect(
          expected.map(({ command, answer }, at) => ({
            command,
            answer: withDots(valuesOf((answers[at] ?? "").trim()), answer),
          })),
        ).toEqual(expected);
      } finally {
        await server.end("SIGTERM");
      }
    }),
);

test("docs/api.md has an example of each route", () => {
  const commands = examples.map(({ command }) => command).join("\n");
  const missing = apiRoutes
    .map(({ path }) => path)
    .filter((path) => {
      const parts = path
        .split("/")
        .map((part) => (part.startsWith(":") ? String.raw`[^/\s"]+` : RegExp.escape(part)));
      const list = RegExp.escape(path.split("/").at(-1) ?? "");
      const isLooped = new RegExp(String.raw`for list in [^;]*\b${list}\b`).test(commands);
      return !isLooped && !new RegExp(String.raw`\$SERVER${parts.join("/")}(?![\w/.])`).test(commands);
    });
  expect(missing).toEqual([]);
});

test("docs/api.md says how long a session lives", () => {
  expect(page).toContain(`ends ${sessionLifetimeMs / dayMs} days after its last use`);
});
