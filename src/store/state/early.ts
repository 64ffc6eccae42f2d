/**
 * Unloads and events that came before their load, by beacon. They wait ten minutes of log time, leave the memory soon
 * after that, and are bounded in its bytes; the oldest go first, and what goes unclaimed is counted for its website. An
 * event of a website is counted at once with a row of its own; what waits is its way to the load.
 */
import { earlyWaitMs } from "../../core/hit.ts";
import type { Properties, PropertyNumbers } from "../../core/questions/property.ts";
import { TextMap } from "../../lib/collections/text-map.ts";

/** The bytes that all waiting hits together may take in memory. Exported for tests. */
export const earlyBytesMax = 16 * 1024 * 1024;
/**
 * The bytes that a waiting hit takes besides its strings, for its objects and its place by beacon; then those of a
 * property.
 */
export const hitBytes = 320;
const propertyBytes = 96;
/** The bytes of an event's id. */
export const idBytes = 64;

interface EarlyBase {
  readonly timeMs: number;
  /** 0 means any website. */
  readonly websiteId: number;
  /** As of the record of an event. */
  readonly isApart?: true;
}

export type Early = EarlyBase &
  (
    | { readonly kind: "unload"; readonly visibleMs: number }
    /** `isAdmitted`, `idHash` and `isSentId`: as of the record. */
    | {
        readonly kind: "event";
        readonly properties: Properties;
        readonly numbers?: PropertyNumbers;
        readonly isAdmitted?: boolean;
        readonly idHash?: string;
        readonly isSentId?: boolean;
      }
    /** Properties of a bare row that move to the load: `count` of them from `first` in that chunk. */
    | { readonly kind: "bare"; readonly chunkNumber: number; readonly first: number; readonly count: number }
  );

export type BareEarly = Extract<Early, { readonly kind: "bare" }>;

export interface EarlyState {
  readonly waiting: readonly (readonly [beacon: string, early: readonly Early[]])[];
}

export class EarlyHits {
  /** Hits by beacon. Those in front came first, but where some of a beacon have gone: its others are behind all that were there then. */
  private readonly waiting = new TextMap<Early[]>();
  /** The memory that all of them take, in bytes. */
  bytes = 0;
  /**
   * Is called for each hit that is not counted after all: its load never came, or another event had its id by then. No part
   * of the state.
   */
  onRefused: (websiteId: number, reason: "early" | "duplicate") => void = () => {};

  add(beacon: string, early: Early): void {
    this.expire(early.timeMs);
    const list = this.waiting.get(beacon);
    if (list === undefined) this.waiting.set(beacon, [early]);
    else list.push(early);
    this.bytes += bytesOf(early);
    while (this.bytes > earlyBytesMax) {
      const [oldest, all] = this.waiting.oldest()!;
      this.lose(oldest, all, all.length);
    }
  }

  /** Removes and returns the hits that wait for this load, in the order in which they came. */
  claim(beacon: string, websiteId: number, loadMs: number): readonly Early[] {
    const list = this.waiting.get(beacon);
    if (list === undefined) return [];
    const fits = (early: Early) =>
      (early.websiteId === 0 || early.websiteId === websiteId) && loadMs - early.timeMs <= earlyWaitMs;
    const claimed = list.filter(fits);
    if (claimed.length === 0) return claimed;
    const rest = list.filter((early) => !fits(early));
    for (const early of claimed) this.forget(early);
    this.keep(beacon, rest);
    return claimed;
  }

  /** Forgets the hits of a website that is removed. */
  removeWebsite(websiteId: number): void {
    this.remove((early) => early.websiteId === websiteId);
  }

  /** Forgets the events of a website with rows of their own that `isGone` names. */
  removeBare(websiteId: number, isGone: (early: BareEarly) => boolean): void {
    this.remove((early) => early.kind === "bare" && early.websiteId === websiteId && isGone(early));
  }

  /** Forgets the hits that came before `timeMs`. */
  removeBefore(timeMs: number): void {
    this.remove((early) => early.timeMs < timeMs);
  }

  save(): EarlyState {
    return { waiting: [...this.waiting] };
  }

  static load({ waiting }: EarlyState): EarlyHits {
    const hits = new EarlyHits();
    for (const [beacon, list] of waiting) {
      hits.waiting.set(beacon, [...list]);
      for (const early of list) hits.bytes += bytesOf(early);
    }
    return hits;
  }

  private remove(goes: (early: Early) => boolean): void {
    for (const [beacon, list] of [...this.waiting]) {
      const rest = list.filter((early) => !goes(early));
      if (rest.length === list.length) continue;
      for (const early of list) if (goes(early)) this.forget(early);
      this.keep(beacon, rest);
    }
  }

  /** Drops from the front the hits that have waited too long, and those of a clock that was as much ahead. */
  private expire(nowMs: number): void {
    for (;;) {
      const oldest = this.waiting.oldest();
      if (oldest === undefined) return;
      const [beacon, list] = oldest;
      const kept = list.findIndex((early) => Math.abs(nowMs - early.timeMs) <= earlyWaitMs);
      if (kept === 0) return;
      this.lose(beacon, list, kept === -1 ? list.length : kept);
    }
  }

  /** Forgets the first `count` hits of a beacon, which no load will claim. */
  private lose(beacon: string, list: Early[], count: number): void {
    for (const early of list.splice(0, count)) {
      this.forget(early);
      this.onRefused(early.websiteId, "early");
    }
    this.keep(beacon, list);
  }

  /** The hits of a beacon that stay wait behind all others: else those could not go before them. */
  private keep(beacon: string, rest: Early[]): void {
    if (rest.length > 0) this.waiting.set(beacon, rest);
    else this.waiting.delete(beacon);
  }

  private forget(early: Early): void {
    this.bytes -= bytesOf(early);
  }
}

/** Returns the bytes that it takes in memory while it waits; strings have two bytes a character at most. Exported for tests. */
export function bytesOf(early: Early): number {
  if (early.kind !== "event") return hitBytes;
  return hitBytes + propertiesBytes(early.properties) + (early.idHash === undefined ? 0 : idBytes);
}

export function propertiesBytes(properties: Properties): number {
  return properties.reduce(
    (sum, [name, value]) => sum + propertyBytes + 2 * ((name?.length ?? 0) + (value?.length ?? 0)),
    0,
  );
}
