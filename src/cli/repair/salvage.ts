/**
 * Makes a checkpoint without its damaged files. A damaged chunk leaves alone. Without its names a website's rows mean
 * nothing: all of them leave, and the website stays with its settings. Without a run of beacons, later hits do not find
 * their page views. Without its state, a checkpoint cannot be used. A website that is unavailable in it begins anew, too.
 */
import { join } from "node:path";
import type { RegistryState } from "../../accounts/registry/registry.ts";
import {
  isChunk,
  isIncrement,
  stateName,
  storedNames,
  websiteOf,
} from "../../engine/checkpoint/checkpoint-names.ts";
import { CheckpointFiles } from "../../engine/checkpoint/checkpoint.ts";
import type { OpenChunks } from "../../engine/files/collected-chunks.ts";
import { isMonth } from "../../engine/files/month-files.ts";
import { mappedIn } from "../../engine/pinned-files.ts";
import { expectContent } from "../../lib/decoding.ts";
import { DiskError, type Disk } from "../../lib/disk/disk.ts";
import { encodeManifest, manifestName, type FileEntry, type Manifest } from "../../snapshot/manifest.ts";
import { json, type Sections } from "../../snapshot/named-sections.ts";
import { readEntry } from "../../snapshot/read-checkpoint.ts";
import { indexSections, openSections } from "../../snapshot/section-use.ts";
import {
  decodeSections,
  encodeSections,
  fileChecksum,
  jsonSection,
  readInFile,
  SnapshotDamage,
  type Section,
} from "../../snapshot/section.ts";
import type { ChunkHead } from "../../store/chunks/chunk-head.ts";
import { loadHeads, saveHeads } from "../../store/files/save-chunk.ts";
import { emptySizes, saveSite } from "../../store/files/save.ts";
import { Site } from "../../store/state/site.ts";
import type { Loaded } from "./log-repair.ts";

/**
 * A website whose names are lost begins with a chunk of a number that is higher by this: beacons may name chunks that
 * were removed, and in two days no website fills so many.
 */
const numbersLeftOut = 1_000_000;

/** Something that is no more in a checkpoint. */
export interface Loss {
  /** Says which website and month, and how many page views and events. */
  readonly what: string;
  readonly rows: number;
}

export interface Salvaged {
  readonly manifest: Manifest;
  readonly losses: readonly Loss[];
  /** The files that have to be written, by name, the manifest last; none for a checkpoint that is whole. */
  readonly written: ReadonlyMap<string, Uint8Array>;
  /** Loads the checkpoint anew. */
  load(): Loaded;
}

/** Throws SnapshotDamage, NewerFormat or DiskError if the checkpoint cannot be used. `damaged`: names of its files. */
export function salvage(
  disk: Disk,
  folder: string,
  manifest: Manifest,
  damaged: ReadonlySet<string>,
): Salvaged {
  const state = stateName(manifest.seq);
  if (damaged.has(state)) throw new SnapshotDamage(state, undefined, "it is damaged");
  if (damaged.size === 0 && manifest.unavailable === undefined)
    return made(disk, folder, manifest, [], new Map());
  return readInFile(state, () => withoutDamaged(disk, folder, manifest, damaged));
}

function withoutDamaged(
  disk: Disk,
  folder: string,
  manifest: Manifest,
  damaged: ReadonlySet<string>,
): Salvaged {
  const name = stateName(manifest.seq);
  const entry = manifest.files.find((file) => file.name === name);
  expectContent(entry !== undefined, "its manifest does not name it");
  const sections = readEntry(disk, folder, entry);
  const open = sections.has("open") ? (json(sections, "open") as OpenChunks) : {};
  const lost = lostWith(manifest, open, damaged);
  const heads = headsByName(manifest, sections, open);
  const written = new Map<string, Uint8Array>();
  const files: FileEntry[] = [];
  const write = (file: string, content: readonly Section[]) => {
    const bytes = encodeSections(content);
    written.set(file, bytes);
    files.push({ name: file, bytes: bytes.length, checksum: fileChecksum(bytes) });
  };
  for (const file of manifest.files) {
    if (file === entry) write(name, stateWithout(sections, heads, open, lost));
    else if (!lost.has(file.name)) files.push(file);
  }
  for (const websiteId of websitesOf(manifest, damaged))
    write(incrementName(websiteId, manifest), emptySite(websiteId, manifest));
  const { unavailable: _, ...rest } = manifest;
  const changed = { ...rest, files };
  written.set(manifestName(manifest.seq), encodeManifest(changed));
  const losses = lossesOf({
    disk,
    folder,
    manifest,
    registry: json(sections, "registry") as RegistryState,
    heads: new Map([...heads, ...Object.entries(monthHeads(sections))]),
    open,
    lost,
  });
  return made(disk, folder, changed, losses, written);
}

/** Returns the names of all files that cannot stay without the damaged ones. */
function lostWith(manifest: Manifest, open: OpenChunks, damaged: ReadonlySet<string>): Set<string> {
  const lost = new Set(damaged);
  const websites = websitesOf(manifest, damaged);
  for (const { name } of manifest.files) {
    const changes = open[name]?.changes;
    const isLost = websites.has(websiteOf(name)) || lost.has(name) || (changes && lost.has(changes));
    if (!isLost) continue;
    lost.add(name);
    if (changes !== undefined) lost.add(changes);
  }
  return lost;
}

/** Returns the websites whose names are damaged, or of which the checkpoint has nothing. */
function websitesOf(manifest: Manifest, damaged: ReadonlySet<string>): ReadonlySet<number> {
  const names = manifest.files.filter(({ name }) => isIncrement(name) && damaged.has(name));
  return new Set([...names.map(({ name }) => websiteOf(name)), ...unavailableIn(manifest)]);
}

function unavailableIn({ unavailable }: Manifest): number[] {
  return (unavailable?.websites ?? []).map(([websiteId]) => websiteId);
}

/** The heads of sealed chunks are in the order of their files. */
function headsByName({ files }: Manifest, sections: Sections, open: OpenChunks): Map<string, ChunkHead> {
  const sealed = files.filter(({ name, mapped }) => isChunk(name) && mapped && open[name] === undefined);
  const heads = loadHeads(sections);
  expectContent(heads.length === sealed.length, `it has ${heads.length} sealed chunks, not ${sealed.length}`);
  return new Map(sealed.map(({ name }, at) => [name, heads[at]!]));
}

function stateWithout(
  sections: ReadonlyMap<string, Uint8Array>,
  heads: ReadonlyMap<string, ChunkHead>,
  open: OpenChunks,
  lost: ReadonlySet<string>,
): Section[] {
  const stays = ([name]: readonly [string, ...unknown[]]) => !lost.has(name);
  const runs = sections.has("beacons.runs")
    ? (json(sections, "beacons.runs") as Record<string, [string][]>)
    : {};
  const keptRuns = Object.entries(runs).map(([generation, own]) => [generation, own.filter(stays)]);
  const months = Object.entries(monthHeads(sections)).filter(stays);
  const own = ["open", "beacons.runs", "months"];
  const others = [...sections].filter(([name]) => !name.startsWith("sealed") && !own.includes(name));
  const kept = [...heads].filter(stays).map(([, head]) => head);
  return [
    ...others.map(([name, data]) => ({ name, data })),
    ...saveHeads(kept),
    jsonSection("open", Object.fromEntries(Object.entries(open).filter(stays))),
    ...(months.length > 0 ? [jsonSection("months", Object.fromEntries(months))] : []),
    ...(sections.has("beacons.runs") ? [jsonSection("beacons.runs", Object.fromEntries(keptRuns))] : []),
  ];
}

/** Returns the heads of the rows that months without rows had, by the names of their files. */
function monthHeads(sections: Sections): Readonly<Record<string, ChunkHead>> {
  return sections.has("months") ? (json(sections, "months") as Record<string, ChunkHead>) : {};
}

function incrementName(websiteId: number, { seq }: Manifest): string {
  return `chunks/${websiteId}/${stateName(seq).replace(".state", ".site")}`;
}

function emptySite(websiteId: number, { files }: Manifest): Section[] {
  const site = new Site(websiteId);
  const own = files.filter(({ name }) => (isChunk(name) || isMonth(name)) && websiteOf(name) === websiteId);
  site.nextChunkNumber = Math.max(0, ...own.map(({ name }) => chunkNumber(name))) + numbersLeftOut;
  return saveSite(site, emptySizes);
}

function chunkNumber(name: string): number {
  return Number(/-(\d+)\.\d+\.(chunk|month)$/.exec(name)?.[1] ?? 0);
}

interface Losing {
  readonly disk: Disk;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly registry: RegistryState;
  readonly heads: ReadonlyMap<string, ChunkHead>;
  readonly open: OpenChunks;
  readonly lost: ReadonlySet<string>;
}

/** Says of each website and month how much is lost. */
function lossesOf(losing: Losing): Loss[] {
  const { manifest, registry, lost } = losing;
  const chunks = manifest.files.filter(({ name }) => (isChunk(name) || isMonth(name)) && lost.has(name));
  const byMonth = Map.groupBy(chunks, ({ name }) => `${websiteOf(name)} ${monthOf(name)}`);
  const hostnameOf = (id: number) => registry.websites.find(({ websiteId }) => websiteId === id)?.hostname;
  const losses = [...byMonth].map(([key, files]): Loss => {
    const [id, month] = key.split(" ");
    const hostname = hostnameOf(Number(id));
    const rows = files.map(({ name }) => rowsOf(losing, name));
    const known = rows.reduce<number>((sum, own = 0) => sum + own, 0);
    const more = rows.includes(undefined) ? "at least " : "";
    return {
      what: `${hostname}, ${month}: ${more}${known.toLocaleString("en")} page views and events`,
      rows: known,
    };
  });
  for (const id of unavailableIn(manifest))
    losses.push({
      what: `${hostnameOf(id)}: all page views and events up to record ${manifest.seq}`,
      rows: 0,
    });
  const runs = manifest.files.filter(({ name }) => name.endsWith(".beacons") && lost.has(name));
  if (runs.length > 0)
    losses.push({
      what: "durations and events that still come for page views of the last two days",
      rows: 0,
    });
  return losses;
}

function monthOf(name: string): string {
  return /\/(\d{4}-\d{2})-\d+\.\d+\.(?:chunk|month)$/.exec(name)?.[1] ?? "";
}

/** Returns undefined if nothing says how many rows a chunk has. */
function rowsOf({ disk, folder, heads, open }: Losing, name: string): number | undefined {
  const known = heads.get(name)?.rows ?? open[name]?.head.rows;
  if (known !== undefined) return known;
  try {
    const path = join(folder, name);
    const index = indexSections(disk, path, name);
    const sections = openSections({ disk, path, file: name, index }, () => {}, 0);
    return (json(sections, "chunk") as { rows: number }).rows;
  } catch (error) {
    if (error instanceof SnapshotDamage || error instanceof DiskError) return undefined;
    throw error;
  }
}

function made(
  disk: Disk,
  folder: string,
  manifest: Manifest,
  losses: readonly Loss[],
  written: ReadonlyMap<string, Uint8Array>,
): Salvaged {
  const sectionsOf = (entry: FileEntry): Sections => {
    const bytes = written.get(entry.name);
    // A load may write into the bytes that it is given.
    return bytes === undefined ? readEntry(disk, folder, entry) : decodeSections(bytes.slice(), entry.name);
  };
  const load = () => {
    const inMemory = manifest.files.filter(({ mapped }) => !mapped);
    const files = new Map(inMemory.map((entry) => [entry.name, sectionsOf(entry)]));
    return CheckpointFiles.load({ manifest, files, damages: [] }, mappedIn(disk, folder));
  };
  return { manifest, losses, written, load };
}

/** Returns the empty checkpoint with which a folder begins, for a log that is there from its first record on. */
export function beginning(disk: Disk, folder: string, folderId: string): Salvaged {
  const { files } = CheckpointFiles.empty(folderId, mappedIn(disk, folder));
  const { checkpoint } = files.collect(0, 0, false);
  const written = new Map<string, Uint8Array>();
  const entries = checkpoint.files.flatMap((file): FileEntry[] => {
    if (!("sections" in file)) return [];
    const bytes = encodeSections(file.sections);
    written.set(file.name, bytes);
    return [{ name: file.name, bytes: bytes.length, checksum: fileChecksum(bytes) }];
  });
  const manifest: Manifest = { seq: 0, folderId, names: checkpoint.names ?? storedNames, files: entries };
  written.set(manifestName(0), encodeManifest(manifest));
  return made(disk, folder, manifest, [], written);
}
