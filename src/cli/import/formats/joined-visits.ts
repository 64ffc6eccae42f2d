/**
 * Joins visits that an export took apart while they went on: Umami begins another at every full hour where each page is
 * loaded, and half an hour after the first page where an application changes it. A file that is read again from its start
 * gets the same visits.
 */
import { visitPauseMs } from "../../../core/hit.ts";
import { OldestFirst } from "../../../lib/collections/oldest-first.ts";
import { hashOf } from "../visitors.ts";

/** The most visits and visitors that are known at once, some 100 bytes each. In a longer file, some visits stay apart. */
const knownMax = 400_000;

interface Known {
  /** The visit to which the rows of this visit, or of this visitor, belong. */
  readonly visit: number;
  readonly lastMs: number;
}

export interface VisitOfRow {
  readonly visitor: string;
  /** The visit as the file has it. */
  readonly visit: string;
  readonly timeMs: number;
  /** Whether the row arrives from elsewhere, or by a campaign: it goes on with no other visit. */
  readonly arrives: boolean;
}

export class JoinedVisits {
  /** By the hash of a visit or visitor, the one with the last row last. */
  private readonly known = new OldestFirst<number, Known>();

  /** Returns a text that tells the visit from others. */
  visitOf({ visitor, visit, timeMs, arrives }: VisitOfRow): string {
    const [own, before] = [hashOf(`visit ${visit}`), hashOf(visitor)];
    const joined = this.near(own, timeMs) ?? (arrives ? undefined : this.near(before, timeMs)) ?? own;
    for (const key of [own, before]) {
      this.known.delete(key);
      this.known.set(key, { visit: joined, lastMs: timeMs });
    }
    this.forget(timeMs);
    return `${joined}`;
  }

  private near(key: number, timeMs: number): number | undefined {
    const known = this.known.get(key);
    return known !== undefined && isNear(known, timeMs) ? known.visit : undefined;
  }

  /** Forgets what no row goes on with any more in a file in the order of time. */
  private forget(timeMs: number): void {
    for (let oldest = this.known.oldest(); oldest !== undefined; oldest = this.known.oldest()) {
      const [key, known] = oldest;
      if (this.known.size <= knownMax && isNear(known, timeMs)) return;
      this.known.delete(key);
    }
  }
}

function isNear({ lastMs }: Known, timeMs: number): boolean {
  return Math.abs(timeMs - lastMs) <= visitPauseMs;
}
