import { describe, expect, test } from "bun:test";
import { SpanDurations } from "../../src/query/quantiles/span-durations.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";

const { timed } = rowFlag;

describe("durations of spans", () => {
  test("are those of the rows whose time is known, also where spans take turns", () => {
    const flags = Uint8Array.of(timed, 0, timed, timed | rowFlag.unique, timed);
    const durations = Uint32Array.of(10, 0, 30, 40, 50);
    const own = new SpanDurations();
    own.addRun(0, flags, durations, 0, 2);
    own.addRun(2, flags, durations, 2, 3);
    own.addRun(0, flags, durations, 3, 4);
    own.addRun(0, flags, durations, 4, 5);
    expect([...own.of(0)]).toEqual([10, 40, 50]);
    expect([...own.of(1)]).toEqual([]);
    expect([...own.of(2)]).toEqual([30]);
    expect([...own.all()]).toEqual([10, 30, 40, 50]);
  });

  test("may be more than there was room for", () => {
    const count = 5_000;
    const durations = Uint32Array.from({ length: count }, (_, at) => at);
    const flags = new Uint8Array(count).fill(timed);
    const own = new SpanDurations();
    for (let from = 0; from < count; from += 7)
      own.addRun(from % 3, flags, durations, from, Math.min(count, from + 7));
    const all = [0, 1, 2].flatMap((span) => [...own.of(span)]);
    expect(all.toSorted((a, b) => a - b)).toEqual([...durations]);
  });
});
