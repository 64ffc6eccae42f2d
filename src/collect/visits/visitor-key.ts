/**
 * The keyed hash by which visits are told apart while they go on. It is an HMAC of SHA-256 (RFC 2104), cut to 64 bits:
 * who has a hash cannot find the key, and who has neither cannot tell whom a hash is of. The key is random, made new by
 * every process and every UTC day. Keys and hashes are in memory only.
 */
import { placeOf } from "../../core/addresses/address.ts";
import { utcDay } from "../../core/calendar/date.ts";
import { dayMs, visitPauseMs } from "../../core/hit.ts";
import type { Random } from "../../lib/random.ts";
import type { HitHeaders, Sender } from "../hit.ts";

/** The parts of a hit that are mostly the same for one visitor of a website, and for nobody else. */
export interface Visitor {
  readonly websiteId: number;
  readonly sender: Pick<Sender, "address" | "account">;
  readonly headers: HitHeaders;
}

interface DayKey {
  readonly day: number;
  readonly key: Uint8Array;
}

/** The length of a key, in bytes. Exported for tests. */
export const keyBytes = 32;

export class VisitorKeys {
  private today: DayKey | undefined;
  private yesterday: DayKey | undefined;

  constructor(private readonly random: Random) {}

  /** Returns the hash of a visitor under the key of the day. */
  hashOf(visitor: Visitor, timeMs: number): bigint {
    const day = utcDay(timeMs);
    const today = this.today?.day === day ? this.today : this.begin(day);
    return hashOf(visitor, today);
  }

  /** Returns the hash under the key of the day before; undefined if there is none, or it is over for too long. */
  earlierHashOf(visitor: Visitor, timeMs: number): bigint | undefined {
    this.forget(timeMs);
    return this.yesterday && hashOf(visitor, this.yesterday);
  }

  /** Forgets the key of a day that is over for longer than a visit may pause. */
  forget(timeMs: number): void {
    if (this.today !== undefined && this.today.day !== utcDay(timeMs)) this.begin(utcDay(timeMs));
    if (timeMs % dayMs > visitPauseMs) this.yesterday = undefined;
  }

  /** Forgets all keys: there is no hash left. */
  clear(): void {
    this.today = this.yesterday = undefined;
  }

  private begin(day: number): DayKey {
    this.yesterday = this.today?.day === day - 1 ? this.today : undefined;
    this.today = { day, key: this.random.bytes(keyBytes) };
    return this.today;
  }
}

function hashOf({ websiteId, sender, headers }: Visitor, { key }: DayKey): bigint {
  const { userAgent, acceptLanguage } = headers;
  const text = `${websiteId}\n${placeOf(sender.address)}\n${userAgent}\n${acceptLanguage}`;
  return new Bun.CryptoHasher("sha256", key).update(text).digest().readBigUInt64LE();
}
