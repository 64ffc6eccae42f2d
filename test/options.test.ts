/** The programs beside the tests say what can be said to them. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseOptions } from "./support/options.ts";
import { someOf } from "./support/rounds.ts";

const root = join(import.meta.dir, "..");
const programs = {
  siege: { file: "test/siege/main.ts", option: "fuzzed" },
  torture: { file: "test/torture/main.ts", option: "rounds" },
  "cluster-test": { file: "test/cluster-test/main.ts", option: "rounds" },
  bench: { file: "bench/main.ts", option: "rows" },
};

/** Calls that README, CONTRIBUTING and docs/ show; a row of a table may have the name and the options side by side. */
const calls = ["*.md", "docs/*.md"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  .flatMap((path) => readFileSync(join(root, path), "utf8").split("\n"))
  .flatMap((line) => {
    const [, named] = /^\| `(npm run [\w-]+)` /.exec(line) ?? [];
    const calls = line.match(/npm run [\w-]+ -- [^`]+/g) ?? [];
    return named === undefined
      ? calls
      : [...calls, ...(line.match(/(?<=`)-- --[^`]+/g) ?? []).map((text) => `${named} ${text}`)];
  });

test.each([
  ["7", "7"],
  ["10M", "10000000"],
  ["100k", "100000"],
])("a number may end in thousands or millions: %s", (given, expected) => {
  const program = {
    name: "npm run it",
    about: "",
    table: { rows: { value: "N", fallback: "5", about: "" } },
  };
  expect(parseOptions(program, ["--rows", given])).toEqual({ values: { rows: expected } });
  expect(parseOptions(program, ["--rows", `${given}5x`])).toMatchObject({
    wrong: expect.stringContaining("100k"),
  });
});

const ended = new Map<string, ReturnType<typeof started>>();

/** Runs a program once for all tests that ask the same of it. */
function run(file: string, ...argv: string[]) {
  return ended.getOrInsertComputed([file, ...argv].join(" "), () => started(file, argv));
}

async function started(file: string, argv: readonly string[]) {
  const process = Bun.spawn([globalThis.process.execPath, join(root, file), ...argv], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error] = await Promise.all([
    new Response(process.stdout).text(),
    new Response(process.stderr).text(),
  ]);
  return { out, error, code: await process.exited };
}

describe("programs beside the tests", () => {
  for (const [name, { file, option }] of Object.entries(programs)) {
    test(`${name} prints its options with a sentence each`, async () => {
      const { out, error, code } = await run(file, "--help");
      expect([code, error]).toEqual([0, ""]);
      expect(out).toStartWith(`npm run ${name} [-- OPTIONS]\n`);
      expect(out).toContain(`  --${option} N\n      `);
      const lines = out.trimEnd().split("\n");
      for (const [at, line] of lines.entries())
        if (line.startsWith("  --")) expect(lines[at + 1]).toMatch(/^ {6}[A-Z].*\.( \(default: .*\))?$/);
    });

    test(`${name} says in a line what is wrong`, async () => {
      const wrong = [
        { argv: ["--bogus"], error: "Unknown option '--bogus'" },
        { argv: ["word"], error: "Unexpected argument 'word'" },
        { argv: [`--${option}`], error: `Option '--${option} <value>' argument missing` },
        { argv: [`--${option}`, "many"], error: `--${option}: got "many", expected a whole number` },
        { argv: ["--only", "nothing"], error: '--only: got "nothing", expected some of ' },
      ];
      await Promise.all(
        someOf(wrong, 1).map(async ({ argv, error: expected }) => {
          const { out, error, code } = await run(file, ...argv);
          expect([code, out]).toEqual([2, ""]);
          expect(error).toStartWith(expected);
          expect(error).toEndWith(`; see npm run ${name} -- --help\n`);
          expect(error.split("\n")).toHaveLength(2);
        }),
      );
    });

    test(`${name} has the options that the pages show`, async () => {
      const [{ out: help }, { error }] = await Promise.all([
        run(file, "--help"),
        run(file, "--only", "nothing"),
      ]);
      const [, words = ""] = /expected some of (.*);/.exec(error) ?? [];
      const shown = calls
        .filter((call) => call.startsWith(`npm run ${name} `))
        .map((call) => call.split(" -- ")[1] ?? "");
      expect(shown.length).toBeGreaterThan(0);
      for (const text of shown) {
        const options = text.match(/--[\w-]+/g) ?? [];
        const only = /--only (\S+)/.exec(text)?.[1]?.split(",") ?? [];
        expect([text, options.filter((option) => !help.includes(`\n  ${option}`))]).toEqual([text, []]);
        expect([text, only.filter((word) => !words.split(", ").includes(word))]).toEqual([text, []]);
      }
    });
  }
});
