/**
 * Removes rows of a website, as if they had never come: dictionaries and tuples hold only values of those that stay. In
 * sealed chunks the other rows have new numbers; in those that still change they keep them (edited-chunk.ts). The
 * reading of chunks is done in steps before the record is logged, for what is sealed never changes; the rest when the
 * record is applied. A replay does all of it then, with the same result: nothing depends on how rows are divided into
 * chunks, nor on what was prepared.
 */
import { dayMs } from "../../../core/hit.ts";
import type { Outcome } from "../../../core/outcome.ts";
import type { LogRecord, RecordOf } from "../../../record/record.ts";
import type { Chunk } from "../../chunks/chunk.ts";
import type { ChunkHead } from "../../chunks/chunk-head.ts";
import { movedRow } from "../../columns/columns.ts";
import { editedHead } from "../../chunks/edited-chunk.ts";
import { firstFrom } from "../../chunks/first-from.ts";
import { rowEdit, type RowEdits } from "../../columns/row-edits.ts";
import { emptyRowFlags } from "../../columns/row-flag.ts";
import type { EarlyHits } from "../early.ts";
import { FirstViews, type NextFirst } from "./first-views.ts";
import { rebuilt, rewrittenChunk } from "../rebuilding/rebuild.ts";
import { RowFilter } from "./row-filter.ts";
import type { Site } from "../site.ts";
import { UsedIds } from "../rebuilding/used-ids.ts";

/** Rows that are looked at in one step. */
const stepRows = 65_536;

/** A chunk of which something is removed, or whose rows become first views. */
interface EditedChunk {
  readonly edits: RowEdits;
  /** undefined if no row stays. */
  readonly head: ChunkHead | undefined;
}

export class Removal {
  /** The chunks with selected rows. */
  private readonly edited = new Map<Chunk, EditedChunk>();
  /** The rows that become first views, by day. */
  private readonly firsts = new Map<number, NextFirst[]>();
  /** The heads of sealed chunks with such rows if no row of them is removed: without the properties that moved. */
  private readonly firstHeads = new Map<Chunk, ChunkHead | undefined>();
  private readonly used: UsedIds;
  /** Sealed chunks that were read whole. */
  private readonly prepared = new Set<Chunk>();

  constructor(readonly site: Site) {
    this.used = new UsedIds(site);
  }

  /** Selects rows of all chunks, in steps, month by month. Throws what reading columns throws. */
  *prepare(filter: RowFilter): Generator<void, void> {
    const chunks = [...this.site.chunks.values()];
    for (const ofMonth of Map.groupBy(chunks, ({ monthMs }) => monthMs).values()) {
      for (const chunk of ofMonth) {
        yield* this.select(chunk, filter);
        yield;
      }
      yield* this.findFirsts(ofMonth);
      for (const chunk of ofMonth) {
        if (!chunk.sealed) continue;
        yield* this.used.addInSteps(chunk, this.edited.get(chunk)?.edits);
        this.prepared.add(chunk);
        yield;
      }
    }
  }

  /** Returns the chunks with selected rows. */
  *selected(): Generator<readonly [Chunk, RowEdits], void> {
    for (const [chunk, { edits }] of this.edited) yield [chunk, edits];
  }

  /** Returns how many page views become the first one of a visitor. */
  get movedVisitors(): number {
    const moved = (firsts: readonly NextFirst[]) => firsts.filter(({ edit }) => edit === rowEdit.unique);
    return this.firsts.values().reduce((sum, ofDay) => sum + moved(ofDay).length, 0);
  }

  /**
   * Returns the website without the rows; the same one if there are none. The old website shares buffers with the new
   * one and must not be used any more. Throws what reading columns throws, for a chunk that was not prepared.
   */
  apply(filter: RowFilter): Site {
    this.completeWith(filter);
    if (this.edited.size === 0) return this.site;
    for (const ofDay of this.firsts.values()) this.editFirsts(ofDay);
    const chunks = [...this.site.chunks.values()];
    for (const chunk of chunks) this.used.add(chunk, this.edited.get(chunk)?.edits);
    for (const month of this.site.reduced.values()) this.used.addMonth(month);
    const { kept, ids, idsOfMonths } = rebuilt(this.site, this.used);
    for (const month of this.site.reduced.values()) kept.addMonth(month.withIds(idsOfMonths));
    for (const chunk of chunks) {
      const { edits, head } = this.edited.get(chunk) ?? { head: chunk.head };
      if (head !== undefined) kept.restore(rewrittenChunk(chunk, { ids, edits }, head));
    }
    return kept;
  }

  /** Looks at the chunks that were not prepared, and again at all rows of the days of their rows. */
  private completeWith(filter: RowFilter): void {
    const chunks = [...this.site.chunks.values()];
    const others = chunks.filter((chunk) => !this.prepared.has(chunk));
    for (const chunk of this.edited.keys()) if (!this.prepared.has(chunk)) this.edited.delete(chunk);
    for (const chunk of others) finish(this.select(chunk, filter));
    const days = daysOf(others);
    for (const day of days) this.firsts.delete(day);
    const touched = chunks.filter((chunk) => touchesDays(chunk, days));
    for (const ofMonth of Map.groupBy(touched, ({ monthMs }) => monthMs).values())
      finish(this.findFirsts(ofMonth, days));
  }

  /** Removes empty rows of a sealed chunk too: no beacon finds them any more. */
  private *select(chunk: Chunk, filter: RowFilter): Generator<void, void> {
    const edits = new Uint8Array(chunk.rows);
    let any = yield* filter.select(chunk, edits);
    if (chunk.sealed) any = removeEmpty(chunk, edits) || any;
    if (!any) return;
    this.edited.set(chunk, { edits, head: chunk.sealed ? editedHead(chunk, edits) : chunk.head });
  }

  /** Finds the rows of a month that become first views. `only`: the days to look at. */
  private *findFirsts(chunks: readonly Chunk[], only?: ReadonlySet<number>): Generator<void, void> {
    const firsts = new FirstViews(this.site, only);
    yield* this.ofRemoved(chunks, (...rows) => firsts.noteDays(...rows));
    yield* this.ofKept(chunks, firsts, (...rows) => firsts.noteLater(...rows));
    yield* this.ofRemoved(chunks, (...rows) => firsts.noteRemoved(...rows));
    yield* this.ofKept(chunks, firsts, (...rows) => firsts.noteKept(...rows));
    for (const first of firsts.next) {
      const { chunk, day } = first;
      this.firsts.getOrInsertComputed(day, () => []).push(first);
      if (!chunk.sealed || this.firstHeads.has(chunk)) continue;
      this.firstHeads.set(chunk, editedHead(chunk, new Uint8Array(chunk.rows)));
      yield;
    }
  }

  /** Calls `note` for the rows of chunks with removed ones, in steps. */
  private *ofRemoved(
    chunks: readonly Chunk[],
    note: (chunk: Chunk, edits: RowEdits, from: number, to: number) => void,
  ): Generator<void, void> {
    for (const chunk of chunks) {
      const edits = this.edited.get(chunk)?.edits;
      if (edits === undefined) continue;
      for (let from = 0; from < edits.length; from += stepRows) {
        note(chunk, edits, from, Math.min(edits.length, from + stepRows));
        yield;
      }
    }
  }

  /** Calls `note` for the rows of days of which first views were removed, in steps. */
  private *ofKept(
    chunks: readonly Chunk[],
    firsts: FirstViews,
    note: (chunk: Chunk, edits: RowEdits | undefined, from: number, to: number) => void,
  ): Generator<void, void> {
    for (const chunk of chunks) {
      const edits = this.edited.get(chunk)?.edits;
      for (const [from, to] of runsOf(chunk, edits?.length ?? chunk.rows, firsts)) {
        note(chunk, edits, from, to);
        yield;
      }
    }
  }

  /** A purge of a third of ten million page views has 200,000 of them: their chunk is looked up where it changes. */
  private editFirsts(firsts: readonly NextFirst[]): void {
    let [last, edits] = [firsts[0]!.chunk, this.editsOf(firsts[0]!.chunk)];
    for (const { chunk, row, edit } of firsts) {
      if (chunk !== last) [last, edits] = [chunk, this.editsOf(chunk)];
      edits[row] = edit;
    }
  }

  private editsOf(chunk: Chunk): RowEdits {
    const head = this.firstHeads.get(chunk) ?? chunk.head;
    return this.edited.getOrInsertComputed(chunk, () => ({ edits: new Uint8Array(chunk.rows), head })).edits;
  }
}

/** Returns the runs of a chunk's rows, each short enough for a step, on days of which first views were removed. */
function* runsOf(
  chunk: Chunk,
  rows: number,
  firsts: FirstViews,
): Generator<[from: number, to: number], void> {
  const [first, last] = [Math.floor(chunk.minMs / dayMs), Math.floor(chunk.maxMs / dayMs)];
  for (let day = first; day <= last; day++) {
    if (!firsts.hasDay(day)) continue;
    const from = chunk.sorted ? firstFrom(chunk, day * dayMs, 0, rows) : 0;
    const to = chunk.sorted ? firstFrom(chunk, (day + 1) * dayMs, from, rows) : rows;
    for (let start = from; start < to; start += stepRows) yield [start, Math.min(to, start + stepRows)];
    // Rows that are not in order are looked at once, whatever their day.
    if (!chunk.sorted) return;
  }
}

/** Applies the records of removals. */
export class Removals {
  private readonly known = new WeakMap<LogRecord, Removal>();

  /** Takes a removal that was prepared for the record. */
  prepared(record: LogRecord, removal: Removal): void {
    this.known.set(record, removal);
  }

  /** Seals first, as a checkpoint does: only rows that hits may still reach stay behind as empty ones. */
  apply(sites: Map<number, Site>, early: EarlyHits, record: RecordOf<"rowsRemoved">): Outcome {
    const { websiteId } = record;
    const site = sites.get(websiteId);
    if (site === undefined) return "missing";
    site.seal(record.timeMs);
    const known = this.known.get(record);
    const removal = known?.site === site ? known : new Removal(site);
    const kept = removal.apply(RowFilter.of(site, record));
    sites.set(websiteId, kept);
    early.removeBare(websiteId, ({ chunkNumber, first }) => {
      const chunk = kept.chunks.get(chunkNumber);
      return chunk !== undefined && !chunk.sealed && chunk.propertyRow[first] === movedRow;
    });
    return "done";
  }
}

/** Marks the empty rows of a chunk as removed; returns whether there are any. */
function removeEmpty({ flags, rows }: Chunk, edits: RowEdits): boolean {
  let any = false;
  for (let row = 0; row < rows; row++)
    if (flags[row] === emptyRowFlags) {
      edits[row] = rowEdit.remove;
      any = true;
    }
  return any;
}

/** Returns the days on which the chunks have rows. */
function daysOf(chunks: readonly Chunk[]): ReadonlySet<number> {
  const days = new Set<number>();
  let last = NaN;
  for (const { rows, monthMs, time } of chunks)
    for (let row = 0; row < rows; row++) {
      const day = Math.floor((monthMs + time[row]!) / dayMs);
      if (day !== last) days.add((last = day));
    }
  return days;
}

function touchesDays({ minMs, maxMs }: Chunk, days: ReadonlySet<number>): boolean {
  return days.values().some((day) => day * dayMs <= maxMs && (day + 1) * dayMs > minMs);
}

function finish(steps: Generator<void, void>): void {
  while (!steps.next().done);
}
