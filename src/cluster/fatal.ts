/** The errors that end a node: trying again in the same process is of no use. */
import { AssertionError } from "../lib/assert.ts";
import { NewerFormat } from "../lib/decoding.ts";
import { StreamSetBack } from "./set-back.ts";
import { StreamDamage, StreamGap } from "./stream/stream-reader.ts";

/** A record could not be applied: the node ends, and its next start applies it anew. */
export class CopyBroken extends Error {
  override name = "CopyBroken";
}

/** The state of this node is not that of the others. */
export class CopyDiffers extends Error {
  override name = "CopyDiffers";
}

/** The client of NATS has given the connection up. */
export class ConnectionClosed extends Error {
  override name = "ConnectionClosed";
}

/** Whether trying again is of no use. */
export function isFatal(error: unknown): error is Error {
  return [StreamDamage, StreamGap, StreamSetBack, NewerFormat, CopyBroken, AssertionError].some(
    (kind) => error instanceof kind,
  );
}
