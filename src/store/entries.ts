/** Entries of a rollup while they are added up, in stretches one after the other. */
import type { Holder } from "../lib/scratch.ts";
import type { Rollup } from "./rollup.ts";
import { pageViewClasses } from "./row-class.ts";
import { cellsPerId, hasPageView, sums, zerosFor } from "./row-sums.ts";

export class Entries implements Holder {
  size = 0;
  private max = 0;
  /** Where the stretch begins. */
  private start = 0;
  /** By value: its entry in the stretch, counted from 1; 0 for none. */
  private places = new Uint32Array(0);
  private ids = new Uint32Array(0);
  private counts = new Uint32Array(0);
  private totalMs = new Float64Array(0);

  /** Empties it, for values with ids less than `values`. No more is added once there are more than `max` entries. */
  begin(values: number, max: number): void {
    this.endStretch();
    this.counts.fill(0, 0, this.size * pageViewClasses);
    this.totalMs.fill(0, 0, this.size);
    this.places = zerosFor(values, this.places);
    this.size = this.start = 0;
    this.max = max;
  }

  get isOver(): boolean {
    return this.size > this.max;
  }

  /** What is added next is of another stretch. */
  endStretch(): void {
    const { places, ids, start, size } = this;
    for (let entry = start; entry < size; entry++) places[ids[entry] as number] = 0;
    this.start = size;
  }

  /** The first `places` places of `sums`, by the value of each id; without it, an id is one. */
  addSums(places: number, valueOf: Uint32Array | undefined): void {
    this.makeRoom(places);
    const { counts, totalMs, max } = this;
    const { ids, counts: added, totalMs: addedMs } = sums.filled;
    for (let place = 1; place <= places && this.size <= max; place++) {
      const from = place * cellsPerId;
      if (!hasPageView(added, from)) continue;
      const id = ids[place] as number;
      const entry = this.entryOf(valueOf === undefined ? id : (valueOf[id] as number));
      addCounts(added, from, counts, entry * pageViewClasses);
      totalMs[entry] = (totalMs[entry] as number) + (addedMs[place] as number);
    }
  }

  /** All entries of a rollup. */
  addRollup({ ids, counts: added, totalMs: addedMs }: Rollup): void {
    this.makeRoom(ids.length);
    const { counts, totalMs, max } = this;
    for (let from = 0; from < ids.length && this.size <= max; from++) {
      const entry = this.entryOf(ids[from] as number);
      addCounts(added, from * pageViewClasses, counts, entry * pageViewClasses);
      totalMs[entry] = (totalMs[entry] as number) + (addedMs[from] as number);
    }
  }

  /** What was added up, until more is or it is emptied. */
  get own(): Pick<Rollup, "ids" | "counts" | "totalMs"> {
    const { ids, counts, totalMs, size } = this;
    return {
      ids: ids.subarray(0, size),
      counts: counts.subarray(0, size * pageViewClasses),
      totalMs: totalMs.subarray(0, size),
    };
  }

  /** Of its arrays. */
  get bytes(): number {
    const { places, ids, counts, totalMs } = this;
    return places.byteLength + ids.byteLength + counts.byteLength + totalMs.byteLength;
  }

  letGo(): void {
    this.size = this.start = this.max = 0;
    this.places = this.ids = this.counts = new Uint32Array(0);
    this.totalMs = new Float64Array(0);
  }

  private entryOf(value: number): number {
    const { places } = this;
    const place = places[value] as number;
    if (place > 0) return place - 1;
    const entry = this.size++;
    places[value] = this.size;
    this.ids[entry] = value;
    return entry;
  }

  private makeRoom(more: number): void {
    const needed = Math.min(this.size + more, this.max + 1);
    if (needed <= this.ids.length) return;
    const { ids, counts, totalMs } = this;
    const length = Math.min(Math.max(needed, 2 * ids.length), this.max + 1);
    this.ids = new Uint32Array(length);
    this.counts = new Uint32Array(length * pageViewClasses);
    this.totalMs = new Float64Array(length);
    this.ids.set(ids);
    this.counts.set(counts);
    this.totalMs.set(totalMs);
  }
}

function addCounts(from: Uint32Array, first: number, to: Uint32Array, at: number): void {
  for (let kind = 0; kind < pageViewClasses; kind++)
    to[at + kind] = (to[at + kind] as number) + (from[first + kind] as number);
}
