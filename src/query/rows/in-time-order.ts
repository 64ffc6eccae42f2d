/**
 * Goes through what happened in visits in the order of time: page views and events of many chunks, whose times may
 * overlap. What happened at the same time comes in the order of the sources. A source is read when its time has come and
 * forgotten after it, so that mostly one or two chunks are in memory: 12 bytes for each of their moments.
 */
import { firstThat } from "../../lib/search.ts";
import { grown } from "../../store/columns/column.ts";
import { rowsByKey } from "../../store/columns/columns.ts";

/** Something that happened in visits, in the first `count` entries of columns. */
export interface Moments {
  /** The time that `times` are counted from, in milliseconds since 1970. */
  readonly baseMs: number;
  readonly times: Uint32Array;
  readonly visits: Uint32Array;
  readonly values: Uint32Array;
  readonly count: number;
}

export interface MomentSource {
  /** Nothing of the source happened before this time, in milliseconds since 1970. */
  readonly startMs: number;
  /** The time that the times of its moments are counted from, in milliseconds since 1970. */
  readonly baseMs: number;
  /** Adds its moments to a list that is empty. */
  readonly read: (list: MomentList) => void;
}

/** Collects moments of visits; those without a visit are left out. */
export class MomentList {
  private times = new Uint32Array(1024);
  private visits = new Uint32Array(1024);
  private values = new Uint32Array(1024);
  private count = 0;
  private inOrder = true;

  /** Forgets all moments, and keeps the memory. */
  clear(): void {
    this.count = 0;
    this.inOrder = true;
  }

  add(time: number, visit: number, value: number): void {
    if (visit === 0) return;
    const at = this.count++;
    if (at === this.times.length) this.grow();
    if (at > 0 && time < this.times[at - 1]!) this.inOrder = false;
    this.times[at] = time;
    this.visits[at] = visit;
    this.values[at] = value;
  }

  /** Returns them by time, until the list is cleared; those of the same time keep their order. */
  sorted(baseMs: number): Moments {
    const { count, times, visits, values } = this;
    if (this.inOrder) return { baseMs, times, visits, values, count };
    const order = rowsByKey(times, count);
    const by = (column: Uint32Array) => order.map((at) => column[at]!);
    return { baseMs, times: by(times), visits: by(visits), values: by(values), count };
  }

  private grow(): void {
    const longer = (column: Uint32Array) => grown(column, new Uint32Array(2 * column.length));
    this.times = longer(this.times);
    this.visits = longer(this.visits);
    this.values = longer(this.values);
  }
}

interface Cursor {
  readonly rank: number;
  readonly list: MomentList;
  readonly moments: Moments;
  at: number;
  /** The time of the moment at `at`. */
  timeMs: number;
}

/** Receives a run of moments: those from `from` up to `to`. */
export type TakeMoments = (moments: Moments, from: number, to: number) => void;

export function inTimeOrder(sources: readonly MomentSource[], take: TakeMoments): void {
  const waiting = sources.map((source, rank) => ({ source, rank, startMs: source.startMs }));
  waiting.sort((a, b) => a.startMs - b.startMs);
  const active: Cursor[] = [];
  // Lists of sources that are over, for the next ones: new memory costs more than what is written to it.
  const unused: MomentList[] = [];
  let next = 0;
  for (;;) {
    const first = leastOf(active);
    const untilMs = waiting[next]?.startMs ?? Infinity;
    if (untilMs <= (first?.timeMs ?? Infinity) && next < waiting.length) {
      const { source, rank } = waiting[next++]!;
      const list = unused.pop() ?? new MomentList();
      source.read(list);
      const moments = list.sorted(source.baseMs);
      if (moments.count > 0) active.push({ rank, list, moments, at: 0, timeMs: timeOf(moments, 0) });
      else unused.push(list);
    } else if (first === undefined) return;
    else {
      const { moments, at } = first;
      const end = endBefore(moments, at, limitOf(active, first, untilMs) - moments.baseMs);
      take(moments, at, end);
      if (end === moments.count) {
        active.splice(active.indexOf(first), 1);
        first.list.clear();
        unused.push(first.list);
      } else {
        first.at = end;
        first.timeMs = timeOf(moments, end);
      }
    }
  }
}

/** Returns the first place from `at` on whose time is not before `time`, which is mostly near. */
function endBefore({ times, count }: Moments, at: number, time: number): number {
  let [from, reach] = [at, 1];
  while (from + reach < count && times[from + reach]! < time) {
    from += reach;
    reach *= 2;
  }
  return firstThat(from, Math.min(count, from + reach), (index) => times[index]! >= time);
}

function timeOf({ baseMs, times }: Moments, at: number): number {
  return baseMs + times[at]!;
}

// A loop over few cursors, many times: an iterator would take longer than all the rest.

function leastOf(cursors: readonly Cursor[]): Cursor | undefined {
  let least = cursors[0];
  for (let at = 1; at < cursors.length; at++) if (isBefore(cursors[at]!, least!)) least = cursors[at];
  return least;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.rank < b.rank);
}

/** Returns the time before which nothing of another source comes. */
function limitOf(active: readonly Cursor[], first: Cursor, untilMs: number): number {
  let endMs = untilMs;
  for (let at = 0; at < active.length; at++) {
    const other = active[at]!;
    if (other !== first) endMs = Math.min(endMs, other.timeMs + (other.rank > first.rank ? 1 : 0));
  }
  return endMs;
}
