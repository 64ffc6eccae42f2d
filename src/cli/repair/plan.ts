/**
 * Decides how a damaged folder becomes one that starts: with which checkpoint, and how much of the log after it. It is
 * the way with the least loss; of several, the one with the newest checkpoint. Nothing is changed here.
 */
import { join, relative } from "node:path";
import { damagedFacts, readManifest } from "../../engine/opening/check-folder.ts";
import { alone } from "../../engine/opening/shared-folder.ts";
import { Refusal } from "../../core/refusal.ts";
import { AssertionError } from "../../lib/assert.ts";
import { DiskError, type Disk } from "../../lib/disk/disk.ts";
import { readListed } from "../../snapshot/backup-list.ts";
import {
  encodeManifest,
  isManifest,
  manifestName,
  type FileEntry,
  type Manifest,
} from "../../snapshot/manifest.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import { monthFiles } from "../../store/state/months.ts";
import { incarnationFile } from "../backup/store.ts";
import { emptySegment, repairLog, tracesOf, type LogRepair } from "./log-repair.ts";
import { beginning, salvage, type Salvaged } from "./salvage.ts";
import { logPrefix } from "../../wal/segment.ts";

export interface RepairPlan {
  /** The files that are written, by their path below the folder, in this order. */
  readonly written: ReadonlyMap<string, Uint8Array>;
  /** A segment of which only the first bytes stay. */
  readonly cut: { readonly path: string; readonly bytes: number } | undefined;
  /** The paths below the folder that go. */
  readonly removed: readonly string[];
  /** Says where the state comes from. */
  readonly takes: string;
  /** Says what is lost; empty if nothing is. */
  readonly losses: readonly string[];
  /** Whether a node's copy becomes the folder of a single machine. */
  readonly leavesStream: boolean;
}

/** One way to a folder that starts. */
interface Way {
  readonly checkpoint: Salvaged;
  readonly log: LogRepair;
}

/** Throws Refusal if nothing can be kept; NewerFormat and DiskError. */
export function planRepair(disk: Disk, folder: string): RepairPlan {
  const names = disk.list(folder).filter(isManifest).toReversed();
  const readable = names.flatMap((name) => orNothing(() => readManifest(disk, folder, name)) ?? []);
  const traces = tracesOf(disk, folder);
  const folderId =
    mostFrequent([...readable.map((manifest) => manifest.folderId), ...traces.folderIds]) ?? "";
  const manifests = readable.filter((manifest) => manifest.folderId === folderId);
  // One without the unavailable websites counts on an earlier one, which is kept with all of the log after it.
  const isPartial = ({ unavailable }: Manifest) => unavailable !== undefined;
  const ways = waysFrom(
    disk,
    folder,
    manifests.filter((manifest) => !isPartial(manifest)),
  );
  if (!ways.some(isWhole) && traces.firstSeq === 1 && folderId !== "") {
    const way = wayFrom(disk, folder, beginning(disk, folder, folderId));
    if (way.log.lastSeq > 0 && hasSums(way, damageFinder(disk, folder))) ways.push(way);
  }
  if (ways.length === 0) ways.push(...waysFrom(disk, folder, manifests.filter(isPartial)));
  const knownSeq = Math.max(traces.lastSeq(folderId), ...manifests.map(({ seq }) => seq));
  const [best] = ways.toSorted((a, b) => lossOf(a, knownSeq) - lossOf(b, knownSeq));
  if (best === undefined)
    throw new Refusal(
      500,
      `${folder} cannot be repaired: no checkpoint can be used with the log after it, and the log does not begin with the first record; restore a backup`,
    );
  const isAsGood = (way: Way) => isWhole(way) && way.log.lastSeq === best.log.lastSeq;
  const kept = isWhole(best) ? ways.filter(isAsGood) : [best];
  const removed = removedPaths(disk, folder, { names, manifests, kept, best });
  const { begun, cut, removed: gone } = best.log;
  const isLogLost =
    begun !== undefined || cut !== undefined || gone.some((name) => !traces.isForeign(name, folderId));
  const losses = lossLines(best, knownSeq, isLogLost);
  // Records from now on have the numbers of lost ones: they must not be taken for those in the backups of before.
  if (losses.length > 0 && disk.list(folder).includes(incarnationFile)) removed.push(incarnationFile);
  const plan = { ...changesOf(best), removed, takes: takenFrom(best), losses, leavesStream: false };
  const leavesStream = losses.length > 0 && best.checkpoint.manifest.stream !== undefined;
  return leavesStream ? leaving(plan, best.checkpoint.manifest, traces.names) : plan;
}

/** A copy with a loss must not follow the stream: no other node and no backup would learn that it is not whole. */
function leaving(plan: RepairPlan, manifest: Manifest, segments: readonly string[]): RepairPlan {
  const begun = emptySegment(manifest);
  const written = new Map([
    ...plan.written,
    [`${logPrefix}${begun.name}`, begun.bytes] as const,
    [manifestName(manifest.seq), encodeManifest(alone(manifest))] as const,
  ]);
  const removed = [...plan.removed, ...segments.map((name) => `${logPrefix}${name}`)];
  return { ...plan, written, removed, leavesStream: true };
}

/** Returns those that lead to a folder that starts. */
function waysFrom(disk: Disk, folder: string, manifests: readonly Manifest[]): Way[] {
  const isDamaged = damageFinder(disk, folder);
  return manifests.flatMap((manifest) => {
    const damaged = new Set(manifest.files.filter(isDamaged).map(({ name }) => name));
    const way = orNothing(() => wayFrom(disk, folder, salvage(disk, folder, manifest, damaged)));
    return way !== undefined && hasSums(way, isDamaged) ? [way] : [];
  });
}

/** Returns whether the sums of each month are whole that only the log names: a start is refused without them. */
function hasSums({ checkpoint, log }: Way, isDamaged: (entry: FileEntry) => boolean): boolean {
  const named = new Set(checkpoint.manifest.files.map(({ name }) => name));
  return monthFiles(log.state.store.sites).every((entry) => named.has(entry.name) || !isDamaged(entry));
}

/** Reads the whole way once. Throws SnapshotDamage or AssertionError if it leads nowhere. */
function wayFrom(disk: Disk, folder: string, checkpoint: Salvaged): Way {
  const log = repairLog(disk, folder, checkpoint.manifest, () => checkpoint.load().state);
  log.state.check();
  return { checkpoint, log };
}

/** Returns undefined if the content of files is the reason why `read` throws. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // A directory in a file's place has no content either.
    const isDirectory = error instanceof DiskError && error.code === "EISDIR";
    if (isDirectory || error instanceof SnapshotDamage || error instanceof AssertionError) return undefined;
    throw error;
  }
}

/** Returns a function that says whether a file differs from its entry; two checkpoints may name one file. */
function damageFinder(disk: Disk, folder: string): (entry: FileEntry) => boolean {
  const known = new Map<string, boolean>();
  const isDamaged = (entry: FileEntry) => {
    try {
      readListed(disk, folder, entry);
      return false;
    } catch (error) {
      // A directory in its place cannot be read either.
      const isOther = error instanceof DiskError && error.code !== "EISDIR";
      if (isOther || !(error instanceof SnapshotDamage || error instanceof DiskError)) throw error;
      return true;
    }
  };
  return (entry) => {
    const key = `${entry.name} ${entry.bytes} ${entry.checksum}`;
    return known.getOrInsertComputed(key, () => isDamaged(entry));
  };
}

function mostFrequent(ids: readonly string[]): string | undefined {
  const [found] = [...Map.groupBy(ids, (id) => id)].sort(([, a], [, b]) => b.length - a.length);
  return found?.[0];
}

function isWhole({ checkpoint, log }: Way): boolean {
  const isLogWhole = log.removed.length === 0 && log.cut === undefined && log.begun === undefined;
  return checkpoint.written.size === 0 && isLogWhole;
}

/** Counts records, page views and events alike. */
function lossOf({ checkpoint, log }: Way, knownSeq: number): number {
  return checkpoint.losses.reduce((sum, { rows }) => sum + rows, knownSeq - log.lastSeq);
}

function changesOf({ checkpoint, log }: Way): Pick<RepairPlan, "written" | "cut"> {
  const begun = log.begun && ([`${logPrefix}${log.begun.name}`, log.begun.bytes] as const);
  return {
    written: new Map([...(begun === undefined ? [] : [begun]), ...checkpoint.written]),
    cut: log.cut && { path: `${logPrefix}${log.cut.name}`, bytes: log.cut.bytes },
  };
}

interface Kept {
  readonly names: readonly string[];
  readonly manifests: readonly Manifest[];
  readonly kept: readonly Way[];
  readonly best: Way;
}

/** Lists the other manifests with what only they name, segments that go, and facts that are wrong. */
function removedPaths(disk: Disk, folder: string, { names, manifests, kept, best }: Kept): string[] {
  const keptManifests = kept.map(({ checkpoint }) => checkpoint.manifest);
  const keptNames = new Set(keptManifests.map(({ seq }) => manifestName(seq)));
  // A start reads all of the log again, also what later records made needless.
  const months = kept.flatMap(({ log }) => log.state.loggedMonths);
  const named = new Set([...keptManifests.flatMap(({ files }) => files), ...months].map(({ name }) => name));
  const unneeded = manifests.flatMap(({ files }) => files.map(({ name }) => name));
  const facts = damagedFacts(disk, folder, best.checkpoint.load());
  return [
    ...names.filter((name) => !keptNames.has(name)),
    ...new Set(unneeded.filter((name) => !named.has(name) && isThere(disk, join(folder, name)))),
    ...best.log.removed.map((name) => `${logPrefix}${name}`),
    ...[...facts].flatMap((error) => factsIn(folder, error)),
  ];
}

function factsIn(folder: string, error: Error): string[] {
  if (error instanceof SnapshotDamage) return [error.file];
  return error instanceof DiskError ? [relative(folder, error.path)] : [];
}

function isThere(disk: Disk, path: string): boolean {
  try {
    return disk.size(path) >= 0;
  } catch (error) {
    if (error instanceof DiskError) return false;
    throw error;
  }
}

function takenFrom({ checkpoint, log }: Way): string {
  const { seq } = checkpoint.manifest;
  const start = seq === 0 ? "its beginning" : `the checkpoint of record ${seq}`;
  const time = log.lastMs === 0 ? "" : `, of ${new Date(log.lastMs).toISOString()}`;
  return `the state comes from ${start} and the log up to record ${log.lastSeq}${time}`;
}

/** `isLogLost`: something of this folder's log goes. */
function lossLines({ checkpoint, log }: Way, knownSeq: number, isLogLost: boolean): string[] {
  const losses = checkpoint.losses.map(({ what }) => what);
  if (knownSeq > log.lastSeq)
    losses.push(
      `records ${log.lastSeq + 1} to ${knownSeq} of the log: ${(knownSeq - log.lastSeq).toLocaleString("en")} hits and changes`,
    );
  else if (isLogLost) losses.push(`what followed record ${log.lastSeq} in the log, if anything did`);
  return losses;
}
