/**
 * Makes the folder of a single machine of a node's copy: what the stream still has is applied, and a log begins behind the
 * newest checkpoint. The stream is left as it is. Where it is lost, the copy ends with what it has.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../core/refusal.ts";
import { expectAgreeing } from "../../cluster/differing.ts";
import type { Stream, StreamOptions } from "../../cluster/stream/stream.ts";
import { readManifest } from "../../engine/opening/check-folder.ts";
import { lockFolder } from "../../engine/opening/open.ts";
import { alone, placeOfCopy } from "../../engine/opening/shared-folder.ts";
import { orRefused } from "../../engine/refused.ts";
import { replaceFile, systemDisk, writeFile } from "../../lib/disk/disk.ts";
import { acquireLock } from "../../lib/disk/lock.ts";
import { encodeManifest, isManifest, type Manifest, type StreamPlace } from "../../snapshot/manifest.ts";
import { logPath, removeSegments } from "../../wal/segment.ts";
import { whileStill } from "../backup/pinned.ts";
import { emptySegment } from "../repair/log-repair.ts";
import { catchUp, type CatchUp } from "./catch-up.ts";
import { expectSound } from "./move-in.ts";
import { bringUp } from "./objects.ts";

const heardMs = 2_500;

/** The folder is a node's copy, or a new one. */
export interface MoveBack extends CatchUp {
  readonly stream: StreamOptions;
}

export interface MovedBack {
  /** The last record that the folder has. */
  readonly seq: number;
  /** A sentence that says which records it may lack. */
  readonly lacks?: string | undefined;
}

/** Throws Refusal, FolderRefused, LogDamage and DiskError. */
export async function moveBack(move: MoveBack): Promise<MovedBack> {
  const { folder, stream: options } = move;
  expectAgreeing(folder);
  const { Stream } = await import("../../cluster/stream/stream.ts");
  const stream = await Stream.open(options);
  const place = existsSync(folder) ? placeOfCopy(systemDisk, folder) : undefined;
  const isLost = place !== undefined && place.incarnation !== stream?.start.incarnation;
  if (stream === undefined && place === undefined) throw nothingToMove(move);
  await expectNoNode(options);
  let lacks: string | undefined;
  if (isLost) {
    await complete(move, place);
    lacks = lackingOf(move, stream);
  } else lacks = await catchUp(move, stream as Stream);
  await expectWhole(folder);
  return { seq: leaveStream(folder), lacks };
}

function noCopy(folder: string): string {
  return `${folder} is no node's copy: it has a log of its own, and starts without --nats`;
}

function nothingToMove({ folder, stream: { prefix } }: MoveBack): Refusal {
  const names = existsSync(folder) ? systemDisk.list(folder) : [];
  const what = names.some(isManifest)
    ? noCopy(folder)
    : "if its stream is lost, name the folder of a node with --data, or one that 'footfall restore' makes of the newest " +
      "backup in the place of backups";
  return new Refusal(404, `there is no cluster at these servers of NATS with the prefix ${prefix}: ${what}`);
}

function lackingOf({ stream: { prefix } }: MoveBack, other: Stream | undefined): string {
  const there = other === undefined ? "no stream" : "another stream";
  return (
    `It lacks what was only in the stream of which it was a copy, and what other nodes and backups have beyond that record ` +
    `('footfall check --data FOLDER' says how far each folder goes): these servers of NATS have ${there} with the prefix ${prefix}`
  );
}

/** Fetches the files that a copy still lacks. */
async function complete(move: MoveBack, { incarnation, nextSeq }: StreamPlace): Promise<void> {
  const lacking = await bringUp({ ...move, stream: { incarnation, firstSeq: nextSeq } });
  await lacking?.all();
}

/** Throws Refusal for a copy that a server has open, or that is damaged. Once it has left the stream, no older checkpoint is there. */
async function expectWhole(folder: string): Promise<void> {
  await whileStill(folder, async (pinned) => {
    if (pinned !== undefined) throw new Refusal(409, `${folder} is being served: stop the node`);
    expectSound(folder);
  });
}

/** Nodes say each second that they run. Throws Refusal 400 if one does: what it takes would be in no folder of one machine. */
async function expectNoNode(options: StreamOptions): Promise<void> {
  const { heardNodes } = await import("../../cluster/roster/roster.ts");
  const names = await heardNodes(options, heardMs);
  if (names.length > 0)
    throw new Refusal(
      400,
      `${names.join(", ")} still run and take hits: stop all nodes of the cluster first`,
    );
}

/**
 * Makes the newest checkpoint of a copy one behind which a log in the folder goes on. Returns its last record.
 * Exported for tests.
 */
export function leaveStream(folder: string): number {
  using _lock = lockFolder(folder, acquireLock);
  const manifests = systemDisk.list(folder).filter(isManifest);
  const newest = manifests.pop();
  const manifest =
    newest === undefined
      ? undefined
      : orRefused(() => readManifest(systemDisk, folder, newest), "choose an empty folder");
  if (newest === undefined || manifest?.stream === undefined) throw new Refusal(400, noCopy(folder));
  beginLog(folder, manifest);
  // An older one would need records that no log has.
  for (const name of manifests) systemDisk.remove(join(folder, name));
  replaceFile(systemDisk, join(folder, newest), encodeManifest(alone(manifest)));
  systemDisk.syncDirectory(folder);
  return manifest.seq;
}

/** Leaves one segment without a batch: it says which record is the next. */
function beginLog(folder: string, manifest: Manifest): void {
  const directory = logPath(folder);
  systemDisk.makeDirectory(directory);
  removeSegments(systemDisk, directory);
  const { name, bytes } = emptySegment(manifest);
  writeFile(systemDisk, join(directory, name), bytes);
  systemDisk.syncDirectory(directory);
}
