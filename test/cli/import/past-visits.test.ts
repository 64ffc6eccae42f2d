import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import {
  PastVisits,
  viewsPerVisitMax,
  waitingCharactersMax,
  waitingLoad,
  waitingMax,
  type VisitRow,
} from "../../../src/cli/import/past-visits.ts";
import { visibleMsMax } from "../../../src/core/hit.ts";
import { visitValuesOf } from "../../../src/core/questions/stored-dimension.ts";
import type { PastLoad } from "../../../src/record/record.ts";
import { noonMs, valuesOf } from "../../support/records.ts";

const minuteMs = 60_000;

function view(
  minutes: number,
  more: Partial<VisitRow> = {},
  unique = false,
): readonly [row: VisitRow, load: PastLoad] {
  const load = { timeMs: noonMs + minutes * minuteMs, unique, seen: false, values: valuesOf(`/${minutes}`) };
  return [{ kind: "view", isInternal: true, utm: "", visit: "", isUnderWay: false, ...more }, load];
}

/** Returns the paths of each visit, in the order in which the visits end. */
function pathsOf(
  visits: PastVisits,
  views: readonly (readonly [visitor: number, view: ReturnType<typeof view>])[],
) {
  const loads = [...views.flatMap(([visitor, each]) => visits.add(visitor, ...each)), ...visits.takeAll()];
  const byVisit = Map.groupBy(loads, ({ visit }) => visit);
  for (const own of byVisit.values()) {
    // The record needs them together.
    const at = loads.indexOf(own[0] as never);
    expect(loads.slice(at, at + own.length)).toEqual(own);
    expect(new Set(own.map(({ visitValues }) => visitValues)).size).toBe(1);
  }
  return [...byVisit.values()].map((own) => own.map(({ values }) => values[0]));
}

describe("visits of a log", () => {
  test("are told apart by pauses and by who arrives, and end in the order of their last page views", () => {
    const paths = pathsOf(new PastVisits(), [
      [1, view(0)],
      [2, view(1)],
      [1, view(30)],
      [2, view(40)],
      [1, view(50, { isInternal: false }, true)],
      [1, view(51)],
      [1, view(52, { utm: "ad" })],
    ]);
    expect(paths).toEqual([["/1"], ["/0", "/30"], ["/50", "/51"], ["/40"], ["/52"]]);
  });

  test("stand in the order of time, with the values of the first", () => {
    const visits = new PastVisits();
    for (const minutes of [2, 1, 3])
      expect(visits.add(1, ...view(minutes, { isInternal: false }))).toEqual([]);
    const loads = visits.takeAll();
    expect(loads.map(({ values }) => values[0])).toEqual(["/1", "/2", "/3"]);
    expect(loads[0]?.visitValues).toEqual(visitValuesOf(valuesOf("/1"), false));
    visits.add(1, ...view(4));
    expect(visits.takeAll()[0]?.visitValues).toEqual(visitValuesOf(valuesOf("/4"), true));
    visits.add(1, ...view(5, { utm: "letter" }));
    expect(visits.takeAll()[0]?.visitValues).toEqual(visitValuesOf(valuesOf("/5"), false));
  });

  test.each([false, true])("wait with so many characters, also of events (%p)", (isBare) => {
    const visits = new PastVisits();
    const properties = [
      { timeMs: noonMs, isEvent: true, properties: [["a", "x".repeat(100_000)] as const], numbers: [] },
    ];
    const [row, load] = view(0);
    const eventsEach = 100;
    let over = 0;
    let characters = 0;
    for (let visitor = 0; visitor < 4; visitor++) {
      over += visits.add(visitor, row, load).length;
      for (let at = 0; at < eventsEach; at++, characters += 100_000)
        over += visits.add(visitor, isBare ? { ...row, kind: "event" } : row, {
          ...load,
          properties,
          isBare,
        }).length;
    }
    expect(characters).toBeGreaterThan(2 * waitingCharactersMax);
    const waiting = visits.takeAll();
    const bytes = JSON.stringify(waiting).length;
    expect(bytes).toBeLessThan(1.1 * waitingCharactersMax);
    expect(over + waiting.length).toBeLessThanOrEqual(4 * (eventsEach + 1));
    // Nothing is left of what was counted.
    expect(visits.add(9, ...view(1))).toEqual([]);
    expect(visits.add(9, ...view(2))).toEqual([]);
  });

  test("take the time of events and of rows that are nothing else, for the last page view of their page", () => {
    const visits = new PastVisits();
    const add = (minutes: number, kind: VisitRow["kind"], visibleMs: number | null, more = {}) => {
      const [row, load] = view(minutes, { kind });
      const values = valuesOf("/page");
      return visits.add(1, row, { ...load, values, visibleMs, isBare: kind !== "view", ...more });
    };
    // Without a page view there is nothing that the time is of.
    expect([add(0, "time", 5), visits.takeAll()]).toEqual([[], []]);
    add(1, "event", 7, { values: valuesOf("/other") });
    add(2, "view", null);
    add(3, "view", null);
    add(4, "event", 1_000);
    add(5, "time", 2_000);
    add(6, "time", 4_000, { values: valuesOf("/unknown") });
    // It is a sign of the visitor: the visit goes on for half an hour after it.
    add(30, "time", 8_000);
    add(59, "view", 16_000);
    expect([visits.waitingLoads, visits.waitingViews, visits.waitingEvents]).toEqual([4, 3, 2]);
    const loads = visits.takeAll();
    expect(new Set(loads.map(({ visit }) => visit)).size).toBe(1);
    expect(loads.map(({ visibleMs }) => visibleMs)).toEqual([null, null, 11_000, 16_000]);
    add(60, "view", null);
    add(61, "time", visibleMsMax);
    add(62, "time", 1);
    expect(visits.takeAll().map(({ visibleMs }) => visibleMs)).toEqual([visibleMsMax]);
  });

  test("wait bounded, and a visit has only so many page views", () => {
    const visits = new PastVisits();
    let over = 0;
    for (let visitor = 0; visitor < waitingMax + 100; visitor++)
      over += visits.add(visitor, ...view(0)).length;
    expect(over).toBe(100);
    expect(visits.waitingLoads).toBe(waitingMax);
    expect(visits.takeAll()).toHaveLength(waitingMax);
    expect(visits.waitingLoads).toBe(0);
    const long = Array.from({ length: viewsPerVisitMax + 1 }, () => [1, view(1)] as const);
    expect(pathsOf(visits, long).map(({ length }) => length)).toEqual([viewsPerVisitMax, 1]);
  });
});

test("a load of a long row does not keep the row", () => {
  const heapBytes = () => {
    Bun.gc(true);
    return heapStats().heapSize + heapStats().extraMemorySize;
  };
  const [, load] = view(0);
  const before = heapBytes();
  const loads = Array.from({ length: 100 }, (_, at) => {
    const row = Buffer.alloc(1024 * 1024, `${at} `).toString();
    const [path, value] = [row.slice(0, 100), row.slice(1_000, 3_000)];
    const properties = [{ timeMs: noonMs, isEvent: true, properties: [["a", value] as const], numbers: [] }];
    return waitingLoad({ ...load, values: valuesOf(path), properties }, row.length);
  });
  // 100 MB before.
  expect(heapBytes() - before).toBeLessThan(20 * 1024 * 1024);
  expect(loads[7]?.properties?.[0]?.properties[0]?.[1]).toHaveLength(2_000);
  expect(loads[7]?.values[0]).toStartWith("7 7 7");
  expect(waitingLoad(load, 1_000)).toBe(load);
});
