/**
 * The archives that are made for links. Each asks more than twenty questions, which count as the owner's: strangers who
 * have a public link must not hold up the page of the owner.
 */
import { Refusal } from "../../core/refusal.ts";

/** The most archives of a website that are made for links at a time. */
const linkExportsMax = 2;

export class LinkExports {
  private readonly underWay = new Map<number, number>();

  /** Returns a function that says that the archive is made or given up, and may be called more than once. Throws Refusal 500. */
  begin(websiteId: number): () => void {
    const count = this.underWay.get(websiteId) ?? 0;
    if (count >= linkExportsMax)
      throw new Refusal(
        500,
        `at most ${linkExportsMax} archives of a website are made at a time for links`,
        10,
      );
    this.underWay.set(websiteId, count + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.underWay.get(websiteId) ?? 0) - 1;
      if (left > 0) this.underWay.set(websiteId, left);
      else this.underWay.delete(websiteId);
    };
  }
}
