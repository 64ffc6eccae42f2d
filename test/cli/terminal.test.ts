import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { explain, listenRefusal } from "../../src/cli/failure.ts";
import { leftOutReasons, type ImportReport } from "../../src/cli/import/report/report.ts";
import { progressLine, progressOf, reportLines } from "../../src/cli/import/report/progress.ts";
import { LogSource } from "../../src/cli/import/source.ts";
import { run } from "../support/program.ts";
import { firstLine } from "../../src/cli/terminal/terminal.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { DiskError } from "../../src/lib/disk/disk.ts";
import { TestClock } from "../support/clock.ts";
import { withFolder } from "../support/folder.ts";
import { RecordedTerminal } from "../support/recorded-terminal.ts";

/** A terminal that somebody watches and at which nobody types. */
class Screen extends RecordedTerminal {
  readonly shown: string[] = [];

  constructor() {
    super("", true);
  }

  override status(line: string): void {
    this.shown.push(line);
  }

  override readPassword(): Promise<string> {
    return Promise.reject(new Refusal(400, "nobody types here"));
  }
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe("firstLine", () => {
  test.each([
    [["a password\n"], "a password"],
    [["a password\r\n"], "a password"],
    [["a pass", "word", "\nand more\n"], "a password"],
    [[" spaces stay \n"], " spaces stay "],
    [["no line feed"], "no line feed"],
    [["gr\u00fcn\n"], "gr\u00fcn"],
    [[""], undefined],
    [[], undefined],
  ])("of %j is %j", async (texts, line) => {
    expect(await firstLine(pieces(...texts))).toBe(line);
  });

  test("reads no more than a few kilobytes", async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        read += 1_000;
        yield new Uint8Array(1_000).fill(0x61);
      }
    }
    await firstLine(endless());
    expect(read).toBeLessThan(10_000);
  });
});

const leftOut = {
  ...Object.fromEntries(Object.keys(leftOutReasons).map((name) => [name, 0])),
} as ImportReport["leftOut"];

describe("an import's progress", () => {
  const some = { unit: "line", events: 0, leftOut, unreadableAt: 0, disordered: 0 } as const;

  test("is a bar where the size is known", () => {
    const report = { ...some, lines: 1_234, taken: 1 };
    expect(progressLine({ bytesRead: 50, bytesTotal: 100 }, report)).toBe(
      `[${"#".repeat(15)}${".".repeat(15)}] 50 %  1,234 lines, 1 page view`,
    );
    expect(progressLine({ bytesRead: 100, bytesTotal: 100 }, report)).toContain(`[${"#".repeat(30)}] 100 %`);
    expect(progressLine({ bytesRead: 50, bytesTotal: undefined }, report)).toBe("1,234 lines, 1 page view");
  });

  test("is shown at most ten times a second", () => {
    const clock = new TestClock();
    const screen = new Screen();
    const show = progressOf(new LogSource("-", pieces()), clock, screen);
    for (let lines = 0; lines < 50; lines++) {
      show({ ...some, lines, taken: 0 });
      clock.advance(10);
    }
    expect(screen.shown).toHaveLength(5);
  });

  test("ends with a report of every reason that there was", () => {
    const reasons = { ...leftOut, crawler: 96, asset: 1, unreadable: 3 };
    const report = { ...some, lines: 1_500, taken: 1_398, events: 2, leftOut: reasons, unreadableAt: 17 };
    expect(reportLines(report, "example.com", 0.25)).toEqual([
      "1,500 lines read in 0.3 s",
      "  1,398 taken as page views of example.com",
      "      2 taken as events",
      "      3 could not be read, the first of them line 17",
      "      1 for a file that is no page",
      "     96 from a crawler",
    ]);
    const unsorted = { ...some, unit: "row", lines: 9, taken: 9, disordered: 1 } as const;
    expect(reportLines(unsorted, "example.com", 0).at(-1)).toContain("Sort the file by time");
    const proxied = { ...some, lines: 9, taken: 9, proxyAddress: "172.18.0.3" };
    expect(reportLines(proxied, "example.com", 0).at(-1)).toStartWith(
      "most page views have the address 172.18.0.3",
    );
  });
});

describe("run", () => {
  test("help and version go to standard output", async () => {
    const screen = new Screen();
    expect(await run(["--help"], {}, screen)).toBe(0);
    expect(screen.printed[0]).toContain(
      "footfall import HOST FILE... [--format NAME] [--from DATE] [--until DATE] [--complete] [--yes]\n          [--anew] [--dry-run]",
    );
    expect(await run(["--version"], {}, screen)).toBe(0);
    expect(screen.printed[1]).toMatch(/^footfall \d+\.\d+\.\d+ \(([0-9a-f]{40}|development)\)$/);
    expect(screen.noted).toEqual([]);
  });

  test("what it cannot do is one line and exit code 2", async () => {
    const screen = new Screen();
    expect(await run(["user", "add", "ada"], {}, screen)).toBe(2);
    expect(await run([], { FOOTFALL_PORT: "x" }, screen)).toBe(2);
    expect(screen.noted).toEqual([
      "footfall: nobody types here",
      'footfall: FOOTFALL_PORT: expected a number from 0 to 65535, got "x"',
    ]);
    expect(screen.printed).toEqual([]);
  });

  test("a password is asked only for a new name, and a new one for an account that there is", () =>
    withFolder(async (folder) => {
      const data = ["--data", join(folder, "data")];
      expect(await run(["user", "add", "ada", ...data], {}, new RecordedTerminal("a good password\n"))).toBe(
        0,
      );
      const screen = new Screen();
      for (const name of ["grace", "ada"])
        expect(await run(["user", "password", name, ...data], {}, screen)).toBe(2);
      for (const name of ["ADA", "grace"])
        expect(await run(["user", "add", name, ...data], {}, screen)).toBe(2);
      expect(screen.noted).toEqual([
        'footfall: there is no account "grace"',
        "footfall: nobody types here",
        'footfall: username: "ADA" is taken',
        "footfall: nobody types here",
      ]);
    }));
});

describe("explain", () => {
  test("gives what a user can mend on one line, and a bug nothing", () => {
    expect(explain(new Refusal(400, "this\n  or that"))).toBe("footfall: this or that");
    expect(explain(new DiskError("open", "/a", "ENOSPC"))).toContain("the disk is full");
    expect(explain(new TypeError("undefined is not a function"))).toBeUndefined();
    expect(explain("thrown text")).toBeUndefined();
  });

  test("a port that cannot be had is a Refusal with what to do, a bug stays a bug", () => {
    const taken = listenRefusal(Object.assign(new Error("in use"), { code: "EADDRINUSE" }), "0.0.0.0", 80);
    expect(explain(taken)).toContain('port 80 of "0.0.0.0": the port is taken');
    expect(explain(listenRefusal(Object.assign(new Error(), { code: "EODD" }), "::", 80))).toContain(
      "(EODD)",
    );
    const bug = new TypeError("bug");
    expect(listenRefusal(bug, "::", 80)).toBe(bug);
  });

  test.each(["::zz", "localhost:80", "999.1.1.1"])(
    "who cannot listen on %j is told to choose another",
    (hostname) => {
      const listenThere = () => Bun.serve({ hostname, port: 0, fetch: () => new Response() });
      expect(listenThere).toThrow();
      try {
        listenThere();
      } catch (error) {
        expect(explain(listenRefusal(error, hostname, 0))).toMatch(/choose .* with --host/);
      }
    },
  );
});
