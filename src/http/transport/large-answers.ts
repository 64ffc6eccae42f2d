/**
 * Large answers: each stays in memory until its client has read it, and a client may read slowly, or not at all. So they
 * go out in pieces, and all together are bounded: the one that is being read for longest is given up for a new one. Those
 * of links go first, and an account's never for a link's: behind a link may be many strangers. An answer is large from a
 * few kilobytes on, for there may be thousands of connections.
 */
import { free } from "../../lib/memory/free.ts";
import { streamOf } from "../../lib/stream.ts";

/** Exported for tests. */
export const largeCharactersMin = 16 * 1024;
/** The most bytes of all answers where nobody says another bound. */
const bytesMaxDefault = 64 * 1024 * 1024;
/** A client that does not read has a piece or two on the way. */
const pieceBytes = 16 * 1024;
const encoder = new TextEncoder();

interface LargeAnswer {
  /** The bytes that it takes: its own, and those of the piece that is on its way. */
  readonly bytes: number;
  readonly isByLink: boolean;
  readonly onGivenUp: () => void;
}

interface Reader {
  readonly isByLink: boolean;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Called before each piece of a large answer. */
  readonly onPiece: () => void;
  /** Called when the answer is given up: a client that does not read notices nothing else. */
  readonly onGivenUp: () => void;
}

export class LargeAnswers {
  /** How to give up each; the one that takes longest is first. */
  private readonly reading = new Map<() => void, LargeAnswer>();
  private bytes = 0;

  /** `bytesMax`: the most bytes of all, but for the newest answer. */
  constructor(private readonly bytesMax = bytesMaxDefault) {}

  /** Returns the body of an answer. */
  bodyOf(text: string, { isByLink, signal, onPiece, onGivenUp }: Reader): string | Response {
    if (text.length < largeCharactersMin) return text;
    let left: Uint8Array | undefined = encoder.encode(text);
    const answer = { bytes: left.length + pieceBytes, isByLink, onGivenUp };
    const end = () => {
      if (left !== undefined) free(left);
      left = undefined;
      if (this.reading.delete(end)) this.bytes -= answer.bytes;
      signal.removeEventListener("abort", end);
    };
    const pieces = async function* () {
      for (let at = 0; left !== undefined && at < left.length; at += pieceBytes) {
        onPiece();
        yield left.slice(at, at + pieceBytes);
      }
      if (left === undefined) throw new Error("the answer was given up");
    };
    this.reading.set(end, answer);
    this.bytes += answer.bytes;
    signal.addEventListener("abort", end, { once: true });
    // The client may have gone while the answer was made.
    if (signal.aborted) end();
    if (this.bytes > this.bytesMax) this.giveUp(end, answer);
    // The code is sent already, so the connection is cut.
    return new Response(streamOf(pieces(), () => {}, end));
  }

  get size(): number {
    return this.reading.size;
  }

  /** Gives up answers that were there before the newest, until there is room. */
  private giveUp(newest: () => void, { isByLink }: LargeAnswer): void {
    const others = [...this.reading].filter(([end]) => end !== newest);
    const links = others.filter(([, other]) => other.isByLink);
    const accounts = isByLink ? [] : others.filter(([, other]) => !other.isByLink);
    for (const [end, { onGivenUp }] of [...links, ...accounts]) {
      if (this.bytes <= this.bytesMax) return;
      end();
      onGivenUp();
    }
  }
}
