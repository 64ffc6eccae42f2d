/** A run says one line of the tests that it left out, and nothing else. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFolder } from "./support/folder.ts";
import { longTest } from "./support/long-test.ts";
import { roundsVariable, shortRounds } from "./support/rounds.ts";
import { isThere, leftOutLine, nameWith, WithoutSkipped } from "./support/needs.ts";

const skipped = (name: string, group = "") =>
  `<testcase name="${name}" classname="${group}" time="0" file="a.test.ts">\n  <skipped />\n</testcase>\n`;

test("tests that were skipped are counted by what they need", () => {
  const report = [
    `<testcase name="one [needs curl]" classname="" time="1" file="a.test.ts" />`,
    `<testcase name="two" classname="" time="1" file="a.test.ts">\n<failure /></testcase>`,
    ...[1, 2].map((at) => skipped(`${at} &lt; 3`, "in a browser [needs chromium] &gt; in the dark")),
    skipped("the log [needs log]"),
    skipped("for another day"),
  ].join("\n");
  expect(leftOutLine(report)).toBe(
    "left out: 2 tests for want of chromium (apt-get install chromium); " +
      "1 test for want of the log in ../shared/data; 1 test skipped by the source",
  );
  expect(leftOutLine("<testsuites></testsuites>")).toBeUndefined();
});

test("a short run has some of each list, in its order, and some of all rounds; a whole one has all", () => {
  const program = `
    import { rounds, someOf } from "./test/support/rounds.ts";
    const list = Array.from({ length: 20 }, (_, at) => at);
    console.log(JSON.stringify([rounds(10), rounds(1), rounds(4, 3), someOf(list), someOf(["one"])]));
  `;
  const run = (environment: object) => {
    const { stdout } = Bun.spawnSync([process.execPath, "-e", program], {
      cwd: join(import.meta.dir, ".."),
      env: { FOOTFALL_SEED: "7", ...environment },
    });
    return JSON.parse(stdout.toString().trim().split("\n").at(-1) ?? "");
  };
  const [few, one, least, some, alone] = run({ [roundsVariable]: shortRounds });
  expect([few, one, least, some.length, alone]).toEqual([2, 1, 3, 4, ["one"]]);
  expect(some).toEqual([...new Set<number>(some)].toSorted((a, b) => a - b));
  expect(run({ [roundsVariable]: shortRounds, FOOTFALL_SEED: "8" })[3]).not.toEqual(some);
  const whole = [10, 1, 4, Array.from({ length: 20 }, (_, at) => at), ["one"]];
  expect(run({})).toEqual(whole);
  expect(run({ [roundsVariable]: "2" })).toEqual([20, 2, 8, ...whole.slice(3)]);
});

test("a name has a mark where something is missing, and only there", () => {
  const names = (["chromium", "log", "duckdb", "curl", "linux"] as const).map((need) => [
    nameWith(need, "it"),
    isThere(need) ? "it" : `it [needs ${need}]`,
  ]);
  for (const [name, expected] of names) expect(name).toBe(expected as string);
});

test("lines about them are left out, with the headings above them", () => {
  const shown = new WithoutSkipped();
  const lines = `
test/a.test.ts:
(skip) a > one [needs log]

test/b.test.ts:
(skip) b > (unnamed)
(skip) b > (unnamed) [0.08ms]
(skip) b > two [needs log]
\u001b[0m\u001b[32m(pass)\u001b[0m b > three [1.00ms]

test/c.test.ts:
\u001b[33m(skip)\u001b[0m c

3 tests skipped:
(skip) a > one [needs log]
(skip) b > (unnamed)
(skip) b > two [needs log]

1 tests failed:
(fail) d

 1 pass
 5 skip
 0 fail
Ran 6 tests across 3 files. [1.00s]`.split("\n");
  expect(lines.flatMap((line) => shown.next(line)).map((line) => Bun.stripANSI(line))).toEqual([
    "",
    "test/b.test.ts:",
    "(pass) b > three [1.00ms]",
    "",
    "1 tests failed:",
    "(fail) d",
    "",
    " 1 pass",
    " 0 fail",
    "Ran 4 tests across 3 files. [1.00s]",
  ]);
});

test("hooks of a group that is left out are no tests, though Bun counts them", () =>
  withFolder(async (folder) => {
    const source = `
      import { afterAll, beforeAll, describe, test } from "bun:test";
      test("is there", () => {});
      describe.skip("a tour [needs time]", () => {
        beforeAll(() => {});
        afterAll(() => {});
        test("one", () => {});
        describe("within", () => {
          beforeAll(() => {});
          test("two", () => {});
        });
      });
    `;
    const report = join(folder, "report.xml");
    writeFileSync(join(folder, "hooks.test.ts"), source);
    const command = [process.execPath, "test", "--reporter=junit", `--reporter-outfile=${report}`];
    const { stderr } = Bun.spawnSync(command, { cwd: folder, env: {} });
    const shown = new WithoutSkipped();
    const lines = stderr.toString().trimEnd().split("\n");
    expect(lines.flatMap((line) => shown.next(line)).at(-1)).toStartWith("Ran 3 tests across 1 file.");
    expect(leftOutLine(await Bun.file(report).text())).toMatch(/^left out: 2 tests for want of /);
  }));

longTest("a run without a browser says so in its last line, and ends well", () => {
  const folder = mkdtempSync(join(tmpdir(), "footfall-left-out-"));
  try {
    // A PATH with all that a run takes, and no browser.
    for (const name of ["bun", "node"]) symlinkSync(Bun.which(name) ?? process.execPath, join(folder, name));
    const file = "test/web/live.test.ts";
    const run = Bun.spawnSync([process.execPath, "test/run.ts", file], {
      cwd: join(import.meta.dir, ".."),
      env: { ...process.env, PATH: folder },
    });
    const said = `${run.stdout}${run.stderr}`;
    expect(said.trim().split("\n").at(-1)).toMatch(
      /^left out: \d+ tests for want of chromium \(apt-get install chromium\)$/,
    );
    expect(said).not.toMatch(/skip|live\.test/);
    expect(said).toContain(" 0 fail\n");
    expect(run.exitCode).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
