/**
 * Counts distinct visits by group: each pair of a visit and a group once. Rows come chunk by chunk. What is known of the
 * visits of a chunk is forgotten after it, so that it stays in the processor's cache; only shared visits are kept in mind.
 */
import { ScratchWords } from "../../lib/scratch.ts";
import type { CountedVisits } from "../../facts/facts.ts";
import { rowFlag } from "../../store/columns/chunk.ts";
import {
  blockRows,
  selectedFlags,
  selectedVisits,
  type Block,
  type BlockRows,
  type GroupsOf,
} from "../rows/block.ts";
import type { LinkedRows } from "../rows/linked-rows.ts";
import type { SharedVisits } from "./shared-visits.ts";
import { bitGroupsMax, VisitBits } from "./visit-bits.ts";
import { VisitLists } from "./visit-lists.ts";

/** A visit with more earlier rows than this has a set of their groups; the others are looked at one by one. */
const walkedMax = 32;
/** By place of a linked row: its group. */
const groupScratch = new ScratchWords();
/** By row of a block whose time is known. */
const timedVisits = new Uint32Array(blockRows);
const timedGroups = new Uint32Array(blockRows);

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
  /** By visit with many linked rows in the chunk: its groups. */
  private readonly sets = new Map<number, Set<number>>();

  constructor(
    groups: number,
    private readonly shared: SharedVisits,
    private readonly counted: CountedVisits = "all",
  ) {
    this.counts = new Uint32Array(groups);
    if (groups <= bitGroupsMax) this.bits = new VisitBits(groups);
  }

  /** Returns the number of distinct visits of a group. */
  of(group: number): number {
    return this.counts[group]!;
  }

  /** Adds a block of rows. `ofRows`: the group of each selected row. */
  addBlock(block: Block, ofRows: Uint32Array): void {
    const { counts, shared, ofChunk, bits } = this;
    const { visits, groups, count } = this.pairsOf(block, ofRows);
    if (block.chunk !== this.chunk) {
      ofChunk.clear();
      bits?.clear();
    }
    this.chunk = block.chunk;
    const before = this.seen;
    if (bits === undefined) for (let at = 0; at < count; at++) this.addPair(visits[at]!, groups[at]!);
    else
      for (const at of bits.addEach(visits, groups, count, counts, shared))
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

  /** Adds linked rows of a chunk, none of which was added before. */
  addRows(linked: LinkedRows, groupsOf: GroupsOf): void {
    const { counts, sets } = this;
    const { chunk, rows, repeats } = linked;
    const groups = groupScratch.take(rows.length);
    eachBlock(chunk, rows, (block, from) => groups.set(groupsOf(block).subarray(0, block.count), from));
    // Each row counts, and those that an earlier row of the visit stands for are taken away.
    for (let place = 0; place < rows.length; place++) counts[groups[place]!]!++;
    for (let repeat = 0; repeat < repeats.length; repeat++)
      if (this.isKnown(linked, groups, repeat)) counts[groups[repeats[repeat]!]!]!--;
    this.all += rows.length - repeats.length;
    sets.clear();
    this.addShared(chunk, this.shared.among(linked), groupsOf);
  }

  /** Returns whether an earlier row of the visit has the group of a repeated one. `groups`: by place. */
  private isKnown(linked: LinkedRows, groups: Uint32Array, repeat: number): boolean {
    const { repeats, before } = linked;
    const group = groups[repeats[repeat]!]!;
    let earlier = before[repeat]!;
    for (let walked = 0; earlier < 0; walked++) {
      if (walked === walkedMax) return this.isKnownInSet(linked, groups, repeat);
      if (groups[repeats[-1 - earlier]!] === group) return true;
      earlier = before[-1 - earlier]!;
    }
    return groups[earlier - 1] === group;
  }

  private isKnownInSet(linked: LinkedRows, groups: Uint32Array, repeat: number): boolean {
    const { chunk, rows, repeats, before } = linked;
    const visit = chunk.visit[rows[repeats[repeat]!]!]!;
    let set = this.sets.get(visit);
    if (set === undefined) {
      this.sets.set(visit, (set = new Set()));
      let earlier = before[repeat]!;
      for (; earlier < 0; earlier = before[-1 - earlier]!) set.add(groups[repeats[-1 - earlier]!]!);
      set.add(groups[earlier - 1]!);
    }
    const { size } = set;
    return set.add(groups[repeats[repeat]!]!).size === size;
  }

  /**
   * Adds visits that facts have counted: so many of a group. `addShared` below has to be called for those that are shared.
   */
  addFacts(group: number, visits: number): void {
    this.counts[group]! += visits;
  }

  /** Counts the shared visits of a part with all others, and no longer by themselves. `rows`: theirs in that part. */
  addShared(chunk: BlockRows, rows: Uint32Array, groupsOf: GroupsOf): void {
    this.ofChunk.clear();
    eachBlock(chunk, rows, (block) => {
      const { visits, groups, count } = this.pairsOf(block, groupsOf(block));
      for (let at = 0; at < count; at++) this.moveShared(visits[at]!, groups[at]!);
    });
    this.chunk = undefined;
  }

  /** Returns the visits and groups of the rows that are counted. */
  private pairsOf(block: Block, groups: Uint32Array) {
    const visits = selectedVisits(block);
    if (this.counted === "all") return { visits, groups, count: block.count };
    const flags = selectedFlags(block);
    let count = 0;
    for (let at = 0; at < block.count; at++) {
      timedVisits[count] = visits[at]!;
      timedGroups[count] = groups[at]!;
      count = (count + (flags[at]! & rowFlag.timed) / rowFlag.timed) | 0;
    }
    return { visits: timedVisits, groups: timedGroups, count };
  }

  private moveShared(visit: number, group: number): void {
    const { counts, ofChunk, ofShared } = this;
    const before = ofShared.size - ofChunk.size;
    if (ofChunk.add(visit, group)) counts[group]!--;
    if (ofShared.add(visit, group)) counts[group]!++;
    this.all += ofShared.size - ofChunk.size - before;
  }
}

/** Calls `take` with blocks of these rows, and with the place in `rows` from which on each has them. */
function eachBlock(chunk: BlockRows, rows: Uint32Array, take: (block: Block, from: number) => void): void {
  for (let from = 0; from < rows.length; from += blockRows) {
    const own = rows.subarray(from, from + blockRows);
    take({ chunk, start: 0, rows: own, count: own.length, dense: false }, from);
  }
}
