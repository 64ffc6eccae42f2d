/**
 * Builds a website without its oldest months, as if they had never been: dictionaries and tuples hold only values of
 * the remaining rows, and the remaining chunks have new ids. The chunks keep their numbers and rows, so that beacons
 * still find them. Every object is new, so nothing cached for an old chunk or dictionary is taken to be valid for a new
 * one. Which ids stay is read before the record is logged, one chunk at a time: nothing is logged that could not be
 * applied.
 */
import { rebuilt, rewrittenChunk } from "./rebuild.ts";
import type { Site } from "../site.ts";
import { UsedIds } from "./used-ids.ts";

export function hasMonthsBefore(site: Site, monthMs: number): boolean {
  const months = [...site.chunks.values(), ...site.reduced.values()];
  return months.some((month) => month.monthMs < monthMs);
}

/**
 * Returns the website from the month that starts at `monthMs` on. `used`: the ids already known to be used by the
 * remaining rows. Columns in memory get new ids at once; those in files when they are asked for, until a checkpoint
 * writes them with the new ids. The old site shares buffers with the new one and must not be used any more. Throws what
 * reading columns throws, where a chunk in a file is not yet in `used`. Exported for tests.
 */
export function withoutMonthsBefore(site: Site, monthMs: number, used = new UsedIds(site)): Site {
  const { chunks, months } = markFrom(site, monthMs, used);
  const { kept, ids, idsOfMonths } = rebuilt(site, used);
  for (const month of months) kept.addMonth(month.withIds(idsOfMonths));
  for (const chunk of chunks) kept.restore(rewrittenChunk(chunk, { ids }));
  return kept;
}

/** Marks what stays, and returns it. */
function markFrom(site: Site, monthMs: number, used: UsedIds) {
  const chunks = [...site.chunks.values()].filter((chunk) => chunk.monthMs >= monthMs);
  const months = [...site.reduced.values()].filter((month) => month.monthMs >= monthMs);
  for (const chunk of chunks) used.add(chunk);
  for (const month of months) used.addMonth(month);
  return { chunks, months };
}

interface ReadUse {
  readonly monthMs: number;
  /** The months without rows when it was read: one that gave up its rows since then uses fewer names. */
  readonly months: number;
  readonly used: UsedIds;
}

/** Drops months of all websites, and prepares it. */
export class MonthDrops {
  /** The ids that the sealed chunks of a website use from a month on, where they were read. */
  private readonly usedFrom = new WeakMap<Site, ReadUse>();

  /** Reads from files what dropping those months will need, one chunk a step. Throws what reading them throws. */
  *readWhatStays(sites: Iterable<Site>, monthMs: number): Generator<void, void> {
    for (const site of sites) {
      if (!hasMonthsBefore(site, monthMs)) continue;
      const used = new UsedIds(site);
      const months = site.reduced.size;
      for (const chunk of [...site.chunks.values()]) {
        if (chunk.monthMs < monthMs) continue;
        if (chunk.resident) void chunk.columns;
        else used.add(chunk);
        yield;
      }
      for (const month of site.reduced.values()) {
        if (month.monthMs >= monthMs) used.addMonth(month);
        yield;
      }
      this.usedFrom.set(site, { monthMs, months, used });
    }
  }

  /**
   * Drops the months that begin before `beforeMs`. A website is replaced by one with new ids if afterwards at least
   * `deadPercent` of the bytes of its names belong to no row; the others keep their ids and files.
   */
  drop(sites: Map<number, Site>, beforeMs: number, deadPercent = 0): void {
    for (const [websiteId, site] of sites) {
      if (!hasMonthsBefore(site, beforeMs)) continue;
      const known = this.usedFrom.get(site);
      const isSame = known?.monthMs === beforeMs && known.months === site.reduced.size;
      const used = isSame ? known.used : new UsedIds(site);
      this.usedFrom.delete(site);
      markFrom(site, beforeMs, used);
      if (used.deadPercent() < deadPercent) site.forgetMonthsBefore(beforeMs);
      else sites.set(websiteId, withoutMonthsBefore(site, beforeMs, used));
    }
  }
}
