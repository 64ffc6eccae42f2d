/**
 * Files of a node's copy that are not there yet: those of sealed chunks and of months without rows, which a node that joins
 * fetches from the backup that it began with. As long as there are any, the folder has a list of them, so that a file that
 * is to come is never taken for damage. No checkpoint is made meanwhile: the manifest stays that of the backup.
 */
import { Refusal } from "../../core/refusal.ts";
import type { Logger } from "../../lib/log.ts";
import { expectContent } from "../../lib/decoding.ts";
import type { BackupEntry } from "../../snapshot/backup-list.ts";
import { isFileOfCheckpoint, isManifest, type Manifest } from "../../snapshot/manifest.ts";
import { json, type Sections } from "../../snapshot/named-sections.ts";
import { decodeSections, encodeSections, jsonSection, readInFile } from "../../snapshot/section.ts";
import type { OpenChunks } from "./collected-chunks.ts";
import { isMonth } from "./month-files.ts";

/** The name of the list in a data folder. */
export const awaitedName = "awaited";

/** The files of a folder that are not there yet, as the engine sees them. */
export interface AwaitedFiles {
  /** The names of these files below the data folder; none once all are there. */
  readonly names: ReadonlySet<string>;
  /** Resolves when all are there; rejects with StillAwaited if the node stops before. */
  readonly whole: Promise<void>;
  /** Asks for these files before all others. Resolves when they are there; rejects with Refusal if one cannot be had. */
  until(names: readonly string[]): Promise<unknown>;
}

/** Throws Refusal 500 for a folder that lacks files: whoever copies it would have a part. */
export function expectAll(awaited: AwaitedFiles | undefined): void {
  const { size = 0 } = awaited?.names ?? {};
  if (size > 0)
    throw new Refusal(
      500,
      `this node still fetches ${size} files of its copy: try again when it has them`,
      60,
    );
}

/** A generous estimate of a row with its properties and its beacon. */
export const bytesPerRecord = 160;

interface RoomForRecords {
  readonly awaited?: AwaitedFiles | undefined;
  readonly memoryBytes: number;
  readonly logger: Logger;
}

/**
 * Whether a copy may apply more records. While it lacks files it makes no checkpoint, and all that came since its start is
 * in memory. That may take half of what the server is given; then the copy stays behind, and says so.
 */
export function hasRoom(
  { awaited, memoryBytes, logger }: RoomForRecords,
  { recordsToReplay: records }: { readonly recordsToReplay: number },
  { bytesSinceStart }: { readonly bytesSinceStart: number },
): boolean {
  if (!awaited?.names.size || bytesSinceStart + records * bytesPerRecord < memoryBytes / 2) return true;
  const text =
    "no room for more records until all files of the copy are there: it stays behind the other nodes";
  logger.warn(text, { records, files: awaited.names.size });
  return false;
}

/** Returns what somebody hears whose question needs a file that did not come at the last attempt. */
export function notToBeHad(): Refusal {
  return new Refusal(
    500,
    "a file of these statistics could not be fetched yet: see the log of the server, or ask about another period",
    30,
  );
}

/** The node stops, and goes on at its next start. */
export class StillAwaited extends Error {
  override name = "StillAwaited";
}

/** The list in a data folder. It stays as it is until all files are there: those that have come are known by their lengths. */
export interface AwaitedList {
  /** The manifest that names the files. With any other in the folder, the list is one that could not be removed. */
  readonly manifest: string;
  /** The last record that the backup has. */
  readonly seq: number;
  /** The folder of the backup in the place of the cluster's backups, with a slash. */
  readonly top: string;
  readonly files: readonly BackupEntry[];
}

export function encodeAwaited(list: AwaitedList): Uint8Array {
  return encodeSections([jsonSection("awaited", list)]);
}

/** Throws SnapshotDamage and NewerFormat. */
export function decodeAwaited(bytes: Uint8Array): AwaitedList {
  const sections = decodeSections(bytes, awaitedName);
  return readInFile(awaitedName, () => {
    const list = json(sections, "awaited") as AwaitedList;
    expectContent(isManifest(list.manifest), `manifest: ${list.manifest}, not the name of one`);
    for (const { name } of list.files) expectContent(isFileOfCheckpoint(name), `a file ${name}`);
    return list;
  });
}

/** Returns the names of the files that a start can do without, though not each question. `state`: the sections of the state. */
export function namesOfLater({ files }: Manifest, state: Sections): ReadonlySet<string> {
  const open = state.has("open") ? (json(state, "open") as OpenChunks) : {};
  const isLater = (name: string) => isMonth(name) || (name.endsWith(".chunk") && !(name in open));
  return new Set(files.flatMap(({ name, mapped }) => (mapped && isLater(name) ? [name] : [])));
}
