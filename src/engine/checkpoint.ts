/**
 * Turns the state into checkpoint files and back. Chunks that have not changed since the last checkpoint are named
 * again, not written again (chunk-files.ts); of dictionaries and tuples only what is new is written, in a file that goes
 * on from the one before it.
 */
import { Registry, type RegistryState } from "../accounts/registry.ts";
import { dimensions } from "../core/dimension.ts";
import { expectContent } from "../lib/decoding.ts";
import { numbered, type FileEntry, type Manifest, type StoredNames } from "../snapshot/manifest.ts";
import type { MappedFiles } from "../snapshot/mapped-files.ts";
import type { LoadedCheckpoint } from "../snapshot/read.ts";
import { encodedBytes, jsonSection, readInFile } from "../snapshot/section.ts";
import { Beacons } from "../store/beacons.ts";
import { rowFlag, type Chunk, type ChunkHead } from "../store/chunk.ts";
import { EarlyHits, type EarlyState } from "../store/early.ts";
import { loadChunk, loadHeads, savedSections, saveHeads } from "../store/save-chunk.ts";
import {
  emptySizes,
  extendSite,
  isAt,
  loadBeacons,
  loadSite,
  saveBeacons,
  saveSite,
  sizesOf,
  type SiteSizes,
} from "../store/save.ts";
import { json, type Sections } from "../store/sections.ts";
import type { Site } from "../store/site.ts";
import { Store } from "../store/store.ts";
import { ChunkFiles, noChunks, type CollectedChunks } from "./chunk-files.ts";
import type { FreshFile, PlannedCheckpoint } from "./planned-checkpoint.ts";
import { State } from "./state.ts";

/** What a checkpoint's files may have: a manifest says it, so that a program that knows less leaves them alone. */
export const storedNames: StoredNames = {
  dimensions: dimensions.map(({ name }) => name),
  columns: savedSections,
  flags: Object.keys(rowFlag),
};

/** A file with what a website had more than at `since`. */
interface Increment {
  readonly since: SiteSizes;
  readonly name: string;
}
interface WrittenSite {
  readonly sizes: SiteSizes;
  readonly increments: readonly Increment[];
}
/** By the website itself: one that took the place of another is written whole, whatever its sizes. */
type WrittenSites = Map<Site, WrittenSite>;

/** What a checkpoint says of itself and of the log. */
interface LogState {
  /** The log's time. */
  readonly lastMs: number;
  /** Something was deleted: no older file may be kept beside this checkpoint, whenever that is found out. */
  readonly alone?: true;
}

/** A checkpoint that is to be written: tell what became of it. */
export interface CollectedCheckpoint {
  readonly checkpoint: PlannedCheckpoint;
  /** It is durable: the next one builds on it. */
  readonly settle: (manifest: Manifest) => void;
  /** It could not be written. */
  readonly abandon: () => void;
}

interface Loaded {
  readonly state: State;
  readonly lastMs: number;
  readonly alone: boolean;
  readonly files: CheckpointFiles;
}

export class CheckpointFiles {
  /** By name, those of the last checkpoint. */
  private entries: ReadonlyMap<string, FileEntry> = new Map();
  private incrementBytes = 0;

  private constructor(
    private readonly state: State,
    private readonly folderId: string,
    private readonly mapped: MappedFiles,
    private readonly chunks: ChunkFiles,
    private sites: WrittenSites,
    entries: readonly FileEntry[],
  ) {
    this.settle(sites, entries);
  }

  static empty(folderId: string, mapped: MappedFiles): Loaded {
    const state = new State(new Registry(), new Store(new Beacons(beaconSeed(folderId))));
    const files = new CheckpointFiles(state, folderId, mapped, new ChunkFiles(mapped), new Map(), []);
    return { state, lastMs: 0, alone: false, files };
  }

  /** Throws SnapshotDamage for what is not as it was written. */
  static load({ manifest, files }: LoadedCheckpoint, mapped: MappedFiles): Loaded {
    const { folderId, seq } = manifest;
    const { state, sealed, log } = readInFile(stateName(seq), () =>
      loadState(sectionsOf(files, stateName(seq)), beaconSeed(folderId)),
    );
    const chunks = new ChunkFiles(mapped);
    const sites: WrittenSites = new Map();
    const sealedHeads = sealed.values();
    for (const entry of manifest.files) {
      const { name } = entry;
      readInFile(name, () => {
        if (isIncrement(name)) loadIncrement(state.store, sites, name, sectionsOf(files, name));
        else if (name.endsWith(".chunk")) {
          const chunk = entry.mapped
            ? chunks.sealed(nextHead(sealedHeads, name), entry)
            : loadChunk(sectionsOf(files, name));
          siteOf(state.store, name).restore(chunk);
          chunks.found(chunk, entry);
        }
      });
    }
    const { lastMs, alone = false } = log;
    const loaded = new CheckpointFiles(state, folderId, mapped, chunks, sites, manifest.files);
    return { state, lastMs, alone, files: loaded };
  }

  /** The checkpoint of the state as it is now, after record `seq`. */
  collect(seq: number, lastMs: number, alone: boolean): CollectedCheckpoint {
    const { registry, store } = this.state;
    const sites: WrittenSites = new Map();
    const chunks = noChunks(seq, lastMs);
    const files: (FileEntry | FreshFile)[] = [];
    for (const site of store.sites.values())
      files.push(...this.siteFiles(site, seq, sites), ...this.chunks.collect(site, chunks));
    files.unshift({
      name: stateName(seq),
      sections: [
        jsonSection("log", (alone ? { lastMs, alone } : { lastMs }) satisfies LogState),
        jsonSection("registry", registry.save()),
        jsonSection("early", store.early.save()),
        ...saveHeads(chunks.heads),
        ...saveBeacons(store.beacons),
      ],
    });
    return {
      checkpoint: { seq, folderId: this.folderId, names: storedNames, files },
      settle: (manifest) => this.settle(sites, manifest.files, chunks),
      abandon: () => this.chunks.abandon(chunks),
    };
  }

  /** Of the files that the last checkpoint says are mapped when they are needed. */
  get sealedBytes(): number {
    return this.entries.values().reduce((sum, { mapped, bytes }) => (mapped ? sum + bytes : sum), 0);
  }

  /** A chunk that the last checkpoint has was sealed after it: a start would read it. */
  get sealedSince(): boolean {
    return this.chunks.sealedSince;
  }

  /** Of a chunk whose columns are not in memory: the file that has them, or those that they are made of. */
  fileOf(chunk: Chunk): FileEntry {
    return this.chunks.fileOf(chunk);
  }

  /** Gives up the memory of sealed chunks that the last checkpoint has as they are. */
  releaseSealed(): void {
    this.chunks.releaseSealed();
  }

  /** Bytes of dictionaries and tuples on disk, which the next checkpoint writes again at the worst. */
  get siteBytes(): number {
    return this.incrementBytes;
  }

  private settle(sites: WrittenSites, entries: readonly FileEntry[], chunks?: CollectedChunks): void {
    const { store } = this.state;
    this.sites = sites;
    this.entries = new Map(entries.map((entry) => [entry.name, entry]));
    const increments = entries.filter(({ name }) => isIncrement(name));
    this.incrementBytes = increments.reduce((sum, { bytes }) => sum + bytes, 0);
    this.mapped.keepOnly(this.entries);
    const isCurrent = (site: Site) => store.sites.get(site.websiteId) === site;
    if (chunks !== undefined) this.chunks.settle(chunks, this.entries, isCurrent);
    else this.releaseSealed();
  }

  /** The website's files, each of which goes on from the one before it. */
  private siteFiles(site: Site, seq: number, next: WrittenSites): (FileEntry | FreshFile)[] {
    const known = this.sites.get(site) ?? { sizes: emptySizes, increments: [] };
    const sizes = sizesOf(site);
    if (known.increments.length > 0 && isAt(known.sizes, sizes)) {
      next.set(site, known);
      return known.increments.map(({ name }) => this.entry(name));
    }
    const { kept, since, sections } = this.unwritten(site, known);
    const name = `chunks/${site.websiteId}/${numbered(seq)}.site`;
    next.set(site, { sizes, increments: [...kept, { since, name }] });
    return [...kept.map(({ name }) => this.entry(name)), { name, sections }];
  }

  /**
   * What has to be written of a website that has changed, and which files stay. A file that is no larger than all
   * that came after it is written again together with that. So each is larger than all after it, which makes them
   * few, and what is written again lands in a file of twice the size: both are logarithms of the whole.
   */
  private unwritten(site: Site, { sizes, increments }: WrittenSite) {
    let kept = increments.length;
    let bytesAfter = encodedBytes(saveSite(site, sizes));
    for (let at = kept - 1; at >= 0; at--) {
      const { bytes } = this.entry((increments[at] as Increment).name);
      if (bytes <= bytesAfter) kept = at;
      bytesAfter += bytes;
    }
    const since = increments[kept]?.since ?? sizes;
    return { kept: increments.slice(0, kept), since, sections: saveSite(site, since) };
  }

  private entry(name: string): FileEntry {
    return this.entries.get(name) as FileEntry;
  }
}

function loadState(sections: Sections, seed: bigint) {
  const early = EarlyHits.load(json(sections, "early") as EarlyState);
  const store = new Store(loadBeacons(sections, seed), early);
  const state = new State(Registry.load(json(sections, "registry") as RegistryState), store);
  const log = json(sections, "log") as LogState;
  expectContent(Number.isFinite(log.lastMs), `lastMs of the log: ${String(log.lastMs)}, not a time`);
  return { state, log, sealed: loadHeads(sections) };
}

/** Increments of a website stand in the manifest in their order, and before its chunks. */
function loadIncrement(store: Store, sites: WrittenSites, name: string, sections: Sections): void {
  const known = store.sites.get(websiteOf(name));
  const since = known === undefined ? emptySizes : sizesOf(known);
  const site = known ?? loadSite(sections);
  expectContent(site.websiteId === websiteOf(name), `it is of website ${site.websiteId}`);
  if (site === known) extendSite(site, sections);
  store.sites.set(site.websiteId, site);
  const increments = [...(sites.get(site)?.increments ?? []), { since, name }];
  sites.set(site, { sizes: sizesOf(site), increments });
}

/** The heads of sealed chunks are in the order of their files, whose names say which chunk they have. */
function nextHead(heads: Iterator<ChunkHead>, name: string): ChunkHead {
  const { value } = heads.next();
  const number = Number(/-(\d+)\.\d+\.chunk$/.exec(name)?.[1]);
  expectContent(value?.number === number, `the state says nothing of chunk ${number}`);
  return value as ChunkHead;
}

function siteOf(store: Store, name: string): Site {
  const site = store.sites.get(websiteOf(name));
  expectContent(site !== undefined, `no file of website ${websiteOf(name)} comes before it`);
  return site;
}

function sectionsOf(files: LoadedCheckpoint["files"], name: string): Sections {
  const sections = files.get(name);
  expectContent(sections !== undefined, "its manifest does not name it");
  return sections;
}

/** The website of a file, `chunks/<website>/<name>`; NaN of any other file. */
export function websiteOf(name: string): number {
  return Number.parseInt(name.slice("chunks/".length));
}

/** Strangers do not know the folder's id, so they cannot make two beacons collide. */
function beaconSeed(folderId: string): bigint {
  return BigInt(`0x${folderId.slice(0, 16)}`);
}

function stateName(seq: number): string {
  return `${numbered(seq)}.state`;
}

function isIncrement(name: string): boolean {
  return name.endsWith(".site");
}
