/**
 * The selected rows of a chunk that are first views of a page, by visit: each row knows the one before it of the same
 * visit. Whoever counts distinct visits by group looks only at the earlier rows of a visit, and mostly there are none. All
 * lists of a page share the links: those of a whole sealed chunk are cached.
 */
import type { Selection } from "../../core/query.ts";
import { pageOf, pageVisits } from "../../facts/visits.ts";
import { scratch, ScratchWords, type Holder } from "../../lib/scratch.ts";
import { rowFlag, type Chunk } from "../../store/columns/chunk.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import type { QueryContext } from "../cache/context.ts";
import { keepFlagged, selectedVisits, type Block, type BlockRows } from "./block.ts";
import { keyOf } from "./mask.ts";
import { visitLeft } from "./select.ts";
import { cachedOfWhole } from "./selected-visits.ts";

export interface LinkedRows {
  /** A chunk, or copies of some of its rows. */
  readonly chunk: BlockRows;
  /** The numbers of the rows, rising; rows without a visit are left out. */
  readonly rows: Uint32Array;
  /** The places in `rows` that have rows of visits with an earlier one, rising. */
  readonly repeats: Uint32Array;
  /**
   * By index in `repeats`, the row before of the same visit: one more than its place if that is the visit's first, else
   * one more than its index in `repeats`, negative.
   */
  readonly before: Int32Array;
}

/** Returns the linked rows of a chunk that are first views of a page. Throws Cancelled. */
export function linkedFirstViews(
  site: ReadSite,
  chunk: Chunk,
  { period, filters }: Selection,
  context: QueryContext,
): LinkedRows {
  const link = () => {
    const links = new Links(chunk);
    visitLeft(site, [{ chunk, period }], filters, context, (block) =>
      links.add(keepFlagged(block, rowFlag.first)),
    );
    return links.made;
  };
  const bytesOf = ({ rows, repeats }: LinkedRows) => 4 * rows.length + 8 * repeats.length;
  return cachedOfWhole(chunk, { period }, `linked ${keyOf(filters)}`, context, link, bytesOf);
}

const noPage = new Int32Array(0) as Int32Array;

/** By visit what `before` says of its newest row; 0 for none. One chunk after the other uses the memory of this thread. */
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
const scratches = { rows: new ScratchWords(), repeats: new ScratchWords(), before: new ScratchWords() };

/** Links rows, block by block. */
class Links {
  private rows = scratches.rows.take(0);
  private repeats = scratches.repeats.take(0);
  private before = scratches.before.take(0);
  private count = 0;
  private repeated = 0;

  constructor(private chunk: BlockRows) {
    newest.clear();
  }

  add(block: Block): void {
    this.chunk = block.chunk;
    // One more of each is written before it is known whether it counts.
    this.rows = roomIn(scratches.rows, this.rows, this.count + block.count + 1);
    this.repeats = roomIn(scratches.repeats, this.repeats, this.repeated + block.count + 1);
    this.before = roomIn(scratches.before, this.before, this.repeated + block.count + 1);
    this.link(block, selectedVisits(block));
  }

  get made(): LinkedRows {
    const { chunk, rows, repeats, before, count, repeated } = this;
    return {
      chunk,
      rows: rows.slice(0, count),
      repeats: repeats.slice(0, repeated),
      before: Int32Array.from(before.subarray(0, repeated)),
    };
  }

  private link({ start, rows: selected, count }: Block, visits: Uint32Array): void {
    const { rows, repeats, before } = this;
    let [place, repeat] = [this.count, this.repeated];
    let [number, page] = [-1, noPage];
    // The loop below is: for each row of a visit, rows[place++] = row, and before[repeat++] = newest[its visit] if there is one.
    for (let at = 0; at < count; at++) {
      const visit = visits[at]! | 0;
      if (visit === 0) continue;
      if (pageOf(visit) !== number) {
        number = pageOf(visit);
        page = newest.page(number);
      }
      const own = visit & (pageVisits - 1);
      const last = page[own]! | 0;
      rows[place] = (start + selected[at]!) | 0;
      repeats[repeat] = place;
      before[repeat] = last;
      place = (place + 1) | 0;
      repeat = (repeat + (last === 0 ? 0 : 1)) | 0;
      page[own] = last === 0 ? place : -repeat;
    }
    this.count = place;
    this.repeated = repeat;
  }
}

function roomIn(words: ScratchWords, known: Uint32Array, length: number): Uint32Array {
  return known.length < length ? words.grow(length) : known;
}
