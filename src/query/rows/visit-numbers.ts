/**
 * A number for each visit, and sets of visits. Both are in pages of so many visits, because the visits of a period have
 * numbers that are close: what they take in memory follows from the number of visits between the first and the last.
 */
const pageVisits = 2 ** 16;
/** Sets have smaller pages, because a chunk has one for each goal. */
const setPageVisits = 2 ** 12;

/** A number for each visit, 0 at first. New memory is what takes time: no more than the numbers need. */
export class VisitNumbers {
  private readonly pages: (Uint8Array | Uint32Array | undefined)[] = [];

  constructor(private readonly Page: typeof Uint8Array | typeof Uint32Array) {}

  get(visit: number): number {
    return this.pages[visit >>> 16]?.[visit & 0xffff] ?? 0;
  }

  set(visit: number, value: number): void {
    (this.pages[visit >>> 16] ??= new this.Page(pageVisits))[visit & 0xffff] = value;
  }
}

const noVisits = new Uint32Array(setPageVisits / 32) as Uint32Array;

/** A set of visits: one bit a visit. Visit 0 is none, and never in it. */
export class VisitSet {
  private readonly pages: (Uint32Array | undefined)[] = [];
  size = 0;

  /** The bytes that it takes in memory. */
  get bytes(): number {
    return this.pages.reduce((sum, page) => sum + 8 + (page?.byteLength ?? 0), 0);
  }

  add(visit: number): void {
    if (visit === 0) return;
    const page = (this.pages[visit >>> 12] ??= new Uint32Array(setPageVisits / 32));
    const at = (visit & 0xfff) >>> 5;
    const bit = 1 << (visit & 31);
    const before = page[at]!;
    if ((before & bit) !== 0) return;
    page[at] = before | bit;
    this.size++;
  }

  /** Adds the first `count` of these visits. */
  addEach(visits: Uint32Array, count: number): void {
    let [number, page] = [-1, noVisits];
    let { size } = this;
    for (let at = 0; at < count; at++) {
      const visit = visits[at]!;
      // Visits that come together are mostly in one page.
      if (visit >>> 12 !== number) {
        number = visit >>> 12;
        page = this.pages[number] ??= new Uint32Array(setPageVisits / 32);
      }
      const word = (visit & 0xfff) >>> 5;
      const before = page[word]!;
      size += 1 - ((before >>> (visit & 31)) & 1);
      page[word] = before | (1 << (visit & 31));
    }
    this.size = size;
    const none = this.pages[0];
    if (none === undefined || (none[0]! & 1) === 0) return;
    none[0]! &= ~1;
    this.size--;
  }

  has(visit: number): boolean {
    const word = this.pages[visit >>> 12]?.[(visit & 0xfff) >>> 5] ?? 0;
    return (word & (1 << (visit & 31))) !== 0;
  }

  /** Writes into `kept` those of the first `count` rows whose visit is in the set, and returns how many they are. */
  keep(visits: Uint32Array, rows: Uint32Array, count: number, kept: Uint32Array): number {
    let found = 0;
    let [number, page] = [-1, noVisits];
    for (let at = 0; at < count; at++) {
      const visit = visits[at]!;
      // Visits that come together are mostly in one page.
      if (visit >>> 12 !== number) {
        number = visit >>> 12;
        page = this.pages[number] ?? noVisits;
      }
      kept[found] = rows[at]!;
      found = (found + ((page[(visit & 0xfff) >>> 5]! >>> (visit & 31)) & 1)) | 0;
    }
    return found;
  }

  /** Adds the visits of another set. */
  addAll(other: VisitSet): void {
    other.pages.forEach((page, index) => {
      if (page === undefined) return;
      const own = (this.pages[index] ??= new Uint32Array(setPageVisits / 32));
      for (let at = 0; at < own.length; at++) {
        const added = page[at]! & ~own[at]!;
        if (added === 0) continue;
        own[at]! |= added;
        this.size += bitsIn(added);
      }
    });
  }
}

/** Returns how many bits of a word are 1. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
