/** Months of a website that gave up their rows, as they come back from files. */
import type { Target } from "../../src/core/website/goal.ts";
import { renumberedSections } from "../../src/facts/months/reduce-job.ts";
import { reducedSections } from "../../src/facts/months/reduce.ts";
import { channelsOf } from "../../src/query/names/derived.ts";
import { compileGoals } from "../../src/query/rows/filters/targets.ts";
import { Chunk } from "../../src/store/chunks/chunk.ts";
import { headToReduce } from "../../src/store/chunks/merge.ts";
import { monthEndMs } from "../../src/store/chunks/month.ts";
import { joinedChunk } from "../../src/store/files/join-chunks.ts";
import { saveChunk, viewColumns } from "../../src/store/files/save-chunk.ts";
import { fileOfMonth, ReducedMonth } from "../../src/store/state/reduced-month.ts";
import type { Site } from "../../src/store/state/site.ts";
import { stored } from "./stored-chunk.ts";

/** Reduces the months that begin before `beforeMs`, whose chunks must be sealed, oldest first; they keep these goals. */
export function reduceMonths(site: Site, beforeMs: number, targets: readonly Target[] = []): void {
  const chunks = () => [...site.chunks.values()];
  const months = [...new Set(chunks().map(({ monthMs }) => monthMs))].sort((a, b) => a - b);
  for (const monthMs of months) {
    if (monthMs >= beforeMs) continue;
    const head = headToReduce(site, monthMs);
    if (head === undefined) throw new Error("a chunk of the month may still change");
    const parts = chunks().filter((chunk) => chunk.monthMs === monthMs);
    const later = chunks().filter((chunk) => chunk.monthMs === monthEndMs(monthMs));
    const saved = parts.map((part) => ({ ...part.head, sections: saveChunk(part) }));
    const noFile = () => {
      throw new Error("every chunk is in memory");
    };
    const columns = viewColumns(stored(joinedChunk({ head, parts: saved }, noFile)));
    const month = Chunk.sealed(head, () => columns);
    const facts = reducedSections(site, month, later, { targets, compile: compileGoals }, channelsOf);
    const sections = stored(fileOfMonth(head, facts));
    const name = `chunks/${site.websiteId}/${monthMs}.month`;
    site.reduce(new ReducedMonth(head, { name, bytes: 0, checksum: 0 }, () => sections));
  }
}

/** Returns a month as a checkpoint writes it after its website has got other ids. */
export function written({ head, file, rewrites, read }: ReducedMonth): ReducedMonth {
  const sections = stored(renumberedSections({ head, file, rewrites }, read()));
  return new ReducedMonth(head, file, () => sections);
}
