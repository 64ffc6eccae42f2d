/**
 * Assigns months without rows to files, from one checkpoint to the next. A file is written when the month gives up its
 * rows, and again only when the website has got other ids.
 */
import { dayMs } from "../../core/hit.ts";
import type { ReduceJob } from "../../facts/months/reduce-job.ts";
import { numbered, type FileEntry, type Manifest } from "../../snapshot/manifest.ts";
import { headToReduce } from "../../store/chunks/merge.ts";
import { monthEndMs, monthNumber } from "../../store/chunks/month.ts";
import type { ChunkHead } from "../../store/chunks/chunk-head.ts";
import type { Months } from "../../store/state/months.ts";
import type { ReducedMonth } from "../../store/state/reduced-month.ts";
import type { Site } from "../../store/state/site.ts";
import type { ChunkFiles } from "./chunk-files.ts";
import type { FreshFile } from "./planned-checkpoint.ts";

/** The months of one checkpoint. */
export interface CollectedMonths {
  readonly seq: number;
  /** By the names of their files: the heads of the rows that they had. */
  readonly heads: Record<string, ChunkHead>;
  readonly rewritten: { readonly site: Site; readonly month: ReducedMonth; readonly name: string }[];
}

export function noMonths(seq: number): CollectedMonths {
  return { seq, heads: {}, rewritten: [] };
}

export function isMonth(name: string): boolean {
  return name.endsWith(".month");
}

/**
 * Returns `<month>-<least number of its chunks>.<record>.month` below the website's directory. `seq`: the last record that
 * a checkpoint includes which writes the month with other ids.
 */
export function monthName(
  websiteId: number,
  { monthMs, number }: Pick<ChunkHead, "monthMs" | "number">,
  seq = 0,
): string {
  return `chunks/${websiteId}/${monthNumber(monthMs)}-${number}.${numbered(seq)}.month`;
}

/** Returns the files of a website's months. */
export function collectMonths(site: Site, into: CollectedMonths): (FileEntry | FreshFile)[] {
  return Array.from(site.reduced.values(), (month): FileEntry | FreshFile => {
    const { head, file, rewrites } = month;
    const name = rewrites.length === 0 ? file.name : monthName(site.websiteId, head, into.seq);
    into.heads[name] = head;
    if (rewrites.length === 0) return file;
    into.rewritten.push({ site, month, name });
    return { name, mapped: true, renumber: { file, head, rewrites } };
  });
}

/** Takes over the files of a durable checkpoint. */
export function settleMonths(
  { rewritten }: CollectedMonths,
  months: Months,
  entries: ReadonlyMap<string, FileEntry>,
): void {
  for (const { site, month, name } of rewritten) {
    const { number } = month.head;
    // It may have got other ids again meanwhile, and then it is another website's.
    if (site.reduced.get(number) === month)
      site.addMonth(months.of(month.head, entries.get(name) as FileEntry));
  }
}

/**
 * Returns from which chunks a month is reduced; undefined if one of it, or of the month after it, may still change or is
 * not in a file of its own.
 */
export function monthToReduce(
  site: Site,
  monthMs: number,
  files: ChunkFiles,
): Pick<ReduceJob, "name" | "month" | "later"> | undefined {
  const of = (startMs: number) => [...site.chunks.values()].filter((chunk) => chunk.monthMs === startMs);
  const [own, next] = [of(monthMs), of(monthEndMs(monthMs))];
  const head = headToReduce(site, monthMs);
  const [ownFiles, nextFiles] = [files.filesOf(own), files.filesOf(next)];
  if (head === undefined || ownFiles === undefined || nextFiles === undefined) return undefined;
  const parts = own.map(({ rows, properties }, at) => ({ rows, properties, file: ownFiles[at]! }));
  // The files of chunks with rows of the first day, in which visits may go on.
  const later = nextFiles.filter((_, at) => next[at]!.minMs < monthEndMs(monthMs) + dayMs);
  return { name: monthName(site.websiteId, head), month: { head, parts }, later };
}

/** Returns those of the files that a manifest does not name. */
export function monthsBeside({ files }: Manifest, months: readonly FileEntry[]): FileEntry[] {
  const names = new Set(files.map(({ name }) => name));
  return months.filter(({ name }) => !names.has(name));
}
