/** Bounds what is under way for each website or account at a time, and for all of them together. */
import { Refusal } from "../../core/refusal.ts";

/** The most archives of a website that are made for links at a time. */
const linkExportsMax = 2;
/** The most downloads of an account at a time, and of all accounts. */
const downloadsMax = 4;
const allDownloadsMax = 16;

export class UnderWay {
  private readonly counts = new Map<unknown, number>();
  private all = 0;

  /** `most`: how many of a website, or of an account, there may be at a time; `allMost`: how many of all. */
  constructor(
    private readonly most: number,
    private readonly refusal: () => Error,
    private readonly allMost = Infinity,
  ) {}

  /** Returns a function that says that it is over, and may be called more than once. Throws `refusal`. */
  begin(id: unknown): () => void {
    const count = this.counts.get(id) ?? 0;
    if (count >= this.most || this.all >= this.allMost) throw this.refusal();
    this.counts.set(id, count + 1);
    this.all++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.all--;
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
function linkExports(): UnderWay {
  return new UnderWay(linkExportsMax, () => {
    const text = `at most ${linkExportsMax} archives of a website are made at a time for links`;
    return new Refusal(500, text, 10);
  });
}

/** The files that are made for accounts. Each takes memory for as long as somebody reads it, however slowly. */
function downloads(): UnderWay {
  const refusal = () => {
    const text = `at most ${downloadsMax} files are made at a time for an account, and ${allDownloadsMax} for all`;
    return new Refusal(500, text, 10);
  };
  return new UnderWay(downloadsMax, refusal, allDownloadsMax);
}

/** The purges of accounts. Each keeps checkpoints, and the purges of others, waiting. */
function purges(): UnderWay {
  return new UnderWay(1, () => new Refusal(409, "a removal is under way: try again when it is done"));
}

/** The bounds of one server. */
export function allUnderWay() {
  return { linkExports: linkExports(), downloads: downloads(), purges: purges() };
}
