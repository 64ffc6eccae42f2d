/**
 * The open streams of current visitors. A stream sends one value at once, then each change, at most one a second; where
 * the value is the same, an account hears that something else has changed. A stream ends when its client goes or stops
 * reading, when its session, link or website ends, or with the server. The number of streams is bounded.
 */
import { Refusal } from "../../core/refusal.ts";
import { LiveCounts, type LiveSource } from "./live-count.ts";

/** The most open streams of all accounts and links. Exported for tests. */
export const liveStreamsMax = 256;
/**
 * The most of them that one account may have, and as many all links of its websites together: some windows in each session,
 * and on each wall.
 */
export const liveStreamsOfOneMax = 64;
/** The most of them that all links together may have: accounts keep theirs. Exported for tests. */
export const liveStreamsOfLinksMax = 128;
export const liveWindowMs = 300_000;
/** After this many ticks of silence a comment tells proxies and clients that the stream is alive. */
const silentTicksMax = 15;
/** The most values that may wait for a client; a client that reads none for that long is gone. */
const waitingMax = 16;

/** Somebody who may have a stream. */
export interface LiveReader {
  /** The number of an account; for a link that of the first owner of its website. */
  readonly streamsOf: number;
  /** Whether a link reads, and no account. */
  readonly isByLink: boolean;
  /** Returns whether the one who asked may still see it. */
  isAllowed(): boolean;
}

export class LiveStreams {
  /** The ends of the open streams, with who reads them. */
  private readonly ends = new Map<() => void, LiveReader>();
  private readonly counts: LiveCounts;

  /** `tickMs`: the least time between two values. */
  constructor(tickMs = 1_000) {
    this.counts = new LiveCounts(tickMs);
  }

  get size(): number {
    return this.ends.size;
  }

  /** Opens a stream. Throws Refusal 500 if too many are open, of the account or its links, of links, or of all. */
  open(source: LiveSource, reader: LiveReader): ReadableStream<Uint8Array> {
    this.requireRoom(reader);
    let end = () => {};
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          end = this.run(source, reader, controller);
        },
        cancel: () => end(),
      },
      { highWaterMark: waitingMax },
    );
  }

  closeAll(): void {
    for (const end of this.ends.keys()) end();
  }

  private requireRoom({ streamsOf, isByLink }: LiveReader): void {
    if (this.ends.size >= liveStreamsMax) throw tooMany(`${liveStreamsMax} live streams`);
    const alike = [...this.ends.values()].filter((other) => other.isByLink === isByLink);
    if (alike.filter((other) => other.streamsOf === streamsOf).length >= liveStreamsOfOneMax)
      throw tooMany(
        `${liveStreamsOfOneMax} live streams of ${isByLink ? "the links of an account" : "an account"}`,
      );
    if (isByLink && alike.length >= liveStreamsOfLinksMax)
      throw tooMany(`${liveStreamsOfLinksMax} live streams of links`);
  }

  /** Runs a stream. Returns a function that ends it, which may be called more than once. */
  private run(
    source: LiveSource,
    reader: LiveReader,
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): () => void {
    // A link hears of nothing but the number.
    const hearsChanges = !reader.isByLink;
    let shown = -1;
    let silentTicks = 0;
    let leave: (() => void) | undefined;
    const write = (text: string) => controller.enqueue(Buffer.from(text));
    const end = () => {
      if (!this.ends.delete(end)) return;
      leave?.();
      try {
        controller.close();
      } catch {
        // The client has cancelled it.
      }
    };
    this.ends.set(end, reader);
    leave = this.counts.join(source, {
      tick: () => {
        if (!reader.isAllowed() || (controller.desiredSize ?? 0) <= 0) return end();
        // A count may take long: the connection is not to be cut meanwhile.
        if (++silentTicks % silentTicksMax === 0) write(":\n\n");
      },
      tell: (visitors, isChanged) => {
        const isNew = visitors !== shown;
        if (isNew) write(`data: ${JSON.stringify({ visitors })}\n\n`);
        else if (isChanged && hearsChanges) write("event: change\ndata: {}\n\n");
        else return;
        silentTicks = 0;
        shown = visitors;
      },
    });
    return end;
  }
}

function tooMany(what: string): Refusal {
  return new Refusal(500, `at most ${what} can be open at once`, 60);
}
