/**
 * Remembers the beacons of page views that were not counted, so that their unloads and events are not counted either
 * and do not wait for a page view that never comes. In memory only: after a restart they wait, and are found missing.
 */
import type { RejectionReason } from "../../core/rejection.ts";
import { TextMap } from "../../lib/collections/text-map.ts";

/** How long a beacon is remembered after its last hit, as long as an early hit waits. */
const rememberedMs = 600_000;
/** The one that was used longest ago is forgotten first. */
const beaconsMax = 32_768;

export interface RefusedBeacon {
  readonly websiteId: number;
  readonly reason: RejectionReason;
  readonly lastMs: number;
}

export class RefusedBeacons {
  /** By beacon, the one used longest ago first. */
  private readonly refused = new TextMap<RefusedBeacon>();

  /** `websiteId` 0: nobody knows whose it is, and nothing is remembered. */
  add(beacon: string, refused: RefusedBeacon): void {
    if (beacon === "" || refused.websiteId === 0) return;
    this.refused.set(beacon, refused);
    for (;;) {
      const [oldest, { lastMs }] = this.refused.oldest() ?? [beacon, refused];
      if (this.refused.size <= beaconsMax && refused.lastMs - lastMs < rememberedMs) break;
      this.refused.delete(oldest);
    }
  }

  /** Returns why the page view of a later hit was not counted. websiteId 0: on any website. */
  find(beacon: string, websiteId: number, nowMs: number): RejectionReason | undefined {
    const found = this.refused.get(beacon);
    if (found === undefined || nowMs - found.lastMs >= rememberedMs) return undefined;
    if (websiteId !== 0 && websiteId !== found.websiteId) return undefined;
    this.add(beacon, { ...found, lastMs: nowMs });
    return found.reason;
  }

  websiteOf(beacon: string): number | undefined {
    return this.refused.get(beacon)?.websiteId;
  }

  /** Forgets a beacon whose page view counts after all. */
  delete(beacon: string): void {
    this.refused.delete(beacon);
  }

  get size(): number {
    return this.refused.size;
  }
}
