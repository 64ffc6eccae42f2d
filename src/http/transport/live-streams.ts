/**
 * The open streams of current visitors. A stream sends one value at once, then each change, at most one a second; where
 * the value is the same, an account hears that something else has changed. A stream ends when its client goes or stops reading, when its session or website ends, or with the server. The number of
 * streams is bounded.
 */
import { Refusal } from "../../core/refusal.ts";

export const liveStreamsMax = 256;
/** The most of them that one account may have: some windows in each of its sessions. */
export const liveStreamsOfAccountMax = 64;
/** The most of them that all links together may have: accounts keep theirs. */
export const liveStreamsOfLinksMax = 128;
export const liveWindowMs = 300_000;
/** After this many ticks of silence a comment tells proxies and clients that the stream is alive. */
const silentTicksMax = 15;
/** The most values that may wait for a client; a client that reads none for that long is gone. */
const waitingMax = 16;

export interface LiveSource {
  /** Returns the current number of visitors. Where it rejects, it is asked again. */
  count(): number | Promise<number>;
  /** Returns whether the one who asked may still see it. */
  allowed(): boolean;
  /** Calls `onChange` after each change; returns a function that ends this. */
  watch(onChange: () => void): () => void;
}

/** The number of an account, or all links together. */
export type StreamsOf = number | "links";

export class LiveStreams {
  /** The ends of the open streams, with whose they are. */
  private readonly ends = new Map<() => void, StreamsOf>();

  /** `tickMs`: the least time between two values. */
  constructor(private readonly tickMs = 1_000) {}

  get size(): number {
    return this.ends.size;
  }

  /** Opens a stream. Throws Refusal 500 if too many are open, of the account, of links, or of all. */
  open(source: LiveSource, of: StreamsOf): ReadableStream<Uint8Array> {
    if (this.ends.size >= liveStreamsMax) throw tooMany(`${liveStreamsMax} live streams`);
    const own = this.ends.values().filter((other) => other === of);
    const max = of === "links" ? liveStreamsOfLinksMax : liveStreamsOfAccountMax;
    if (own.toArray().length >= max)
      throw tooMany(`${max} live streams of ${of === "links" ? "links" : "an account"}`);
    let end = () => {};
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          end = this.run(source, of, controller);
        },
        cancel: () => end(),
      },
      { highWaterMark: waitingMax },
    );
  }

  closeAll(): void {
    for (const end of this.ends.keys()) end();
  }

  /** Runs a stream. Returns a function that ends it, which may be called more than once. */
  private run(
    source: LiveSource,
    of: StreamsOf,
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): () => void {
    let shown = -1;
    let changed = true;
    let counting = false;
    let silentTicks = 0;
    const say = (visitors: number, isChanged = false) => {
      if (!this.ends.has(end)) return;
      // A link hears of nothing but the number.
      const tells = visitors !== shown || (isChanged && of !== "links");
      silentTicks = tells ? 0 : silentTicks + 1;
      if (visitors !== shown) controller.enqueue(encode(`data: ${JSON.stringify({ visitors })}\n\n`));
      else if (tells) controller.enqueue(encode("event: change\ndata: {}\n\n"));
      else if (silentTicks % silentTicksMax === 0) controller.enqueue(encode(":\n\n"));
      shown = visitors;
    };
    const tick = () => {
      if (!source.allowed() || (controller.desiredSize ?? 0) <= 0) return end();
      if (counting) return;
      // Without visitors there is nobody whose five minutes could end.
      if (!changed && shown === 0) return say(0);
      const isChanged = changed;
      changed = false;
      counting = true;
      void Promise.try(() => source.count())
        .then(
          (visitors) => say(visitors, isChanged),
          () => {
            changed = true;
          },
        )
        .finally(() => {
          counting = false;
        });
    };
    const timer = setInterval(tick, this.tickMs);
    const unwatch = source.watch(() => {
      changed = true;
    });
    const end = () => {
      if (!this.ends.delete(end)) return;
      clearInterval(timer);
      unwatch();
      try {
        controller.close();
      } catch {
        // The client has cancelled it.
      }
    };
    this.ends.set(end, of);
    tick();
    return end;
  }
}

function tooMany(what: string): Refusal {
  return new Refusal(500, `at most ${what} can be open at once`, 60);
}

const encoder = new TextEncoder();

function encode(text: string): Uint8Array {
  return encoder.encode(text);
}
