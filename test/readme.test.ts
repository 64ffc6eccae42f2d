/** The README's example, as it stands there: every line of it answers what a reader was promised. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { endedByControlC } from "./support/control-c.ts";
import { longTest } from "./support/long-test.ts";
import { useExecutable } from "./support/executable.ts";
import { withFolder } from "./support/folder.ts";
import { isThere, nameWith, testWith } from "./support/needs.ts";
import { readme, tidyPage } from "./support/readme.ts";
import { account, ServerProcess } from "./support/server.ts";

const root = join(import.meta.dir, "..");
const executable = [useExecutable()];

/** Runs the README's example against a server on this port, in an empty folder, verbatim but for the port. */
async function tryIt(folder: string, port: number): Promise<void> {
  const block = /### Try it[\s\S]*?```sh\n([\s\S]*?)```/.exec(await readme())?.[1] as string;
  const commands = block.replaceAll("localhost:8080", `localhost:${port}`);
  // Each answer on a line of its own; a command that fails ends it.
  const script = `set -e\ncurl() { command curl "$@"; echo; }\n${commands}`;
  const child = Bun.spawnSync(["bash", "-c", script], { cwd: folder, stderr: "pipe" });
  expect(child.exitCode).toBe(0);
  const answers = child.stdout
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers).toMatchObject([
    { username: "ada" },
    { hostname: "example.com", summary: { visitors: 0 } },
    { accepted: true },
    { accepted: true },
    { accepted: true },
    [{ path: "/pricing", visitors: 1, pageviews: 1, duration: 30_000 }],
    [{ referrer: "Hacker News", visitors: 1 }],
    { current: { visitors: 1, pageviews: 1 }, interval: [{ pageviews: 1 }] },
  ]);
}

testWith("curl", "the example of the README, verbatim but for the port", () =>
  withFolder(async (folder) => {
    const server = await ServerProcess.start(executable, folder);
    try {
      await tryIt(folder, server.port);
    } finally {
      await server.end("SIGTERM");
    }
  }),
);

/**
 * A clone has what is committed. A test has no network, so the packages are those that are here: their installation is what
 * it leaves out.
 */
function cloneInto(folder: string): string {
  const clone = join(folder, "footfall");
  const git = ["git", "clone", "--quiet", "--depth", "1", `file://${root}`, clone];
  expect(Bun.spawnSync(git, { stderr: "inherit" }).exitCode).toBe(0);
  const [pins, installed] = [join(clone, "package.json"), join(root, "node_modules", ".installed")];
  if (readFileSync(pins, "utf8") !== readFileSync(installed, "utf8"))
    throw new Error("the packages here are not those of the last commit: commit package.json");
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  return clone;
}

const missing = (["clone", "curl", "time"] as const).find((need) => !isThere(need));
test.skipIf(missing !== undefined)(
  nameWith(missing ?? "time", "a clean clone, npm start, the printed link, and the example"),
  () =>
    withFolder(async (folder) => {
      const clone = cloneInto(folder);
      const server = await ServerProcess.start(["npm", "start", "--silent", "--"], clone, [], {});
      try {
        const [, token] = /^ +http:\/\/localhost:\d+\/#setup=(\S+)$/m.exec(server.greeting) ?? [];
        const first = { ...account, token };
        expect((await server.post("/setup", first)).status).toBe(201);
        expect((await server.post("/setup", first)).status).toBe(409);
        await tryIt(folder, server.port);
      } finally {
        await server.end("SIGTERM");
      }
      expect(readdirSync(join(clone, "snapshots")).some((name) => name.endsWith(".manifest"))).toBe(true);
      const status = Bun.spawnSync([
        "git",
        "-C",
        clone,
        "status",
        "--porcelain",
        "--",
        ".",
        ":!node_modules",
      ]);
      expect([status.exitCode, status.stdout.toString()]).toEqual([0, ""]);
    }),
);

longTest("npm start ends its server in order when it is told to end", () =>
  withFolder(async (folder) => {
    const npmStart = ["npm", "--prefix", root, "start", "--silent", "--"];
    const data = ["--data", join(folder, "data")];
    const first = await ServerProcess.start(npmStart, folder, data);
    await first.end("SIGTERM");
    // Nothing of it is left that holds the folder.
    const second = await ServerProcess.start(executable, folder, data);
    expect(await second.end("SIGTERM")).toBe(0);
  }),
);

test("control-C ends the server of npm start in order, though npm passes the signal on as well", () =>
  withFolder(async (folder) => {
    const npmStart = ["npm", "--prefix", root, "start", "--silent", "--"];
    expect(await endedByControlC(npmStart, folder)).toMatchObject({ exitCode: 0 });
  }));

test("README and comparison have the hits a second that the newest table of docs/performance.md has", async () => {
  const table =
    /<!-- bench: ingest -->[\s\S]*?<!-- end -->/.exec(await tidyPage("docs/performance.md"))?.[0] ?? "";
  const [, perSecond, p50] = /\| 50 loads, [^|]*\| \d+ \| (\d+) \| [\d.]+ \| ([\d.]+) \|/.exec(table) ?? [];
  const hits = Number(perSecond).toLocaleString("en");
  expect(await readme()).toContain(`| ${hits} a second, half in ${p50} ms |`);
  expect(await tidyPage("docs/comparison.md")).toContain(`${hits} hits a second on two cores`);
});

test.each([
  ["README.md", 200],
  ["ARCHITECTURE.md", 160],
])("%s has at most %i lines", async (page, linesMax) => {
  expect((await tidyPage(page)).split("\n").length - 1).toBeLessThanOrEqual(linesMax);
});
