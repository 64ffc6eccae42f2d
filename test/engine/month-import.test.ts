/** Months of sums in a running engine: durable, the same in every thread, with the ids of now, and gone with retention. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Question } from "../../src/core/questions/query.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { planRepair } from "../../src/cli/repair/plan.ts";
import { checkFolder } from "../../src/engine/opening/check-folder.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import { filesAtRest } from "../../src/engine/pinned-files.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { noSums, type MonthSums, type Sums } from "../../src/facts/months/month-sums.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { fitted } from "../../src/query/answers/reach.ts";
import type { ReadSite } from "../../src/store/mirror/read-site.ts";
import { ReducedMonth } from "../../src/store/state/reduced-month.ts";
import { websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { randomFrom } from "../support/random.ts";
import { load, valuesOf } from "../support/records.ts";
import { addWebsites } from "../support/websites.ts";

const dayMs = 86_400_000;
/** Page views, visitors and visits, which begin and end there. */
const sums = (pageviews: number, visits: number): Sums => ({
  ...noSums,
  pageviews,
  visitors: visits,
  visits,
  entries: visits,
  exits: visits,
});

/** A month with ten page views on its second day, half of them of a page that has its name. */
function monthOf(monthMs: number, name: string): MonthSums {
  const day = monthMs / dayMs + 1;
  const none = { path: [], browser: [], os: [], device: [], country: [] };
  const source = [`${name}.example`, "", "", "", "", ""];
  const path = [[`/${name}`, sums(5, 2)] as const, ["/", sums(5, 2)] as const];
  const browser = [["Firefox", sums(10, 4)] as const];
  return {
    monthMs,
    days: [
      {
        day,
        all: sums(10, 4),
        values: { ...none, path, browser },
        sources: [[source, sums(10, 4)]],
        events: [["signup", 3]],
      },
    ],
  };
}

describe("months of sums", () => {
  let disk: MemoryDisk;
  let clock: TestClock;
  const opened: RunningEngine[] = [];
  beforeEach(() => {
    disk = new MemoryDisk();
    clock = new TestClock();
  });
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.stop();
  });

  async function open(more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
    const engine = await openInMemory(disk, { clock, ...more });
    opened.push(engine);
    return engine;
  }

  const months = [Date.UTC(2025, 7), Date.UTC(2025, 8), Date.UTC(2025, 10)];
  async function filled(more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
    const engine = await open(more);
    await addWebsites(engine, "a.example");
    await engine.commit(load("b", { timeMs: clock.nowMs(), values: valuesOf("/now") }));
    for (const [at, monthMs] of months.entries())
      expect(await engine.monthImport.add(1, monthOf(monthMs, `page-${at}`))).toBeUndefined();
    return engine;
  }

  const page = { limit: 100, offset: 0, grouped: false, locale: false, summary: false, filters: [] };
  const everything = { startMs: -Infinity, endMs: Infinity };
  const questions: Question[] = (["pages", "referrers", "browsers", "channels", "properties"] as const).map(
    (list) => ({ ...page, list, period: everything }) as Question,
  );
  const answers = async (engine: RunningEngine) =>
    Promise.all(
      questions.map(async (question) => JSON.parse((await engine.ask(1, question)).json) as unknown[]),
    );

  function faults(): string[] {
    const found: string[] = [];
    const onFault = (fault: string) => found.push(fault);
    checkFolder({ disk, folder: "/data", files: undefined, onProgress: () => {}, onFault });
    return found;
  }

  test("are there after a power cut, a stop, a checkpoint with other ids, and in the other thread", async () => {
    const engine = await filled();
    const before = await answers(engine);
    expect(before[0]).toMatchObject([
      { path: "/", pageviews: 15 },
      { path: "/page-0" },
      { path: "/page-1" },
      {},
      {},
    ]);
    expect(before[4]).toMatchObject([{ name: "signup", events: 9 }]);
    disk = disk.clone();
    expect(faults()).toEqual([]);
    expect(filesAtRest(disk, "/data").months).toHaveLength(3);
    const again = await open();
    expect(await answers(again)).toEqual(before);
    await again.purge();
    expect([...(again.site(1)?.reduced.values() ?? [])].map(({ rewrites }) => rewrites.length)).toEqual([
      0, 0, 0,
    ]);
    expect(await answers(again)).toEqual(before);
    again.check();
    await again.stop();
    expect(faults()).toEqual([]);
    const last = await open({ smallRows: 0 });
    expect(await answers(last)).toEqual(before);
    const marks = [...(last.site(1)?.reduced.values() ?? [])].map(({ head }) => head.isImported);
    expect(marks).toEqual([true, true, true]);
  });

  test("refuse a start that misses a file of theirs which only the log names, until it is back", async () => {
    const before = await answers(await filled());
    disk = disk.clone();
    const [path = ""] = [...disk.files.keys()].filter((name) => name.endsWith(".month"));
    const bytes = disk.read(path);
    disk.remove(path);
    await expect(open()).rejects.toThrow(/\.month.*missing.*put the same file back/);
    // A folder that starts as little is not called repaired.
    expect(() => planRepair(disk, "/data")).toThrow(/cannot be repaired/);
    disk.put(path, bytes);
    const engine = await open();
    expect(await answers(engine)).toEqual(before);
    await engine.purge();
    expect(faults()).toEqual([]);
  });

  test("have figures of up to 32 bits, of one month and of several", async () => {
    const engine = await open();
    await addWebsites(engine, "a.example");
    const [pageviews, visits] = [1_400_000_000, 1_100_000_000];
    const add = (monthMs: number, times: number) => {
      const { days } = monthOf(monthMs, "page");
      const all = sums(times * pageviews, times * visits);
      const none = { path: [], browser: [], os: [], device: [], country: [] };
      const values = { ...none, path: [["/", all] as const], browser: [["Firefox", all] as const] };
      const sources = [[["a.example", "", "", "", "", ""], all] as const];
      return engine.monthImport.add(1, { monthMs, days: [{ ...days[0]!, all, values, sources }] });
    };
    const asked = (["pages", "browsers", "referrers", "channels", "summary"] as const).flatMap((list) =>
      [undefined, "visit"].map((by) => ({
        ...page,
        list,
        by,
        period: everything,
        metrics: ["visits", "pageviews"],
        previous: false,
        timezone: "UTC",
        nowMs: clock.nowMs(),
      })),
    );
    const figures = () =>
      Promise.all(
        asked.map(async (question) => {
          const rows = JSON.parse((await engine.ask(1, question as unknown as Question)).json);
          const { visits, pageviews } = rows.current ?? rows[0];
          return [visits, pageviews];
        }),
      );
    expect(await add(months[0]!, 2)).toBeUndefined();
    expect(await figures()).toEqual(asked.map(() => [2 * visits, 2 * pageviews]));
    expect(await add(months[1]!, 1)).toBeUndefined();
    expect(await figures()).toEqual(asked.map(() => [3 * visits, 3 * pageviews]));
  });

  test("of a website that had no file yet are there after a power cut", async () => {
    const engine = await filled();
    const before = await answers(engine);
    const made = disk;
    for (let time = 1; time <= 8; time++) {
      disk = made.crash(randomFrom(time));
      expect(await answers(await open())).toEqual(before);
    }
  });

  test("are added once, before all rows, once they are over, and as long as they are kept", async () => {
    const engine = await filled({ retentionMonths: 8 });
    const now = clock.nowMs();
    const date = new Date(now);
    const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    const why = (monthMs: number) => engine.monthImport.whyNot(1, monthMs);
    expect([why(months[0]!), why(month), why(Date.UTC(2025, 9)), why(Date.UTC(2020, 1))]).toEqual([
      "imported",
      "waiting",
      undefined,
      "expired",
    ]);
    expect(why(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1))).toBe("tracked");
    await engine.commit(websiteAdded(2, "b.example"));
    expect(engine.monthImport.whyNot(2, month)).toBe("current");
    expect(engine.monthImport.whyNot(2, Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1))).toBe(
      undefined,
    );
    expect(await engine.monthImport.add(1, monthOf(months[0]!, "again"))).toBe("imported");
  });

  test("are removed with their files and the names that only they had, and can be imported again", async () => {
    const engine = await filled();
    await engine.purge();
    const before = await answers(engine);
    const site = () => engine.site(1)!;
    const names = () => site().dictionaries.map((dictionary) => dictionary.size);
    const withSums = names();
    await engine.monthImport.remove(1, () => {});
    await engine.purge();
    const after = await answers(engine);
    expect(after[0]).toMatchObject([{ path: "/now", pageviews: 1 }]);
    expect(after[4]).toEqual([]);
    expect(names()[0]).toBeLessThan(withSums[0]!);
    expect([...disk.files.keys()].filter((name) => name.endsWith(".month"))).toEqual([]);
    expect(faults()).toEqual([]);
    engine.check();
    await expect(engine.monthImport.remove(1, () => {})).rejects.toThrow("the website has no imported sums");
    await expect(engine.monthImport.remove(9, () => {})).rejects.toThrow("the website was removed");
    for (const [at, monthMs] of months.entries())
      expect(await engine.monthImport.add(1, monthOf(monthMs, `page-${at}`))).toBeUndefined();
    expect(await answers(engine)).toEqual(before);
  });

  test("are removed also by a replay after a power cut, and not by somebody who may not any more", async () => {
    const engine = await filled();
    const refuse = () => {
      throw new Refusal(404, "no website of this account");
    };
    const before = await answers(engine);
    await expect(engine.monthImport.remove(1, refuse)).rejects.toThrow("no website of this account");
    expect(await answers(engine)).toEqual(before);
    await engine.monthImport.remove(1, () => {});
    const after = await answers(engine);
    expect(after[0]).toMatchObject([{ path: "/now", pageviews: 1 }]);
    disk = disk.clone();
    const again = await open();
    expect(await answers(again)).toEqual(after);
    again.check();
  });

  test("rows that an import brings before and between them are exported, and those before can be removed", async () => {
    const engine = await filled();
    const times = [Date.UTC(2025, 5, 10), Date.UTC(2025, 6, 31, 12), Date.UTC(2025, 9, 10)];
    for (const timeMs of times) await engine.commit(load(`b${timeMs}`, { timeMs, values: valuesOf("/old") }));
    const exported = async () => {
      const asked = {
        list: "export",
        of: "page-views",
        format: "jsonl",
        filters: [],
        from: undefined,
      } as const;
      const { bytes } = await engine.ask(1, { ...asked, period: everything });
      const lines = Buffer.from(bytes ?? [])
        .toString()
        .trimEnd()
        .split("\n");
      return lines.map((line) => Date.parse((JSON.parse(line) as { time: string }).time));
    };
    expect(await exported()).toEqual([...times, clock.nowMs()]);
    const remove = (startMs: number, endMs: number) =>
      engine.removeRows(1, { period: { startMs, endMs }, filters: [] }, false);
    await expect(remove(-Infinity, months[0]!)).rejects.toThrow("have sums only");
    await expect(remove(times[2]!, times[2]!)).rejects.toThrow("have sums only");
    expect((await remove(-Infinity, Date.UTC(2025, 6, 31) - 1)).pageviews).toBe(1);
    expect(await exported()).toEqual([...times.slice(1), clock.nowMs()]);
    // No visit goes on in sums that were imported: rows of the day before them can be removed.
    expect((await remove(-Infinity, months[0]! - 1)).pageviews).toBe(1);
    expect(await exported()).toEqual([...times.slice(2), clock.nowMs()]);
    const after = await answers(engine);
    expect(after[0]).toMatchObject([
      { path: "/", pageviews: 15 },
      {},
      {},
      {},
      { path: "/now" },
      { path: "/old", pageviews: 1 },
    ]);
    disk = disk.clone();
    expect(faults()).toEqual([]);
    expect(await answers(await open())).toEqual(after);
  });

  test("end where rows begin, also within a month: rows from that day on can be removed", async () => {
    const engine = await open();
    await addWebsites(engine, "a.example");
    const firstMs = Date.UTC(2025, 9, 10);
    for (const hours of [3, 30])
      await engine.commit(
        load(`b${hours}`, { timeMs: firstMs + hours * 3_600_000, values: valuesOf("/old") }),
      );
    expect(await engine.monthImport.add(1, monthOf(Date.UTC(2025, 9), "october"))).toBe(undefined);
    await engine.purge();
    const before = await answers(engine);
    const remove = (startMs: number) =>
      engine.removeRows(1, { period: { startMs, endMs: Infinity }, filters: [] }, false);
    await expect(remove(firstMs - 1)).rejects.toThrow(
      "the days before 2025-10-10 have sums only, of which nothing can be removed: expected a start from 2025-10-10T00:00:00.000Z on",
    );
    expect((await remove(firstMs)).pageviews).toBe(2);
    const pagesOf = ([pages]: unknown[][]) =>
      (pages as { path: string; pageviews: number }[]).map(({ path, pageviews }) => [path, pageviews]);
    const sumsOnly = [
      ["/", 5],
      ["/october", 5],
    ];
    expect(pagesOf(before)).toEqual([...sumsOnly, ["/old", 2]]);
    expect(pagesOf(await answers(engine))).toEqual(sumsOnly);
  });

  const november = "2025-11-02";
  /** The zones with the UTC times at which their second of November begins. */
  const zones = [
    ["Pacific/Honolulu", "10:00"],
    ["America/Bogota", "05:00"],
    ["UTC", "00:00"],
    ["Asia/Kolkata", "-5:30"],
    ["Asia/Kamchatka", "-12:00"],
    ["Pacific/Auckland", "-13:00"],
  ] as const;
  test.each(zones)("have their days in %s too, in totals and in lists", async (timezone, begin) => {
    const engine = await filled();
    const [hours = 0, minutes = 0] = begin.split(":").map(Number);
    const startMs = Date.parse(november) + hours * 3_600_000 + Math.sign(hours) * minutes * 60_000;
    const dayOf = (days: number) => ({
      startMs: startMs + days * dayMs,
      endMs: startMs + (days + 1) * dayMs - 1,
    });
    const views = async (days: number) => {
      const asked = { ...page, period: dayOf(days), timezone, nowMs: clock.nowMs(), previous: false };
      const summary = await engine.ask(1, {
        ...asked,
        list: "summary",
        interval: "day",
      } as unknown as Question);
      const { current, interval } = JSON.parse(summary.json) as {
        current: { pageviews: number };
        interval: { date: string; pageviews: number }[];
      };
      const pages = await engine.ask(1, { ...asked, list: "pages" } as unknown as Question);
      const rows = JSON.parse(pages.json) as { pageviews: number }[];
      const shown = interval.map(({ date, pageviews }) => `${date.slice(0, 10)} ${pageviews}`);
      return [current.pageviews, ...shown, rows.reduce((sum, { pageviews }) => sum + pageviews, 0)];
    };
    expect(await views(-1)).toEqual([0, "2025-11-01 0", 0]);
    expect(await views(0)).toEqual([10, "2025-11-02 10", 10]);
    expect(await views(1)).toEqual([0, "2025-11-03 0", 0]);
  });

  test("have edges on the side of the time at which their days stand, which was noon once", async () => {
    const engine = await filled();
    const month = [...(engine.site(1)?.reduced.values() ?? [])].at(-1)!;
    const atNoon = month.head.bounds.map((ms) => ms && Math.floor(ms / dayMs) * dayMs + dayMs / 2);
    const before = new ReducedMonth({ ...month.head, bounds: atNoon as never }, month.file, month.read);
    const edgeOf = (own: ReducedMonth, hours: number) => {
      const startMs = Date.parse(november) + hours * 3_600_000;
      const question = {
        ...page,
        list: "pages",
        period: { startMs, endMs: Infinity },
      } as unknown as Question;
      const site = { reduced: new Map([[1, own]]) } as unknown as ReadSite;
      return new Date(fitted(question, new QueryContext(site)).question.period.startMs).getUTCDate();
    };
    expect([10, 11, 11.9, 12].map((hours) => edgeOf(month, hours))).toEqual([2, 3, 3, 3]);
    expect([10, 11, 11.9, 12].map((hours) => edgeOf(before, hours))).toEqual([2, 2, 2, 3]);
  });

  test("give up their names with retention", async () => {
    const engine = await filled();
    await engine.commit({ kind: "monthsDropped", timeMs: engine.nowMs(), beforeMs: months[2]! });
    const [pages, referrers] = await answers(engine);
    expect(pages).toMatchObject([
      { path: "/", pageviews: 5 },
      { path: "/page-2", pageviews: 5 },
      { path: "/now" },
    ]);
    expect(referrers).toMatchObject([{ referrer: "page-2.example" }, { referrer: "" }]);
    expect(engine.site(1)?.dictionaries[0]?.has("/page-0")).toBe(false);
    await engine.purge();
    expect(await answers(engine)).toMatchObject([pages, referrers, {}, {}, {}]);
  });
});
