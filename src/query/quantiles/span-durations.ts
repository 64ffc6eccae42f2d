/** The known durations of the selected rows, grouped by span of time, in the order in which the rows were read. */
import { joined } from "./joined.ts";
import { durationScratch, timedBit } from "./quantile.ts";

export class SpanDurations {
  private values = durationScratch.take(0);
  private count = 0;
  /**
   * By span: the runs of its durations, which are the values from each `from` up to `to`. Rows sorted by time give one
   * run.
   */
  private readonly runs = new Map<number, { readonly from: number; to: number }[]>();

  /** Adds the rows from `from` up to `to`, all of one span: their flags, and durations in milliseconds. */
  addRun(span: number, flags: Uint8Array, durations: Uint32Array, from: number, to: number): void {
    const first = this.count;
    // The buffer has room for one more: a duration is written before it is known whether it counts.
    const length = first + to - from + 1;
    if (this.values.length < length) this.values = durationScratch.grow(length);
    this.count = addKnown(flags, durations, from, to, this.values, first);
    if (this.count === first) return;
    const runs = this.runs.get(span) ?? [];
    const last = runs.at(-1);
    if (last?.to === first) last.to = this.count;
    else runs.push({ from: first, to: this.count });
    if (runs.length === 1) this.runs.set(span, runs);
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
