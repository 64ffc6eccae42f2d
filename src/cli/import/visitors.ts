/**
 * Tells visitors apart while a file is read: whoever has one key is one visitor for one day, which is the file's own. It
 * keeps only hashes, and only those of the days that were read last.
 */
import { dayMs, visitPauseMs } from "../../core/hit.ts";
import { Refusal } from "../../core/refusal.ts";

/**
 * The number of days to remember. Lines of one day are together, though out of order around midnight; files may come
 * newest first. A day that comes back after this many others counts its visitors again.
 */
const daysMax = 3;

export class Visitors {
  /** The day that was longest not seen first. */
  private readonly days = new Map<number, Set<number>>();
  private latest = NaN;
  /** The greatest time of all files that were read. */
  private latestMs = -Infinity;
  /** The visitors and pages of all days. */
  private keys = 0;

  /**
   * `keysMax`: the most visitors of all days, and pages that each of them saw, together. Some 40 bytes each. Days are forgotten
   * earlier for it; one day alone may not have more.
   */
  constructor(private readonly keysMax = Infinity) {}

  /** Notes the time of a row, and returns whether one that was read, of whichever file, is so much later that its visit is over. */
  isBehind(timeMs: number): boolean {
    this.latestMs = Math.max(this.latestMs, timeMs);
    return timeMs < this.latestMs - visitPauseMs;
  }

  /**
   * Notes a page view. `localMs`: its time by the clock of whose days are counted. `unique`: whether it is the visitor's
   * first of its day; `seen`: whether the visitor saw this page before on that day. Throws Refusal 400 for too many.
   */
  visit(visitor: string, path: string, localMs: number): { unique: boolean; seen: boolean } {
    const known = this.day(Math.floor(localMs / dayMs));
    while (this.keys >= this.keysMax && this.days.size > 1) this.forgetOldest();
    if (this.keys >= this.keysMax)
      throw new Refusal(
        400,
        `the file has too many visitors on one day, over ${this.keysMax} with the pages of each: its owner can import it on the ` +
          "server itself",
      );
    const { size } = known;
    const flags = { unique: added(known, visitor), seen: !added(known, `${visitor}\n${path}`) };
    this.keys += known.size - size;
    return flags;
  }

  private day(number: number): Set<number> {
    const known = this.days.get(number) ?? new Set();
    if (number === this.latest) return known;
    this.latest = number;
    this.days.delete(number);
    this.days.set(number, known);
    if (this.days.size > daysMax) this.forgetOldest();
    return known;
  }

  private forgetOldest(): void {
    const [[number, known]] = this.days as unknown as [[number, Set<number>]];
    this.keys -= known.size;
    this.days.delete(number);
  }
}

function added(known: Set<number>, key: string): boolean {
  const { size } = known;
  return known.add(hashOf(key)).size > size;
}

/** Returns 53 bits that tell a text from others: among ten million keys of a day two collide once in two hundred such days. */
export function hashOf(key: string): number {
  return Number(BigInt.asUintN(53, Bun.hash.wyhash(key)));
}
