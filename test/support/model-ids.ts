/** The ids of events, as naively as possible: each is looked for among all that came since the last days but one began. */
import { beaconKnownMs } from "../../src/core/hit.ts";
import type { EventId } from "../../src/store/state/event-ids.ts";

export class ModelIds {
  private seen: { readonly id: EventId; readonly websiteId: number; readonly generation: number }[] = [];
  private generation = 0;
  private sinceMs = -Infinity;

  has({ idHash = null, isSentId }: EventId, websiteId: number): boolean {
    return this.seen.some(
      (other) =>
        idHash !== null &&
        other.id.idHash === idHash &&
        other.websiteId === websiteId &&
        (other.id.isSentId || !isSentId) &&
        other.generation >= this.generation - 1,
    );
  }

  add(id: EventId, websiteId: number, timeMs: number): void {
    if ((id.idHash ?? null) === null) return;
    if (timeMs - this.sinceMs > beaconKnownMs) {
      this.generation++;
      this.sinceMs = timeMs;
    }
    this.seen.push({ id, websiteId, generation: this.generation });
  }
}
