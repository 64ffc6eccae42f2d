/**
 * The lease of a cluster: it suggests which node appends, and lapses some seconds after its holder was last heard. It
 * protects nothing: two nodes that both think that they have it are told apart by the end of the stream.
 */
import { JetStreamApiError, jetstream } from "@nats-io/jetstream";
import { Kvm, type KV } from "@nats-io/kv";
import type { Clock } from "../lib/clock.ts";
import { wrongLastSequence, type StreamOptions } from "./stream/stream.ts";

const answerMs = 1_000;
/**
 * An entry that nobody renewed for so many times the lease was left, although it is there: it lapses by the clock of the server
 * that stored it, which may be ahead of the others'.
 */
const leftLeases = 1.5;
const key = "sequencer";

export class Lease {
  private bucket: KV | undefined;
  /** The revision of this node's own entry; undefined if it has none. */
  private revision: number | undefined;
  private confirmedMs = -Infinity;
  private wasVacant = false;
  /** Why the last round has no answer, in words; undefined if it has one, or another node was faster. */
  failure: string | undefined;
  /** The last entry of another node, and since when it is known. */
  private seen: { readonly revision: number; readonly ms: number } | undefined;
  /** The round that is under way. */
  private underWay: Promise<string | undefined> | undefined;

  constructor(
    private readonly options: StreamOptions,
    private readonly name: string,
    /** The time after which it lapses, since its holder was last heard. */
    private readonly leaseMs: number,
    private readonly clock: Clock,
  ) {}

  /** Whether this node has it, as far as it knows. */
  get isMine(): boolean {
    return this.revision !== undefined && this.clock.monotonicMs() - this.confirmedMs < this.leaseMs;
  }

  /**
   * Renews the lease of this node, or takes one that nobody has if `mayTake` says so; whoever appends anyway takes it at once,
   * others at the second look, or once its holder has not renewed it for long. Resolves to the name of its holder; undefined if nobody has it. Rejects if no answer comes. While
   * one round is under way, it is the answer to others.
   */
  round(isAppending: boolean, mayTake: boolean): Promise<string | undefined> {
    this.underWay ??= this.oneRound(isAppending, mayTake).finally(() => (this.underWay = undefined));
    return this.underWay;
  }

  /** Lets it go at once, so that another node need not wait. */
  async release(): Promise<void> {
    await this.underWay?.catch(() => {});
    const { revision } = this;
    this.revision = undefined;
    // It never had it.
    if (this.confirmedMs < 0) return;
    const bucket = await this.open();
    const found = await bucket.get(key);
    const isOwn = found?.operation === "PUT" && found.string() === this.name;
    // The answer to the last renewal may have been lost, and a server may be behind.
    const newest = Math.max(revision ?? 0, isOwn ? found.revision : 0);
    if (newest > 0) await bucket.delete(key, { previousSeq: newest });
  }

  private async oneRound(isAppending: boolean, mayTake: boolean): Promise<string | undefined> {
    try {
      const holder = (await this.renew()) ?? (await this.look(isAppending, mayTake));
      this.failure = undefined;
      return holder;
    } catch (error) {
      const isLate = error instanceof JetStreamApiError && error.code === wrongLastSequence;
      this.failure = isLate ? undefined : (error as Error).message;
      // The bucket may be gone: the next round makes one where there is none.
      this.bucket = undefined;
      if (!(error instanceof JetStreamApiError)) throw error;
      // Another node was faster, or the servers are not ready.
      this.revision = undefined;
      return undefined;
    }
  }

  private async renew(): Promise<string | undefined> {
    if (this.revision === undefined) return undefined;
    try {
      return this.hold(await (await this.open()).update(key, this.name, this.revision));
    } catch (error) {
      if (!(error instanceof JetStreamApiError) || error.code !== wrongLastSequence) throw error;
      this.revision = undefined;
      return undefined;
    }
  }

  private async look(isAppending: boolean, mayTake: boolean): Promise<string | undefined> {
    const bucket = await this.open();
    const found = await bucket.get(key);
    if (found?.operation === "PUT") {
      this.wasVacant = false;
      const holder = found.string();
      // The answer to a renewal was lost.
      const isOwn = holder === this.name;
      const isLeft = this.isLeft(found.revision) && (isAppending || mayTake);
      return isOwn || isLeft ? this.hold(await bucket.update(key, this.name, found.revision)) : holder;
    }
    const isTime = isAppending || (mayTake && this.wasVacant);
    this.wasVacant = true;
    return isTime ? this.hold(await bucket.create(key, this.name)) : undefined;
  }

  private isLeft(revision: number): boolean {
    const ms = this.clock.monotonicMs();
    if (this.seen?.revision !== revision) this.seen = { revision, ms };
    return ms - this.seen.ms >= leftLeases * this.leaseMs;
  }

  private hold(revision: number): string {
    this.revision = revision;
    this.confirmedMs = this.clock.monotonicMs();
    this.wasVacant = false;
    return this.name;
  }

  private async open(): Promise<KV> {
    const { connection, prefix, replicas } = this.options;
    const manager = new Kvm(jetstream(connection, { timeout: answerMs }));
    this.bucket ??= await manager.create(`${prefix}-lease`, { ttl: this.leaseMs, replicas, history: 1 });
    return this.bucket;
  }
}
