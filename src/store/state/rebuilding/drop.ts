/**
 * Builds a website without its oldest months, or without its imported sums, as if they had never been: dictionaries and
 * tuples hold only values of what remains, and the remaining chunks have new ids. The chunks keep their numbers and
 * rows, so that beacons still find them. Every object is new, so nothing cached for an old chunk or dictionary is taken
 * to be valid for a new one. Which ids stay is read before the record is logged, one chunk at a time: nothing is logged
 * that could not be applied.
 */
import type { Outcome } from "../../../core/outcome.ts";
import type { Chunk } from "../../chunks/chunk.ts";
import type { ReducedMonth } from "../reduced-month.ts";
import { rebuilt, rewrittenChunk } from "./rebuild.ts";
import type { Site } from "../site.ts";
import { UsedIds } from "./used-ids.ts";

export function hasMonthsBefore(site: Site, monthMs: number): boolean {
  const months = [...site.chunks.values(), ...site.reduced.values()];
  return months.some((month) => month.monthMs < monthMs);
}

/** Which months of a website stay. */
export interface KeptMonths {
  /** The start of the first month that stays. */
  readonly fromMs: number;
  /** Whether sums stay that were imported. */
  readonly imported: boolean;
}

/** All but the sums that were imported. */
export const allButImported: KeptMonths = { fromMs: -Infinity, imported: false };

/** All from the month that starts at `fromMs` on. */
export function monthsFrom(fromMs: number): KeptMonths {
  return { fromMs, imported: true };
}

/** Whether a month stays: rows of it, or what it has in place of rows. */
export function stays({ fromMs, imported }: KeptMonths, month: Chunk | ReducedMonth): boolean {
  return month.monthMs >= fromMs && (imported || month.head.isImported !== true);
}

/**
 * Returns the website with those of its months that stay. `used`: the ids already known to be used by the
 * remaining rows. Columns in memory get new ids at once; those in files when they are asked for, until a checkpoint
 * writes them with the new ids. The old site shares buffers with the new one and must not be used any more. Throws what
 * reading columns throws, where a chunk in a file is not yet in `used`. Exported for tests.
 */
export function withMonths(site: Site, kept: KeptMonths, used = new UsedIds(site)): Site {
  const { chunks, months } = markKept(site, kept, used);
  const { kept: website, ids, idsOfMonths } = rebuilt(site, used);
  for (const month of months) website.addMonth(month.withIds(idsOfMonths));
  for (const chunk of chunks) website.restore(rewrittenChunk(chunk, { ids }));
  return website;
}

/** Marks what stays, and returns it. */
function markKept(site: Site, kept: KeptMonths, used: UsedIds) {
  const chunks = [...site.chunks.values()].filter((chunk) => stays(kept, chunk));
  const months = [...site.reduced.values()].filter((month) => stays(kept, month));
  for (const chunk of chunks) used.add(chunk);
  for (const month of months) used.addMonth(month);
  return { chunks, months };
}

interface ReadUse {
  readonly kept: KeptMonths;
  /** The months without rows when it was read: one that gave up its rows since then uses fewer names. */
  readonly months: number;
  readonly used: UsedIds;
}

/** Drops months of websites, and prepares it. */
export class MonthDrops {
  /** The ids that the sealed chunks of a website use in the months that stay, where they were read. */
  private readonly known = new WeakMap<Site, ReadUse>();

  /** Reads from files what dropping the other months will need, in steps. Throws what reading them throws. */
  *readWhatStays(site: Site, kept: KeptMonths): Generator<void, void> {
    const used = new UsedIds(site);
    const months = site.reduced.size;
    for (const chunk of [...site.chunks.values()]) {
      if (!stays(kept, chunk)) continue;
      if (chunk.resident) void chunk.columns;
      else yield* used.addInSteps(chunk);
      yield;
    }
    for (const month of site.reduced.values()) {
      if (stays(kept, month)) used.addMonth(month);
      yield;
    }
    this.known.set(site, { kept, months, used });
  }

  /**
   * Drops the months of all websites that begin before `beforeMs`. A website is replaced by one with new ids if afterwards
   * at least `deadPercent` of the bytes of its names belong to no row; the others keep their ids and files.
   */
  drop(sites: Map<number, Site>, beforeMs: number, deadPercent = 0): void {
    const kept = monthsFrom(beforeMs);
    for (const [websiteId, site] of sites) {
      if (!hasMonthsBefore(site, beforeMs)) continue;
      const used = this.usedBy(site, kept);
      if (used.deadPercent() < deadPercent) site.forgetMonthsBefore(beforeMs);
      else sites.set(websiteId, withMonths(site, kept, used));
    }
  }

  /** Drops the imported sums of a website, which is replaced by one with new ids. */
  dropImported(sites: Map<number, Site>, websiteId: number): Outcome {
    const site = sites.get(websiteId);
    if (site === undefined) return "missing";
    sites.set(websiteId, withMonths(site, allButImported, this.usedBy(site, allButImported)));
    return "done";
  }

  /** Returns the ids that the months use which stay: those that were read, or else by reading them now. */
  private usedBy(site: Site, kept: KeptMonths): UsedIds {
    const known = this.known.get(site);
    this.known.delete(site);
    const isSame =
      known?.kept.fromMs === kept.fromMs &&
      known.kept.imported === kept.imported &&
      known.months === site.reduced.size;
    const used = isSame ? known.used : new UsedIds(site);
    markKept(site, kept, used);
    return used;
  }
}
