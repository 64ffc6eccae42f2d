/**
 * Brings a node's copy up to the end of the stream. Where the stream has a message that no node can read, or a record that
 * cannot be applied, the copy may end with the last record before it: nothing of what follows is taken.
 */
import type { Stream } from "../../cluster/stream/stream.ts";
import { Refusal } from "../../core/refusal.ts";
import { openEngine } from "../../engine/opening/open.ts";
import { expectCopy } from "../../engine/opening/shared-folder.ts";
import { NewerFormat, WrongContent } from "../../lib/decoding.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import type { Random } from "../../lib/random.ts";
import { NotApplied } from "../../wal/log.ts";
import type { LogStore, ReadBatch, StreamPosition } from "../../wal/log-store.ts";
import { beginningOf } from "./backups.ts";
import { bringUp, type BringUp } from "./objects.ts";

export interface CatchUp extends Omit<BringUp, "stream" | "retryMs"> {
  /** Whether the copy may end with the last record before one that cannot be read or applied. */
  readonly acceptsLoss?: boolean;
  readonly random: Random;
}

/** The end of what can be taken of a stream. */
interface Obstacle {
  /** The last record before it. */
  readonly seq: number;
  /** A sentence without its full stop. */
  readonly found: string;
}

/**
 * Returns a sentence that says what the copy lacks; undefined if it has everything. Throws Refusal 400 for an obstacle
 * unless that is accepted: the copy is one that a node may go on with. Throws FolderRefused, LogDamage and DiskError.
 */
export async function catchUp(options: CatchUp, stream: Stream): Promise<string | undefined> {
  expectCopy(systemDisk, options.folder, stream.start);
  const lacking = await bringUp({ ...options, stream: await beginningOf(stream) });
  await lacking?.all();
  const obstacle = await follow(options, stream, Infinity);
  if (obstacle === undefined) return undefined;
  const { seq, found } = obstacle;
  if (options.acceptsLoss !== true)
    throw new Refusal(
      400,
      `${found}, so nothing behind record ${seq} can be taken: 'footfall cluster move --back --accept-loss' ends with that ` +
        "record, and what the stream has behind it is lost",
    );
  // A state in which a record was applied in part is not saved, and all before it may be in no checkpoint.
  const again = await follow(options, stream, seq);
  if (again !== undefined) throw new Refusal(500, `${again.found}, now behind record ${again.seq}`);
  return `It lacks what the stream has behind that record: ${found}. The stream is as it was`;
}

/** Applies what the stream has up to record `upTo`, or up to an obstacle before it, which is returned. */
async function follow(
  { folder, clock, random, logger }: CatchUp,
  stream: Stream,
  upTo: number,
): Promise<Obstacle | undefined> {
  const [{ StreamStore }, { StreamDamage, StreamGap }] = await Promise.all([
    import("../../cluster/stream/stream-store.ts"),
    import("../../cluster/stream/stream-reader.ts"),
  ]);
  let opened: InstanceType<typeof StreamStore> | undefined;
  const open = (position: StreamPosition): LogStore =>
    (opened = new StreamStore({ stream, clock, random, position }));
  // Nothing is appended.
  const shared = { ...stream.start, open, mayTake: () => undefined };
  const engine = await openEngine({ folder, clock, random, logger, demo: false, shared });
  const store = opened as unknown as InstanceType<typeof StreamStore>;
  try {
    const { last } = await stream.range();
    while (store.lastMessage < last && engine.appliedSeq < upTo) {
      const before = store.lastMessage;
      for await (const batch of store.read())
        if (engine.appliedSeq < upTo) await engine.follow(partOf(batch, upTo));
      if (store.lastMessage === before)
        throw new StreamGap(`the messages from ${before + 1} to ${last} of the stream are gone`);
    }
    // A folder that was moved in is none of a single machine from here on, also where the stream has nothing yet.
    await engine.purge();
    return undefined;
  } catch (error) {
    if (error instanceof NotApplied) return { seq: engine.appliedSeq - 1, found: error.message };
    const found = error instanceof StreamDamage ? error.found : (error as Error).message;
    const isObstacle = [StreamDamage, StreamGap, NewerFormat, WrongContent].some(
      (kind) => error instanceof kind,
    );
    if (!isObstacle) throw error;
    return { seq: engine.appliedSeq, found };
  } finally {
    await engine.stop();
  }
}

/** Returns a batch without the records behind `upTo`. */
function partOf(batch: ReadBatch, upTo: number): ReadBatch {
  const { firstSeq, records, end } = batch;
  const count = upTo + 1 - firstSeq;
  if (count >= records.length) return batch;
  return { ...batch, records: records.slice(0, count), end: { ...end, nextSeq: firstSeq + count } };
}
