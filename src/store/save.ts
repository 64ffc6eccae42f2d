/**
 * Websites as sections of bytes and back: what a checkpoint writes and a recovery reads. A restored store is the saved
 * one: the same ids, the same rows, the same answers, and the same bytes when it is saved again.
 */
import { assert } from "../lib/assert.ts";
import { dimensions } from "../core/dimension.ts";
import { jsonSection, settledBytesOf, type Section } from "../snapshot/section.ts";
import type { Dictionary } from "./dictionary.ts";
import { json, section, viewedWords, type Sections } from "./sections.ts";
import { Site, tupleColumns } from "./site.ts";

interface DictionarySections {
  /** Values as one run of UTF-8. */
  readonly text: string;
  /** Where each ends, from the start of the first value of all. */
  readonly ends: string;
}

/** In the order of `dictionariesOf`. */
const dictionarySections: readonly DictionarySections[] = [
  ...dimensions.map(({ name }) => name),
  "property.name",
  "property.value",
].map((name) => ({ text: `${name}.text`, ends: `${name}.ends` }));

/** How far a website has come: the sizes of its dictionaries and of its tuple tables, and the next chunk's number. */
export type SiteSizes = readonly number[];

interface SiteHead {
  readonly websiteId: number;
  readonly nextChunkNumber: number;
  /** The website that this goes on from. */
  readonly since: SiteSizes;
}

/** Nothing of a website shrinks or changes but in step with these: equal sizes, equal site. */
export function sizesOf(site: Site): SiteSizes {
  const sizes = dictionariesOf(site).map(({ size }) => size);
  for (const name of tupleColumns) sizes.push(site.tuples[name].size);
  sizes.push(site.nextChunkNumber);
  return sizes;
}

export const emptySizes = sizesOf(new Site(0));

/**
 * What dictionaries, tuples and counters have that they had not at `since`. Chunks are saved one by one. What is
 * large is not copied, but seen where it lies.
 */
export function saveSite(site: Site, since = emptySizes): Section[] {
  const { websiteId, nextChunkNumber } = site;
  const sections = [jsonSection("site", { websiteId, nextChunkNumber, since } satisfies SiteHead)];
  const dictionaries = dictionariesOf(site);
  dictionaries.forEach((dictionary, at) => {
    const first = since[at] as number;
    if (dictionary.size === first) return;
    const { bytes, ends } = dictionary.since(first);
    const { text, ends: endsName } = dictionarySections[at] as DictionarySections;
    sections.push(
      { name: text, data: settledBytesOf(bytes) },
      { name: endsName, data: settledBytesOf(ends) },
    );
  });
  tupleColumns.forEach((column, at) => {
    const { members, size } = site.tuples[column];
    const first = since[dictionaries.length + at] as number;
    if (size === first) return;
    members.forEach((ids, member) =>
      sections.push({ name: `${column}.${member}`, data: settledBytesOf(ids.subarray(first, size)) }),
    );
  });
  return sections;
}

/** The website of what `saveSite` gave for it when it was saved whole. */
export function loadSite(sections: Sections): Site {
  const { websiteId } = json(sections, "site") as SiteHead;
  const site = new Site(websiteId);
  extendSite(site, sections);
  return site;
}

/** Gives a website, as it was loaded so far, what `saveSite` gave for it next. */
export function extendSite(site: Site, sections: Sections): void {
  const { websiteId, nextChunkNumber, since } = json(sections, "site") as SiteHead;
  assert(websiteId === site.websiteId, `a file of website ${websiteId} is of website ${site.websiteId}`);
  assert(`${since}` === `${sizesOf(site)}`, `website ${websiteId}: a file goes on from the one before it`);
  dictionariesOf(site).forEach((dictionary, at) => {
    const { text, ends } = dictionarySections[at] as DictionarySections;
    if (sections.has(text)) dictionary.append(section(sections, text), viewedWords(sections, ends));
  });
  for (const column of tupleColumns) {
    const table = site.tuples[column];
    if (!sections.has(`${column}.0`)) continue;
    table.append(table.members.map((_, member) => viewedWords(sections, `${column}.${member}`)));
  }
  site.nextChunkNumber = nextChunkNumber;
}

function dictionariesOf({ dictionaries, propertyNames, propertyValues }: Site): Dictionary[] {
  return [...dictionaries, propertyNames, propertyValues];
}
