/**
 * Sums by channel: there are a dozen channels, and thousands of tuples that channels are looked up from. A later version
 * may give a tuple another channel. So the sums are believed only while all tuples have the channels that they were added
 * up by, of which a checksum is kept; else the rows answer, and the facts are made again.
 */
import { derivedColumns, type DerivedName } from "../core/questions/stored-dimension.ts";
import { checksum } from "../lib/hashes/checksum.ts";
import type { Chunk } from "../store/chunks/chunk.ts";
import type { ReadSite } from "../store/mirror/read-site.ts";
import type { ChannelCheck } from "./facts.ts";

/** Returns the channel of each tuple of the column that channels are looked up from, as a number. */
export type ChannelsOf = (site: ReadSite, of: DerivedName) => Uint32Array;

/** Returns what the channels are of the tuples that a chunk may have. `channels`: by tuple. */
export function channelCheck({ rows, ids }: Chunk, of: DerivedName, channels: Uint32Array): ChannelCheck {
  const { values } = ids[derivedColumns[of]];
  let tuples = 0;
  for (let row = 0; row < rows; row++) tuples = Math.max(tuples, values[row]! + 1);
  return { tuples, checksum: channelChecksum(channels, 0, tuples) };
}

/** Returns the checksum of the channels of tuples from `from` up to `end`; `seed` continues that of those before. */
export function channelChecksum(channels: Uint32Array, from: number, end: number, seed = 0): number {
  const { buffer, byteOffset } = channels;
  return checksum(new Uint8Array(buffer, byteOffset + 4 * from, 4 * (end - from)), seed);
}

/** Returns, for each of so many tuples, the first that has the same channel: it stands for all of these. */
export function firstOfChannels(channels: Uint32Array, tuples: number): Uint32Array {
  const firsts: number[] = [];
  return channels.slice(0, tuples).map((channel, tuple) => (firsts[channel] ??= tuple));
}
