/**
 * Counts distinct visits by group: each pair of a visit and a group once. Rows come chunk by chunk. What is known of the
 * visits of a chunk is forgotten after it, so that it stays in the processor's cache; only shared visits are kept in mind.
 */
import { ScratchWords } from "../../../lib/memory/scratch.ts";
import type { CountedVisits } from "../../../facts/facts.ts";
import { rowFlag } from "../../../store/columns/row-flag.ts";
import {
  blockRows,
  selectedFlags,
  selectedVisits,
  type Block,
  type BlockRows,
  type GroupsOf,
} from "../../rows/block.ts";
import type { LinkedRows } from "../../rows/linked-rows.ts";
import type { SharedVisits } from "./shared-visits.ts";
import { bitGroupsMax, VisitBits } from "./visit-bits.ts";
import { GroupsOfVisits } from "../../rows/groups-of-visits.ts";

/** A visit with more earlier rows than this has a set of their groups; the others are looked at one by one. */
const walkedMax = 32;
/** By index of a repeated row: its group, and that of the row before it. */
const groupScratch = new ScratchWords();
const earlierScratch = new ScratchWords();
/** By row of a block whose time is known. */
const timedVisits = new Uint32Array(blockRows);
const timedGroups = new Uint32Array(blockRows);

export class DistinctVisits {
  /** By group: the number of distinct visits. */
  readonly counts: Uint32Array;
  /** The number of distinct visits in all groups together. */
  all = 0;
  private readonly ofChunk = new GroupsOfVisits();
  private readonly ofShared = new GroupsOfVisits();
  /** The groups of the chunk's visits in pages without shared visits; undefined if groups are many. */
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

  /** Adds first views: this many of a group. `keepFirst` below has to be called for each chunk that they are in. */
  addFirstViews(group: number, views: number): void {
    this.counts[group]! += views;
    this.all += views;
  }

  /**
   * Makes each visit of a chunk count once in a group after `addFirstViews`: subtracts first views whose visit has an
   * earlier one in the group, and those without a visit. Call `addShared` below for shared visits.
   */
  keepFirst(linked: LinkedRows, groupsOf: GroupsOf): void {
    const { counts, sets } = this;
    const { chunk, strays, repeats, before } = linked;
    eachBlock(chunk, strays, (block) => {
      const groups = groupsOf(block);
      for (let at = 0; at < block.count; at++) counts[groups[at]!]!--;
    });
    const own = groupsInto(groupScratch.take(repeats.length), chunk, repeats, groupsOf);
    const rowsBefore = earlierScratch.take(repeats.length);
    for (let at = 0; at < repeats.length; at++) {
      const row = before[at]! | 0;
      rowsBefore[at] = row > 0 ? row - 1 : repeats[-1 - row]!;
    }
    const earlier = groupsInto(rowsBefore, chunk, rowsBefore, groupsOf);
    for (let repeat = 0; repeat < repeats.length; repeat++) {
      const group = own[repeat]!;
      const isSame = earlier[repeat] === group;
      if (isSame || (before[repeat]! < 0 && this.isKnown(linked, own, earlier, repeat))) counts[group]!--;
    }
    this.all -= strays.length + repeats.length;
    sets.clear();
  }

  /**
   * Returns whether an earlier row of the visit has the group of a repeated one. By index in `repeats`: its own group, and
   * that of the row before.
   */
  private isKnown(linked: LinkedRows, own: Uint32Array, earlier: Uint32Array, repeat: number): boolean {
    const { before } = linked;
    const group = own[repeat]!;
    let at = repeat;
    for (let walked = 0; walked < walkedMax; walked++) {
      if (earlier[at] === group) return true;
      if (before[at]! > 0) return false;
      at = -1 - before[at]!;
    }
    return this.isKnownInSet(linked, own, earlier, repeat);
  }

  private isKnownInSet(linked: LinkedRows, own: Uint32Array, earlier: Uint32Array, repeat: number): boolean {
    const { chunk, repeats, before } = linked;
    const visit = chunk.visit[repeats[repeat]!]!;
    let set = this.sets.get(visit);
    if (set === undefined) {
      this.sets.set(visit, (set = new Set()));
      for (let at = repeat; at >= 0; at = -1 - before[at]!) set.add(earlier[at]!);
    }
    const { size } = set;
    return set.add(own[repeat]!).size === size;
  }

  /**
   * Adds visits that facts have counted: this many of a group. `addShared` below has to be called for those that are
   * shared.
   */
  addFacts(group: number, visits: number): void {
    this.counts[group]! += visits;
  }

  /**
   * Counts the shared visits of a part together with those of other parts, and takes back what the part counted of them
   * alone. `rows`: their rows in the part.
   */
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

/** Writes the groups of rows, which may stand in the same place. */
function groupsInto(to: Uint32Array, chunk: BlockRows, rows: Uint32Array, groupsOf: GroupsOf): Uint32Array {
  eachBlock(chunk, rows, (block, from) => to.set(groupsOf(block).subarray(0, block.count), from));
  return to;
}
