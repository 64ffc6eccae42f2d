/**
 * Turns the state into checkpoint files and back. Chunks that have not changed since the last checkpoint are named
 * again, not written again (chunk-files.ts). Of dictionaries and tuples only the new entries are written, in a file
 * that continues the one before it. One turn copies durations and flags of open chunks; everything else is seen where it
 * lies.
 */
import { Registry } from "../../accounts/registry/registry.ts";
import type { ReduceJob } from "../../facts/months/reduce-job.ts";
import { isManifest, manifestName, type FileEntry, type Manifest } from "../../snapshot/manifest.ts";
import type { MappedFiles } from "../../snapshot/mapped-files.ts";
import type { LoadedCheckpoint } from "../../snapshot/read-checkpoint.ts";
import { jsonSection, readInFile } from "../../snapshot/section.ts";
import { Beacons } from "../../store/beacons/beacons.ts";
import { saveEventIds } from "../../store/files/save-beacons.ts";
import { loadChunk, saveHeads } from "../../store/files/save-chunk.ts";
import { monthsIn } from "../../store/state/months.ts";
import type { Site } from "../../store/state/site.ts";
import { Store } from "../../store/state/store.ts";
import { BeaconFiles, type CollectedBeacons } from "../files/beacon-files.ts";
import { byName, isChunk, isIncrement, namesFor, stateName, websiteOf } from "./checkpoint-names.ts";
import { ChunkFiles } from "../files/chunk-files.ts";
import { noChunks, type CollectedChunks } from "../files/collected-chunks.ts";
import {
  collectMonths,
  isMonth,
  monthToReduce,
  noMonths,
  settleMonths,
  type CollectedMonths,
} from "../files/month-files.ts";
import { fileMinimums, type FileMinimums } from "./file-minimums.ts";
import {
  beaconSeed,
  lastVisitsOf,
  loadIncrement,
  loadMonth,
  loadState,
  nextHead,
  sectionsOf,
  setLastVisits,
  setUnavailable,
  siteOf,
  type LogState,
  type WrittenSites,
} from "./load-checkpoint.ts";
import type { FreshFile, PlannedCheckpoint } from "../files/planned-checkpoint.ts";
import { siteFiles } from "./site-files.ts";
import { State } from "./state.ts";

interface Collected {
  readonly chunks: CollectedChunks;
  readonly months: CollectedMonths;
  readonly beacons: CollectedBeacons;
}

/** A checkpoint to be written. The writer calls `settle` or `abandon` afterwards. */
export interface CollectedCheckpoint {
  readonly checkpoint: PlannedCheckpoint;
  /**
   * Call it when the checkpoint is durable: the next one builds on it. Returns an error that keeps chunks in memory, if
   * there is one. Throws what mapping a file throws; the checkpoint is useless then.
   */
  readonly settle: (manifest: Manifest) => unknown;
  /** Call it if the checkpoint could not be written. */
  readonly abandon: () => void;
}

interface Loaded {
  readonly state: State;
  readonly lastMs: number;
  readonly alone: boolean;
  readonly files: CheckpointFiles;
}

export class CheckpointFiles {
  /** The files of the last checkpoint, by name. */
  private byName: ReadonlyMap<string, FileEntry> = new Map();
  private incrementBytes = 0;
  /** The sequence number of the last checkpoint that has the unavailable websites. */
  private since = 0;
  /** Whether the last checkpoint had no room for chunks that it would have merged. */
  private isMergeLeft = false;
  private readonly beacons: BeaconFiles;

  private constructor(
    private readonly state: State,
    private readonly folderId: string,
    private readonly mapped: MappedFiles,
    readonly chunks: ChunkFiles,
    private sites: WrittenSites,
    entries: readonly FileEntry[],
    { beaconRunMin }: FileMinimums,
  ) {
    this.beacons = new BeaconFiles(state.store.beacons, mapped, beaconRunMin);
    this.settle(sites, byName(entries));
  }

  static empty(folderId: string, mapped: MappedFiles, minimums: FileMinimums = fileMinimums): Loaded {
    const beacons = new Beacons(beaconSeed(folderId));
    const store = new Store(beacons, undefined, undefined, monthsIn(mapped));
    const state = new State(new Registry(), store);
    const files = new CheckpointFiles(
      state,
      folderId,
      mapped,
      new ChunkFiles(mapped, minimums),
      new Map(),
      [],
      minimums,
    );
    return { state, lastMs: 0, alone: false, files };
  }

  /** Loads the state from a checkpoint. Throws SnapshotDamage for anything that is not as it was written. */
  static load(
    { manifest, files, damages }: LoadedCheckpoint,
    mapped: MappedFiles,
    minimums: FileMinimums = fileMinimums,
  ): Loaded {
    const { folderId, seq } = manifest;
    const entries = byName(manifest.files);
    const { state, sealed, open, log, visits, months } = readInFile(stateName(seq), () =>
      loadState(sectionsOf(files, stateName(seq)), beaconSeed(folderId), mapped, entries),
    );
    readInFile(manifestName(seq), () => setUnavailable(state, manifest, damages));
    const chunks = new ChunkFiles(mapped, minimums);
    const sites: WrittenSites = new Map();
    const sealedHeads = sealed.values();
    for (const entry of manifest.files) {
      const { name } = entry;
      readInFile(name, () => {
        if (state.unavailable.has(websiteOf(name))) {
          if (isChunk(name) && entry.mapped && !(name in open)) nextHead(sealedHeads, name);
          return;
        }
        if (isIncrement(name)) loadIncrement(state.store, sites, name, sectionsOf(files, name));
        else if (isMonth(name)) loadMonth(state.store, months, entry);
        else if (isChunk(name)) {
          const waiting = open[name];
          const site = siteOf(state.store, name);
          if (waiting !== undefined) return site.restore(chunks.open(waiting, entry, entries));
          const chunk = entry.mapped
            ? chunks.sealed(nextHead(sealedHeads, name), entry)
            : loadChunk(sectionsOf(files, name));
          site.restore(chunk);
          chunks.found(chunk, entry);
        }
      });
    }
    readInFile(stateName(seq), () => setLastVisits(state.store, visits));
    const { lastMs, alone = false } = log;
    const loaded = new CheckpointFiles(state, folderId, mapped, chunks, sites, manifest.files, minimums);
    loaded.since = manifest.unavailable?.since ?? seq;
    return { state, lastMs, alone, files: loaded };
  }

  /**
   * Returns the checkpoint of the state as it is now, after record `seq`. `stream`: its place in the log of a cluster.
   * `mergeBytesMax`: chunks that would take more when merged stay as they are.
   */
  collect(
    seq: number,
    lastMs: number,
    alone: boolean,
    stream?: Manifest["stream"],
    mergeBytesMax?: number,
  ): CollectedCheckpoint {
    const { registry, store, unavailable, loggedMonths } = this.state;
    const visits = lastVisitsOf(store);
    const sites: WrittenSites = new Map();
    const chunks = noChunks(seq, lastMs, mergeBytesMax);
    const months = noMonths(seq);
    const beacons = this.beacons.collect(seq, this.byName);
    const files: (FileEntry | FreshFile)[] = [];
    for (const site of store.sites.values())
      if (!unavailable.has(site.websiteId))
        files.push(
          ...siteFiles(site, seq, this.sites.get(site), sites, this.byName),
          ...this.chunks.collect(site, chunks),
          ...collectMonths(site, months),
        );
    this.isMergeLeft = chunks.isMergeLeft;
    const hasMonths = Object.keys(months.heads).length > 0;
    const own: FreshFile = {
      name: stateName(seq),
      sections: [
        jsonSection("log", (alone ? { lastMs, alone } : { lastMs }) satisfies LogState),
        jsonSection("registry", registry.save()),
        jsonSection("early", store.early.save()),
        ...(store.rejected.isEmpty ? [] : [jsonSection("rejected", store.rejected.save())]),
        ...(visits.length === 0 ? [] : [jsonSection("visits", visits)]),
        ...saveHeads(chunks.heads),
        jsonSection("open", chunks.open),
        ...(hasMonths ? [jsonSection("months", months.heads)] : []),
        ...beacons.sections,
        ...saveEventIds(store.eventIds),
      ],
    };
    return {
      checkpoint: {
        seq,
        folderId: this.folderId,
        names: namesFor(registry, unavailable.size > 0, hasMonths, stream !== undefined),
        ...(stream && { stream }),
        ...(unavailable.size > 0 && {
          unavailable: { since: this.since, websites: [...unavailable], months: [...loggedMonths] },
        }),
        files: [own, ...beacons.files, ...files],
      },
      settle: ({ files }) => this.settle(sites, byName(files), { chunks, beacons, months }),
      abandon: () => this.chunks.abandon(chunks),
    };
  }

  /** Returns how many rows would be merged at that log time by one checkpoint after the other, for which there is room. */
  mergeableRows(nowMs: number): number {
    if (this.isMergeLeft) return 0;
    const sites = this.state.store.sites.values();
    return sites.reduce((sum, site) => sum + this.chunks.mergeableRows(site, nowMs), 0);
  }

  /** The files that records of the log name, besides those of checkpoints. */
  get namedFiles(): FileEntry[] {
    return this.state.namedFiles;
  }

  /** The files of the last checkpoint. */
  get entries(): FileEntry[] {
    return [...this.byName.values()];
  }

  /** Asks that a file is written again: returns whether it is in memory; undefined if no such file is current. */
  rewrite(name: string): boolean | undefined {
    // Every checkpoint writes its manifest and the state.
    if (isManifest(name)) return true;
    if (!this.byName.has(name)) return undefined;
    if (name.endsWith(".state")) return true;
    for (const [site, { increments }] of this.sites)
      if (increments.some((increment) => increment.name === name)) return this.sites.delete(site);
    return this.chunks.rewrite(name);
  }

  /** The names of the files that were found to be damaged. They may have been put back since. */
  get damaged(): ReadonlySet<string> {
    return this.mapped.damaged;
  }

  /** Takes note of damage that was found elsewhere: the file is compared with its checksum again before it is used. */
  distrust(name: string): void {
    this.mapped.distrust(name);
  }

  /** Returns the files of the last checkpoint from which the facts of a website's sealed chunks are made. */
  filesForFacts(site: Site): { readonly site: readonly FileEntry[]; readonly chunks: readonly FileEntry[] } {
    const increments = this.sites.get(site)?.increments;
    // They are about to be written again.
    if (increments === undefined) return { site: [], chunks: [] };
    return { site: increments.map(({ name }) => this.entry(name)), chunks: this.chunks.sealedFiles(site) };
  }

  /**
   * Returns what a month is reduced from; undefined if it, or the month after it, is not all in files of the last
   * checkpoint.
   */
  filesToReduce(site: Site, monthMs: number): Omit<ReduceJob, "folder" | "targets"> | undefined {
    const increments = this.sites.get(site)?.increments;
    const made = increments && monthToReduce(site, monthMs, this.chunks);
    return made && { ...made, site: increments.map(({ name }) => this.entry(name)) };
  }

  /** The bytes of dictionaries and tuples on disk, which the next checkpoint writes again in the worst case. */
  get siteBytes(): number {
    return this.incrementBytes;
  }

  /** Throws what `BeaconFiles.settle` throws; nothing has changed then. From there on all of the checkpoint counts. */
  private settle(
    sites: WrittenSites,
    entries: ReadonlyMap<string, FileEntry>,
    collected?: Collected,
  ): unknown {
    const { store } = this.state;
    if (collected !== undefined) this.beacons.settle(collected.beacons, entries);
    this.sites = sites;
    this.byName = entries;
    const increments = entries.values().filter(({ name }) => isIncrement(name));
    this.incrementBytes = increments.reduce((sum, { bytes }) => sum + bytes, 0);
    this.mapped.keepOnly(this.byName);
    const isCurrent = (site: Site) => store.sites.get(site.websiteId) === site;
    if (collected === undefined) return this.chunks.releaseSealed();
    settleMonths(collected.months, store.months, entries);
    return this.chunks.settle(collected.chunks, entries, isCurrent);
  }

  private entry(name: string): FileEntry {
    return this.byName.get(name) as FileEntry;
  }
}
