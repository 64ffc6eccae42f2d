/**
 * Websites and beacons as sections of bytes and back: what a checkpoint writes and a recovery reads. A restored
 * store is the saved one: the same ids, the same rows, the same answers, and the same bytes when it is saved again.
 */
import { assert } from "../lib/assert.ts";
import { dimensions } from "../core/dimension.ts";
import { bytesOf, jsonSection, settledBytesOf, type Section } from "../snapshot/section.ts";
import { Beacons, Generation } from "./beacons.ts";
import type { Dictionary } from "./dictionary.ts";
import { copied, json, section, words, type Sections } from "./sections.ts";
import { Site, tupleColumns } from "./site.ts";

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
  const dictionaries = namedDictionaries(site).map(([, { size }]) => size);
  return [...dictionaries, ...tupleColumns.map((name) => site.tuples[name].size), site.nextChunkNumber];
}

export const emptySizes = sizesOf(new Site(0));

/**
 * What dictionaries, tuples and counters have that they had not at `since`. Chunks are saved one by one. What is
 * large is not copied, but seen where it lies.
 */
export function saveSite(site: Site, since = emptySizes): Section[] {
  const { websiteId, nextChunkNumber } = site;
  const sections = [jsonSection("site", { websiteId, nextChunkNumber, since } satisfies SiteHead)];
  const dictionaries = namedDictionaries(site);
  dictionaries.forEach(([name, dictionary], at) => {
    const first = since[at] as number;
    if (dictionary.size > first) sections.push(...saveDictionary(name, dictionary, first));
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
  for (const [name, dictionary] of namedDictionaries(site))
    if (sections.has(`${name}.text`))
      dictionary.append(section(sections, `${name}.text`), words(sections, `${name}.ends`));
  for (const column of tupleColumns) {
    const table = site.tuples[column];
    if (!sections.has(`${column}.0`)) continue;
    table.append(table.members.map((_, member) => words(sections, `${column}.${member}`)));
  }
  site.nextChunkNumber = nextChunkNumber;
}

export function saveBeacons({ young, old }: Beacons): Section[] {
  return Object.entries({ young, old }).flatMap(([name, { sinceMs, count, columns }]) => [
    { name: `beacons.${name}`, data: bytesOf(Float64Array.of(sinceMs)) },
    ...Object.entries(columns).map(([column, values]) => ({
      name: `beacons.${name}.${column}`,
      data: settledBytesOf(values.subarray(0, count)),
    })),
  ]);
}

export function loadBeacons(sections: Sections, seed: bigint): Beacons {
  return new Beacons(seed, loadGeneration(sections, "young"), loadGeneration(sections, "old"));
}

function loadGeneration(sections: Sections, name: string): Generation {
  const [sinceMs] = new Float64Array(copied(sections, `beacons.${name}`));
  const column = (column: string) => words(sections, `beacons.${name}.${column}`);
  return Generation.load(sinceMs as number, {
    hashLow: column("hashLow"),
    hashHigh: column("hashHigh"),
    websiteId: column("websiteId"),
    chunkNumber: column("chunkNumber"),
    row: column("row"),
    loadMs: new Float64Array(copied(sections, `beacons.${name}.loadMs`)),
  });
}

function namedDictionaries(site: Site): (readonly [string, Dictionary])[] {
  const named = dimensions.map(
    ({ name }, index) => [name as string, site.dictionaries[index] as Dictionary] as const,
  );
  return [...named, ["property.name", site.propertyNames], ["property.value", site.propertyValues]];
}

/** Values as one run of UTF-8, and where each ends from the start of the first value of all. */
function saveDictionary(name: string, dictionary: Dictionary, first: number): Section[] {
  const { bytes, ends } = dictionary.since(first);
  return [
    { name: `${name}.text`, data: settledBytesOf(bytes) },
    { name: `${name}.ends`, data: settledBytesOf(ends) },
  ];
}
