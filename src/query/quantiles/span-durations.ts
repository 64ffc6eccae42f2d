/**
 * The known durations of the selected rows, grouped by span of time, in the order in which the rows were read. Where there
 * are too many, they are only counted.
 */
import { joined } from "./joined.ts";
import { durationScratch, timedBit } from "./quantile.ts";

export class SpanDurations {
  private values: Uint32Array;
  private count = 0;
  /** By span: the number of its durations. */
  readonly knownOf: Uint32Array;
  /** Whether there are so many that they are only counted. */
  areTooMany = false;
  /**
   * By span: the runs of its durations, which are the values from each `from` up to `to`. Rows sorted by time give one
   * run.
   */
  private readonly runs = new Map<number, { readonly from: number; to: number }[]>();

  /**
   * `max`: the most durations that are kept. `expected`: about how many come, if that is known: what grows is copied, and takes
   * up to three times as much meanwhile.
   */
  constructor(
    spans: number,
    private readonly max: number,
    expected = 0,
  ) {
    this.knownOf = new Uint32Array(spans);
    this.values = durationScratch.take(Math.min(expected, max) + 1);
  }

  /** Adds the rows from `from` up to `to`, all of one span: their flags, and durations in milliseconds. */
  addRun(span: number, flags: Uint8Array, durations: Uint32Array, from: number, to: number): void {
    const first = this.count;
    if (first + to - from > this.max) this.drop();
    if (this.areTooMany) {
      for (let at = from; at < to; at++) this.knownOf[span]! += (flags[at]! >>> timedBit) & 1;
      return;
    }
    // The buffer has room for one more: a duration is written before it is known whether it counts.
    const length = first + to - from + 1;
    if (this.values.length < length) this.values = durationScratch.grow(length);
    this.count = addKnown(flags, durations, from, to, this.values, first);
    if (this.count === first) return;
    this.knownOf[span]! += this.count - first;
    const runs = this.runs.get(span) ?? [];
    const last = runs.at(-1);
    if (last?.to === first) last.to = this.count;
    else runs.push({ from: first, to: this.count });
    if (runs.length === 1) this.runs.set(span, runs);
  }

  /** The number of all durations. */
  get known(): number {
    return this.knownOf.reduce((sum, known) => sum + known, 0);
  }

  private drop(): void {
    this.areTooMany = true;
    this.values = durationScratch.take(0);
    durationScratch.letGo();
    this.count = 0;
    this.runs.clear();
  }

  /** Returns the durations of a span in milliseconds, in no order. */
  of(span: number): Uint32Array {
    const runs = this.runs.get(span) ?? [];
    const parts = runs.map(({ from, to }) => this.values.subarray(from, to));
    return parts.length === 1 ? parts[0]! : joined(parts);
  }

  /** Returns the durations of all spans, in no order. */
  all(): Uint32Array {
    return this.values.subarray(0, this.count);
  }
}

/** Returns the index for the next duration. */
function addKnown(
  flags: Uint8Array,
  durations: Uint32Array,
  from: number,
  to: number,
  values: Uint32Array,
  first: number,
): number {
  // The loop below is: for each row whose time is known, values[place++] = duration.
  let place = first;
  for (let at = from; at < to; at++) {
    values[place] = durations[at]!;
    place = (place + ((flags[at]! >>> timedBit) & 1)) | 0;
  }
  return place;
}
