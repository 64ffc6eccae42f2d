/**
 * Counts distinct visits by group: each pair of a visit and a group once. Rows come chunk by chunk. What is known of the
 * visits of a chunk is forgotten after it, so that it stays in the processor's cache; only shared visits are kept in mind.
 */
import type { Chunk } from "../../store/columns/chunk.ts";
import { blockRows, selectedVisits, type Block, type BlockRows, type GroupsOf } from "../rows/block.ts";
import type { SharedVisits } from "./shared-visits.ts";
import { bitGroupsMax, VisitBits } from "./visit-bits.ts";
import { VisitLists } from "./visit-lists.ts";

export class DistinctVisits {
  /** By group: the number of distinct visits. */
  readonly counts: Uint32Array;
  /** The number of distinct visits in all groups together. */
  all = 0;
  private readonly ofChunk = new VisitLists();
  private readonly ofShared = new VisitLists();
  /** Those of the chunk in pages without shared visits, if groups are few. */
  private readonly bits: VisitBits | undefined;
  private chunk: BlockRows | undefined;

  constructor(
    groups: number,
    private readonly shared: SharedVisits,
  ) {
    this.counts = new Uint32Array(groups);
    if (groups <= bitGroupsMax) this.bits = new VisitBits(groups);
  }

  /** Returns the number of distinct visits of a group. */
  of(group: number): number {
    return this.counts[group]!;
  }

  /** Adds a block of rows. `groups`: by selected row. */
  addBlock(block: Block, groups: Uint32Array): void {
    const { counts, shared, ofChunk, bits } = this;
    const visits = selectedVisits(block);
    if (block.chunk !== this.chunk) {
      ofChunk.clear();
      bits?.clear();
    }
    this.chunk = block.chunk;
    const before = this.seen;
    if (bits === undefined) for (let at = 0; at < block.count; at++) this.addPair(visits[at]!, groups[at]!);
    else
      for (const at of bits.addEach(visits, groups, block.count, counts, shared))
        this.addPair(visits[at]!, groups[at]!);
    this.all += this.seen - before;
  }

  /** The visits that were seen in the chunk, and the shared ones. */
  private get seen(): number {
    return this.ofChunk.size + this.ofShared.size + (this.bits?.size ?? 0);
  }

  private addPair(visit: number, group: number): void {
    const { counts, shared, ofChunk, ofShared } = this;
    if (visit !== 0 && (shared.has(visit) ? ofShared : ofChunk).add(visit, group)) counts[group]!++;
  }

  /**
   * Adds visits that facts have counted: so many of a group. `counted` below has to be called for those that are shared.
   */
  addFacts(group: number, visits: number): void {
    this.counts[group]! += visits;
  }

  /** Counts the shared visits of a part with all others, and no longer by themselves. `rows`: theirs in that part. */
  addShared(chunk: Chunk, rows: Uint32Array, groupsOf: GroupsOf): void {
    this.ofChunk.clear();
    for (let from = 0; from < rows.length; from += blockRows) {
      const own = rows.subarray(from, from + blockRows);
      const block = { chunk, start: 0, rows: own, count: own.length, dense: false };
      const [groups, visits] = [groupsOf(block), selectedVisits(block)];
      for (let at = 0; at < block.count; at++) this.moveShared(visits[at]!, groups[at]!);
    }
    this.chunk = undefined;
  }

  private moveShared(visit: number, group: number): void {
    const { counts, ofChunk, ofShared } = this;
    const before = ofShared.size - ofChunk.size;
    if (ofChunk.add(visit, group)) counts[group]!--;
    if (ofShared.add(visit, group)) counts[group]!++;
    this.all += ofShared.size - ofChunk.size - before;
  }
}
