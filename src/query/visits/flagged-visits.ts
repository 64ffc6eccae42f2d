/**
 * The distinct visits of rows: of all, of those whose time is known, and of first views. A visit has a bit for each of
 * the three. The loop that sets them counts the rows by their flags too, so that it reads each column once.
 */
import { bitsIn } from "../../lib/bits.ts";
import { rowFlag, rowFlagsMax, visitFlagsMax } from "../../store/columns/row-flag.ts";
import type { Block } from "../rows/block.ts";
import { setPageBits, setPageWords, type VisitSet } from "../rows/visit-numbers.ts";

export interface VisitSizes {
  readonly all: number;
  readonly timed: number;
  readonly first: number;
  /** The number of all these visits that are in another set too, if there is one. */
  readonly reached: number;
}

/** Rows by their flags, then by their visit flags. */
export type FlagCells = Int32Array;

export function flagCells(): FlagCells {
  return new Int32Array(rowFlagsMax * visitFlagsMax);
}

const visitFlagBits = Math.log2(visitFlagsMax);
const timedBit = Math.log2(rowFlag.timed);
const firstBit = Math.log2(rowFlag.first);
const noPage = new Int32Array(0) as Int32Array;

export class FlaggedVisits {
  /** By number of the page: a bit for each of its visits, once for each of the three. */
  private readonly pages = new Map<number, Int32Array>();

  /**
   * Adds a block's selected rows at the indexes from `from` up to `to`, also to `cells`, and returns the sum of their
   * durations.
   */
  addRun({ chunk, start, rows }: Block, from: number, to: number, cells: FlagCells): number {
    const { flags, visitFlags, duration, visit } = chunk;
    let totalMs = 0;
    let [number, page] = [-1, noPage];
    // The loop below is: for each row, cells[its flags] += 1, totalMs += duration, and its visit gets its bits.
    for (let at = from; at < to; at++) {
      const row = (start + rows[at]!) | 0;
      const flag = flags[row]! | 0;
      const cell = (flag << visitFlagBits) | visitFlags[row]!;
      cells[cell] = (cells[cell]! + 1) | 0;
      totalMs += duration[row]! | 0;
      const own = visit[row]! | 0;
      if (own >>> setPageBits !== number) {
        number = own >>> setPageBits;
        page = this.page(number);
      }
      const word = (own >>> 5) & (setPageWords - 1);
      const bit = 1 << (own & 31);
      page[word] = page[word]! | bit;
      page[setPageWords + word] = page[setPageWords + word]! | (bit & -((flag >>> timedBit) & 1));
      page[2 * setPageWords + word] = page[2 * setPageWords + word]! | (bit & -((flag >>> firstBit) & 1));
    }
    return totalMs;
  }

  /** Returns whether rows without a visit were added, whose visit is 0, and forgets them. */
  takeStrays(): boolean {
    const page = this.pages.get(0) ?? noPage;
    const isThere = page.length > 0 && (page[0]! & 1) === 1;
    if (isThere) for (let word = 0; word < page.length; word += setPageWords) page[word]! &= ~1;
    return isThere;
  }

  addAll({ pages }: FlaggedVisits): void {
    for (const [number, page] of pages) {
      const own = this.page(number);
      for (let at = 0; at < own.length; at++) own[at]! |= page[at]!;
    }
  }

  /** `reached`: the other set. */
  sizes(reached: VisitSet | undefined): VisitSizes {
    let [all, timed, first, both] = [0, 0, 0, 0];
    for (const [number, page] of this.pages) {
      const others = reached?.wordsOf(number);
      for (let word = 0; word < setPageWords; word++) {
        const own = page[word]!;
        if (own === 0) continue;
        all += bitsIn(own);
        timed += bitsIn(page[setPageWords + word]!);
        first += bitsIn(page[2 * setPageWords + word]!);
        if (others !== undefined) both += bitsIn(own & others[word]!);
      }
    }
    return { all, timed, first, reached: both };
  }

  private page(number: number): Int32Array {
    return this.pages.getOrInsertComputed(number, () => new Int32Array(3 * setPageWords));
  }
}

/** Takes the rows of `cells`, which are 0 from then on: calls `take` with the flags of some, and how many they are. */
export function takeCells(
  cells: FlagCells,
  take: (flags: number, visitFlags: number, rows: number) => void,
): void {
  for (let cell = 0; cell < cells.length; cell++) {
    if (cells[cell] === 0) continue;
    take(cell >>> visitFlagBits, cell & (visitFlagsMax - 1), cells[cell]!);
    cells[cell] = 0;
  }
}
