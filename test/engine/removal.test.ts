/** Rows that are removed while the engine runs: from memory, from every file, and after every crash. */
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import { columnNames } from "../../src/core/questions/dimension.ts";
import type { Filter, Selection } from "../../src/core/questions/query.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import { prepareRemoval, removedValuesMax } from "../../src/engine/row-removal.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { emptyRowFlags } from "../../src/store/columns/row-flag.ts";
import { UsedIds } from "../../src/store/state/rebuilding/used-ids.ts";
import { Removals } from "../../src/store/state/removal/removal.ts";
import { RowFilter } from "../../src/store/state/removal/row-filter.ts";
import type { Site } from "../../src/store/state/site.ts";
import { websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { randomFrom } from "../support/random.ts";
import { event, imported, load, noonMs, unload, valuesOf } from "../support/records.ts";
import { refusalOf } from "../support/refusals.ts";
import { someOf } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { filter } from "../support/site.ts";
import { addWebsites } from "../support/websites.ts";

let disk: MemoryDisk;
let clock: TestClock;
const opened: RunningEngine[] = [];

beforeEach(() => {
  disk = new MemoryDisk();
  clock = new TestClock();
});
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.stop().catch(() => {});
});

async function open(powerOff?: () => void, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  const engine = await openInMemory(disk, {
    clock,
    io: memoryIo(disk, powerOff),
    checkpointRecords: 1_000,
    fileMinimums: { beaconRunMin: 2, openRowsMin: 3, basedRowsMin: 5 },
    ...more,
  });
  opened.push(engine);
  return engine;
}

const januaryMs = Date.UTC(2026, 0, 10, 12);
const spam = ["/wp-login", "/old/wp-login.php"];
const others = ["/", "/about"];

/** Page views of January, which is over, and of March, which is not; each with a property. */
async function fill(engine: RunningEngine): Promise<void> {
  await addWebsites(engine, "a.example");
  for (const [month, startMs] of [
    ["january", januaryMs],
    ["march", noonMs],
  ] as const)
    for (const [at, path] of [...spam, ...others].entries())
      await engine.commit(
        load(`${month}-${at}`, {
          timeMs: startMs + at,
          values: valuesOf(path),
          properties: [["of", `${month}${path}`]],
          unique: at === 0,
          seen: at !== 0,
        }),
      );
  await engine.commit(
    event("", { timeMs: noonMs + 9, values: valuesOf("/wp-login"), properties: [["solitary", "x"]] }),
  );
}

const selecting = (...filters: Filter[]): Selection => ({
  period: { startMs: -Infinity, endMs: Infinity },
  filters,
});
const wpLogin = selecting(filter("path", "contains", "wp-login"));

async function remove(engine: RunningEngine, selection = wpLogin) {
  const counts = await engine.removeRows(1, selection, false);
  await engine.purge();
  return counts;
}

/** Paths of rows that are not empty. */
function paths(engine: RunningEngine): string[] {
  const site = engine.site(1) as Site;
  engine.check();
  return [...site.chunks.values()].flatMap(({ ids, flags, rows }) =>
    [...ids.path.values.subarray(0, rows)].flatMap((id, row) =>
      flags[row] === emptyRowFlags ? [] : [site.dictionaries[0]?.value(id) as string],
    ),
  );
}

const twice = (...all: string[]) => [...all, ...all];
const onDisk = (text: string) => [...disk.files.values()].some((file) => Buffer.from(file).includes(text));
const answer = async (engine: RunningEngine, list: "pages" | "properties") => {
  const more = { limit: 100, offset: 0, summary: false, grouped: true, locale: false };
  return JSON.parse((await engine.ask(1, { list, ...selecting(), ...more })).json);
};

describe("a removal", () => {
  test("is counted first, and changes nothing then", async () => {
    const engine = await open();
    await fill(engine);
    const before = paths(engine);
    // The first page view of the visitor moves to the next one in each month.
    expect(await engine.removeRows(1, wpLogin, true)).toEqual({ pageviews: 4, visitors: 0, events: 5 });
    expect(paths(engine)).toEqual(before);
    expect(onDisk("wp-login")).toBeTrue();
  });

  test("takes rows, properties and values out of memory and of every file, sealed or not", async () => {
    const engine = await open();
    await fill(engine);
    for (let round = 0; round < 2; round++) await engine.purge();
    expect(await remove(engine)).toEqual({ pageviews: 4, visitors: 0, events: 5 });
    expect(paths(engine)).toEqual(twice(...others));
    for (const gone of ["wp-login", "solitary"]) expect(onDisk(gone)).toBeFalse();
    for (const kept of ["/about", "january/about"]) expect(onDisk(kept)).toBeTrue();
    expect(await answer(engine, "pages")).toMatchObject([
      { path: "/", visitors: 2, pageviews: 2 },
      { path: "/about", visitors: 0, pageviews: 2 },
    ]);
    expect(await answer(engine, "properties")).toEqual([{ name: "of", events: 4, events_percentage: 100 }]);
  });

  test("reads each sealed chunk once, in steps before it is logged, and not again in the turn that applies it", async () => {
    const engine = await open();
    await fill(engine);
    for (let round = 0; round < 2; round++) await engine.purge();
    const sealed = [...(engine.site(1) as Site).chunks.values()].filter((chunk) => chunk.sealed);
    expect(sealed.length).toBeGreaterThan(0);
    const select = spyOn(RowFilter.prototype, "select");
    const add = spyOn(UsedIds.prototype, "add");
    const applied = spyOn(Removals.prototype, "apply");
    try {
      await engine.removeRows(1, wpLogin, false);
      const [appliedAt = NaN] = applied.mock.invocationCallOrder;
      for (const chunk of sealed) {
        const orders = select.mock.invocationCallOrder.filter(
          (_, call) => select.mock.calls[call]?.[0] === chunk,
        );
        expect(orders).toHaveLength(1);
        expect(orders[0]).toBeLessThan(appliedAt);
        // The ids that it uses are known to the very same object then.
        const adders = add.mock.contexts.filter((_, call) => add.mock.calls[call]?.[0] === chunk);
        expect(new Set(adders).size).toBe(1);
      }
    } finally {
      for (const spied of [select, add, applied]) spied.mockRestore();
    }
    expect(paths(engine)).toEqual(twice(...others));
  });

  test("is the same after a start, from the log and from the files", async () => {
    const engine = await open();
    await fill(engine);
    await engine.purge();
    await engine.removeRows(1, wpLogin, false);
    const expected = [await answer(engine, "pages"), await answer(engine, "properties")];
    disk = disk.clone();
    for (let round = 0; round < 2; round++) {
      const again = await open();
      expect(paths(again)).toEqual(twice(...others));
      expect([await answer(again, "pages"), await answer(again, "properties")]).toEqual(expected);
      await again.stop();
      expect(onDisk("wp-login")).toBeFalse();
    }
  });

  test("is seen by the Worker that answers about large websites, at once and when it is in the files", async () => {
    const engine = await open(undefined, { smallRows: 0 });
    await fill(engine);
    for (let round = 0; round < 2; round++) await engine.purge();
    expect(await answer(engine, "pages")).toHaveLength(4);
    await engine.removeRows(1, wpLogin, false);
    const [pages, properties] = [await answer(engine, "pages"), await answer(engine, "properties")];
    expect(pages).toMatchObject([
      { path: "/", visitors: 2, pageviews: 2 },
      { path: "/about", visitors: 0, pageviews: 2 },
    ]);
    expect(properties).toMatchObject([{ name: "of", events: 4 }]);
    await engine.purge();
    expect([await answer(engine, "pages"), await answer(engine, "properties")]).toEqual([pages, properties]);
  });

  test("leaves a file that can be read where the next page view lies beside an event that came early", async () => {
    const engine = await open();
    await fill(engine);
    const valuesOfAnother = (path: string) => valuesOf(path).with(5, "Chrome");
    const second = { timeMs: januaryMs + 60, unique: false, values: valuesOfAnother("/b") };
    await engine.commit(event("b", { timeMs: januaryMs + 50, values: valuesOfAnother("/b") }));
    await engine.commit(load("b", second));
    for (let round = 0; round < 2; round++) await engine.purge();
    const first = { timeMs: januaryMs - 9, unique: true, seen: false, values: valuesOfAnother("/spam") };
    await engine.commit({ ...imported([0]), loads: [first] });
    await engine.purge();
    const january = () =>
      [...(engine.site(1) as Site).chunks.values()].filter(({ maxMs }) => maxMs < noonMs - dayMs);
    expect(january().map(({ sealed }) => sealed)).toEqual([true, true]);
    const before = january()[0]!.properties;
    await remove(engine, selecting(filter("path", "eq", "/spam")));
    expect(january().map(({ properties }) => properties)).toEqual([before - 1]);
    const expected = [await answer(engine, "pages"), await answer(engine, "properties")];
    expect(expected[1]).toContainEqual(expect.objectContaining({ name: "signup", events: 1 }));
    await engine.stop();
    const again = await open();
    again.check();
    expect([await answer(again, "pages"), await answer(again, "properties")]).toEqual(expected);
    expect(await remove(again)).toMatchObject({ pageviews: 4 });
  });

  test("works in short steps, however many filters it has", async () => {
    const engine = await open();
    await fill(engine);
    const past = imported(Array.from({ length: 9_000 }, (_, at) => januaryMs + at));
    const loads = past.loads.map((one, at) => ({ ...one, values: valuesOf(`/${at}`) }));
    await engine.commit({ ...past, loads });
    const stepsOf = (count: number) => {
      const filters = Array.from({ length: count }, (_, at) => filter("path", "not_contains", `x${at}`));
      return [...prepareRemoval(engine.site(1) as Site, selecting(...filters))].length;
    };
    expect(stepsOf(64) - stepsOf(1)).toBeGreaterThanOrEqual(64);
  });

  test("reads the ids of a sealed chunk one column a step", async () => {
    const engine = await open();
    await fill(engine);
    for (let round = 0; round < 2; round++) await engine.purge();
    const site = engine.site(1) as Site;
    const stepsOf = () => [
      ...prepareRemoval(engine.site(1) as Site, selecting(filter("path", "eq", "/none"))),
    ];
    const sealed = [...site.chunks.values()].filter((chunk) => chunk.sealed).length;
    const steps = stepsOf().length;
    const together = spyOn(UsedIds.prototype, "addInSteps").mockImplementation(function* () {});
    try {
      expect(steps - stepsOf().length).toBe(sealed * columnNames.length);
    } finally {
      together.mockRestore();
    }
  });

  test("that is given up ends at its next step, and removes nothing", async () => {
    const engine = await open();
    await fill(engine);
    const before = paths(engine);
    const gone = new AbortController();
    const given = (isDryRun: boolean) =>
      refusalOf(() => engine.removeRows(1, wpLogin, isDryRun, gone.signal));
    const begun = given(false);
    setImmediate(() => gone.abort());
    for (const refused of [await begun, await given(true)])
      expect(refused).toMatchObject({ code: 500, message: "the request was cancelled" });
    expect(paths(engine)).toEqual(before);
  });

  test("of a website that goes meanwhile finds nothing", async () => {
    const engine = await open();
    await fill(engine);
    const removed = refusalOf(() => engine.removeRows(1, wpLogin, false));
    await engine.commit({ kind: "websiteRemoved", timeMs: noonMs, websiteId: 1 });
    expect((await removed).code).toBe(404);
  });

  test("leaves the open page views their beacons; hits of those that went change nothing", async () => {
    const engine = await open();
    await fill(engine);
    await remove(engine);
    disk = disk.clone();
    const again = await open();
    for (const at of [0, 1]) {
      expect(await again.commit(unload(`march-${at}`, { visibleMs: 7 }))).toBe("done");
      expect(await again.commit(event(`march-${at}`, { values: valuesOf("/wp-login") }))).toBe("done");
      expect(await again.commit(load(`march-${at}`, { values: valuesOf("/wp-login") }))).toBe("duplicate");
    }
    expect(await again.commit(unload("march-3", { visibleMs: 9 }))).toBe("done");
    expect(await again.commit(load("march-3"))).toBe("duplicate");
    expect(paths(again)).toEqual(twice(...others));
    expect(await answer(again, "pages")).toMatchObject([
      { path: "/", duration: 0 },
      { path: "/about", duration: 9 },
    ]);
    expect(await answer(again, "properties")).toMatchObject([{ name: "of", events: 4 }]);
  });

  test("takes whole months, and a website may have nothing left", async () => {
    const engine = await open();
    await fill(engine);
    await engine.purge();
    const period = { startMs: -Infinity, endMs: januaryMs + dayMs };
    expect(await remove(engine, { period, filters: [] })).toMatchObject({ pageviews: 4 });
    expect(paths(engine)).toEqual([...spam, ...others, "/wp-login"]);
    expect(engine.site(1)?.chunks.size).toBe(1);
    expect(await remove(engine, { period: { ...period, endMs: noonMs + dayMs }, filters: [] })).toMatchObject(
      {
        pageviews: 4,
      },
    );
    expect(paths(engine)).toEqual([]);
    expect(onDisk("about")).toBeFalse();
    expect(await answer(engine, "pages")).toEqual([]);
    await engine.commit(load("new", { timeMs: noonMs + 2 * dayMs, values: valuesOf("/new") }));
    disk = disk.clone();
    expect(paths(await open())).toEqual(["/new"]);
  });

  test("goes by groups and names, and logs the values that they stand for", async () => {
    const engine = await open();
    await fill(engine);
    const values = (referrer: string) => valuesOf("/from").with(1, referrer);
    await engine.commit(load("g1", { values: values("google.com") }));
    await engine.commit(load("g2", { values: values("google.co.uk") }));
    await engine.commit(load("e", { values: values("example.org") }));
    const google = selecting(filter("referrer", "eq", "google"), filter("country", "eq", "germany"));
    expect(await engine.removeRows(1, google, true)).toMatchObject({ pageviews: 2 });
    await engine.removeRows(1, google, false);
    const log = [...disk.files]
      .filter(([path]) => path.endsWith(".wal"))
      .map(([, bytes]) => Buffer.from(bytes));
    expect(log.some((bytes) => bytes.includes("germany"))).toBeFalse();
    expect(paths(engine).filter((path) => path === "/from")).toHaveLength(1);
  });

  test("nothing is logged where nothing is selected", async () => {
    const engine = await open();
    await fill(engine);
    const before = disk.clone();
    const none = selecting(filter("path", "eq", "/none"));
    expect(await engine.removeRows(1, none, false)).toEqual({ pageviews: 0, visitors: 0, events: 0 });
    expect(disk.files).toEqual(before.files);
  });

  test("of too many values is refused, and says so", async () => {
    const engine = await open();
    await fill(engine);
    const times = Array.from({ length: removedValuesMax + 1 }, (_, at) => januaryMs + at);
    const past = imported(times);
    const loads = past.loads.map((one, at) => ({ ...one, values: valuesOf(`/wp-login/${at}`) }));
    expect(await engine.commit({ ...past, loads })).toBe("done");
    const { code, message } = await refusalOf(() => engine.removeRows(1, wpLogin, false));
    expect(code).toBe(400);
    expect(message).toMatch(/^path: .*100000 values .*got 10\d+ values: remove a shorter period at a time$/);
  });

  test("there must be room to write what stays", async () => {
    const engine = await open();
    await fill(engine);
    for (let round = 0; round < 2; round++) await engine.purge();
    disk.free = 1024 * 1024;
    const { code, message } = await refusalOf(() => engine.removeRows(1, wpLogin, false));
    expect([code, message]).toEqual([
      500,
      expect.stringContaining("free bytes on the disk to write the remaining data"),
    ]);
    disk.free = 1_000_000_000;
    expect(paths(engine)).toHaveLength(9);
  });

  test("needs no room for what other websites have", async () => {
    const engine = await open();
    await fill(engine);
    await engine.commit(websiteAdded(2, "b.example"));
    const times = Array.from({ length: 20_000 }, (_, at) => januaryMs + at);
    await engine.commit(imported(times, { websiteId: 2 }));
    for (let round = 0; round < 2; round++) await engine.purge();
    const { sealed } = engine["recovered"].files.chunks.bytes;
    expect(sealed).toBeGreaterThan(400_000);
    disk.free = Math.round(engine["room"]["needed"] + sealed / 2);
    expect(await remove(engine)).toMatchObject({ pageviews: 4 });
    expect(paths(engine)).toEqual(twice(...others));
    expect(await refusalOf(() => engine.removeRows(2, selecting(), false))).toMatchObject({ code: 500 });
  });

  test("hits go on meanwhile, and what was there when it was logged goes", async () => {
    const engine = await open();
    await fill(engine);
    for (let round = 0; round < 2; round++) await engine.purge();
    const removed = remove(engine);
    for (let at = 0; at < 50; at++)
      await engine.commit(load(`new-${at}`, { values: valuesOf(at % 2 === 0 ? "/new" : "/wp-login") }));
    await removed;
    expect(paths(engine).filter((path) => path === "/new")).toHaveLength(25);
    disk = disk.clone();
    const again = await open();
    expect(paths(again).sort()).toEqual(paths(engine).sort());
  });
});

describe("a removal on a disk that fails", () => {
  async function beforeIt(powerOff?: () => void): Promise<RunningEngine> {
    disk = new MemoryDisk();
    const engine = await open(powerOff);
    await fill(engine);
    for (let round = 0; round < 2; round++) await engine.purge();
    disk.calls = 0;
    return engine;
  }

  async function callsOfIt(): Promise<number> {
    const engine = await beforeIt();
    await remove(engine);
    return disk.calls;
  }

  const between = (first: number, last: number) =>
    Array.from({ length: last - first - 1 }, (_, at) => first + 1 + at);

  const all = [...twice(...spam, ...others), "/wp-login"].sort();
  const left = twice(...others).sort();

  test("a power cut at any call leaves all of it or what stays, and then in every file", async () => {
    const random = randomFrom(seed());
    const calls = await callsOfIt();
    expect(calls).toBeGreaterThan(20);
    const found: string[][] = [];
    for (const call of [1, ...someOf(between(1, calls)), calls]) {
      const power = Promise.withResolvers<void>();
      const engine = await beforeIt(power.resolve);
      opened.pop();
      disk.cutPowerAt(call);
      await Promise.race([power.promise, remove(engine).catch(() => {})]);
      disk = disk.crash(random);
      const recovered = await open();
      // A start makes the checkpoint that is due.
      await recovered.purge();
      found.push(paths(recovered).sort());
      expect([all, left]).toContainEqual(found.at(-1) as string[]);
      expect(onDisk("wp-login")).toBe(found.at(-1)?.length === all.length);
      expect(await recovered.commit(unload("march-3", { visibleMs: 9 }))).toBe("done");
    }
    expect(found[0]).toEqual(all);
    expect(found.at(-1)).toEqual(left);
  });

  test.each(["EIO", "ENOSPC"])("%s at any call leaves all of it or what stays", async (code) => {
    const calls = await callsOfIt();
    for (const call of [1, ...someOf(between(1, calls)), calls]) {
      const engine = await beforeIt();
      disk.failAt({ call, code, writtenBytes: 7 });
      await remove(engine).catch(() => {});
      const found = paths(engine).sort();
      expect([all, left]).toContainEqual(found);
      await remove(engine);
      expect(paths(engine).sort()).toEqual(left);
      await engine.purge();
      expect(onDisk("wp-login")).toBeFalse();
      disk = disk.crash(randomFrom(call));
      expect(paths(await open()).sort()).toEqual(left);
    }
  });
});
