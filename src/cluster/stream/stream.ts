/**
 * One stream of NATS JetStream, which holds one log: it is made once, read by the numbers of its messages, and appended
 * to where its end is known. Only this file speaks of JetStream's answers to that.
 */
import { JetStreamApiError, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { Refusal } from "../../core/refusal.ts";
import { systemClock } from "../../lib/clock.ts";
import { expectContent } from "../../lib/decoding.ts";
import { Link } from "../connection/connect.ts";
import { awayAmong, expectLed, silenceOf } from "./leader.ts";
import { NotTaken, type PublishError } from "./not-taken.ts";
import { expectLasting, expectServer, makingRefusal, raiseReplicas, whyNotLasting } from "./stream-config.ts";
import { whenReady } from "./when-ready.ts";

export interface StreamNames {
  /** The first word of all names in NATS, by which several logs share servers. */
  readonly prefix: string;
}

/** The log that a new stream continues. */
export interface StreamStart {
  /** 16 bytes as hex: another one whenever a stream is made. */
  readonly incarnation: string;
  /** The id that all data folders of the cluster have, as hex. */
  readonly folderId: string;
  /** The last record that is in the folders and not in the stream; 0 for a new log. */
  readonly baseSeq: number;
}

export interface StreamOptions extends StreamNames {
  readonly connection: NatsConnection;
  /** The number of servers that each message is on; odd. */
  readonly replicas: number;
}

export interface NumberedMessage {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** `unknown`: no answer came, so the message may be stored, now or later. */
export type PublishOutcome = "stored" | "refused" | "unknown" | NotTaken;

/** The code of the answer that somebody else wrote since. */
export const wrongLastSequence = 10071;
const streamNotFound = 10059;
const nameInUse = 10058;
/** How long an answer may take before it is asked for again, and for how long that is done. */
const answerMs = 1_000;
const askingMs = 5_000;
const pauseMs = 50;
/** How long one read waits for the servers of NATS; then it returns the messages that came. */
const readMs = 1_500;
const readBytesMax = 4 * 1024 * 1024;
const readMessagesMax = 1_000;

/** The name of the stream, as the commands of NATS take it. */
export function streamName({ prefix }: StreamNames): string {
  return `${prefix}-log`;
}

/** The bucket of the lease, as NATS names the stream behind it. */
function leaseStreamName({ prefix }: StreamNames): string {
  return `KV_${prefix}-lease`;
}

export class Stream {
  private readonly name: string;
  private readonly subject: string;
  private readonly link: Link;

  private constructor(
    private readonly options: StreamOptions,
    private readonly manager: JetStreamManager,
    /** The log that it continues. */
    readonly start: StreamStart,
  ) {
    this.name = streamName(options);
    this.subject = subjectOf(options);
    this.link = new Link(options.connection);
  }

  /** Whether nothing is asked of it any more. */
  get isEnded(): boolean {
    return this.link.isEnded;
  }

  /** Opens the stream. Resolves to undefined if there is none. Rejects if it is none of Footfall's, or NATS is too old. */
  static async open(options: StreamOptions): Promise<Stream | undefined> {
    try {
      const manager = await whenReady(() => managerOf(options));
      const { config } = await whenReady(() => manager.streams.info(streamName(options)));
      return new Stream(options, manager, startIn(config.metadata ?? {}, config.name));
    } catch (error) {
      return orNone(error);
    }
  }

  /** Makes the stream, or opens it if another node was faster: `start` may be another one then. Throws Refusal 500. */
  static async create(options: StreamOptions, start: StreamStart): Promise<Stream> {
    const manager = await whenReady(() => managerOf(options));
    const { incarnation, folderId, baseSeq } = start;
    const make = () =>
      manager.streams.add({
        name: streamName(options),
        subjects: [subjectOf(options)],
        num_replicas: options.replicas,
        storage: "file",
        retention: "limits",
        discard: "new",
        allow_direct: true,
        deny_delete: true,
        metadata: { incarnation, folderId, baseSeq: String(baseSeq) },
        // The servers say so as soon as a message is stored.
        republish: { src: subjectOf(options), dest: storedSubject(options), headers_only: true },
      });
    try {
      await whenReady(make);
      return new Stream(options, manager, start);
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === nameInUse))
        throw makingRefusal(error, options.replicas);
      // Its name is taken some moments before the servers tell of it.
      return whenReady(async () => {
        const made = await Stream.open(options);
        if (made === undefined) throw new Error("the stream that another node makes is not there yet");
        return made;
      });
    }
  }

  /**
   * Compares the stream with what a log needs, and has it be on as many servers as the setting says, and the bucket of the
   * lease too. Resolves to on how many it was before. Throws Refusal 500.
   */
  async adopt(): Promise<number> {
    const { replicas } = this.options;
    const { streams } = this.manager;
    // After a power cut of all servers, each stream gets its leader by itself.
    const { config } = await whenReady(() => streams.info(this.name));
    expectLasting(config);
    const had = await whenReady(() => raiseReplicas(this.manager, config, replicas));
    const lease = await whenReady(() => streams.info(leaseStreamName(this.options))).catch(orNone);
    if (lease !== undefined && lease.config.num_replicas < replicas)
      await whenReady(() => raiseReplicas(this.manager, lease.config, replicas));
    return had;
  }

  /** Stores a message as the one behind `last`, or not at all. */
  async publish(bytes: Uint8Array, last: number): Promise<PublishOutcome> {
    const { connection } = this.options;
    const expected = headers();
    expected.set("Nats-Expected-Stream", this.name);
    expected.set("Nats-Expected-Last-Sequence", String(last));
    try {
      const sent = { timeout: answerMs, headers: expected };
      const answer = await this.link.ask(() => connection.request(this.subject, bytes, sent));
      const { seq, error } = answer.json<{ seq?: number; error?: PublishError }>();
      if (error !== undefined) return error.err_code === wrongLastSequence ? "refused" : new NotTaken(error);
      return seq === last + 1 ? "stored" : "unknown";
    } catch {
      return "unknown";
    }
  }

  /** Returns a message as the leader of the stream has it; undefined if there is none. Rejects if no answer comes. */
  async message(number: number): Promise<Uint8Array | undefined> {
    const found = await this.link.ask(() => this.manager.streams.getMessage(this.name, { seq: number }));
    return found?.data;
  }

  /**
   * Resolves to the first and the last message (one less where none is), and for how long the leader may have led no more.
   * Rejects if no leader answers.
   */
  async range(): Promise<{ readonly first: number; readonly last: number; readonly silentMs: number }> {
    return this.ask(async () => {
      const { state, cluster } = await this.manager.streams.info(this.name);
      expectLed(cluster);
      const { first_seq: first, last_seq: last } = state;
      return { first: Math.max(1, first), last, silentMs: silenceOf(cluster?.replicas ?? []) };
    });
  }

  /** Returns messages in order, the first of them `from` or, where that is gone, the next; none where none is yet. */
  read(from: number): Promise<readonly NumberedMessage[]> {
    return this.ask(() => this.readOnce(from));
  }

  /**
   * Calls `onStored` with the number of each message soon after it was stored, while somebody wants to know. Returns a
   * function that ends this.
   */
  watch(onStored: (number: number) => void, isWanted: () => boolean): () => void {
    const subscription = this.options.connection.subscribe(storedSubject(this.options), {
      callback: (error, message) => {
        if (!isWanted()) return;
        const number = Number(message.headers?.get("Nats-Sequence"));
        // Anybody who reaches NATS may write anything there.
        if (error === null && Number.isSafeInteger(number)) onStored(number);
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Removes the messages before `number`. */
  async removeBefore(number: number): Promise<void> {
    await this.ask(() => this.manager.streams.purge(this.name, { seq: number }));
  }

  /** The names of the servers that have the stream: of those that run, and of those that do not get what is stored. */
  async servers(): Promise<{ readonly running: readonly string[]; readonly away: readonly string[] }> {
    const { cluster } = await this.ask(() => this.manager.streams.info(this.name));
    const own = this.options.connection.info?.server_name;
    const { leader = own, replicas = [] } = cluster ?? {};
    const running = [leader ?? "", ...replicas.filter(({ offline }) => !offline).map(({ name }) => name)];
    return { running, away: awayAmong(replicas) };
  }

  /** Resolves to the setting by which it does not keep what it acknowledges, in words; undefined if there is none. */
  async whyNotLasting(): Promise<string | undefined> {
    const { config } = await this.ask(() => this.manager.streams.info(this.name));
    return whyNotLasting(config);
  }

  private async readOnce(from: number): Promise<readonly NumberedMessage[]> {
    const { connection } = this.options;
    const wanted = JSON.stringify({ seq: from, batch: readMessagesMax, max_bytes: readBytesMax });
    const answers = await connection.requestMany(`$JS.API.DIRECT.GET.${this.name}`, wanted, {
      strategy: "timer",
      maxWait: readMs,
    });
    const messages: NumberedMessage[] = [];
    for await (const { data, headers: head } of answers) {
      const number = head?.get("Nats-Sequence") ?? "";
      // The last answer is no message: nothing follows, now or at all.
      if (number === "") return messages;
      messages.push({ number: Number(number), bytes: data });
    }
    // The server that answered died, or is slow: the rest is asked for again.
    if (messages.length > 0) return messages;
    throw new Error("the servers of NATS did not answer");
  }

  /** Asks nothing more: whoever waits for an answer hears at once that none comes. */
  end(): void {
    this.link.end();
  }

  /** Asks until there is an answer, for some seconds: whatever asks here may ask twice. */
  private async ask<T>(act: () => Promise<T>): Promise<T> {
    const untilMs = systemClock.monotonicMs() + askingMs;
    for (;;) {
      try {
        return await this.link.ask(act);
      } catch (error) {
        const isLast = this.isEnded || error instanceof JetStreamApiError || error instanceof Refusal;
        if (isLast || systemClock.monotonicMs() > untilMs) throw error;
      }
      await Bun.sleep(pauseMs);
    }
  }
}

/** Throws any error but that there is no such stream. */
function orNone(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.code === streamNotFound) return undefined;
  throw error;
}

function managerOf({ connection }: StreamOptions): Promise<JetStreamManager> {
  expectServer(connection);
  return jetstreamManager(connection, { timeout: answerMs });
}

function subjectOf({ prefix }: StreamNames): string {
  return `${prefix}.log`;
}

function storedSubject({ prefix }: StreamNames): string {
  return `${prefix}.stored`;
}

function startIn(metadata: Readonly<Record<string, string>>, name: string): StreamStart {
  const { incarnation = "", folderId = "", baseSeq = "" } = metadata;
  const isId = (id: string) => /^[0-9a-f]{32}$/.test(id);
  expectContent(
    isId(incarnation) && isId(folderId) && /^\d+$/.test(baseSeq),
    `the stream ${name} is no log of Footfall: choose another prefix, or remove the stream`,
  );
  return { incarnation, folderId, baseSeq: Number(baseSeq) };
}
