/**
 * A number for each visit, sets of visits, and hash tables by visit. The former two are in pages of visits, because the
 * visits of a period have close numbers: the memory that they take follows from the number of visits between the first and the last.
 */
import { bitsIn } from "../../lib/bits.ts";

const numberPageVisits = 2 ** 16;
/** Sets have smaller pages, because a chunk has one for each goal. */
export const setPageBits = 12;
export const setPageVisits = 2 ** setPageBits;
/** A shift gives an integer. A quotient would be a double to the runtime, and loops that index by it slow where the program runs from source. */
export const setPageWords = setPageVisits >>> 5;

/** A byte for each visit, 0 at first. */
export class VisitNumbers {
  private readonly pages: (Uint8Array | undefined)[] = [];

  get(visit: number): number {
    return this.pages[visit >>> 16]?.[visit & 0xffff] ?? 0;
  }

  set(visit: number, value: number): void {
    (this.pages[visit >>> 16] ??= new Uint8Array(numberPageVisits))[visit & 0xffff] = value;
  }
}

const noVisits = new Uint32Array(setPageWords) as Uint32Array;

/** A set of visits: one bit a visit. Visit 0 is none, and never in it. */
export class VisitSet {
  private readonly pages = new Map<number, Uint32Array>();
  /** The page that was used last: visits that come together are mostly in one. */
  private number = -1;
  private page = noVisits;
  size = 0;

  /** The bytes that it takes in memory. */
  get bytes(): number {
    return this.pages.size * (setPageVisits / 8 + 32);
  }

  add(visit: number): void {
    if (visit === 0) return;
    const page = this.pageOf(visit >>> 12);
    const at = (visit & 0xfff) >>> 5;
    const bit = 1 << (visit & 31);
    const before = page[at]!;
    if ((before & bit) !== 0) return;
    page[at] = before | bit;
    this.size++;
  }

  /** Adds visits: by row, those of the first `count` rows, which are counted from `start`. */
  addRows(visits: Uint32Array, start: number, rows: Uint32Array, count: number): void {
    let [number, page] = [-1, noVisits];
    let { size } = this;
    // The loop below is: for each row, size += 1 unless the bit of its visit is set, which it gets.
    for (let at = 0; at < count; at++) {
      const visit = visits[(start + rows[at]!) | 0]! | 0;
      if (visit >>> 12 !== number) {
        number = visit >>> 12;
        page = this.pageOf(number);
      }
      const word = (visit & 0xfff) >>> 5;
      const before = page[word]! | 0;
      size = (size + 1 - ((before >>> (visit & 31)) & 1)) | 0;
      page[word] = before | (1 << (visit & 31));
    }
    this.size = size;
    const none = this.pages.get(0);
    if (none === undefined || (none[0]! & 1) === 0) return;
    none[0]! &= ~1;
    this.size--;
  }

  has(visit: number): boolean {
    if (visit >>> 12 !== this.number) this.look(visit >>> 12);
    return (this.page[(visit & 0xfff) >>> 5]! & (1 << (visit & 31))) !== 0;
  }

  /** Writes into `kept` those of the first `count` rows whose visit is in the set, and returns how many they are. */
  keep(visits: Uint32Array, rows: Uint32Array, count: number, kept: Uint32Array): number {
    let found = 0;
    let [number, page] = [-1, noVisits];
    for (let at = 0; at < count; at++) {
      const visit = visits[at]!;
      if (visit >>> 12 !== number) {
        number = visit >>> 12;
        page = this.pages.get(number) ?? noVisits;
      }
      kept[found] = rows[at]!;
      found = (found + ((page[(visit & 0xfff) >>> 5]! >>> (visit & 31)) & 1)) | 0;
    }
    return found;
  }

  /** Adds the visits of another set. */
  addAll(other: VisitSet): void {
    for (const [number, page] of other.pages) {
      const own = this.pageOf(number);
      for (let at = 0; at < own.length; at++) {
        const added = page[at]! & ~own[at]!;
        if (added === 0) continue;
        own[at]! |= added;
        this.size += bitsIn(added);
      }
    }
  }

  /** Returns the visits that are in both sets. */
  intersection(other: VisitSet): VisitSet {
    const common = new VisitSet();
    for (const [number, page] of this.pages) {
      const words = other.pages.get(number)?.map((word, at) => word & page[at]!);
      if (words === undefined) continue;
      common.pages.set(number, words);
      for (let at = 0; at < words.length; at++) common.size += bitsIn(words[at]!);
    }
    return common;
  }

  /** Returns a page, which has a bit for each visit; undefined if none of its visits is in the set. */
  wordsOf(page: number): Uint32Array | undefined {
    return this.pages.get(page);
  }

  /** Returns a page, which is empty if it is new. */
  private pageOf(number: number): Uint32Array {
    if (number !== this.number) this.look(number);
    if (this.page !== noVisits) return this.page;
    this.page = new Uint32Array(setPageWords);
    this.pages.set(number, this.page);
    return this.page;
  }

  private look(number: number): void {
    this.number = number;
    this.page = this.pages.get(number) ?? noVisits;
  }
}

/**
 * Returns the slot of a visit in a hash table, or the free one for it. `slots`: `width` words each, a power of two of slots;
 * the first word is the visit, 0 for none. Visits that come together have close numbers, and so slots side by side. Live
 * hits and imports of one month are two such runs, which may want the same slots: with steps of 1 from a taken slot to the
 * next, each visit of the second run would pass over all of the first. So each 1,024 numbers have a step of their own, which
 * is odd, so that all slots are tried.
 */
export function slotOf(slots: Uint32Array, width: 1 | 2, visit: number): number {
  const mask = slots.length / width - 1;
  const step = (Math.imul(visit >>> 10, 0x9e3779b1) >>> 15) | 1;
  let slot = visit & mask;
  while (slots[width * slot] !== 0 && slots[width * slot] !== visit) slot = (slot + step) & mask;
  return slot;
}
