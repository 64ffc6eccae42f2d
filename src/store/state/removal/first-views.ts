/**
 * Finds the page views that become a visitor's first because the first one is removed. Nobody knows which page views
 * are of one visitor, but a visitor has the same browser, system, device, country and language all day. Say that the
 * page views of a day that share these came at 9:00 and 9:30, marked as visitors' first ones, and at 10:00 and 11:00,
 * unmarked. If both marked ones are removed, the one at 10:00 must be of one of their visitors, and is marked instead. If
 * one of them is kept, or two page views came at 10:00 in the same millisecond, nobody can tell whose these are, and
 * nothing changes. The same holds for the first views of a page.
 */
import { dayMs } from "../../../core/hit.ts";
import type { Chunk } from "../../chunks/chunk.ts";
import { rowEdit, type RowEdits } from "../../columns/row-edits.ts";
import { rowFlag } from "../../columns/row-flag.ts";
import type { Site } from "../site.ts";

/** A row that becomes a first view. */
export interface NextFirst {
  readonly chunk: Chunk;
  readonly row: number;
  /** A `rowEdit`: unique or first. */
  readonly edit: number;
  /** The number of its UTC day since 1970. */
  readonly day: number;
}

/** The page views of one day, of visitors who look the same, that are first ones or may become it. */
interface Firsts {
  /** When the earliest removed and the earliest kept first one came. */
  removedMs: number;
  keptMs: number;
  /** The earliest other one that came since a removed one, and when; undefined if several came then. */
  nextMs: number;
  next: { readonly chunk: Chunk; readonly row: number } | undefined;
}

interface Day {
  /** By browser, system, device, country and language. */
  readonly visitors: Map<number, Firsts & { readonly index: number }>;
  /** By these, and page. */
  readonly pages: Map<number, Firsts>;
}

/** One more than the greatest id. */
const ids = 2 ** 24;

/** The bits of `maybe`: two million bytes, however many rows there are. */
const maybeBits = 2 ** 24;

/**
 * Takes the removed rows of some days, then twice the kept ones of the same days. Of a flood that is removed, hardly a
 * row has a kept one that may become a first view instead: the others are not remembered.
 */
export class FirstViews {
  private readonly days = new Map<number, Day>();
  /** The days of removed first views. */
  private readonly touched = new Set<number>();
  /** A bit by hash for the visitors, and one for their pages, that have a kept row which may become a first view. */
  private readonly maybe = new Uint32Array(maybeBits / 32);
  /** By id of a tuple: 1 if all of its values are known. */
  private readonly clients: Uint8Array;
  private readonly places: Uint8Array;

  /** `only`: the days to look at; by default all. */
  constructor(
    site: Site,
    private readonly only?: ReadonlySet<number>,
  ) {
    this.clients = knownTuples(site.tuples.client.members);
    this.places = knownTuples(site.tuples.place.members);
  }

  /** Whether first views of a day were removed. */
  hasDay(day: number): boolean {
    return this.touched.has(day);
  }

  /** Notes the days of the removed rows of a chunk from `from` up to `to`. */
  noteDays({ flags, monthMs, time }: Chunk, edits: RowEdits, from: number, to: number): void {
    for (let row = from; row < to; row++) {
      if (!isRemovedFirst(edits[row]!, flags[row]!)) continue;
      const day = Math.floor((monthMs + time[row]!) / dayMs);
      if (this.only?.has(day) !== false) this.touched.add(day);
    }
  }

  /** Notes which visitors and pages of the kept rows from `from` up to `to` may get another first view. */
  noteLater(chunk: Chunk, edits: RowEdits | undefined, from: number, to: number): void {
    const { flags, monthMs, time } = chunk;
    const looks = this.looksOf(chunk);
    const paths = chunk.ids.path.values;
    for (let row = from; row < to; row++) {
      const own = flags[row]!;
      if (own & (rowFlag.bare | rowFlag.unique) || edits?.[row] === rowEdit.remove) continue;
      const key = looks(row);
      const day = Math.floor((monthMs + time[row]!) / dayMs);
      if (key < 0 || !this.touched.has(day)) continue;
      this.mark(hashOf(day, key, 0));
      if ((own & rowFlag.first) === 0 && paths[row] !== 0) this.mark(hashOf(day, key, paths[row]!));
    }
  }

  private mark(hash: number): void {
    this.maybe[hash >>> 5]! |= 1 << (hash & 31);
  }

  private mayHave(hash: number): boolean {
    return ((this.maybe[hash >>> 5]! >>> (hash & 31)) & 1) === 1;
  }

  /** Notes the removed rows of a chunk from `from` up to `to`, after all days and later views. */
  noteRemoved(chunk: Chunk, edits: RowEdits, from: number, to: number): void {
    const { flags, monthMs, time } = chunk;
    const looks = this.looksOf(chunk);
    const paths = chunk.ids.path.values;
    for (let row = from; row < to; row++) {
      const own = flags[row]!;
      if (!isRemovedFirst(edits[row]!, own)) continue;
      const ms = monthMs + time[row]!;
      const number = Math.floor(ms / dayMs);
      const key = looks(row);
      if (key < 0 || !this.touched.has(number) || !this.mayHave(hashOf(number, key, 0))) continue;
      const day = this.days.getOrInsertComputed(number, () => ({ visitors: new Map(), pages: new Map() }));
      const index = day.visitors.size;
      const visitors = day.visitors.getOrInsertComputed(key, () => ({ ...noFirsts(), index }));
      if (own & rowFlag.unique) visitors.removedMs = Math.min(visitors.removedMs, ms);
      const path = paths[row]!;
      if (path === 0 || !this.mayHave(hashOf(number, key, path))) continue;
      const page = day.pages.getOrInsertComputed(visitors.index * ids + path, noFirsts);
      page.removedMs = Math.min(page.removedMs, ms);
    }
  }

  noteKept(chunk: Chunk, edits: RowEdits | undefined, from: number, to: number): void {
    const { flags, monthMs, time } = chunk;
    const looks = this.looksOf(chunk);
    const paths = chunk.ids.path.values;
    for (let row = from; row < to; row++) {
      const own = flags[row]!;
      if (own & rowFlag.bare || edits?.[row] === rowEdit.remove) continue;
      const ms = monthMs + time[row]!;
      const day = this.days.get(Math.floor(ms / dayMs));
      const visitors = day?.visitors.get(looks(row));
      if (day === undefined || visitors === undefined) continue;
      note(visitors, (own & rowFlag.unique) !== 0, ms, chunk, row);
      const page = day.pages.get(visitors.index * ids + paths[row]!);
      if (page !== undefined) note(page, (own & rowFlag.first) !== 0, ms, chunk, row);
    }
  }

  /** Returns the rows that become first views. One that is both comes again, with `unique` last. */
  get next(): NextFirst[] {
    const found: NextFirst[] = [];
    const add = (day: number, { next, nextMs, keptMs }: Firsts, edit: number) => {
      if (next !== undefined && nextMs < keptMs) found.push({ ...next, edit, day });
    };
    for (const [day, { visitors, pages }] of this.days) {
      for (const firsts of pages.values()) add(day, firsts, rowEdit.first);
      for (const firsts of visitors.values()) add(day, firsts, rowEdit.unique);
    }
    return found;
  }

  /** Returns, by row, a number that page views of visitors who look the same share; -1 where a value is not known. */
  private looksOf({ ids: { client, place } }: Chunk): (row: number) => number {
    const { clients, places } = this;
    const ofClient = client.values;
    const ofPlace = place.values;
    // It is called for millions of rows in one turn, and leaves no garbage.
    return (row) => {
      const own = ofClient[row]!;
      const there = ofPlace[row]!;
      return clients[own] === 1 && places[there] === 1 ? own * ids + there : -1;
    };
  }
}

function isRemovedFirst(edit: number, flags: number): boolean {
  return edit === rowEdit.remove && (flags & (rowFlag.first | rowFlag.bare)) === rowFlag.first;
}

/** `path`: 0 for the visitors themselves. */
function hashOf(day: number, visitors: number, path: number): number {
  let hash = Math.imul(day ^ Math.floor(visitors / ids), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ (visitors % ids), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ path, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & (maybeBits - 1);
}

function noFirsts(): Firsts {
  return { removedMs: Infinity, keptMs: Infinity, nextMs: Infinity, next: undefined };
}

function note(firsts: Firsts, isFirst: boolean, ms: number, chunk: Chunk, row: number): void {
  if (isFirst) firsts.keptMs = Math.min(firsts.keptMs, ms);
  else if (ms >= firsts.removedMs && ms <= firsts.nextMs) {
    // Nobody knows which of two in one millisecond came first.
    firsts.next = ms === firsts.nextMs ? undefined : { chunk, row };
    firsts.nextMs = ms;
  }
}

function knownTuples(members: readonly Uint32Array[]): Uint8Array<ArrayBuffer> {
  const [first] = members as [Uint32Array];
  return Uint8Array.from(first, (_, tuple) => Number(members.every((ids) => ids[tuple] !== 0)));
}
