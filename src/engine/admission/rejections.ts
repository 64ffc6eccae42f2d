/**
 * Counts hits that were not counted, and logs the counts once a minute: a flood of such hits costs the log one record a
 * website. Hits for hostnames that nobody registered are counted in memory only: strangers choose those names.
 */
import { hostnameCharactersMax } from "../../core/addresses/hostname.ts";
import type { Rejection, RejectionCounts } from "../../core/rejection.ts";
import type { RecordOf } from "../../record/record.ts";

const loggedEveryMs = 60_000;
/** Hostnames that are shown to the owner of the server, the latest ones. */
const unknownMax = 20;

export interface UnknownHostname {
  readonly hostname: string;
  readonly hits: number;
}

export interface RejectionCounterOptions {
  readonly nowMs: () => number;
  readonly commit: (record: RecordOf<"rejected">) => Promise<unknown>;
}

export class RejectionCounter {
  /** The counts that are not logged yet, by website. */
  private readonly counts = new Map<number, Partial<Record<Rejection, number>>>();
  /** Hits by hostname, the latest last. */
  private readonly unknown = new Map<string, number>();
  private timer: Timer | undefined;

  constructor(private readonly options: RejectionCounterOptions) {}

  /** `websiteId` 0: nobody's, which is not counted. */
  note(websiteId: number, reason: Rejection, count = 1): void {
    if (websiteId === 0) return;
    const own = this.counts.get(websiteId) ?? {};
    this.counts.set(websiteId, own);
    own[reason] = (own[reason] ?? 0) + count;
    this.timer ??= setTimeout(() => void this.log(), loggedEveryMs);
  }

  noteUnknown(hostname: string): void {
    const name = hostname.slice(0, hostnameCharactersMax);
    const hits = (this.unknown.get(name) ?? 0) + 1;
    this.unknown.delete(name);
    if (this.unknown.size >= unknownMax)
      for (const oldest of this.unknown.keys()) {
        this.unknown.delete(oldest);
        break;
      }
    this.unknown.set(name, hits);
  }

  /** Returns the counts of a website that are not logged yet. */
  pendingOf(websiteId: number): RejectionCounts {
    return this.counts.get(websiteId) ?? {};
  }

  /** The latest first. */
  get unknownHostnames(): readonly UnknownHostname[] {
    return Array.from(this.unknown, ([hostname, hits]) => ({ hostname, hits })).reverse();
  }

  /** Logs what was counted. Never rejects: what cannot be logged is counted on. */
  async log(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const taken = [...this.counts];
    this.counts.clear();
    const timeMs = this.options.nowMs();
    await Promise.all(
      taken.map(async ([websiteId, counts]) => {
        const reasons = Object.entries(counts) as [Rejection, number][];
        const rows = reasons.map(([reason, count]) => ({ reason, count }));
        try {
          await this.options.commit({ kind: "rejected", timeMs, websiteId, counts: rows });
        } catch {
          for (const [reason, count] of reasons) this.note(websiteId, reason, count);
        }
      }),
    );
  }

  /** Logs what is left, for the last time. */
  async stop(): Promise<void> {
    await this.log();
    clearTimeout(this.timer);
  }
}
