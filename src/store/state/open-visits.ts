/**
 * The visits of a website that may go on: where each began and where it is now. It is kept in memory and made again
 * from the rows of the chunks that still change, which hold the rows of the last day: no visit takes longer. Visits are
 * in slots by their number. The slots double while they hold visits that may go on, up to `visitsMax`; past that, visits
 * that began later take the slots of earlier ones, whose later page views are no part of a visit. Which one began later is
 * the same in whatever order the rows are read, so a restart gives the same slots.
 */
import { visitSpanMsMax } from "../../core/hit.ts";
import type { Chunk } from "../chunks/chunk.ts";
import { rowFlag, visitFlag } from "../columns/row-flag.ts";
import type { RowRef } from "./row-ref.ts";

/** The most visits of a website that are known to be under way. Exported for tests. */
export const visitsMax = 131_072;
const slotsMin = 64;

/** The number of a chunk that there is not: the page view was removed. */
const goneChunk = 0xffffffff;

/** The numbers of chunks and rows; chunk 0: there was no page view yet. */
interface Slots {
  readonly visit: Uint32Array;
  readonly firstMs: Float64Array;
  readonly entryChunk: Uint32Array;
  readonly entryRow: Uint32Array;
  readonly exitChunk: Uint32Array;
  readonly exitRow: Uint32Array;
}

export class OpenVisits {
  private slots = slotsOf(slotsMin);

  constructor(
    private readonly chunks: ReadonlyMap<number, Chunk>,
    private readonly slotsMax = visitsMax,
  ) {}

  /** Returns the visits of these chunks, which are in memory, that may go on at that time. */
  static of(chunks: ReadonlyMap<number, Chunk>, nowMs: number, slotsMax = visitsMax): OpenVisits {
    const visits = new OpenVisits(chunks, slotsMax);
    const sinceMs = nowMs - visitSpanMsMax;
    for (const chunk of chunks.values()) if (!chunk.sealed) visits.addChunk(chunk, sinceMs);
    return visits;
  }

  /**
   * Notes rows that are marked in their visits already, as those of imports are and of hits with a time of their own: after a
   * restart they are read with the others.
   */
  note(rows: readonly RowRef[], nowMs: number): void {
    const sinceMs = nowMs - visitSpanMsMax;
    for (const { chunk, row } of rows) if (!chunk.sealed) this.noteRow(chunk, row, sinceMs);
  }

  /** Notes an event that belongs to no page view. */
  addEvent(visit: number, timeMs: number): void {
    if (this.find(visit, timeMs) !== undefined) this.markEngaged(visit, timeMs);
    else this.begin(visit, timeMs);
  }

  /** Marks that a visit had an event. */
  markEngaged(visit: number, timeMs: number): void {
    const slot = this.find(visit, timeMs);
    if (slot !== undefined) this.markEntry(slot);
  }

  /** Notes a visit that has no page view yet, and returns its slot; undefined if one that began later keeps that. */
  private begin(visit: number, timeMs: number): number | undefined {
    const slot = this.slotFor(visit, timeMs);
    const { slots } = this;
    const [other, otherMs] = [slots.visit[slot]!, slots.firstMs[slot]!];
    const isEarlier = timeMs < otherMs || (timeMs === otherMs && visit < other);
    if (other !== 0 && isEarlier && this.mayContinue(slot, timeMs)) return undefined;
    slots.visit[slot] = visit;
    slots.firstMs[slot] = timeMs;
    slots.entryChunk[slot] = slots.exitChunk[slot] = 0;
    return slot;
  }

  /** Notes a page view, which is the last one of its visit from now on, and marks the rows of the visit. */
  addPageView(visit: number, timeMs: number, at: RowRef): void {
    const known = this.find(visit, timeMs);
    const slot = known ?? this.begin(visit, timeMs);
    if (slot === undefined) return;
    const { slots } = this;
    if (slots.entryChunk[slot] === 0) {
      const events = known === undefined ? 0 : visitFlag.engaged;
      at.chunk.markVisit(at.row, visitFlag.entry | visitFlag.exit | events);
      slots.entryChunk[slot] = at.chunk.number;
      slots.entryRow[slot] = at.row;
    } else {
      this.markEntry(slot);
      this.openChunk(slots.exitChunk, slot)?.markVisit(slots.exitRow[slot]!, 0, visitFlag.exit);
      at.chunk.markVisit(at.row, visitFlag.exit);
    }
    slots.exitChunk[slot] = at.chunk.number;
    slots.exitRow[slot] = at.row;
  }

  /** Marks the first row of a visit, if it still changes. */
  private markEntry(slot: number): void {
    const { entryChunk, entryRow } = this.slots;
    this.openChunk(entryChunk, slot)?.markVisit(entryRow[slot]!, visitFlag.engaged);
  }

  /** Returns undefined for one that is gone, or changes no more. */
  private openChunk(chunks: Uint32Array, slot: number): Chunk | undefined {
    const chunk = this.chunks.get(chunks[slot]!);
    return chunk?.sealed === false ? chunk : undefined;
  }

  /**
   * Notes the visits of a chunk's rows from `sinceMs` on, which know what they are in their visit. Visits of older rows
   * are over, and must not take the slots of others.
   */
  private addChunk(chunk: Chunk, sinceMs: number): void {
    if (chunk.maxMs < sinceMs) return;
    for (let row = 0; row < chunk.rows; row++) this.noteRow(chunk, row, sinceMs);
  }

  private noteRow(chunk: Chunk, row: number, sinceMs: number): void {
    const timeMs = chunk.monthMs + chunk.time[row]!;
    const visit = chunk.visit[row]!;
    if (visit === 0 || timeMs < sinceMs) return;
    const slot = this.find(visit, timeMs) ?? this.begin(visit, timeMs);
    if (slot !== undefined) this.addRow(slot, { chunk, row }, chunk.flags[row]!, chunk.visitFlags[row]!);
  }

  private addRow(slot: number, { chunk, row }: RowRef, flags: number, ofVisit: number): void {
    const { entryChunk, entryRow, exitChunk, exitRow } = this.slots;
    if (ofVisit & visitFlag.entry) {
      entryChunk[slot] = chunk.number;
      entryRow[slot] = row;
    } else if (entryChunk[slot] === 0 && (flags & rowFlag.bare) === 0) entryChunk[slot] = goneChunk;
    if ((ofVisit & visitFlag.exit) === 0) return;
    exitChunk[slot] = chunk.number;
    exitRow[slot] = row;
  }

  /** Returns the slot of a visit that may go on at that time. */
  private find(visit: number, timeMs: number): number | undefined {
    const slot = this.slotOf(visit);
    return this.slots.visit[slot] === visit && this.mayContinue(slot, timeMs) ? slot : undefined;
  }

  private mayContinue(slot: number, timeMs: number): boolean {
    return Math.abs(timeMs - this.slots.firstMs[slot]!) <= visitSpanMsMax;
  }

  private slotOf(visit: number): number {
    return visit % this.slots.visit.length;
  }

  /** Returns the slot for a new visit, with more slots if the one it would take is of a visit that may go on. */
  private slotFor(visit: number, timeMs: number): number {
    for (;;) {
      const slot = this.slotOf(visit);
      const other = this.slots.visit[slot];
      const isFree = other === 0 || other === visit || !this.mayContinue(slot, timeMs);
      if (isFree || this.slots.visit.length >= this.slotsMax) return slot;
      this.grow();
    }
  }

  private grow(): void {
    const before = this.slots;
    this.slots = slotsOf(2 * before.visit.length);
    before.visit.forEach((visit, from) => {
      if (visit === 0) return;
      const slot = this.slotOf(visit);
      for (const name of slotNames) this.slots[name][slot] = before[name][from]!;
    });
  }
}

const slotNames = ["visit", "firstMs", "entryChunk", "entryRow", "exitChunk", "exitRow"] as const;

function slotsOf(length: number): Slots {
  const words = () => new Uint32Array(length);
  return {
    visit: words(),
    firstMs: new Float64Array(length),
    entryChunk: words(),
    entryRow: words(),
    exitChunk: words(),
    exitRow: words(),
  };
}
