/**
 * Turns the state into checkpoint files and back. A website's chunks and dictionaries that have not changed
 * since the last checkpoint are named again, not written again.
 */
import { Registry, type RegistryState } from "../accounts/registry.ts";
import { assert } from "../lib/assert.ts";
import { checksum } from "../lib/checksum.ts";
import { numbered, type FileEntry, type Manifest } from "../snapshot/manifest.ts";
import type { LoadedCheckpoint } from "../snapshot/read.ts";
import { encodeSections, jsonSection, readJson, type Section } from "../snapshot/section.ts";
import type { Checkpoint, NewFile } from "../snapshot/write.ts";
import { Beacons } from "../store/beacons.ts";
import type { Chunk } from "../store/chunk.ts";
import { EarlyHits, type EarlyState } from "../store/early.ts";
import { loadBeacons, loadChunk, loadSite, saveBeacons, saveChunk, saveSite } from "../store/save.ts";
import type { Site } from "../store/site.ts";
import { Store } from "../store/store.ts";
import { State } from "./state.ts";

/** A file of the last checkpoint, and the version of what it holds. */
interface Written {
  readonly version: number;
  readonly entry: FileEntry;
}
/** By the object itself: one that took the place of another is written whatever its version says. */
type WrittenFiles = Map<Site | Chunk, Written>;

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
  private written: WrittenFiles;

  private constructor(
    private readonly state: State,
    private readonly folderId: string,
    written: WrittenFiles,
  ) {
    this.written = written;
  }

  static empty(folderId: string): Loaded {
    const state = new State(new Registry(), new Store(new Beacons(beaconSeed(folderId))));
    return { state, lastMs: 0, alone: false, files: new CheckpointFiles(state, folderId, new Map()) };
  }

  static load({ manifest, files }: LoadedCheckpoint): Loaded {
    const { folderId } = manifest;
    const head = files.get(stateName(manifest.seq));
    assert(head !== undefined, "a checkpoint has a state file");
    const json = (name: string) => readJson(head.get(name) as Uint8Array);
    const early = EarlyHits.load(json("early") as EarlyState);
    const store = new Store(loadBeacons(head, beaconSeed(folderId)), early);
    const state = new State(Registry.load(json("registry") as RegistryState), store);
    const written: WrittenFiles = new Map();
    for (const entry of manifest.files) {
      const sections = files.get(entry.name) as ReadonlyMap<string, Uint8Array>;
      if (entry.name.endsWith(".site")) {
        const site = loadSite(sections);
        store.sites.set(site.websiteId, site);
        written.set(site, { version: siteVersion(site), entry });
      } else if (entry.name.endsWith(".chunk")) {
        const chunk = loadChunk(sections);
        const site = store.sites.get(Number(entry.name.split("/")[1])) as Site;
        site.restore(chunk);
        written.set(chunk, { version: chunk.version, entry });
      }
    }
    const { lastMs, alone = false } = json("log") as LogState;
    return { state, lastMs, alone, files: new CheckpointFiles(state, folderId, written) };
  }

  /**
   * The checkpoint of the state as it is now, after record `seq`. Call `settle` when it is durable: only then
   * does the next one build on it.
   */
  collect(seq: number, lastMs: number, alone: boolean): { checkpoint: Checkpoint; settle: () => void } {
    const files: NewFile[] = [];
    const written: WrittenFiles = new Map();
    const add = (what: Site | Chunk, version: number, name: string, save: () => Section[]) => {
      const known = this.written.get(what);
      if (known?.version === version) written.set(what, known);
      else written.set(what, { version, entry: addFile(files, name, save()) });
    };
    const { registry, store } = this.state;
    const head = addFile(files, stateName(seq), [
      jsonSection("log", (alone ? { lastMs, alone } : { lastMs }) satisfies LogState),
      jsonSection("registry", registry.save()),
      jsonSection("early", store.early.save()),
      ...saveBeacons(store.beacons),
    ]);
    for (const site of store.sites.values()) {
      add(site, siteVersion(site), `chunks/${site.websiteId}/${numbered(seq)}.site`, () => saveSite(site));
      for (const chunk of site.chunks.values())
        add(chunk, chunk.version, chunkName(site, chunk, seq), () => saveChunk(chunk));
    }
    const entries = [head, ...[...written.values()].map(({ entry }) => entry)];
    const manifest: Manifest = { seq, folderId: this.folderId, files: entries };
    return { checkpoint: { manifest, files }, settle: () => (this.written = written) };
  }
}

function addFile(files: NewFile[], name: string, sections: readonly Section[]): FileEntry {
  const data = encodeSections(sections);
  files.push({ name, data });
  return { name, bytes: data.length, checksum: checksum(data) };
}

/** Strangers do not know the folder's id, so they cannot make two beacons collide. */
function beaconSeed(folderId: string): bigint {
  return BigInt(`0x${folderId.slice(0, 16)}`);
}

function stateName(seq: number): string {
  return `${numbered(seq)}.state`;
}

/** `<month>-<number of the chunk>.<record up to which it stands>.chunk` */
function chunkName(site: Site, chunk: Chunk, seq: number): string {
  const month = new Date(chunk.monthMs).toISOString().slice(0, 7);
  return `chunks/${site.websiteId}/${month}-${chunk.number}.${numbered(seq)}.chunk`;
}

/** Dictionaries, tuples and the chunk counter only ever grow: their sizes together tell every change. */
function siteVersion(site: Site): number {
  const sizes = [
    ...site.dictionaries,
    site.propertyNames,
    site.propertyValues,
    ...Object.values(site.tuples),
  ];
  return sizes.reduce((sum, { size }) => sum + size, site.nextChunkNumber);
}
