/**
 * Links among the selected rows of a chunk that are first views of a page: a row that is not the first one of its visit
 * knows the one before it. Counting distinct visits by group follows the links, and leaves out a row whose visit has an
 * earlier one in the same group. All lists of a page share the links; those of a whole sealed chunk are cached.
 */
import type { Selection } from "../../core/questions/query.ts";
import { pageOf, pageVisits } from "../../facts/visits.ts";
import { scratch, ScratchWords, type Holder } from "../../lib/memory/scratch.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";
import { keepFlagged, type Block, type BlockRows } from "./block.ts";
import { keyOf } from "./filters/mask.ts";
import { visitLeft } from "./select.ts";
import { cachedOfWhole } from "./selected-visits.ts";

export interface LinkedRows {
  /** A chunk, or copies of some of its rows. */
  readonly chunk: BlockRows;
  /** The rows that belong to no visit, rising. */
  readonly strays: Uint32Array;
  /** The rows of visits with an earlier one, rising. */
  readonly repeats: Uint32Array;
  /**
   * By index in `repeats`: the row before it in the same visit. If that is the visit's first one, its number plus one;
   * else its index in `repeats` plus one, negated.
   */
  readonly before: Int32Array;
}

/** Returns the linked rows of a chunk that are first views of a page. Throws Cancelled. */
export function linkedFirstViews(
  chunk: Chunk,
  { period, filters }: Selection,
  context: QueryContext,
): LinkedRows {
  const link = () => {
    const links = new Links(chunk);
    visitLeft([{ chunk, period }], filters, context, (block) => links.add(keepFlagged(block, rowFlag.first)));
    return links.made;
  };
  const bytesOf = ({ strays, repeats }: LinkedRows) => 4 * strays.length + 8 * repeats.length;
  return cachedOfWhole(chunk, { period }, `linked ${keyOf(filters)}`, context, link, bytesOf);
}

const noPage = new Int32Array(0) as Int32Array;

/**
 * By visit: its newest row so far, in the form of `before`; 0 for none. The memory is the thread's: one chunk after the
 * other uses it.
 */
class NewestRows implements Holder {
  private readonly pages = new Map<number, Int32Array>();
  private readonly unused: Int32Array[] = [];

  /** Returns the numbers of a page of visits. */
  page(number: number): Int32Array {
    const known = this.pages.get(number);
    if (known !== undefined) return known;
    const page = this.unused.pop() ?? new Int32Array(pageVisits);
    this.pages.set(number, page);
    scratch.hold(this, 4 * pageVisits * (this.pages.size + this.unused.length));
    return page;
  }

  /** Forgets all visits. */
  clear(): void {
    for (const page of this.pages.values()) this.unused.push(page.fill(0));
    this.pages.clear();
  }

  letGo(): void {
    this.pages.clear();
    this.unused.length = 0;
  }
}

const newest = new NewestRows();
const scratches = { strays: new ScratchWords(), repeats: new ScratchWords(), before: new ScratchWords() };

/** Links rows, block by block. */
class Links {
  private strays = scratches.strays.take(0);
  private repeats = scratches.repeats.take(0);
  private before = scratches.before.take(0);
  private readonly ends: Ends = { stray: 0, repeat: 0 };

  constructor(private chunk: BlockRows) {
    newest.clear();
  }

  add(block: Block): void {
    this.chunk = block.chunk;
    // One more of each is written before it is known whether it counts.
    this.strays = roomIn(scratches.strays, this.strays, this.ends.stray + block.count + 1);
    this.repeats = roomIn(scratches.repeats, this.repeats, this.ends.repeat + block.count + 1);
    this.before = roomIn(scratches.before, this.before, this.ends.repeat + block.count + 1);
    const { strays, repeats, before, ends } = this;
    linkRows(block, block.chunk.visit, strays, repeats, before, ends);
  }

  get made(): LinkedRows {
    const { chunk, strays, repeats, before, ends } = this;
    return {
      chunk,
      strays: strays.slice(0, ends.stray),
      repeats: repeats.slice(0, ends.repeat),
      before: Int32Array.from(before.subarray(0, ends.repeat)),
    };
  }
}

/** The places in the lists from which on the next rows are written. */
interface Ends {
  stray: number;
  repeat: number;
}

// In a method that kept its ends in fields, the loop took three times as long.

function linkRows(
  { start, rows, count }: Block,
  visits: Uint32Array,
  strays: Uint32Array,
  repeats: Uint32Array,
  before: Uint32Array,
  ends: Ends,
): void {
  let { stray, repeat } = ends;
  let [number, page] = [-1, noPage];
  // The loop below is: for each row of a visit with an earlier one, repeats[repeat] = row, before[repeat++] = that one.
  for (let at = 0; at < count; at++) {
    const row = (start + rows[at]!) | 0;
    const visit = visits[row]! | 0;
    if (visit === 0) {
      strays[stray++] = row;
      continue;
    }
    if (pageOf(visit) !== number) {
      number = pageOf(visit);
      page = newest.page(number);
    }
    const own = visit & (pageVisits - 1);
    const last = page[own]! | 0;
    repeats[repeat] = row;
    before[repeat] = last;
    repeat = (repeat + (last === 0 ? 0 : 1)) | 0;
    page[own] = last === 0 ? row + 1 : -repeat;
  }
  ends.stray = stray;
  ends.repeat = repeat;
}

function roomIn(words: ScratchWords, known: Uint32Array, length: number): Uint32Array {
  return known.length < length ? words.grow(length) : known;
}
