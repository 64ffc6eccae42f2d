/**
 * Keeps room for the events of everybody's page views: a chunk takes some 262,144 properties, and its page views none after that.
 * A chunk that is filled by few hits is crowded, and there one network may add a share a day only.
 */
import { chunkPropertiesMax, chunkRowsMax } from "../../store/chunks/chunk-head.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { NetworkBuckets, ofDay } from "./floods.ts";
import { networkShare } from "./names.ts";

/** Properties from which a chunk is crowded: half of its room, and three a row, which leaves a quarter for later events. */
const crowdedMin = chunkPropertiesMax / 2;
const crowdedOfRow = (3 / 4) * (chunkPropertiesMax / chunkRowsMax);
const share = (chunkPropertiesMax - crowdedMin) * networkShare;

export class Crowding {
  private readonly shares = new NetworkBuckets(ofDay(share));

  /** Returns whether a hit would take more of a crowded chunk than the share of its network. */
  isFull(chunk: Chunk | undefined, network: string, properties: number, nowMs: number): boolean {
    if (properties === 0 || chunk === undefined || chunk.properties <= crowdedMin) return false;
    if (chunk.properties <= crowdedOfRow * chunk.rows) return false;
    return !this.shares.take(network, nowMs, properties);
  }
}
