/** Aggregates of some of the sealed chunks and months of websites, as they come back from files. */
import { decodeSections, encodeSections, type Section } from "../../src/snapshot/section.ts";
import type { Aggregates, AggregatesSource, MonthAggregates } from "../../src/store/aggregates.ts";
import { viewAggregates, viewMonthAggregates } from "../../src/store/aggregate-sections.ts";
import { aggregatesOf } from "../../src/store/chunk-aggregates.ts";
import type { Chunk } from "../../src/store/chunk.ts";
import { monthAggregates } from "../../src/store/month-aggregates.ts";
import type { ReadSite } from "../../src/store/read-site.ts";
import type { Site } from "../../src/store/site.ts";
import { sealAndStore } from "./stored-chunk.ts";

/** What a file of the sections has. */
export function stored(sections: readonly Section[]): Map<string, Uint8Array> {
  return decodeSections(encodeSections(sections), "file");
}

/** Of one chunk. */
export function madeOf(site: ReadSite, chunk: Chunk): Aggregates {
  return viewAggregates(stored(aggregatesOf(site, chunk)));
}

/** Of a month with these chunks, and in how many steps they were made. */
export function madeOfMonth(
  site: ReadSite,
  chunks: readonly Chunk[],
): { readonly month: MonthAggregates; readonly steps: number } {
  const making = monthAggregates(site, chunks, (chunk) => madeOf(site, chunk));
  for (let steps = 1; ; steps++) {
    const { done, value } = making.next();
    if (done) return { month: viewMonthAggregates(stored(value)), steps };
  }
}

class Source implements AggregatesSource {
  readonly chunks = new Map<Chunk, Aggregates>();
  readonly months = new Map<number, MonthAggregates>();

  ofChunk(chunk: Chunk): Aggregates | undefined {
    return this.chunks.get(chunk);
  }

  ofMonth(monthMs: number): MonthAggregates | undefined {
    return this.months.get(monthMs);
  }
}

export class SomeAggregates {
  private readonly bySite = new Map<Site, { readonly source: Source; readonly seen: ReadSite }>();

  /** `random`: numbers from 0 up to 1. */
  constructor(private readonly random: () => number) {}

  /** The website with the aggregates that were made of it. */
  seenBy(site: Site): ReadSite {
    return this.of(site).seen;
  }

  /** Seals what no hit reaches from `timeMs` on, and makes the aggregates of some of that. */
  make(site: Site, timeMs: number): void {
    sealAndStore(site, timeMs);
    const { source } = this.of(site);
    const sealed = [...site.chunks.values()].filter((chunk) => chunk.sealed);
    for (const chunk of sealed) if (this.random() < 0.4) source.chunks.set(chunk, madeOf(site, chunk));
    for (const [monthMs, chunks] of Map.groupBy(sealed, (chunk) => chunk.monthMs))
      if (this.random() < 0.4) source.months.set(monthMs, madeOfMonth(site, chunks).month);
  }

  private of(site: Site): { readonly source: Source; readonly seen: ReadSite } {
    const known = this.bySite.get(site);
    if (known !== undefined) return known;
    const source = new Source();
    const seen = Object.create(site, { aggregates: { value: source } }) as ReadSite;
    this.bySite.set(site, { source, seen });
    return { source, seen };
  }
}
