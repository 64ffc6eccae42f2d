/** Remembers which groups each visit was seen in, by a list for each visit: most visits are in a few groups. */
import { scratch } from "../../lib/memory/scratch.ts";
import { slotOf } from "./visit-numbers.ts";

/** Visits with more groups than this have a set of them. */
const listedMax = 32;

export class GroupsOfVisits {
  /** The number of visits that were seen. */
  size = 0;
  /** A hash table by visit, whose slots are a power of two: the visit, 0 for none, and the group it was last new in. */
  private slots = needed(2 * 1024);
  /** By slot: the last entry of the list of the visit's earlier groups; 0 for none. */
  private heads = needed(1024);
  /** By entry, from 1 on: the group, how many entries its visit has up to here, and the entry before it; 0 for none. */
  private groups = needed(1024);
  private lengths = needed(1024);
  private before = needed(1024);
  private entries = 1;
  private readonly sets = new Map<number, Set<number>>();

  /** Adds a group to a visit, whose number is at least 1; returns whether it is new there. */
  add(visit: number, group: number): boolean {
    const { slots } = this;
    const slot = slotOf(slots, 2, visit);
    if (slots[2 * slot] === 0) {
      slots[2 * slot] = visit;
      slots[2 * slot + 1] = group;
      if (2 * ++this.size > this.heads.length) this.grow();
      return true;
    }
    return slots[2 * slot + 1] !== group && this.addAnother(slot, group);
  }

  /** Forgets all visits. */
  clear(): void {
    if (this.size === 0) return;
    this.size = 0;
    this.slots.fill(0);
    this.heads.fill(0);
    this.entries = 1;
    this.sets.clear();
  }

  /** Adds a group to the visit of a slot, which was last new in another one. */
  private addAnother(slot: number, group: number): boolean {
    const { slots, groups, before } = this;
    const head = this.heads[slot]!;
    for (let entry = head; entry !== 0; entry = before[entry]!) if (groups[entry] === group) return false;
    if (head !== 0 && this.lengths[head]! >= listedMax) return this.addToSet(slots[2 * slot]!, group);
    this.heads[slot] = this.addEntry(slots[2 * slot + 1]!, head);
    slots[2 * slot + 1] = group;
    return true;
  }

  private grow(): void {
    const [slots, heads] = [this.slots, this.heads];
    this.slots = needed(2 * slots.length);
    this.heads = needed(2 * heads.length);
    for (let from = 0; from < heads.length; from++) {
      if (slots[2 * from] === 0) continue;
      const slot = slotOf(this.slots, 2, slots[2 * from]!);
      this.slots[2 * slot] = slots[2 * from]!;
      this.slots[2 * slot + 1] = slots[2 * from + 1]!;
      this.heads[slot] = heads[from]!;
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

/** Returns this many zeros, which the task takes for itself alone. */
function needed(length: number): Uint32Array<ArrayBuffer> {
  scratch.need(4 * length);
  return new Uint32Array(length);
}
