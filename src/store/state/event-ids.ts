/**
 * Remembers the ids that websites give events, so that an event counts once: for two days at least, unless more than
 * `idsMax` come within two days. An id is here as its record has it, as a keyed hash. It is found for its website only, and
 * one that a token sends only among those that tokens sent: whoever guesses the ids of a server keeps no event of it out.
 */
import type { RecordOf } from "../../record/record.ts";
import { Beacons } from "../beacons/beacons.ts";

/** The most ids that one of two generations holds. Format 1. */
const idsMax = 524_288;

export type EventId = Pick<RecordOf<"event">, "idHash" | "isSentId">;

/** The chunk number of an entry, which names no row, says who sent the id. */
const browser = 0;
const token = 1;

export class EventIds {
  /** Its seed is no secret: what it hashes are hashes that strangers cannot choose. */
  constructor(readonly seen = EventIds.table()) {}

  static table(young?: Beacons["young"], old?: Beacons["old"], entriesMax = idsMax): Beacons {
    return new Beacons(0n, young, old, entriesMax);
  }

  /** Returns whether an event with this id was counted; false for an event without one. */
  has({ idHash = null, isSentId = false }: EventId, websiteId: number): boolean {
    if (idHash === null) return false;
    const found = this.seen.find(idHash, (place) => {
      const isSame = place.websiteId === websiteId && (!isSentId || place.chunkNumber === token);
      return isSame ? 0 : undefined;
    });
    return found !== undefined;
  }

  /** `timeMs`: when the event came. */
  add({ idHash = null, isSentId = false }: EventId, websiteId: number, timeMs: number): void {
    if (idHash === null) return;
    this.seen.add(idHash, { websiteId, chunkNumber: isSentId ? token : browser, row: 0 }, timeMs);
  }
}
