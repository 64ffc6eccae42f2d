/**
 * A node at work: it follows the stream and applies every batch in its order. While it holds the lease it appends, until
 * another node has begun an epoch or nobody can say what became of a batch; then it follows again.
 */
import type { NatsConnection } from "@nats-io/transport-node";
import { Candidacy } from "./candidacy.ts";
import { Completeness } from "./completeness.ts";
import { followLink } from "./connection/connect.ts";
import { ConnectionClosed, CopyBroken, CopyDiffers, isFatal } from "./fatal.ts";
import { Lease } from "./lease.ts";
import type { ClusterNode } from "./node.ts";
import type { RunningNodeOptions } from "./node-options.ts";
import { News } from "./news.ts";
import { recordLevel, saidFormat } from "./roster/record-level.ts";
import type { HeardNode } from "./roster/roster.ts";
import { SetBack } from "./set-back.ts";
import { unknownMs } from "../core/node-times.ts";
import type { ReadBatch } from "../wal/log-store.ts";
import { wayOut } from "./stream/stream-reader.ts";
import { Fenced, StreamFull } from "./stream/stream-store.ts";
import { Waiters } from "./waiters.ts";
import { nextTurn } from "../lib/threads/turn.ts";

/** The wait after an error, before another attempt. */
const retryMs = 200;
/** A node that stops waits so long for servers of NATS that do not answer. */
const endingMs = 1_000;

export class RunningNode implements ClusterNode {
  readonly name: string;
  readonly connection: NatsConnection;
  readonly failed: Promise<Error>;
  sequencer: string | undefined;
  private readonly fail: (error: Error) => void;
  private readonly lease: Lease;
  private readonly candidacy: Candidacy;
  private readonly setBack: SetBack;
  private readonly completeness: Completeness;
  private looking: Promise<void> | undefined;
  private readonly waiters = new Waiters();
  private readonly unwatch: () => void;
  private readonly isLinked: () => boolean;
  private readonly rounds: Timer;
  private readonly run: Promise<void>;
  private isStopping = false;
  private readonly news = new News();
  private isTold = false;
  private differs = false;
  private whyYields: string | undefined;
  readonly goneNodes = () => this.options.roster.goneNodes();
  readonly breaksOf = (name: string) => this.options.roster.breaksOf(name);

  constructor(private readonly options: RunningNodeOptions) {
    const { name, connection, engine, stream, pace } = options;
    this.name = name;
    this.connection = connection;
    ({ promise: this.failed, resolve: this.fail } = Promise.withResolvers<Error>());
    this.lease = new Lease(options, name, pace.leaseMs, engine.clock);
    this.candidacy = new Candidacy(this.lease, pace.leaseMs, engine.clock, engine.logger);
    this.setBack = new SetBack(pace.leaseMs, engine.clock);
    this.completeness = new Completeness(engine.clock, pace.roundMs, () => this.tell(), engine.noteApart);
    this.isLinked = followLink(connection);
    void connection.closed().then((error) => this.unlinked(error));
    // The node that appends knows what it has stored.
    this.unwatch = stream.watch(
      (number) => this.stored(number),
      () => !this.isSequencer,
    );
    this.rounds = setInterval(() => void this.round(), pace.roundMs);
    void this.round();
    this.run = this.work();
  }

  get isSequencer(): boolean {
    return this.options.engine.isAppending;
  }

  get appliedSeq(): number {
    return this.options.engine.appliedSeq;
  }

  get behindMs(): number {
    return this.differs ? unknownMs : this.completeness.behindMs;
  }

  get nodes(): readonly HeardNode[] {
    return this.options.roster.nodes;
  }

  applied(seq: number, withinMs: number): Promise<boolean> {
    return this.waiters.until(() => this.appliedSeq >= seq, withinMs);
  }

  async catchUp(withinMs: number): Promise<boolean> {
    const { stream, store, engine } = this.options;
    const untilMs = engine.clock.monotonicMs() + withinMs;
    const range = await Promise.race([stream.range().catch(() => undefined), Bun.sleep(withinMs)]);
    if (range === undefined) return false;
    this.news.tell();
    const isThere = () => store.lastMessage >= range.last && this.appliedSeq >= store.nextSeq - 1;
    return this.waiters.until(isThere, untilMs - engine.clock.monotonicMs());
  }

  /** The store calls it after each batch of this node; `failure`: why it is not known to be stored. */
  appended(failure: Error | null): void {
    if (failure === null) this.completeness.had();
    // The records are applied first.
    if (failure === null) setImmediate(() => this.waiters.check());
    // A stream that has no room is as it was: this node goes on when there is room again.
    else if (this.isSequencer && !(failure instanceof StreamFull)) this.stepDown(failure.message);
  }

  async stop(): Promise<void> {
    const { engine, stream, watch } = this.options;
    this.isStopping = true;
    clearInterval(this.rounds);
    watch.stop();
    this.unwatch();
    // The last checkpoint comes behind it, and soon: without NATS it may be all that is left.
    const late = Promise.withResolvers<void>();
    const ending = setTimeout(() => late.resolve(stream.end()), this.isLinked() ? endingMs : 0);
    await engine.endAppending(true);
    this.tell();
    this.news.tell();
    await this.run;
    await Promise.race([this.lease.release().catch(() => {}), late.promise]);
    clearTimeout(ending);
    this.waiters.check();
  }

  private async work(): Promise<void> {
    const { engine } = this.options;
    while (!this.isStopping && !this.differs)
      try {
        if (this.isSequencer) await this.news.next();
        else if (await this.candidacy.attempt(() => this.readOn())) continue;
        else {
          const mayBegin = this.lease.isMine;
          if (mayBegin) await this.candidacy.attempt(() => this.takeOver());
          this.candidacy.end();
          if (!mayBegin) await this.news.next();
        }
        this.isTold = false;
      } catch (error) {
        if (isFatal(error)) return this.fail(error);
        const text = "the log of the cluster cannot be read: questions are answered from what is known";
        if (!this.isTold) engine.logger.error(text, { error: String(error) });
        this.isTold = true;
        await Bun.sleep(retryMs);
      }
  }

  /** Applies what is new. Resolves to whether there may be more. */
  private async readOn(): Promise<boolean> {
    const { engine, store } = this.options;
    await engine.endAppending();
    const before = store.lastMessage;
    for await (const batch of store.read()) {
      await this.follow(batch);
      // Questions and messages come in between, however far this node is behind.
      await nextTurn();
      if (this.isStopping) break;
    }
    const isMore = this.completeness.applied(store.lastMessage, before);
    if (this.completeness.isWaiting && store.lastMessage === before) await Bun.sleep(5);
    return isMore;
  }

  /** Applies a batch. If that fails, for whatever reason, this node's copy of the state is worthless. */
  private async follow(batch: ReadBatch): Promise<void> {
    try {
      await this.options.engine.follow(batch);
    } catch (error) {
      const text = `records from ${batch.firstSeq} on could not be applied to this copy (${String(error)}): ${wayOut}`;
      throw new CopyBroken(text, { cause: error });
    }
    this.waiters.check();
  }

  /** Begins an epoch, if nothing came meanwhile. */
  private async takeOver(): Promise<void> {
    const { engine, store, stream, watch } = this.options;
    const { lastMessage } = store;
    const { last } = await stream.range();
    if (lastMessage < last) return this.stored(last);
    if (this.setBack.note(lastMessage, last))
      throw new Error(`the stream ends before message ${lastMessage}`);
    const failure = await store.begin();
    if (failure instanceof Fenced) return;
    if (failure !== null) throw failure;
    await this.follow({ firstSeq: store.nextSeq, records: [], bytes: 0, end: store.position });
    if (this.isStopping) return;
    engine.beginAppending();
    this.sequencer = this.name;
    this.tell();
    void watch.look();
    engine.logger.info("this node takes hits and changes for the cluster", { node: this.name });
  }

  private stepDown(reason: string): void {
    const { engine } = this.options;
    engine.logger.warn("this node no longer takes hits and changes for the cluster", { reason });
    void engine.endAppending();
    this.tell();
    this.news.tell();
  }

  /** Tells the others what this node is. */
  private tell(): void {
    const { roster, version, agreement, nameBytes, settings } = this.options;
    const { name, appliedSeq: seq, behindMs, isSequencer } = this;
    const trouble = this.isLinked()
      ? [this.candidacy.trouble, this.options.trouble()].filter(Boolean).join("; ") || undefined
      : "no server of NATS is reached: other nodes are not heard";
    const always = { version, level: recordLevel, format: saidFormat, nameBytes, settings };
    const maySequence = this.isWell && this.whyYields === undefined;
    roster.tell({ ...always, name, seq, behindMs, isSequencer, state: agreement.said, trouble, maySequence });
  }

  /** Asks the leader of the stream for its end. Only that says whether this node has everything while nothing is stored. */
  private async look(): Promise<void> {
    const { engine, store, stream } = this.options;
    const { lastMessage } = store;
    const askedMs = engine.clock.monotonicMs();
    try {
      const { last, silentMs } = await stream.range();
      if (this.setBack.note(lastMessage, last)) return;
      this.completeness.ended(last, askedMs - silentMs);
      const isApplied = this.appliedSeq >= store.nextSeq - 1;
      if (!isApplied || this.completeness.applied(store.lastMessage, store.lastMessage)) this.news.tell();
    } catch (error) {
      if (isFatal(error)) this.fail(error);
    }
  }

  /** Keeps or takes the lease. */
  private async round(): Promise<void> {
    const { name, isSequencer } = this;
    this.whyYields = this.options.whyYields();
    this.tell();
    if (this.differs || this.endIfDiffers()) return;
    if (!isSequencer && this.completeness.isOld)
      this.looking ??= this.look().finally(() => (this.looking = undefined));
    try {
      const othersMay = this.nodes.some((node) => node.name !== name && node.maySequence);
      const reason = othersMay ? this.whyYields : undefined;
      if (reason !== undefined && isSequencer) return await this.yieldLease(reason);
      const isLed = this.options.roster.isLed(name, 2 * this.options.pace.roundMs);
      const mayTake = this.isWell && reason === undefined && this.candidacy.mayTake && !isLed;
      this.sequencer = await this.candidacy.round(isSequencer, mayTake);
      if (isSequencer && this.sequencer === name) this.completeness.had();
      if (isSequencer && this.isSequencer && this.sequencer !== undefined && this.sequencer !== name)
        this.stepDown(`${this.sequencer} has the lease`);
    } catch {
      // No server answers: whoever appends notices.
    }
    this.news.tell();
  }

  /** A node that has much to read or to fetch leaves the lease to others. */
  private get isWell(): boolean {
    return this.behindMs === 0 && this.options.isWhole();
  }

  /** Lets a node sequence that is better off. */
  private async yieldLease(reason: string): Promise<void> {
    this.stepDown(reason);
    this.sequencer = undefined;
    await this.lease.release();
  }

  /** Ends this node if its state is not that of the others: what it answers may be wrong. Returns whether. */
  private endIfDiffers(): boolean {
    const { engine, agreement, disown } = this.options;
    const seq = agreement.differsAt(this.name, this.isSequencer, this.nodes);
    if (seq === undefined) return false;
    this.differs = true;
    const text = `the state of this node is not that of the others after record ${seq}, so it stops: ${disown()}`;
    engine.logger.error(text, { node: this.name });
    if (this.isSequencer) this.stepDown("its state differs");
    this.fail(new CopyDiffers(text));
    return true;
  }

  /** The client of NATS connects again for as long as it lives: this node would never hear of anything again. */
  private unlinked(error: Error | void): void {
    if (this.isStopping) return;
    const why = error instanceof Error ? ` (${error.message})` : "";
    const text = `the connection to NATS was given up${why}, so this node stops: start it again`;
    this.options.engine.logger.error(text, { node: this.name });
    this.fail(new ConnectionClosed(text));
  }

  private stored(number: number): void {
    if (number <= this.options.store.lastMessage) return;
    this.completeness.told(number);
    this.news.tell();
  }
}
