/** Facts of some of the sealed chunks of websites, as they come back from files. */
import type { ChunkFacts, FactsSource, SiteWithFacts } from "../../src/facts/facts.ts";
import { lookUps } from "../../src/query/names/look-ups.ts";
import type { Labellers } from "../../src/facts/grouped-visits.ts";
import type { LookUps } from "../../src/facts/rollup.ts";
import { buildFacts } from "../../src/facts/making/build.ts";
import { FactsView } from "../../src/facts/making/sections.ts";
import { Chunk } from "../../src/store/chunks/chunk.ts";
import { joinedChunk } from "../../src/store/files/join-chunks.ts";
import { chunksToMerge, mergedHead } from "../../src/store/chunks/merge.ts";
import type { ReadSite } from "../../src/store/mirror/read-site.ts";
import { saveChunk, viewColumns } from "../../src/store/files/save-chunk.ts";
import type { Site } from "../../src/store/state/site.ts";
import { sealAndStore, stored } from "./stored-chunk.ts";

/** The facts of one chunk. `by`: the channels and labels that its values have when they are made. */
export function factsOf(site: ReadSite, chunk: Chunk, by = lookUps): ChunkFacts {
  const sections = buildFacts(site, chunk, by);
  return new FactsView(stored(sections), new Set(sections.map(({ name }) => name)), "facts");
}

/** The website with the facts of the chunks that have these numbers. */
export function withFacts(site: Site, numbers: readonly number[]): SiteWithFacts {
  const made = new Map(
    numbers.map((number) => [number, factsOf(site, site.chunks.get(number) as Chunk)] as const),
  );
  return seenWith(site, ({ number }) => made.get(number));
}

/** The website with facts that stay as they are. `makeAgain`: receives the chunks whose facts are to be made again. */
export function seenWith(
  site: Site,
  ofChunk: FactsSource["ofChunk"],
  makeAgain: FactsSource["makeAgain"] = () => {},
): SiteWithFacts {
  const facts: FactsSource = { ofChunk, makeAgain };
  return Object.create(site, { facts: { value: facts } }) as SiteWithFacts;
}

/** Merges all chunks that a server would merge in time; `nowMs`: the log's time. */
export function mergeAll(site: Site, nowMs: number): void {
  const noFile = () => {
    throw new Error("every chunk is in memory");
  };
  for (let groups = mergeable(site, nowMs); groups.length > 0; groups = mergeable(site, nowMs))
    for (const group of groups) {
      const parts = group.toSorted((a, b) => a.number - b.number);
      const head = mergedHead(parts);
      const saved = parts.map((part) => ({ ...part.head, sections: saveChunk(part) }));
      const columns = viewColumns(stored(joinedChunk({ head, parts: saved }, noFile)));
      site.merge(
        parts,
        Chunk.sealed(head, () => columns),
      );
    }
}

function mergeable(site: Site, nowMs: number): Chunk[][] {
  return chunksToMerge(site.chunks.values(), () => true, nowMs);
}

/** Returns one function for all kinds of labels. */
export function labelledBy(labelOf: (value: string) => string): Labellers {
  return { "referrer group": labelOf, language: labelOf, dialect: labelOf, country: labelOf };
}

/** Channels and labels as an earlier version may have given them. */
export const otherLookUps: LookUps = {
  channelsOf: (site, of) => lookUps.channelsOf(site, of).map((channel) => channel % 3),
  labellers: labelledBy((value) => value.slice(0, 1)),
};

class Source implements FactsSource {
  readonly chunks = new Map<Chunk, ChunkFacts>();

  ofChunk(chunk: Chunk): ChunkFacts | undefined {
    return this.chunks.get(chunk);
  }

  /** Does nothing: each question about channels meets facts by other ones. */
  makeAgain(): void {}
}

export class SomeFacts {
  private readonly bySite = new Map<Site, { readonly source: Source; readonly seen: SiteWithFacts }>();

  /** `random`: numbers from 0 up to 1. */
  constructor(private readonly random: () => number) {}

  /** The website with the facts that were made of it. */
  seenBy(site: Site): SiteWithFacts {
    return this.of(site).seen;
  }

  /** Seals what no hit reaches from `timeMs` on, and makes the facts of some of that. */
  make(site: Site, timeMs: number): void {
    sealAndStore(site, timeMs);
    const { source } = this.of(site);
    for (const chunk of site.chunks.values())
      if (chunk.sealed && !source.chunks.has(chunk) && this.random() < 0.6)
        source.chunks.set(chunk, factsOf(site, chunk, this.random() < 0.3 ? otherLookUps : lookUps));
  }

  private of(site: Site): { readonly source: Source; readonly seen: SiteWithFacts } {
    const known = this.bySite.get(site);
    if (known !== undefined) return known;
    const source = new Source();
    const seen = Object.create(site, { facts: { value: source } }) as SiteWithFacts;
    this.bySite.set(site, { source, seen });
    return { source, seen };
  }
}
