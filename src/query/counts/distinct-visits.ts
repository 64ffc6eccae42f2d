/**
 * Counts distinct visits by group: each pair of a visit and a group once, in whatever order its rows come. A visit has
 * a list of the groups that it was counted in, which is short: most visits see a few pages.
 */
import { scratch } from "../../lib/scratch.ts";

/** Visits with more groups than this have a set of them. */
const listedMax = 32;
/** Heads of lists are in pages of so many visits, because the visits of a period have numbers that are close. */
const pageVisits = 2 ** 16;

export class DistinctVisits {
  /** By group: the number of distinct visits. */
  readonly counts: Uint32Array;
  /** The number of distinct visits in all groups together. */
  all = 0;
  /** By visit, in pages: its last list entry; 0 for none. */
  private readonly heads: (Uint32Array | undefined)[] = [];
  /** By entry, from 1 on: the group, how many entries its visit has up to here, and the entry before it. */
  private groups = needed(1024);
  private lengths = needed(1024);
  private before = needed(1024);
  private entries = 1;
  private readonly sets = new Map<number, Set<number>>();

  constructor(groups: number) {
    this.counts = needed(groups);
  }

  /** Adds a row of a visit to a group; returns whether the visit is new there. Visit 0 is none. */
  add(visit: number, group: number): boolean {
    if (visit === 0) return false;
    const heads = (this.heads[Math.floor(visit / pageVisits)] ??= needed(pageVisits));
    const at = visit % pageVisits;
    const head = heads[at]!;
    const { groups, before } = this;
    for (let entry = head; entry !== 0; entry = before[entry]!) if (groups[entry] === group) return false;
    if (head !== 0 && this.lengths[head]! >= listedMax && !this.isNewInSet(visit, group)) return false;
    this.counts[group]!++;
    if (head === 0) this.all++;
    if (head === 0 || this.lengths[head]! < listedMax) heads[at] = this.addEntry(group, head);
    return true;
  }

  /** Whether a visit was counted in any group. */
  has(visit: number): boolean {
    return (this.heads[Math.floor(visit / pageVisits)]?.[visit % pageVisits] ?? 0) !== 0;
  }

  private addEntry(group: number, head: number): number {
    const entry = this.entries++;
    if (this.entries > this.groups.length) {
      this.groups = doubled(this.groups);
      this.lengths = doubled(this.lengths);
      this.before = doubled(this.before);
    }
    this.groups[entry] = group;
    this.lengths[entry] = 1 + (head === 0 ? 0 : this.lengths[head]!);
    this.before[entry] = head;
    return entry;
  }

  private isNewInSet(visit: number, group: number): boolean {
    const known = this.sets.get(visit) ?? new Set<number>();
    if (known.has(group)) return false;
    this.sets.set(visit, known.add(group));
    return true;
  }
}

function doubled(words: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const longer = needed(2 * words.length);
  longer.set(words);
  return longer;
}

/** Returns so many zeros, which the task takes for itself alone. */
function needed(length: number): Uint32Array<ArrayBuffer> {
  scratch.need(4 * length);
  return new Uint32Array(length);
}
