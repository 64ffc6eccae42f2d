/** Makes months without rows: from records of the log, and from checkpoints. */
import { AssertionError } from "../../lib/assert.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { RecordOf } from "../../record/record.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { MappedFiles } from "../../snapshot/mapped-files.ts";
import type { Sections } from "../../snapshot/named-sections.ts";
import type { Chunk } from "../chunks/chunk.ts";
import type { ChunkHead } from "../chunks/chunk-head.ts";
import { idsOfImported } from "./imported-names.ts";
import { headToReduce } from "../chunks/merge.ts";
import { ReducedMonth, sectionsOfMonth, type IdsBefore, type ReducedIds } from "./reduced-month.ts";
import type { Site } from "./site.ts";

/** Returns a function that returns the sections of a month's file; it may throw. */
export type MonthReader = (head: ChunkHead, file: FileEntry) => () => Sections;

const noReader: MonthReader = () => () => {
  throw new AssertionError("a store of no folder has no months without rows");
};

export class Months {
  constructor(private readonly readerOf: MonthReader = noReader) {}

  /** Returns a month whose facts are in the file. */
  of(
    head: ChunkHead,
    file: FileEntry,
    rewrites: readonly ReducedIds[] = [],
    idsBefore: IdsBefore = [],
  ): ReducedMonth {
    return new ReducedMonth(head, file, this.readerOf(head, file), rewrites, idsBefore);
  }

  apply(sites: ReadonlyMap<number, Site>, record: RecordOf<"monthReduced">): Outcome {
    const { websiteId, monthMs, rows, propertyCount, name, bytes, checksum } = record;
    const site = sites.get(websiteId);
    const head = site && headToReduce(site, monthMs);
    // Rows that came after the file was made are not in it.
    if (site === undefined || head?.rows !== rows) return "missing";
    // How many of the properties that moved are counted depends on how the rows lay in chunks when the file was made.
    const ofFile = { ...head, properties: propertyCount };
    site.reduce(this.of(ofFile, { name, bytes, checksum, mapped: true }));
    return "done";
  }

  /** Adds a month before all others that the website has. */
  applyImported(sites: ReadonlyMap<number, Site>, record: RecordOf<"monthImported">): Outcome {
    const { websiteId, monthMs, chunkNumber, rows, propertyCount, name, bytes, checksum } = record;
    const site = sites.get(websiteId);
    if (site === undefined) return "missing";
    const untilMs = record.untilMs ?? undefined;
    // Rows came meanwhile, or another import.
    if (chunkNumber !== site.nextChunkNumber || !isFree(site, monthMs, untilMs)) return "misplaced";
    site.nextChunkNumber++;
    const { firstMs, lastMs, firstEventMs, lastEventMs } = record;
    const head: ChunkHead = {
      number: chunkNumber,
      monthMs,
      rows,
      properties: propertyCount,
      sorted: true,
      bounds: [firstMs, lastMs, firstEventMs, lastEventMs],
      isImported: true,
      ...(untilMs !== undefined && { untilMs }),
    };
    site.addMonth(this.of(head, { name, bytes, checksum, mapped: true }, [idsOfImported(site, record)]));
    return "done";
  }
}

/** Whether a website has nothing of a month, or of its time before `untilMs`, and no rows of one before it. */
export function isFree({ chunks, reduced }: Site, monthMs: number, untilMs = Infinity): boolean {
  const follows = (chunk: Chunk) => chunk.monthMs === monthMs && chunk.minMs >= untilMs;
  return (
    reduced.values().every((month) => month.monthMs !== monthMs) &&
    chunks.values().every((chunk) => chunk.monthMs > monthMs || follows(chunk))
  );
}

/** Returns months whose files are read when they are needed. */
export function monthsIn(mapped: MappedFiles): Months {
  return new Months((head, file) =>
    mapped.unmapped(file, (sections) => sectionsOfMonth(sections, head, file)),
  );
}

/** Returns the files of all months that gave up their rows. */
export function monthFiles(sites: ReadonlyMap<number, Site>): FileEntry[] {
  return [...sites.values()].flatMap(({ reduced }) => Array.from(reduced.values(), ({ file }) => file));
}
