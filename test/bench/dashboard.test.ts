/** The bench of the dashboard, tiny: that the servers are measured in turn, each on a folder of its own, and asked for everything. */
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startsInTurn, withBuilds } from "../../bench/builds.ts";
import { endMs, fillSite, pageViews, startMs } from "../../bench/data.ts";
import { withServerOf } from "../../bench/folder.ts";
import { Times, timesTable } from "../../bench/measure.ts";
import { benchPage, pageTable, selections } from "../../bench/page.ts";
import { pageQuestion, singleLists, tabsAsked, wayOf } from "../../bench/page-questions.ts";
import { benchPaint, changes, further } from "../../bench/paint.ts";
import { thisCheckout } from "../../bench/scale-folder.ts";
import { checkoutCommit } from "../../src/cli/version.ts";
import type { Filter } from "../../src/core/questions/query.ts";
import { Site } from "../../src/store/state/site.ts";
import { answerSummary } from "../support/answers.ts";
import { useExecutable } from "../support/executable.ts";
import { withFolder } from "../support/folder.ts";
import { testWith } from "../support/needs.ts";

const rows = 20_000;
const commit = checkoutCommit(thisCheckout).slice(0, 7);
const command = [useExecutable()];
/** These few page views leave nothing to do in the background. */
const quick = { command, patienceMs: 0 } as const;

test("filters let through as many rows as their names say, and new ones the same", () => {
  const site = new Site(1);
  fillSite(site, pageViews(rows));
  const share = (filters: readonly Filter[]) => {
    const query = { period: { startMs, endMs }, filters, previous: false, timezone: "UTC" };
    return (100 * answerSummary(site, query, endMs).current.pageviews) / rows;
  };
  const percentOf = (name: string) => Number(/([\d.]+) %/.exec(name)?.[1]);
  for (const { name, filters } of selections) {
    expect(share(filters(1))).toBeWithin(percentOf(name) - 1, percentOf(name) + 1);
    expect(share(filters(2))).toBe(share(filters(1)));
    expect(filters(2)).not.toEqual(filters(1));
    expect(filters(1)).toHaveLength(2);
  }
  const filtered = changes.filter(({ kind }) => kind === "filter");
  expect(filtered.map(({ question }) => question.filters.length)).toEqual([1, 1, 1, 2, 2]);
  for (const { what, question } of filtered)
    expect(share(question.filters)).toBeWithin(percentOf(what) - 1, percentOf(what) + 1);
});

describe("what a page asks", () => {
  test("are eighteen answers, of them six at once when it is opened", () => {
    const asked = (tabs: keyof typeof tabsAsked) => singleLists(pageQuestion([]), tabsAsked[tabs]);
    expect(new Set(asked("every")).size).toBe(18);
    expect(asked("open")).toHaveLength(6);
    for (const path of asked("open")) expect(asked("every")).toContain(path);
  });

  test("is asked in the first way that the server knows", () =>
    withServerOf(
      50,
      async (server) => {
        const unknown = () => ["/website/bench.example/every-list"];
        expect(await wayOf(server, [unknown, singleLists])).toBe(singleLists);
        await expect(wayOf(server, [unknown])).rejects.toThrow("no way that is known");
      },
      command,
    ));
});

test("this checkout and another are measured in turn, each on folders that it made", () =>
  withFolder(async (folder) => {
    const [kept, others] = [join(folder, "kept"), join(folder, "others")];
    const versus = { path: thisCheckout, kept: others };
    const times = await benchPage({ rows: 400, kept, versus, ...quick, starts: 1, runs: 1 });
    for (const top of [kept, others]) expect(existsSync(join(top, "400", "snapshots"))).toBe(true);
    expect(times.builds).toEqual(["this", commit]);
    expect(times.rows.size).toBe(1 + selections.length * 4);
    for (const row of times.rows.values())
      for (const build of times.builds) {
        expect([row.of(build, "first").length, row.of(build, "again").length]).toEqual([1, 2]);
        expect(Math.min(...row.of(build, "first"), ...row.of(build, "again"))).toBeGreaterThan(0);
      }
    expect(pageTable(times).split("\n")).toHaveLength(2 + times.rows.size);
  }));

test("an executable is started on a copy, and another build first each time", () =>
  withFolder(async (folder) => {
    const program = join(folder, "program");
    writeFileSync(program, `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`);
    chmodSync(program, 0o755);
    const turns: string[] = [];
    await withBuilds(
      {
        rows: 300,
        kept: join(folder, "kept"),
        versus: { path: program, kept: undefined },
        ...quick,
      },
      async (builds) => {
        expect(builds[1]?.folder).not.toBe(builds[0]?.folder as string);
        await startsInTurn(builds, 2, async (server, { name }) => {
          const [summary] = (await server.rows("bench.example", "pages")) as [Record<string, number>];
          turns.push(`${name} ${summary["visitors"]}`);
        });
      },
    );
    const visitors = turns[0]?.split(" ")[1];
    expect(turns).toEqual(["this", commit, commit, "this"].map((name) => `${name} ${visitors}`));
  }));

testWith("chromium", "every change of a page is drawn, the first time and again", async () => {
  const times = await benchPaint({
    rows: 500,
    kept: undefined,
    versus: undefined,
    ...quick,
    starts: 1,
    again: 1,
    compared: true,
  });
  expect(times?.rows.size).toBe(2 + changes.length + further.length);
  for (const [what, row] of times?.rows ?? []) {
    // A filter that comes last is not asked again.
    const runs = what.includes("in a server at work") ? [1, 0] : [1, 1];
    expect([row.of("this", "first").length, row.of("this", "again").length]).toEqual(runs);
    expect(Math.min(...row.of("this", "first"), ...row.of("this", "again"))).toBeGreaterThan(0);
  }
});

test("times stand side by side, with goals and the number of runs", () => {
  const times = new Times(["this", "other"]);
  const row = times.row("a", { first: 100 });
  for (const ms of [1, 3, 2]) times.row("a").note("this", "first", ms);
  row.note("other", "first", 40);
  row.note("this", "again", 0.5);
  const cells = timesTable("asked", times)
    .split("\n")
    .map((line) => line.split(/ *\| */).slice(1, -1));
  expect(cells[0]).toEqual([
    "asked",
    ...["first ms: this", "first ms: other", "goal", "runs"],
    ...["again ms: this", "again ms: other", "goal", "runs"],
  ]);
  expect(cells[2]).toEqual(["a", ...["2.00", "40.0", "100", "3"], ...["0.50", "", "", "1"]]);
});
