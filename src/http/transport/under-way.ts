/** Bounds what is under way for each website or account at a time, and for all of them together. */
import { Refusal } from "../../core/refusal.ts";

/** The most archives of a website that are made for links at a time. */
const linkExportsMax = 2;

export class UnderWay {
  private readonly counts = new Map<number, number>();

  /** `most`: how many of a website, or of an account, there may be at a time. */
  constructor(
    private readonly most: number,
    private readonly refusal: () => Refusal,
  ) {}

  /** Returns a function that says that it is over, and may be called more than once. Throws the Refusal. */
  begin(id: number): () => void {
    const count = this.counts.get(id) ?? 0;
    if (count >= this.most) throw this.refusal();
    this.counts.set(id, count + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.counts.get(id) ?? 0) - 1;
      if (left > 0) this.counts.set(id, left);
      else this.counts.delete(id);
    };
  }
}

/**
 * The archives that are made for links. Each asks more than twenty questions, which count as the owner's: strangers who
 * have a public link must not hold up the page of the owner.
 */
export function linkExports(): UnderWay {
  return new UnderWay(linkExportsMax, () => {
    const text = `at most ${linkExportsMax} archives of a website are made at a time for links`;
    return new Refusal(500, text, 10);
  });
}

/** The purges of accounts. Each keeps checkpoints, and the purges of others, waiting. */
export function purges(): UnderWay {
  return new UnderWay(1, () => new Refusal(409, "a removal is under way: try again when it is done"));
}
