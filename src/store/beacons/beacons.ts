/**
 * Finds the page view that a beacon names: hash of the beacon -> website, chunk and row. There are two generations.
 * When the younger is two days old, or full, it becomes the older, and the older is forgotten. So a page view is found
 * for at least two days, and a hit that comes too late for it is known to be late, unless more than `beaconsMax` page
 * views come within two days. The hash has 64 bits and is seeded by the data folder, so that nobody can make two
 * beacons collide on purpose. An entry does not say when its page view was loaded: the row does. Where a clock that was
 * ahead is right again, the two days of the younger generation begin anew.
 */
import { beaconKnownMs } from "../../core/hit.ts";
import type { BeaconRun } from "./beacon-run.ts";
import { BeaconTable, type BeaconPlace } from "./beacon-table.ts";

/** The most entries that one generation holds. Format 1. */
const beaconsMax = 2_097_152;

/**
 * Returns when a page view was loaded; -Infinity if its row takes no more hits, undefined if the page view is not
 * wanted.
 */
export type LoadMsOf = (place: BeaconPlace) => number | undefined;

/** Entries in runs, in the order in which the runs were written, and a table of the entries that came after them. */
export class Generation {
  readonly runs: BeaconRun[];
  recent: BeaconTable;
  private stored: number;

  /** `sinceMs`: when its two days began. */
  constructor(
    public sinceMs: number,
    recent = new BeaconTable(),
    runs: readonly BeaconRun[] = [],
  ) {
    this.recent = recent;
    this.runs = [...runs];
    this.stored = runs.reduce((sum, { count }) => sum + count, 0);
  }

  get count(): number {
    return this.stored + this.recent.count;
  }

  /** Gives up the room for entries to come. Takes some 10 ms where a run has not begun for long. */
  trim(): void {
    this.recent = this.recent.since(0, 0);
  }

  /** Adds a run, and frees the memory of the entries that are in it. `room`: the number of entries to have room for. */
  store(run: BeaconRun, room: number): void {
    this.recent = this.recent.since(run.count, room);
    this.runs.push(run);
    this.stored += run.count;
  }

  /** Calls `take` with each place that has this hash, in the order in which they were added. */
  find(low: number, high: number, take: (place: BeaconPlace) => void): void {
    for (const run of this.runs) run.find(low, high, take);
    this.recent.find(low, high, take);
  }
}

/** The beacon that was hashed last. */
interface HashedBeacon {
  beacon: string | undefined;
  low: number;
  high: number;
}

export class Beacons {
  private readonly hashed: HashedBeacon = { beacon: undefined, low: 0, high: 0 };
  private readonly hash64 = new BigUint64Array(1);
  private readonly halves = new Uint32Array(this.hash64.buffer);

  /** `seed`: 64 bits that strangers do not know. */
  constructor(
    private readonly seed: bigint,
    public young = new Generation(-Infinity),
    public old = new Generation(-Infinity),
    private readonly entriesMax = beaconsMax,
  ) {}

  /**
   * Reads every run, so that no later call has to. Throws what reading them throws, at each call until all are read.
   */
  open(): void {
    for (const { runs } of [this.old, this.young]) for (const run of runs) run.read();
  }

  /** Adds a run of a generation. The younger one keeps its room, for as many entries come again; the older gets none. */
  store(generation: Generation, run: BeaconRun): void {
    generation.store(run, generation === this.young ? generation.recent.count : 0);
  }

  /** `loadMs`: the time of the page view's load. */
  add(beacon: string, place: BeaconPlace, loadMs: number): void {
    if (this.young.sinceMs - loadMs > beaconKnownMs) this.young.sinceMs = loadMs;
    if (this.young.count >= this.entriesMax || loadMs - this.young.sinceMs > beaconKnownMs) {
      this.old = this.young;
      this.young = new Generation(loadMs, new BeaconTable(this.old.recent.count));
      this.old.trim();
    }
    const { low, high } = this.hash(beacon);
    this.young.recent.add(low, high, place);
  }

  /**
   * Returns the page view with this beacon that was loaded last, of equally late ones the one added last, among those for
   * which `loadMsOf` returns a time; undefined if there is none. The younger generation has no precedence: a page view
   * that takes no more hits does not hide an older one that still does.
   */
  find(beacon: string, loadMsOf: LoadMsOf): BeaconPlace | undefined {
    const { low, high } = this.hash(beacon);
    let found: BeaconPlace | undefined;
    let foundMs = -Infinity;
    const take = (place: BeaconPlace) => {
      const ms = loadMsOf(place);
      if (ms === undefined || ms < foundMs) return;
      found = place;
      foundMs = ms;
    };
    this.old.find(low, high, take);
    this.young.find(low, high, take);
    return found;
  }

  /** Returns how many page views have had this beacon, on all websites. */
  countOf(beacon: string): number {
    const { low, high } = this.hash(beacon);
    let count = 0;
    const take = () => void count++;
    this.old.find(low, high, take);
    this.young.find(low, high, take);
    return count;
  }

  /** Returns 64 bits that strangers cannot choose: seeded by the data folder. */
  hashOf(text: string): bigint {
    return Bun.hash.wyhash(text, this.seed);
  }

  /** Returns the hash of a beacon in two halves. One hit asks for that of its beacon more than once. */
  private hash(beacon: string): HashedBeacon {
    const { hashed, halves } = this;
    if (hashed.beacon === beacon) return hashed;
    this.hash64[0] = this.hashOf(beacon);
    hashed.beacon = beacon;
    hashed.low = halves[0]!;
    hashed.high = halves[1]!;
    return hashed;
  }
}
