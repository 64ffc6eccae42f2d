/**
 * Adds months of which only sums are known, and removes them again: their facts are written to a file, and once that is durable a record names
 * it. Such a month lies before all rows of its website, so that questions that need rows are answered from these on;
 * and it has been over for so long that no hit of it can come any more. In the month in which rows begin, the days
 * before the first row may be such sums.
 */
import { dirname, join } from "node:path";
import { dayMs, givenTimeMsMax } from "../../core/hit.ts";
import { Refusal } from "../../core/refusal.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { MonthSums } from "../../facts/months/month-sums.ts";
import { summedMonth } from "../../facts/months/summed-month.ts";
import { writeFile } from "../../lib/disk/disk.ts";
import { nextTurn } from "../../lib/threads/turn.ts";
import { encodeSections, fileChecksum } from "../../snapshot/section.ts";
import { monthEndMs } from "../../store/chunks/month.ts";
import { isFree } from "../../store/state/months.ts";
import type { Site } from "../../store/state/site.ts";
import { allButImported } from "../../store/state/rebuilding/drop.ts";
import { importedOf } from "../../store/state/reduced-month.ts";
import type { NameAdmission } from "../admission/names.ts";
import { inSteps } from "../files/in-steps.ts";
import { monthName } from "../files/month-files.ts";
import type { EngineParts } from "../upkeep/engine-parts.ts";

/** The reason why a month is left out. */
export type MonthLeftOut = "imported" | "tracked" | "waiting" | "current" | "expired";

/**
 * A month may still get hits for this long after its end: how late a hit may be sent, and a day for which a page view
 * takes events.
 */
const openMs = givenTimeMsMax + dayMs;

/** Returns when the days before the first rows of a month can be added; `untilMs`: the day of these rows. */
export function addableFromMs(untilMs: number): number {
  return untilMs + openMs;
}

/** Rows that come while the file is written may take the number that it has. */
const attemptsMax = 3;
const clusterText =
  "a cluster takes no sums of months: import them on a single machine, and move its folder into the cluster";
const removedText = "the website was removed";

export class MonthImport {
  private isStopped = false;

  constructor(
    private readonly options: EngineParts,
    private readonly admission: Pick<NameAdmission, "admitNames">,
    private readonly keptFromMs: () => number,
  ) {}

  /**
   * Returns the first millisecond of the day on which the rows of a month begin: its sums have to end there. undefined if it
   * has no rows. Throws Refusal.
   */
  untilOf(websiteId: number, monthMs: number): number | undefined {
    const { chunks } = this.siteOf(websiteId);
    const own = chunks.values().filter((chunk) => chunk.monthMs === monthMs);
    const firstMs = own.reduce((least, { minMs }) => Math.min(least, minMs), Infinity);
    return firstMs === Infinity ? undefined : Math.floor(firstMs / dayMs) * dayMs;
  }

  /** Returns why a month cannot be added, nor its days before the first rows; undefined if it can. Throws Refusal. */
  whyNot(websiteId: number, monthMs: number): MonthLeftOut | undefined {
    const { nowMs, engine } = this.options;
    // The record names a file, which the other nodes would not have.
    if (engine.shared !== undefined) throw new Refusal(400, clusterText);
    const site = this.siteOf(websiteId);
    if (monthMs < this.keptFromMs()) return "expired";
    const isImported = (month: { monthMs: number; head: { isImported?: boolean } }) =>
      month.monthMs === monthMs && month.head.isImported === true;
    if (site.reduced.values().some(isImported)) return "imported";
    const untilMs = this.untilOf(websiteId, monthMs);
    if (!isFree(site, monthMs, untilMs) || untilMs === monthMs) return "tracked";
    if (untilMs !== undefined) return addableFromMs(untilMs) > nowMs() ? "waiting" : undefined;
    return monthEndMs(monthMs) + openMs > nowMs() ? "current" : undefined;
  }

  /** Adds a month, or its days before the first rows, or returns why it cannot. Throws Refusal and DiskError. Call `purge` after the last one. */
  async add(websiteId: number, sums: MonthSums): Promise<MonthLeftOut | undefined> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const reason = this.whyNot(websiteId, sums.monthMs);
      if (reason !== undefined) return reason;
      const untilMs = this.untilOf(websiteId, sums.monthMs);
      const own = { ...sums, days: sums.days.filter(({ day }) => day * dayMs < (untilMs ?? Infinity)) };
      if (own.days.every(({ all }) => all.pageviews === 0)) return "tracked";
      // A checkpoint would remove a file that nothing names yet.
      const outcome = await this.options.checkpointer.between(() => this.write(websiteId, own, untilMs));
      if (outcome === "done") return undefined;
    }
    throw new Refusal(409, "another import of the same file is under way");
  }

  /**
   * Removes all such months of a website, for the wrong file or the wrong website: the same file can be imported again then.
   * Resolves when that is durable and applied; call `purge` then. `expectAllowed` is called right before, and what it
   * throws gives it up. Throws Refusal: 404 if the website is gone or has no such months, 500.
   */
  remove(websiteId: number, expectAllowed: () => void): Promise<void> {
    const { checkpointer, recovered, openStore, room, commit } = this.options;
    const { store } = recovered.state;
    const isStopping = () => this.isStopped;
    return checkpointer.between(async () => {
      openStore();
      const site = store.sites.get(websiteId);
      if (site === undefined) throw new Refusal(404, removedText);
      if (importedOf(site.reduced.values()).length === 0)
        throw new Refusal(404, "the website has no imported sums");
      await inSteps(store.drops.readWhatStays(site, allButImported), isStopping);
      await inSteps(recovered.files.chunks.compareToRewrite(site, allButImported), isStopping);
      expectAllowed();
      room.expectToRewrite(new Set([websiteId]));
      const outcome = await commit({ kind: "importedSumsRemoved", websiteId });
      if (outcome === "missing") throw new Refusal(404, removedText);
    });
  }

  /** Gives up a removal that is not logged yet. */
  stop(): void {
    this.isStopped = true;
  }

  private async write(websiteId: number, sums: MonthSums, untilMs: number | undefined): Promise<Outcome> {
    const { engine, room, nowMs, commit } = this.options;
    const { io, folder } = engine;
    const { head, names, sections } = await summedMonth(sums, nextTurn);
    const site = this.siteOf(websiteId);
    const chunkNumber = site.nextChunkNumber;
    const data = encodeSections(sections);
    room.expectFree(2 * data.length, "importing", "to write the sums of a month");
    const name = monthName(websiteId, { ...head, number: chunkNumber });
    const path = join(folder, name);
    io.disk.makeDirectory(dirname(path));
    writeFile(io.disk, path, data);
    // The website may have had no file yet, and no other website either.
    for (const directory of [folder, join(folder, "chunks"), dirname(path)]) io.disk.syncDirectory(directory);
    const [firstMs, lastMs, firstEventMs, lastEventMs] = head.bounds as [
      number,
      number,
      number | null,
      number | null,
    ];
    const timeMs = nowMs();
    return commit({
      kind: "monthImported",
      timeMs,
      websiteId,
      monthMs: sums.monthMs,
      chunkNumber,
      rows: head.rows,
      propertyCount: head.properties,
      firstMs,
      lastMs,
      firstEventMs,
      lastEventMs,
      name,
      bytes: data.length,
      checksum: fileChecksum(data),
      namesOf: this.admission.admitNames(names.namesOf, site, timeMs),
      sources: names.sources,
      untilMs: untilMs ?? null,
    });
  }

  private siteOf(websiteId: number): Site {
    const site = this.options.recovered.state.store.sites.get(websiteId);
    if (site === undefined) throw new Refusal(404, `${removedText} while the file was imported`);
    return site;
  }
}
