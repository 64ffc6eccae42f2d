/** Months that give up their rows, by a clock that is moved by hand and real timers that are moved with it. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { Period, Question } from "../../src/core/questions/query.ts";
import { checkFolder } from "../../src/engine/opening/check-folder.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import { filesAtRest } from "../../src/engine/pinned-files.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { Target } from "../../src/core/website/goal.ts";
import { noSums } from "../../src/facts/months/month-sums.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { readContents } from "../../src/snapshot/contents.ts";
import type { SectionIndex } from "../../src/snapshot/section-use.ts";
import type { ReducedMonth } from "../../src/store/state/reduced-month.ts";
import { hashesText } from "../../src/store/state/rebuilding/fold.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { isWhole } from "../support/rounds.ts";
import { TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { goalAdded, goalRemoved } from "../support/account-records.ts";
import { memoryIo } from "../support/memory-io.ts";
import { event, imported, load, unload, valuesOf } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";
import { passHours, turns } from "../support/turns.ts";
import { addWebsites } from "../support/websites.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;
const months = ["october", "november", "december", "january", "february"];
const everything = { startMs: -Infinity, endMs: Infinity };

function faultsIn(disk: MemoryDisk): string[] {
  const faults: string[] = [];
  const options = { disk, folder: "/data", files: undefined, onProgress: () => {} };
  const { unnamed } = checkFolder({ ...options, onFault: (fault) => faults.push(fault) });
  return [...faults, ...unnamed.filter((name) => name.endsWith(".month") && faults.length === 0)];
}

describe("an engine that keeps the rows of two months, in March", () => {
  let disk: MemoryDisk;
  let clock: TestClock;
  const opened: RunningEngine[] = [];

  beforeEach(() => {
    jest.useFakeTimers();
    disk = new MemoryDisk();
    clock = new TestClock();
  });
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.stop();
    jest.useRealTimers();
  });

  async function open(more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
    const engine = await openInMemory(disk, { clock, rowsMonths: 2, ...more });
    opened.push(engine);
    return engine;
  }

  /** Two visits in each month from October to March, the second of which goes on in the next month. */
  async function fill(engine: RunningEngine): Promise<void> {
    await addWebsites(engine, "a.example");
    let visit = 0;
    for (const [month, name] of months.entries()) {
      const endMs = Date.UTC(2025, 10 + month);
      const view = async (timeMs: number, path: string, number: number) => {
        const beacon = `${timeMs} ${path}`;
        const properties = [[`name-${name}`, `value-${name}`]] as const;
        await engine.commit(load(beacon, { timeMs, values: valuesOf(path), visit: number, properties }));
        await engine.commit(unload(beacon, { timeMs: timeMs + minuteMs, visibleMs: 1_000 * (1 + month) }));
      };
      await view(endMs - 10 * dayMs, `/${name}`, ++visit);
      await view(endMs - 10 * minuteMs, "/late", ++visit);
      await view(endMs + 10 * minuteMs, "/late", visit);
    }
  }

  const settled = () => turns(200);
  const pass = (hours: number) => passHours(clock, hours, 200);

  /** Fills a folder, whose chunks are sealed and in files then, and lets the months be reduced. */
  async function reduced(more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
    const first = await open(more);
    await fill(first);
    await first.stop();
    const engine = await open(more);
    await pass(25);
    return engine;
  }

  test("have those of the month of an import beside its sums", async () => {
    const first = await open();
    await fill(first);
    const latePage: Target = { page: [{ operator: "eq", operands: ["/late"] }] };
    await first.commit(goalAdded(1, 1, latePage));
    const monthMs = Date.UTC(2025, 9);
    const sums = { ...noSums, pageviews: 10, visitors: 4, visits: 4, entries: 4, exits: 4 };
    const values = { path: [["/before", sums] as const], browser: [], os: [], device: [], country: [] };
    // The first page view here is of the 22nd.
    const days = [3, 22].map((date) => ({
      day: monthMs / dayMs + date - 1,
      all: sums,
      values,
      sources: [],
      events: [],
    }));
    const untilMs = monthMs + 21 * dayMs;
    expect(first.monthImport.untilOf(1, monthMs)).toBe(untilMs);
    expect(await first.monthImport.add(1, { monthMs, days })).toBeUndefined();
    expect(await first.monthImport.add(1, { monthMs, days })).toBe("imported");
    const answered = async (engine: RunningEngine) =>
      JSON.parse((await engine.ask(1, pages)).json) as unknown[];
    const before = await answered(first);
    expect(before).toContainEqual({ path: "/before", visitors: 4, pageviews: 10, visits: 4 });
    const filters = [{ name: "browser", operator: "eq", operands: ["Firefox"] }] as const;
    const filtered: Question = { ...page, list: "pages", period: everything, filters };
    const ofRows = await first.ask(1, filtered);
    expect(ofRows.reach.rowsFromMs).toBe(untilMs);
    expect(JSON.parse(ofRows.json)).toHaveLength(before.length - 1);
    // The imported days are a unit of lists by months, and rows follow them at once.
    const timesOf = async (period: Period) => first.ask(1, { ...time, period });
    const late = await timesOf({ startMs: untilMs - 2 * dayMs, endMs: Date.UTC(2025, 10, 15) - 1 });
    expect(late.reach).toEqual({ period: { startMs: untilMs, endMs: Date.UTC(2025, 10, 15) - 1 } });
    expect(JSON.parse(late.json)).toMatchObject([{ path: "/late" }, { path: "/october" }]);
    const early = await timesOf({ startMs: monthMs, endMs: monthMs + 8 * dayMs - 1 });
    expect(early.reach.period).toEqual({ startMs: monthMs, endMs: untilMs - 1 });
    const ofGoal = { ...pages, goal: latePage, metrics: ["visits", "conversions"] } as Question;
    const converted = await first.ask(1, ofGoal);
    expect(converted.reach).toEqual({ rowsFromMs: untilMs });
    await first.stop();
    const engine = await open();
    expect(await answered(engine)).toEqual(before);
    await pass(25);
    const months = [...(engine.site(1)?.reduced.values() ?? [])].map((month) => month.monthMs);
    expect(months.filter((own) => own === monthMs)).toHaveLength(2);
    expect(await answered(engine)).toEqual(before);
    const known = await engine.ask(1, ofGoal);
    expect(known.reach).toEqual({ rowsFromMs: untilMs });
    expect(known.json).toBe(converted.json);
    engine.check();
    expect(faultsIn(disk)).toEqual([]);
  });

  const page = { limit: 100, offset: 0, grouped: false, locale: false, summary: false, filters: [] };
  const pages: Question = {
    ...page,
    list: "pages",
    period: everything,
    metrics: ["visitors", "pageviews", "visits"],
  };
  const summary: Question = {
    list: "summary",
    period: { startMs: Date.UTC(2025, 9), endMs: Date.UTC(2026, 3) - 1 },
    filters: [],
    previous: false,
    interval: "month",
    timezone: "UTC",
    nowMs: Date.UTC(2026, 3),
    metrics: ["visitors", "visits", "time_median"],
  };
  const time: Question = { ...page, list: "time", period: everything };
  const properties: Question = { ...page, list: "properties", period: everything };
  const entries: Question = { ...page, list: "entries", period: everything };
  const all = [pages, summary, time, properties, entries];

  async function answers(engine: RunningEngine, questions: readonly Question[] = all): Promise<unknown[]> {
    const asked = await Promise.all(questions.map((question) => engine.ask(1, question)));
    return asked.map(({ json }) => JSON.parse(json));
  }

  const files = (pattern: RegExp) => [...disk.files.keys()].filter((name) => pattern.test(name));

  test("gives up the rows of older months, and answers as before", async () => {
    const first = await open({ rowsMonths: undefined });
    await fill(first);
    const before = await answers(first);
    await first.stop();
    const engine = await open();
    expect(await answers(engine)).toEqual(before);
    await pass(23);
    expect(engine.site(1)?.reduced.size).toBe(0);
    await pass(2);
    engine.check();
    expect(engine.site(1)?.reduced.size).toBe(3);
    expect(await answers(engine)).toEqual(before);
    expect(files(/2025-\d\d-.*\.(chunk|facts|changes)$/)).toEqual([]);
    expect(files(/\.month$/)).toHaveLength(3);
  });

  /** Returns a logger, and how many checkpoints it was told of. */
  function counting() {
    const made = { checkpoints: 0 };
    const debug = (message: string) => void (made.checkpoints += Number(message === "checkpoint"));
    return { made, logger: { ...silentLogger, debug } };
  }

  test("has them given up also where nothing else asks for a checkpoint", async () => {
    const { made, logger } = counting();
    const engine = await open({ logger });
    await fill(engine);
    const before = await answers(engine);
    await pass(23);
    expect(made.checkpoints).toBe(0);
    await pass(2);
    expect(engine.site(1)?.reduced.size).toBe(3);
    expect(await answers(engine)).toEqual(before);
    expect(made.checkpoints).toBe(4);
    await pass(100);
    expect(made.checkpoints).toBe(4);
  });

  test("makes a checkpoint a day while a month waits: rows that came out of order need two", async () => {
    const { made, logger } = counting();
    const engine = await open({ logger });
    await fill(engine);
    await engine.commit(load("earlier", { timeMs: Date.UTC(2025, 9, 5), values: valuesOf("/earlier") }));
    const before = await answers(engine);
    await pass(47);
    expect(made.checkpoints).toBe(1);
    expect(engine.site(1)?.reduced.size).toBe(0);
    await pass(2);
    expect(engine.site(1)?.reduced.size).toBe(3);
    expect(await answers(engine)).toEqual(before);
  });

  test("keeps the conversions of the goals that there are, also where the month gets other ids", async () => {
    const first = await open({ rowsMonths: undefined });
    await fill(first);
    const named = { page: [], propName: "name-october" };
    await first.commit(goalAdded(1, 1, { page: [{ operator: "eq", operands: ["/late"] }] }));
    await first.commit(goalAdded(1, 2, named));
    await first.commit(goalAdded(1, 3));
    await first.commit(goalRemoved(1, 3));
    const goals = first.registry.websites.get(1)?.goals.list ?? [];
    const metrics = ["visits", "conversions"] as const;
    const asked = (period: Period): Question[] => [
      { list: "goals", goals, filters: [], period },
      ...goals.flatMap(({ target: goal }) => [
        { ...pages, goal, metrics, period },
        { ...entries, goal, metrics, period } as Question,
        { ...summary, goal, metrics },
      ]),
    ];
    const before = await answers(first, asked(everything));
    await first.stop();
    const engine = await open();
    await pass(25);
    expect(engine.site(1)?.reduced.size).toBe(3);
    const whole = await engine.ask(1, asked(everything)[0] as Question);
    expect(whole.reach).toEqual({});
    expect(await answers(engine, asked(everything))).toEqual(before);
    const unknown = { ...pages, goal: { page: [{ operator: "eq", operands: ["/thanks"] }] } } as const;
    expect((await engine.ask(1, unknown)).reach).toEqual({ rowsFromMs: Date.UTC(2026, 0) });
    // October goes, and with it names: what stays has other ids.
    const dropped = { kind: "monthsDropped", timeMs: clock.nowMs(), beforeMs: Date.UTC(2025, 10) } as const;
    const later = asked({ startMs: Date.UTC(2025, 10), endMs: Infinity }).filter(
      ({ list }) => list !== "summary",
    );
    const kept = await answers(engine, later);
    await engine.commit(dropped);
    expect(await answers(engine, later)).toEqual(kept);
    await engine.purge();
    expect(await answers(engine, later)).toEqual(kept);
  });

  test("a start, with and without a clean stop, finds them as they were", async () => {
    const engine = await reduced();
    const before = await answers(engine);
    disk = disk.clone();
    expect(await answers(await open())).toEqual(before);
    await engine.stop();
    const again = await open({ rowsMonths: undefined });
    expect(again.site(1)?.reduced.size).toBe(3);
    expect(await answers(again)).toEqual(before);
  });

  test("names that are folded are noted for good", async () => {
    const engine = await reduced();
    const before = await answers(engine);
    const fold = (kind: string) =>
      engine.commit({
        kind: "namesFolded",
        timeMs: clock.nowMs(),
        websiteId: 1,
        names: [{ kind, hashes: hashesText([7n]) }],
      });
    const isNoted = ({ reduced }: { readonly reduced: ReadonlyMap<number, ReducedMonth> }) =>
      [...reduced.values()].map(({ head }) => head.isFolded === true);
    // No visit is of a property.
    await fold("property.name");
    expect(isNoted(engine.site(1)!)).toEqual([false, false, false]);
    await fold("path");
    disk = disk.clone();
    const again = await open();
    expect(isNoted(again.site(1)!)).toEqual([true, true, true]);
    await again.purge();
    await again.stop();
    const last = await open();
    expect(isNoted(last.site(1)!)).toEqual([true, true, true]);
    expect(await answers(last)).toEqual(before);
    expect(faultsIn(disk)).toEqual([]);
  });

  test("the thread for large websites answers as this one does", async () => {
    const before = await answers(await reduced());
    disk = new MemoryDisk();
    clock = new TestClock();
    expect(await answers(await reduced({ smallRows: 0 }))).toEqual(before);
  });

  test("a power cut right after the record: the next start has the file, and removes the rows", async () => {
    const engine = await reduced();
    const before = await answers(engine);
    disk = new MemoryDisk();
    clock = new TestClock();
    const first = await open();
    await fill(first);
    await first.stop();
    let cut: MemoryDisk | undefined;
    const third = await open({
      io: {
        ...memoryIo(disk),
        writeCheckpoint: async (...given) => {
          if (files(/\.month$/).length === 1) cut ??= disk.clone();
          return memoryIo(disk).writeCheckpoint(...given);
        },
      },
    });
    await pass(25);
    expect(await answers(third)).toEqual(before);
    disk = cut as MemoryDisk;
    // A backup of this moment has the file, and a check compares it.
    expect(filesAtRest(disk, "/data").months).toHaveLength(1);
    expect(faultsIn(disk)).toEqual([]);
    const [file = ""] = files(/\.month$/);
    const damagedDisk = disk.clone();
    damagedDisk.put(file, disk.read(file).with(60, 1));
    expect(faultsIn(damagedDisk).join()).toContain(".month");
    expect(files(/2025-10-.*chunk$/)).not.toEqual([]);
    const bytes = disk.read(file);
    for (const spoil of [
      (spoiled: MemoryDisk) => spoiled.remove(file),
      (spoiled: MemoryDisk) => spoiled.put(file, bytes.with(60, 1)),
      (spoiled: MemoryDisk) => spoiled.put(file, bytes.subarray(0, 60)),
    ]) {
      const spoiled = disk.clone();
      spoil(spoiled);
      const there = [...spoiled.files.keys()];
      await expect(open({ io: memoryIo(spoiled), rowsMonths: undefined })).rejects.toThrow(
        /2025-10-.*\.month.*put the same file back/,
      );
      // The rows, too.
      expect([...spoiled.files.keys()]).toEqual(there);
    }
    const recovered = await open({ rowsMonths: undefined });
    await settled();
    expect(recovered.site(1)?.reduced.size).toBe(1);
    expect(await answers(recovered)).toEqual(before);
    expect(files(/2025-10-.*chunk$/)).toEqual([]);
    expect(files(/2025-10-.*month$/)).toHaveLength(1);
  });

  test("a power cut at any disk call of a reduction costs nothing, and is made good", async () => {
    const first = await open();
    await fill(first);
    const before = await answers(first);
    await first.stop();
    const [whole, startMs] = [disk, clock.nowMs()];
    const random = randomBySeed();
    const reducedTo = new Set<number | undefined>();
    for (let call = 1, isCut = true; isCut; call += isWhole ? 2 : 5) {
      disk = whole.clone();
      clock = new TestClock();
      clock.set(startMs);
      isCut = false;
      await openInMemory(disk, { clock, rowsMonths: 2 });
      disk.cutPowerAt(call);
      clock.advance(25 * hourMs);
      jest.advanceTimersByTime(hourMs);
      await settled();
      isCut = disk.calls >= call;
      disk = disk.crash(random);
      const recovered = await open({ rowsMonths: undefined });
      await settled();
      recovered.check();
      expect(await answers(recovered)).toEqual(before);
      reducedTo.add(recovered.site(1)?.reduced.size);
      await recovered.stop();
      opened.pop();
      jest.clearAllTimers();
    }
    expect(reducedTo).toEqual(new Set([0, 1, 2, 3]));
  });

  test("a question with a filter is answered for the months that have rows, and says so", async () => {
    const engine = await reduced();
    const filter = { name: "path", operator: "eq", operands: ["/late"] } as const;
    const { json, reach } = await engine.ask(1, { ...pages, filters: [filter] });
    expect(reach).toEqual({ rowsFromMs: Date.UTC(2026, 0) });
    expect(JSON.parse(json)).toMatchObject([{ path: "/late", pageviews: 5 }]);
    const period = { startMs: Date.UTC(2025, 9), endMs: Date.UTC(2025, 11) };
    await expect(engine.ask(1, { ...pages, filters: [filter], period })).rejects.toThrow("have sums only");
  });

  test("a period that divides a day is taken to the nearest day, and says so", async () => {
    const engine = await reduced();
    const period = { startMs: Date.UTC(2025, 9, 20, 13), endMs: Date.UTC(2025, 10, 1, 5) };
    const { json, reach } = await engine.ask(1, { ...pages, period });
    expect(reach.period).toEqual({ startMs: Date.UTC(2025, 9, 21), endMs: Date.UTC(2025, 10, 1) - 1 });
    expect(JSON.parse(json)).toMatchObject([
      { path: "/late", pageviews: 1, visits: 1 },
      { path: "/october", pageviews: 1, visits: 1 },
    ]);
  });

  test("page views cannot be removed there, nor on the day after, in which visits go on", async () => {
    const engine = await reduced();
    const filters = [{ name: "path", operator: "eq", operands: ["/late"] }] as const;
    const from = (ms: number) =>
      engine.removeRows(1, { period: { startMs: ms, endMs: Infinity }, filters }, false);
    await expect(from(-Infinity)).rejects.toThrow("have sums only");
    await expect(from(Date.UTC(2026, 0, 2) - 1)).rejects.toThrow("2026-01-02");
    const before = await answers(engine, [
      { ...pages, period: { startMs: -Infinity, endMs: Date.UTC(2026, 0) - 1 } },
    ]);
    expect((await from(Date.UTC(2026, 0, 2))).pageviews).toBe(4);
    // The names that remain have other ids.
    expect(
      engine
        .site(1)
        ?.reduced.values()
        .every(({ rewrites }) => rewrites.length === 1),
    ).toBeTrue();
    const asked = { ...pages, period: { startMs: -Infinity, endMs: Date.UTC(2026, 0) - 1 } };
    expect(await answers(engine, [asked])).toEqual(before);
    await engine.purge();
    expect(
      engine
        .site(1)
        ?.reduced.values()
        .every(({ rewrites }) => rewrites.length === 0),
    ).toBeTrue();
    expect(await answers(engine, [asked])).toEqual(before);
    expect(files(/\.month$/)).toHaveLength(3);
  });

  test("a retention deletes them altogether", async () => {
    const engine = await reduced({ retentionMonths: 3 });
    expect(engine.site(1)?.reduced.size).toBe(1);
    expect(files(/\.month$/)).toHaveLength(1);
    const paths = (await answers(engine, [pages])) as { path: string }[][];
    expect(paths[0]?.map(({ path }) => path).sort()).toEqual(["/december", "/february", "/january", "/late"]);
  });

  test("rows that come while a month is added up keep it from being reduced", async () => {
    const first = await open();
    await fill(first);
    await first.stop();
    const whole = memoryIo(disk);
    let engine: RunningEngine | undefined;
    const io = {
      ...whole,
      reduceMonth: (job: Parameters<typeof whole.reduceMonth>[0]) => {
        const { done, cancel } = whole.reduceMonth(job);
        const timeMs = Date.UTC(2025, 9, 5);
        const came = engine?.commit(load("past", { timeMs, values: valuesOf("/past") }));
        return { done: Promise.all([done, came]).then(([file]) => file), cancel };
      },
    };
    engine = await open({ io });
    await pass(25);
    expect(engine.site(1)?.reduced.size).toBe(0);
    expect(JSON.stringify(await answers(engine, [pages]))).toContain("/past");
  });

  test("a copy of which the rows lie in other chunks takes a month's sums, too", async () => {
    const timeMs = Date.UTC(2025, 9, 5);
    const octobers = (engine: RunningEngine) =>
      [...engine.site(1)!.chunks.values()].filter(({ monthMs }) => monthMs === Date.UTC(2025, 9));
    /** Removes a page view that lies beside an event which came early, or in a chunk of its own. */
    const removing = async (checkpoints: number) => {
      const engine = await open({ rowsMonths: undefined });
      await fill(engine);
      await engine.commit(event("early", { timeMs }));
      await engine.commit(load("early", { timeMs: timeMs + 1 }));
      for (let round = 0; round < 2; round++) await engine.purge();
      const past = ["/spam", "/old", "/old", "/old"].map((path, at) => ({
        timeMs: timeMs + dayMs + at,
        unique: true,
        seen: false,
        values: valuesOf(path),
      }));
      await engine.commit({ ...imported([0]), loads: past });
      for (let round = 0; round < checkpoints; round++) await engine.purge();
      expect(octobers(engine)).toHaveLength(checkpoints === 1 ? 2 : 1);
      const filters = [{ name: "path", operator: "eq", operands: ["/spam"] }] as const;
      expect(await engine.removeRows(1, { period: everything, filters }, false)).toMatchObject({
        pageviews: 1,
      });
      await engine.purge();
      return engine;
    };
    await (await removing(2)).stop();
    const engine = await open();
    await pass(25);
    const { head, file } = [...engine.site(1)!.reduced.values()].find((own) =>
      own.file.name.includes("/2025-10"),
    )!;
    const { monthMs, rows, properties: propertyCount } = head;
    const [before, data] = [await answers(engine), disk.read(`/data/${file.name}`)];
    disk = new MemoryDisk();
    clock = new TestClock();
    const copy = await removing(1);
    expect(octobers(copy)[0]!.properties).toBe(propertyCount + 1);
    disk.put(`/data/${file.name}`, data);
    const { name, bytes, checksum } = file;
    const record = { kind: "monthReduced", timeMs: clock.nowMs(), websiteId: 1, monthMs, rows } as const;
    expect(await copy.commit({ ...record, propertyCount, name, bytes, checksum })).toBe("done");
    expect(await answers(copy)).toEqual(before);
    await copy.purge();
    await copy.stop();
    expect(await answers(await open({ rowsMonths: undefined }))).toEqual(before);
  });

  test("each flipped bit is noticed: a question that needs it fails and names its file, no other answer differs", async () => {
    const engine = await reduced();
    const before = await answers(engine);
    await engine.stop();
    const [name = ""] = files(/2025-10-.*month$/);
    const bytes = disk.read(name).slice();
    const recent = { ...pages, period: { startMs: Date.UTC(2026, 0), endMs: Infinity } };
    const index = readContents(disk, name) as SectionIndex;
    const needed = ["source", "rows path", "sums path"].map((of) => index.get(of) as { dataAt: number });
    // The one at 40 is in the contents, in whose place the heads of the sections do.
    const places = [...needed.map(({ dataAt }) => dataAt + 5), 40, bytes.length >> 1, bytes.length - 12];
    for (const [round, at] of places.entries()) {
      const flipped = bytes.slice();
      flipped[at]! ^= 4;
      disk.put(name, flipped);
      expect(faultsIn(disk).join()).toContain(name.replace("/data/", ""));
      const again = await open();
      if (round < needed.length)
        await expect(again.ask(1, pages)).rejects.toThrow(name.replace("/data/", ""));
      for (const [asked, question] of all.entries()) {
        const answer = await answers(again, [question]).catch((error: Error) => error.message);
        if (typeof answer === "string") expect(answer).toContain(name.replace("/data/", ""));
        else expect(answer).toEqual([before[asked]]);
      }
      expect(JSON.stringify(await answers(again, [recent]))).toContain("/late");
      await again.stop();
    }
  });
});
