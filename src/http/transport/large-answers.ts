/**
 * Large answers: each stays in memory until its client has read it, and a client may read slowly, or not at all. So they
 * go out in pieces, and all together are bounded: the one that is being read for longest is given up for a new one. Those
 * of links go first, and an account's never for a link's: behind a link may be many strangers.
 */
import { streamOf } from "../../lib/stream.ts";

/** Exported for tests. */
export const largeCharactersMin = 1024 * 1024;
/** The most characters of all, but for the newest answer. Exported for tests. */
export const charactersMax = 64 * 1024 * 1024;
const pieceCharacters = 64 * 1024;

interface LargeAnswer {
  readonly characters: number;
  readonly isByLink: boolean;
}

interface Reader {
  readonly isByLink: boolean;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Called before each piece of a large answer. */
  readonly onPiece: () => void;
}

export class LargeAnswers {
  /** How to give up each; the one that takes longest is first. */
  private readonly reading = new Map<() => void, LargeAnswer>();
  private characters = 0;

  /** Returns the body of an answer. */
  bodyOf(text: string, { isByLink, signal, onPiece }: Reader): string | Response {
    if (text.length < largeCharactersMin) return text;
    let left: string | undefined = text;
    const end = () => {
      left = undefined;
      this.characters -= this.reading.get(end)?.characters ?? 0;
      this.reading.delete(end);
      signal.removeEventListener("abort", end);
    };
    const pieces = async function* () {
      for (let at = 0; left !== undefined && at < left.length;) {
        onPiece();
        const piece = pieceOf(left, at);
        at += piece.length;
        yield Buffer.from(piece);
      }
      if (left === undefined) throw new Error("the answer was given up");
    };
    const others = [...this.reading];
    this.reading.set(end, { characters: text.length, isByLink });
    this.characters += text.length;
    signal.addEventListener("abort", end, { once: true });
    // The client may have gone while the answer was made.
    if (signal.aborted) end();
    const links = others.filter(([, other]) => other.isByLink);
    const accounts = isByLink ? [] : others.filter(([, other]) => !other.isByLink);
    for (const [giveUp] of [...links, ...accounts]) if (this.characters > charactersMax) giveUp();
    // The code is sent already, so the connection is cut.
    return new Response(streamOf(pieces(), () => {}, end));
  }

  get size(): number {
    return this.reading.size;
  }
}

/** Returns the next part of a text, which ends behind a whole character. */
function pieceOf(text: string, at: number): string {
  const end = at + pieceCharacters;
  const isHalf = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return text.slice(at, isHalf ? end + 1 : end);
}
