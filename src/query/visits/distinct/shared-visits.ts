/**
 * The visits whose rows lie in several parts of a selection, such as two chunks. Each part counts its distinct visits by
 * itself; those that are shared must be counted together. They are few: the visits that go on while one part ends and
 * another begins. They are found by the facts of chunks, which have a bit for each visit, without reading all rows, and
 * mostly copies of their rows are facts too.
 */
import type { Period, Selection } from "../../../core/questions/query.ts";
import type { ChunkFacts, SiteWithFacts } from "../../../facts/facts.ts";
import { pageOf, pageWords, wordOf, type ChunkVisits } from "../../../facts/visits.ts";
import { bitsIn } from "../../../lib/bits.ts";
import type { Chunk } from "../../../store/chunks/chunk.ts";
import { rowFlag } from "../../../store/columns/row-flag.ts";
import { firstFrom } from "../../../store/chunks/first-from.ts";
import type { QueryContext } from "../../cache/context.ts";
import { keepFlagged, type BlockRows } from "../../rows/block.ts";
import { rangeOf, touches } from "../../rows/range.ts";
import { visitRanges } from "../../rows/select.ts";

/** By page: a bit for each of its visits. */
type Pages = Map<number, Uint32Array>;

const noBits = new Uint32Array(pageWords) as Uint32Array;

interface Range {
  readonly from: number;
  to: number;
}

/** Rows of a chunk, or of copies of some of its rows. */
interface SharedRows {
  readonly chunk: BlockRows;
  readonly rows: Uint32Array;
}

export class SharedVisits {
  /** The page that was looked at last: visits that come together are mostly in one. */
  private page = -1;
  private bits = noBits;
  /** By chunk: the visits that were looked for among its first views, with the filters of the page. */
  private readonly found = new Map<Chunk, SharedRows>();

  private constructor(
    /** The visits that have rows in several chunks. */
    private readonly ofChunks: Pages,
    /** The visits of `ofChunks`, and those with rows on several days of a chunk that the period divides. */
    private readonly all: Pages,
  ) {}

  /** Returns the visits that are shared by chunks with rows in the period. */
  static of(period: Period, context: QueryContext): SharedVisits {
    const key = `shared visits ${period.startMs} ${period.endMs}`;
    return context.once(key, () => SharedVisits.between(context.site, period));
  }

  private static between(site: SiteWithFacts, period: Period): SharedVisits {
    const chunks = [...site.chunks.values()].filter((chunk) => touches(chunk, period));
    const known = chunks.map((chunk) => (chunk.sealed ? site.facts?.ofChunk(chunk)?.visits() : undefined));
    const ofChunks = sharedBy(
      chunks.length < 2 ? [] : chunks.map((chunk, at) => known[at] ?? pagesOf(chunk, period)),
    );
    const all: Pages = new Map(ofChunks.entries().map(([page, bits]) => [page, bits.slice()]));
    chunks.forEach((chunk, at) => {
      const visits = known[at];
      if (visits === undefined || isWithin(chunk, period)) return;
      for (const row of visits.ofSeveralDays) add(all, chunk.visit[row]!);
    });
    return new SharedVisits(ofChunks, all);
  }

  /** Returns whether a page may have some of them. */
  isIn(page: number): boolean {
    return this.all.has(page);
  }

  /** Returns the selected first views of a chunk that belong to visits of several chunks. Throws Cancelled. */
  firstViewsIn(chunk: Chunk, { period, filters }: Selection, context: QueryContext): SharedRows {
    const known = this.found.get(chunk);
    if (known !== undefined) return known;
    const visits = chunk.sealed ? context.site.facts?.ofChunk(chunk)?.visits() : undefined;
    const whole = rangeOf(chunk, period);
    const ranges = visits === undefined ? [whole] : this.sharedIn(visits).ranges;
    const rows: number[] = [];
    let of: BlockRows = chunk;
    const within = ranges.map(({ from, to }) => ({
      ...whole,
      from: Math.max(from, whole.from),
      to: Math.min(to, whole.to),
    }));
    visitRanges(within, filters, context, (block) => {
      const { chunk: own, start, rows: selected, count } = keepFlagged(block, rowFlag.first);
      of = own;
      for (let at = 0; at < count; at++)
        if (isIn(this.ofChunks, own.visit[start + selected[at]!]!)) rows.push(start + selected[at]!);
    });
    const shared = { chunk: of, rows: Uint32Array.from(rows) };
    this.found.set(chunk, shared);
    return shared;
  }

  has(visit: number): boolean {
    const page = pageOf(visit);
    if (page !== this.page) {
      this.page = page;
      this.bits = this.all.get(page) ?? noBits;
    }
    return (this.bits[wordOf(visit)]! & (1 << (visit & 31))) !== 0;
  }

  /**
   * Returns the rows of a chunk in the period that belong to shared visits, rising; the chunk's rows are by time. If the
   * period has all of the chunk, they are copies where its facts have copies of all these visits.
   */
  rowsOf(chunk: Chunk, facts: ChunkFacts, period: Period): SharedRows {
    const visits = facts.visits();
    const { ranges, count } = this.sharedIn(visits);
    const isWhole = isWithin(chunk, period);
    const copies = isWhole && count > 0 ? facts.incompleteVisits() : undefined;
    if (copies !== undefined) {
      const rows = this.rowsAmong(copies, [{ from: 0, to: copies.rows }]);
      const { visit } = copies;
      if (new Set(rows.map((row) => visit[row]!)).size === count)
        return { chunk: copies, rows: Uint32Array.from(rows) };
    }
    const found = this.rowsAmong(chunk, ranges);
    if (isWhole) return { chunk, rows: Uint32Array.from(found) };
    const rows = Uint32Array.from(new Set([...found, ...visits.ofSeveralDays])).sort();
    const first = firstFrom(chunk, period.startMs, 0, chunk.rows);
    const end = firstFrom(chunk, period.endMs + 1, first, chunk.rows);
    return { chunk, rows: rows.filter((row) => row >= first && row < end) };
  }

  /** Returns the rows in these ranges that belong to visits of several chunks. */
  private rowsAmong(chunk: Chunk, ranges: readonly Range[]): number[] {
    const found: number[] = [];
    if (ranges.length === 0) return found;
    const { visit } = chunk;
    for (const { from, to } of ranges)
      for (let row = from; row < to; row++) if (isIn(this.ofChunks, visit[row]!)) found.push(row);
    return found;
  }

  /** Returns how many visits a chunk shares with other chunks, and the ranges of rows in which it has them. */
  private sharedIn({ pages, firstRows, endRows, bits }: ChunkVisits): {
    readonly count: number;
    readonly ranges: readonly Range[];
  } {
    const ranges: Range[] = [];
    let count = 0;
    pages.forEach((page, at) => {
      const before = count;
      this.ofChunks.get(page)?.forEach((word, of) => (count += bitsIn(word & bits[at * pageWords + of]!)));
      if (count > before) ranges.push({ from: firstRows[at]!, to: endRows[at]! });
    });
    ranges.sort((a, b) => a.from - b.from);
    const joined: typeof ranges = [];
    for (const range of ranges) {
      const last = joined.at(-1);
      if (last !== undefined && range.from <= last.to) last.to = Math.max(last.to, range.to);
      else joined.push(range);
    }
    return { count, ranges: joined };
  }
}

function isWithin({ minMs, maxMs }: Chunk, { startMs, endMs }: Period): boolean {
  return minMs >= startMs && maxMs <= endMs;
}

function isIn(pages: Pages, visit: number): boolean {
  const page = pages.get(pageOf(visit));
  return page !== undefined && (page[wordOf(visit)]! & (1 << (visit & 31))) !== 0;
}

/** Returns the visits that two of the chunks have, or more. */
function sharedBy(chunks: readonly Pick<ChunkVisits, "pages" | "bits">[]): Pages {
  const seen: Pages = new Map();
  const shared: Pages = new Map();
  for (const { pages, bits } of chunks)
    pages.forEach((page, at) => {
      const own = bits.subarray(at * pageWords, (at + 1) * pageWords);
      const before = seen.get(page);
      seen.set(page, before?.map((word, of) => word | own[of]!) ?? own);
      if (before === undefined) return;
      const both = pageIn(shared, page);
      before.forEach((word, of) => (both[of]! |= word & own[of]!));
    });
  return shared;
}

/** Returns the pages of visits that a chunk without facts has in the period. */
function pagesOf(chunk: Chunk, period: Period): Pick<ChunkVisits, "pages" | "bits"> {
  const found: Pages = new Map();
  const { from, to } = rangeOf(chunk, period);
  const { visit } = chunk;
  let page = -1;
  let bits = new Uint32Array(0) as Uint32Array;
  for (let row = from; row < to; row++) {
    const own = visit[row]!;
    if (own === 0) continue;
    if (pageOf(own) !== page) {
      page = pageOf(own);
      bits = pageIn(found, page);
    }
    bits[wordOf(own)]! |= 1 << (own & 31);
  }
  const pages = Uint32Array.from(found.keys());
  const all = new Uint32Array(pages.length * pageWords);
  pages.forEach((number, at) => all.set(found.get(number) as Uint32Array, at * pageWords));
  return { pages, bits: all };
}

/** Returns the bits of a page, which are all 0 if it is new. */
function pageIn(pages: Pages, page: number): Uint32Array {
  return pages.getOrInsertComputed(page, () => new Uint32Array(pageWords));
}

function add(pages: Pages, visit: number): void {
  pageIn(pages, pageOf(visit))[wordOf(visit)]! |= 1 << (visit & 31);
}
