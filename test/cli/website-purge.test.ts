import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePurge } from "../../src/cli/control/purge-input.ts";
import { fillFolder, hostname } from "../../bench/folder.ts";
import { useExecutable } from "../support/executable.ts";
import { useFolder } from "../support/folder.ts";
import { refusalOf } from "../support/refusals.ts";
import { someOf } from "../support/rounds.ts";
import { account, browser, runToEnd, ServerProcess } from "../support/server.ts";

const command = [useExecutable()];
let folder: string;
const top = useFolder();

const purge = (args: readonly string[], input = "") =>
  runToEnd(command, folder, ["website", "purge", hostname, ...args], input);
const filters = ["--filter", "path[contains]=page", "--filter", "browser[in]=Chrome,Safari"];

function onDisk(text: string): boolean {
  const files = readdirSync(join(folder, "snapshots"), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .some((file) => readFileSync(join(file.parentPath, file.name)).includes(text));
}

async function fillAnother(): Promise<void> {
  folder = mkdtempSync(join(top, "purge-"));
  await fillFolder(join(folder, "snapshots"), 1, 500);
}

describe("footfall website purge", () => {
  beforeEach(fillAnother);

  test("says what would go, and asks", async () => {
    const dry = await purge([...filters, "--dry-run"]);
    expect(dry.output).toMatch(/^\d+ page views, \d+ visitors and \d+ events? of bench.example\n$/);
    for (const answer of someOf(["\n", "n\n", "no\n", "yesterday\n"])) {
      const { output, errors, exitCode } = await purge(filters, answer);
      expect({ output, exitCode }).toEqual({ output: dry.output, exitCode: 0 });
      expect(errors).toContain("[y/N]");
      expect(errors).toContain("nothing was removed");
    }
    const { output } = await purge(filters, "y\n");
    expect(output).toBe(`${dry.output}removed ${dry.output}`);
    expect((await purge(filters)).output).toStartWith("0 page views");
  });

  test("removes nothing where nobody answers, and says which flag does", async () => {
    const rows = (await purge([...filters, "--dry-run"])).output;
    for (const words of [
      ["website", "purge", hostname, ...filters],
      ["website", "remove", hostname],
      ["user", "remove", account.username],
    ]) {
      const { exitCode, errors } = await runToEnd(command, folder, words);
      expect([exitCode, errors.split("\n")[1]]).toEqual([
        2,
        "footfall: nothing was removed: standard input has no answer; --yes does it without a question",
      ]);
    }
    expect((await purge([...filters, "--dry-run"])).output).toBe(rows);
  });

  test("removes without a question where it is told so, also while the server runs", async () => {
    const server = await ServerProcess.start(command, folder);
    try {
      const { output, errors } = await purge(["--filter", "browser[eq]=firefox", "--yes"]);
      expect([errors, output]).toEqual(["", expect.stringContaining("removed ")]);
      expect(onDisk("Firefox")).toBeFalse();
      expect(onDisk("Safari")).toBeTrue();
    } finally {
      await server.end("SIGTERM");
    }
    expect(onDisk("Firefox")).toBeFalse();
  });
});

test("a purge by hit finds the sources of what has no visit", async () => {
  await fillAnother();
  const server = await ServerProcess.start(command, folder, ["--trust-proxy", "192.0.2.1"]);
  try {
    const hit = { u: `https://${hostname}/`, p: true, r: "https://ring.example/me@mail" };
    // Nobody believes this proxy, so there are no visits.
    const headers = { "user-agent": browser, "x-forwarded-for": "203.0.113.9" };
    for (const b of ["ring1", "ring2"])
      expect((await server.post("/event/hit", { b, ...hit }, headers)).status).toBe(200);
    const found = ["--filter", "referrer[contains]=ring.example", "--dry-run"];
    expect((await purge(found)).output).toStartWith("0 page views");
    expect((await purge([...found, "--by-hit"])).output).toStartWith("2 page views");
  } finally {
    await server.end("SIGTERM");
  }
});

describe("a purge that makes no sense", () => {
  beforeAll(fillAnother);

  test.each([
    [["--filter", "path=/"], "filter"],
    [["--filter", "path[is]=/"], "operator"],
    [["--filter", "channel[eq]=Direct"], ": expected a filter: path, "],
    [["--from", "1 May"], "from"],
    [["--from", "2026-01-02", "--to", "2026-01-01"], "--to"],
    [["--yes"], "remove the website instead"],
    [[], "remove the website instead"],
  ])("is refused: %j", async (args, word) => {
    const { exitCode, errors } = await purge(args);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(word)]);
    // No name is offered that is refused.
    expect(errors).not.toMatch(/, (?:channel|visit_referrer),/);
  });
});

describe("the words of a purge", () => {
  const input = { hostname: "a.example", filters: [], from: "", to: "", isDryRun: true };

  test("are filters without the encoding of a URL", () => {
    const { selection } = parsePurge(
      { ...input, filters: ["path[eq]=/a+b%20c=d", "path[in]=/a,/b\\,c"] },
      false,
    );
    expect(selection.filters).toEqual([
      { name: "path", operator: "eq", operands: ["/a+b%20c=d"] },
      { name: "path", operator: "in", operands: ["/a", "/b,c"] },
    ]);
    expect(selection.period).toEqual({ startMs: -Infinity, endMs: Infinity });
  });

  test("name the source of visits where the website has visits, as its statistics do", () => {
    const filters = ["referrer[contains]=spam", "path[eq]=/", "prop_name[eq]=a"];
    const namesOf = (visits: boolean) =>
      parsePurge({ ...input, filters }, visits).selection.filters.map(({ name }) => name);
    expect(namesOf(true)).toEqual(["visit_referrer", "path", "prop_name"]);
    expect(namesOf(false)).toEqual(["referrer", "path", "prop_name"]);
    const { selection } = parsePurge({ ...input, filters, isByHit: true }, true);
    expect(selection.filters.map(({ name }) => name)).toEqual(["referrer", "path", "prop_name"]);
  });

  test("are days or times", () => {
    const { period } = parsePurge({ ...input, from: "2026-01-02", to: "2026-01-02" }, false).selection;
    expect(period).toEqual({ startMs: Date.UTC(2026, 0, 2), endMs: Date.UTC(2026, 0, 3) - 1 });
    const times = { from: "2026-01-02T10:00:00+01:00", to: "2026-01-02T10:00:00.5Z" };
    expect(parsePurge({ ...input, ...times }, false).selection.period).toEqual({
      startMs: Date.UTC(2026, 0, 2, 9),
      endMs: Date.UTC(2026, 0, 2, 10, 0, 0, 500),
    });
  });

  test("remove nothing that they do not name", async () => {
    expect(parsePurge({ hostname: "a.example" }, false).isDryRun).toBeTrue();
    for (const filters of ["path[eq]=/", [1], ["path"]])
      expect((await refusalOf(async () => parsePurge({ ...input, filters }, false))).code).toBe(400);
  });
});
