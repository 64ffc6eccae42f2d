/** Reads the content of a checkpoint's files. Throws WrongContent for content that no program writes. */
import { Registry, type RegistryState } from "../../accounts/registry/registry.ts";
import { expectContent } from "../../lib/decoding.ts";
import type { FileEntry, Manifest } from "../../snapshot/manifest.ts";
import type { MappedFiles } from "../../snapshot/mapped-files.ts";
import type { LoadedCheckpoint } from "../../snapshot/read-checkpoint.ts";
import type { ChunkHead } from "../../store/chunks/chunk-head.ts";
import { EarlyHits, type EarlyState } from "../../store/state/early.ts";
import { Rejected, type RejectedState } from "../../store/state/rejected.ts";
import { loadHeads } from "../../store/files/save-chunk.ts";
import { loadEventIds } from "../../store/files/save-beacons.ts";
import { emptySizes, extendSite, loadSite, sizesOf, type SiteSizes } from "../../store/files/save.ts";
import { json, type Sections } from "../../snapshot/named-sections.ts";
import { monthsIn } from "../../store/state/months.ts";
import type { Site } from "../../store/state/site.ts";
import { Store } from "../../store/state/store.ts";
import { BeaconFiles } from "../files/beacon-files.ts";
import { websiteOf } from "./checkpoint-names.ts";
import type { OpenChunks } from "../files/collected-chunks.ts";
import type { CollectedMonths } from "../files/month-files.ts";
import { State } from "./state.ts";

/** The file with the entries that a website gained after `since`. */
export interface Increment {
  readonly since: SiteSizes;
  readonly name: string;
}
export interface WrittenSite {
  readonly sizes: SiteSizes;
  readonly increments: readonly Increment[];
}
/** By the website object: one that replaced another is written whole, whatever its sizes. */
export type WrittenSites = Map<Site, WrittenSite>;

/** The data that a checkpoint stores about itself and the log. */
export interface LogState {
  /** The log's time. */
  readonly lastMs: number;
  /**
   * Whether something was deleted, so that no older file may be kept beside this checkpoint, even if a later start
   * finds one.
   */
  readonly alone?: true;
}

/** The greatest number of a visit of each website that has visits. */
export type LastVisits = readonly (readonly [websiteId: number, lastVisit: number])[];

export function lastVisitsOf({ sites }: Store): LastVisits {
  return [...sites.values()].flatMap(({ websiteId, lastVisit }) =>
    lastVisit === 0 ? [] : [[websiteId, lastVisit] as const],
  );
}

/** Sets the numbers in the websites, which are all loaded. Throws WrongContent. */
export function setLastVisits({ sites }: Store, visits: LastVisits): void {
  for (const [websiteId, lastVisit] of visits) {
    const site = sites.get(websiteId);
    expectContent(
      site !== undefined && Number.isSafeInteger(lastVisit),
      `the last visit of website ${websiteId}: ${lastVisit}`,
    );
    site.lastVisit = lastVisit;
  }
}

/** Notes which websites cannot be loaded; their statistics are empty. Throws WrongContent. */
export function setUnavailable(
  { registry, store, unavailable, loggedMonths }: State,
  manifest: Manifest,
  damages: LoadedCheckpoint["damages"],
): void {
  for (const { file } of damages) unavailable.set(websiteOf(file), 0);
  for (const [websiteId, bytes] of manifest.unavailable?.websites ?? []) unavailable.set(websiteId, bytes);
  loggedMonths.push(...(manifest.unavailable?.months ?? []));
  for (const websiteId of unavailable.keys()) {
    expectContent(registry.websites.has(websiteId), `an unavailable website ${websiteId} that is not there`);
    store.addSite(websiteId);
  }
}

/**
 * Returns the seed of the beacons' hash. Strangers do not know the folder's id, so they cannot make two beacons
 * collide.
 */
export function beaconSeed(folderId: string): bigint {
  return BigInt(`0x${folderId.slice(0, 16)}`);
}

/** `entries`: the files of the checkpoint, by name. */
export function loadState(
  sections: Sections,
  seed: bigint,
  mapped: MappedFiles,
  entries: ReadonlyMap<string, FileEntry>,
) {
  const early = EarlyHits.load(json(sections, "early") as EarlyState);
  const rejected = sections.has("rejected")
    ? Rejected.load(json(sections, "rejected") as RejectedState)
    : new Rejected();
  const beacons = BeaconFiles.load(sections, seed, mapped, entries);
  const store = new Store(beacons, early, rejected, monthsIn(mapped), loadEventIds(sections));
  const state = new State(Registry.load(json(sections, "registry") as RegistryState), store);
  const log = json(sections, "log") as LogState;
  expectContent(Number.isFinite(log.lastMs), `lastMs of the log: ${String(log.lastMs)}, not a time`);
  const open = sections.has("open") ? (json(sections, "open") as OpenChunks) : {};
  const visits = sections.has("visits") ? (json(sections, "visits") as LastVisits) : [];
  const months = sections.has("months") ? (json(sections, "months") as CollectedMonths["heads"]) : {};
  return { state, log, sealed: loadHeads(sections), open, visits, months };
}

/** Loads a month without rows. Throws WrongContent. */
export function loadMonth(store: Store, heads: CollectedMonths["heads"], entry: FileEntry): void {
  const head = heads[entry.name];
  expectContent(head !== undefined, `the state says nothing of ${entry.name}`);
  siteOf(store, entry.name).addMonth(store.months.of(head, entry));
}

/** Loads an increment. In the manifest, a website's increments are in their order, before its chunks. */
export function loadIncrement(store: Store, sites: WrittenSites, name: string, sections: Sections): void {
  const known = store.sites.get(websiteOf(name));
  const since = known === undefined ? emptySizes : sizesOf(known);
  const site = known ?? loadSite(sections);
  expectContent(site.websiteId === websiteOf(name), `it is of website ${site.websiteId}`);
  if (site === known) extendSite(site, sections);
  store.sites.set(site.websiteId, site);
  const increments = [...(sites.get(site)?.increments ?? []), { since, name }];
  sites.set(site, { sizes: sizesOf(site), increments });
}

/**
 * Returns the next head. The heads of sealed chunks are in the order of their files, whose names contain the chunk's
 * number.
 */
export function nextHead(heads: Iterator<ChunkHead>, name: string): ChunkHead {
  const { value } = heads.next();
  const number = Number(/-(\d+)\.\d+\.chunk$/.exec(name)?.[1]);
  expectContent(value?.number === number, `the state says nothing of chunk ${number}`);
  return value as ChunkHead;
}

export function siteOf(store: Store, name: string): Site {
  const site = store.sites.get(websiteOf(name));
  expectContent(site !== undefined, `no file of website ${websiteOf(name)} comes before it`);
  return site;
}

export function sectionsOf(files: LoadedCheckpoint["files"], name: string): Sections {
  const sections = files.get(name);
  expectContent(sections !== undefined, "its manifest does not name it");
  return sections;
}
