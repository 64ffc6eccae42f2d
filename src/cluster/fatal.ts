/** The errors after which a node does not go on: trying again would be of no use. */
import { AssertionError } from "../lib/assert.ts";
import { NewerFormat } from "../lib/decoding.ts";
import { StreamDamage, StreamGap } from "./stream/stream-reader.ts";

/** A record could not be applied: the node ends, and its next start applies it anew. */
export class CopyBroken extends Error {
  override name = "CopyBroken";
}

/** The state of this node is not that of the others. */
export class CopyDiffers extends Error {
  override name = "CopyDiffers";
}

/** Whether trying again is of no use. */
export function isFatal(error: unknown): error is Error {
  return [StreamDamage, StreamGap, NewerFormat, CopyBroken, AssertionError].some(
    (kind) => error instanceof kind,
  );
}
