/**
 * Turns the state into checkpoint files and back. Chunks that have not changed since the last checkpoint are named
 * again, not written again; of dictionaries and tuples only what is new is written, in a file that goes on from the
 * one before it. The columns of a sealed chunk leave memory once a checkpoint has them.
 */
import { Registry, type RegistryState } from "../accounts/registry.ts";
import { assert } from "../lib/assert.ts";
import { numbered, type FileEntry, type Manifest } from "../snapshot/manifest.ts";
import type { MappedFiles } from "../snapshot/mapped-files.ts";
import type { LoadedCheckpoint } from "../snapshot/read.ts";
import { encodedBytes, jsonSection, readJson } from "../snapshot/section.ts";
import type { Checkpoint, NewFile } from "../snapshot/write.ts";
import { Beacons } from "../store/beacons.ts";
import { Chunk, type ChunkHead } from "../store/chunk.ts";
import { EarlyHits, type EarlyState } from "../store/early.ts";
import { loadChunk, loadHeads, saveChunk, saveHeads, viewColumns } from "../store/save-chunk.ts";
import {
  emptySizes,
  extendSite,
  loadBeacons,
  loadSite,
  saveBeacons,
  saveSite,
  sizesOf,
  type SiteSizes,
} from "../store/save.ts";
import type { Site } from "../store/site.ts";
import { Store } from "../store/store.ts";
import { State } from "./state.ts";

interface WrittenChunk {
  readonly version: number;
  readonly name: string;
}
/** A file with what a website had more than at `since`. */
interface Increment {
  readonly since: SiteSizes;
  readonly name: string;
}
interface WrittenSite {
  readonly sizes: SiteSizes;
  readonly increments: readonly Increment[];
}
/**
 * Which file has what, by the object itself: one that took the place of another is written whole, whatever its
 * version or sizes.
 */
interface Written {
  readonly chunks: Map<Chunk, WrittenChunk>;
  readonly sites: Map<Site, WrittenSite>;
}

/** What a checkpoint says of itself and of the log. */
interface LogState {
  /** The log's time. */
  readonly lastMs: number;
  /** Something was deleted: no older file may be kept beside this checkpoint, whenever that is found out. */
  readonly alone?: true;
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
    private written: Written,
    entries: readonly FileEntry[],
  ) {
    this.settle(written, entries);
  }

  static empty(folderId: string, mapped: MappedFiles): Loaded {
    const state = new State(new Registry(), new Store(new Beacons(beaconSeed(folderId))));
    const files = new CheckpointFiles(state, folderId, mapped, nothing(), []);
    return { state, lastMs: 0, alone: false, files };
  }

  static load({ manifest, files }: LoadedCheckpoint, mapped: MappedFiles): Loaded {
    const { folderId } = manifest;
    const head = sectionsOf(files, stateName(manifest.seq));
    const json = (name: string) => readJson(head.get(name) as Uint8Array);
    const early = EarlyHits.load(json("early") as EarlyState);
    const store = new Store(loadBeacons(head, beaconSeed(folderId)), early);
    const state = new State(Registry.load(json("registry") as RegistryState), store);
    // In the order of the files, as they were saved.
    const sealed = loadHeads(head).values();
    const written = nothing();
    for (const entry of manifest.files) {
      const { name } = entry;
      if (isIncrement(name)) loadIncrement(store, written, name, sectionsOf(files, name));
      else if (name.endsWith(".chunk")) {
        const chunk = entry.mapped
          ? Chunk.sealed(sealed.next().value as ChunkHead, mapped.reader(entry, viewColumns))
          : loadChunk(sectionsOf(files, name));
        (store.sites.get(websiteOf(name)) as Site).restore(chunk);
        written.chunks.set(chunk, { version: chunk.version, name });
      }
    }
    const { lastMs, alone = false } = json("log") as LogState;
    const loaded = new CheckpointFiles(state, folderId, mapped, written, manifest.files);
    return { state, lastMs, alone, files: loaded };
  }

  /**
   * The checkpoint of the state as it is now, after record `seq`. Give `settle` its manifest when it is durable: only
   * then does the next one build on it.
   */
  collect(
    seq: number,
    lastMs: number,
    alone: boolean,
  ): { checkpoint: Checkpoint; settle: (manifest: Manifest) => void } {
    const { registry, store } = this.state;
    const next = nothing();
    const sealed: Chunk[] = [];
    const files: (FileEntry | NewFile)[] = [];
    for (const site of store.sites.values()) {
      files.push(...this.siteFiles(site, seq, next));
      for (const chunk of site.chunks.values()) {
        files.push(this.chunkFile(site, chunk, seq, next));
        if (chunk.sealed) sealed.push(chunk);
      }
    }
    files.unshift({
      name: stateName(seq),
      sections: [
        jsonSection("log", (alone ? { lastMs, alone } : { lastMs }) satisfies LogState),
        jsonSection("registry", registry.save()),
        jsonSection("early", store.early.save()),
        saveHeads(sealed),
        ...saveBeacons(store.beacons),
      ],
    });
    const checkpoint: Checkpoint = { seq, folderId: this.folderId, files };
    return { checkpoint, settle: (manifest) => this.settle(next, manifest.files) };
  }

  /** Of the files that the last checkpoint says are mapped when they are needed. */
  get sealedBytes(): number {
    return this.entries.values().reduce((sum, { mapped, bytes }) => (mapped ? sum + bytes : sum), 0);
  }

  /** A chunk that the last checkpoint has was sealed after it: a start would read it. */
  get sealedSince(): boolean {
    return this.written.chunks
      .entries()
      .some(([chunk, { name }]) => chunk.sealed && !this.entry(name).mapped);
  }

  /** Of a chunk whose columns are not in memory. */
  fileOf(chunk: Chunk): FileEntry {
    return this.entry((this.written.chunks.get(chunk) as WrittenChunk).name);
  }

  /** Gives up the memory of sealed chunks that the last checkpoint has as they are. */
  releaseSealed(): void {
    for (const [chunk, { version, name }] of this.written.chunks)
      if (chunk.sealed && chunk.resident && chunk.version === version)
        chunk.store(this.mapped.reader(this.entry(name), viewColumns));
  }

  /** Bytes of dictionaries and tuples on disk, which the next checkpoint writes again at the worst. */
  get siteBytes(): number {
    return this.incrementBytes;
  }

  private settle(written: Written, entries: readonly FileEntry[]): void {
    this.written = written;
    this.entries = new Map(entries.map((entry) => [entry.name, entry]));
    const increments = entries.filter(({ name }) => isIncrement(name));
    this.incrementBytes = increments.reduce((sum, { bytes }) => sum + bytes, 0);
    this.mapped.keepOnly(this.entries);
    this.releaseSealed();
  }

  private chunkFile(site: Site, chunk: Chunk, seq: number, next: Written): FileEntry | NewFile {
    const { version } = chunk;
    const known = this.written.chunks.get(chunk);
    const mapped = chunk.sealed ? { mapped: true as const } : {};
    if (known?.version === version) {
      next.chunks.set(chunk, known);
      const entry = this.entry(known.name);
      return chunk.sealed && !entry.mapped ? { ...entry, ...mapped } : entry;
    }
    const name = chunkName(site, chunk, seq);
    next.chunks.set(chunk, { version, name });
    return { name, sections: saveChunk(chunk), ...mapped };
  }

  /** The website's files, each of which goes on from the one before it. */
  private siteFiles(site: Site, seq: number, next: Written): (FileEntry | NewFile)[] {
    const known = this.written.sites.get(site) ?? { sizes: emptySizes, increments: [] };
    const sizes = sizesOf(site);
    if (known.increments.length > 0 && sizes.every((size, at) => size === known.sizes[at])) {
      next.sites.set(site, known);
      return known.increments.map(({ name }) => this.entry(name));
    }
    const { kept, since, sections } = this.unwritten(site, known);
    const name = `chunks/${site.websiteId}/${numbered(seq)}.site`;
    next.sites.set(site, { sizes, increments: [...kept, { since, name }] });
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

function nothing(): Written {
  return { chunks: new Map(), sites: new Map() };
}

/** Increments of a website stand in the manifest in their order, and before its chunks. */
function loadIncrement(
  store: Store,
  written: Written,
  name: string,
  sections: ReadonlyMap<string, Uint8Array>,
): void {
  const known = store.sites.get(websiteOf(name));
  const since = known === undefined ? emptySizes : sizesOf(known);
  const site = known ?? loadSite(sections);
  if (site === known) extendSite(site, sections);
  store.sites.set(site.websiteId, site);
  const increments = [...(written.sites.get(site)?.increments ?? []), { since, name }];
  written.sites.set(site, { sizes: sizesOf(site), increments });
}

function sectionsOf(files: LoadedCheckpoint["files"], name: string): ReadonlyMap<string, Uint8Array> {
  const sections = files.get(name);
  assert(sections !== undefined, `a start reads ${name}`);
  return sections;
}

/** `chunks/<website>/<name>` */
function websiteOf(name: string): number {
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

/** `<month>-<number of the chunk>.<record up to which it stands>.chunk` */
function chunkName(site: Site, chunk: Chunk, seq: number): string {
  const month = new Date(chunk.monthMs).toISOString().slice(0, 7);
  return `chunks/${site.websiteId}/${month}-${chunk.number}.${numbered(seq)}.chunk`;
}
