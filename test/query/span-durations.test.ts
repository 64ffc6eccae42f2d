import { describe, expect, test } from "bun:test";
import { SpanDurations } from "../../src/query/quantiles/span-durations.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";

const { timed } = rowFlag;

describe("durations of spans", () => {
  test("are those of the rows whose time is known, also where spans take turns", () => {
    const flags = Uint8Array.of(timed, 0, timed, timed | rowFlag.unique, timed);
    const durations = Uint32Array.of(10, 0, 30, 40, 50);
    const own = new SpanDurations(3, Infinity);
    own.addRun(0, flags, durations, 0, 2);
    own.addRun(2, flags, durations, 2, 3);
    own.addRun(0, flags, durations, 3, 4);
    own.addRun(0, flags, durations, 4, 5);
    expect([...own.of(0)]).toEqual([10, 40, 50]);
    expect([...own.of(1)]).toEqual([]);
    expect([...own.of(2)]).toEqual([30]);
    expect([...own.all()]).toEqual([10, 30, 40, 50]);
    expect([...own.knownOf, own.known]).toEqual([3, 0, 1, 4]);
  });

  test("are only counted where there are too many", () => {
    const count = 1_000;
    const flags = Uint8Array.from({ length: count }, (_, at) => (at % 3 === 0 ? timed : 0));
    const own = new SpanDurations(2, 100);
    for (let from = 0; from < count; from += 9)
      own.addRun(from % 2, flags, new Uint32Array(count), from, Math.min(count, from + 9));
    expect(own.areTooMany).toBe(true);
    const known = [0, 1].map((odd) =>
      flags.reduce((sum, each, at) => sum + Number(each === timed && Math.floor(at / 9) % 2 === odd), 0),
    );
    expect([...own.knownOf, own.known]).toEqual([...known, known[0]! + known[1]!]);
  });

  test("may be more than there was room for", () => {
    const count = 5_000;
    const durations = Uint32Array.from({ length: count }, (_, at) => at);
    const flags = new Uint8Array(count).fill(timed);
    const own = new SpanDurations(3, Infinity);
    for (let from = 0; from < count; from += 7)
      own.addRun(from % 3, flags, durations, from, Math.min(count, from + 7));
    const all = [0, 1, 2].flatMap((span) => [...own.of(span)]);
    expect(all.toSorted((a, b) => a - b)).toEqual([...durations]);
  });
});
