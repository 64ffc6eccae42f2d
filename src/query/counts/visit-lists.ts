/** Remembers which groups each visit was seen in, by a list for each visit: most visits are in a few groups. */
import { scratch } from "../../lib/scratch.ts";

/** Visits with more groups than this have a set of them. */
const listedMax = 32;

export class VisitLists {
  /** The number of visits that have a list. */
  size = 0;
  /** A hash table by visit, whose slots are a power of two: the visit, 0 for none, and its last list entry. */
  private visits = needed(1024);
  private heads = needed(1024);
  /** By entry, from 1 on: the group, how many entries its visit has up to here, and the entry before it; 0 for none. */
  private groups = needed(1024);
  private lengths = needed(1024);
  private before = needed(1024);
  private entries = 1;
  private readonly sets = new Map<number, Set<number>>();

  /** Adds a group to a visit, whose number is at least 1; returns whether it is new there. */
  add(visit: number, group: number): boolean {
    const slot = this.slotOf(visit);
    const head = this.heads[slot]!;
    const { groups, before } = this;
    for (let entry = head; entry !== 0; entry = before[entry]!) if (groups[entry] === group) return false;
    if (head !== 0 && this.lengths[head]! >= listedMax) return this.addToSet(visit, group);
    this.heads[slot] = this.addEntry(group, head);
    if (head !== 0) return true;
    this.visits[slot] = visit;
    if (2 * ++this.size > this.visits.length) this.grow();
    return true;
  }

  /** Forgets all visits. */
  clear(): void {
    if (this.size === 0) return;
    this.size = 0;
    this.visits.fill(0);
    this.heads.fill(0);
    this.entries = 1;
    this.sets.clear();
  }

  /** Returns the slot of a visit, or the one for it. Visits that come together have numbers that are close, and so their slots. */
  private slotOf(visit: number): number {
    const { visits } = this;
    const mask = visits.length - 1;
    let slot = visit & mask;
    while (visits[slot] !== 0 && visits[slot] !== visit) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const [visits, heads] = [this.visits, this.heads];
    this.visits = needed(2 * visits.length);
    this.heads = needed(2 * heads.length);
    for (let at = 0; at < visits.length; at++) {
      if (visits[at] === 0) continue;
      const slot = this.slotOf(visits[at]!);
      this.visits[slot] = visits[at]!;
      this.heads[slot] = heads[at]!;
    }
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

  private addToSet(visit: number, group: number): boolean {
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
