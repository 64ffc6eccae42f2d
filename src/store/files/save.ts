/**
 * Websites as sections of bytes and back: what a checkpoint writes and a recovery reads. A restored store is the saved
 * one: the same ids, the same rows, the same answers, and the same bytes when it is saved again. Everything is found by
 * name: what a file does not have because its writer did not know it is what its table says.
 */
import { assert } from "../../lib/assert.ts";
import { expectContent } from "../../lib/decoding.ts";
import { dimensions, valuesBefore, type DimensionName } from "../../core/dimension.ts";
import { jsonSection, settledBytesOf, type Section } from "../../snapshot/section.ts";
import type { Dictionary } from "../values/dictionary.ts";
import { sizesOfFormat1, tupleSectionOfFormat1 } from "./format-1.ts";
import { idBefore } from "./save-chunk.ts";
import { json, section, viewedWords, type Sections } from "../../snapshot/named-sections.ts";
import { columnMembers, Site, tupleColumns, type TupleColumn } from "../state/site.ts";

/** How far a website has come: one more than the greatest ids, by name, and the next chunk's number. */
export interface SiteSizes {
  /** By dimension or property. */
  readonly dictionaries: Readonly<Record<string, number>>;
  /** By column. */
  readonly tuples: Readonly<Record<string, number>>;
  readonly nextChunkNumber: number;
}

interface SiteHead {
  readonly websiteId: number;
  readonly nextChunkNumber: number;
  /** The website that this goes on from; its names are all that the writer knew. In format 1 by position. */
  readonly since: SiteSizes | readonly number[];
}

/** Nothing of a website shrinks or changes but in step with these: equal sizes, equal site. */
export function sizesOf(site: Site): SiteSizes {
  const dictionaries = dictionariesOf(site).map(([name, { size }]) => [name, size]);
  const tuples = tupleColumns.map((column) => [column, site.tuples[column].size]);
  const { nextChunkNumber } = site;
  return {
    dictionaries: Object.fromEntries(dictionaries),
    tuples: Object.fromEntries(tuples),
    nextChunkNumber,
  };
}

export const emptySizes = sizesOf(new Site(0));

/** Whether a website has come as far as `since` says, in all that it names. */
export function isAt(since: SiteSizes, sizes: SiteSizes): boolean {
  const areEqual = (some: Readonly<Record<string, number>>, all: Readonly<Record<string, number>>) =>
    Object.entries(some).every(([name, size]) => all[name] === size);
  return (
    since.nextChunkNumber === sizes.nextChunkNumber &&
    areEqual(since.dictionaries, sizes.dictionaries) &&
    areEqual(since.tuples, sizes.tuples)
  );
}

/**
 * What dictionaries, tuples and counters have that they had not at `since`. Chunks are saved one by one. What is
 * large is not copied, but seen where it lies.
 */
export function saveSite(site: Site, since = emptySizes): Section[] {
  const { websiteId, nextChunkNumber } = site;
  const sections = [jsonSection("site", { websiteId, nextChunkNumber, since } satisfies SiteHead)];
  for (const [name, dictionary] of dictionariesOf(site)) {
    const first = since.dictionaries[name] as number;
    if (dictionary.size === first) continue;
    const { bytes, ends } = dictionary.since(first);
    sections.push(
      // Values as one run of UTF-8, and where each ends, from the start of the first value of all.
      { name: `${name}.text`, data: settledBytesOf(bytes) },
      { name: `${name}.ends`, data: settledBytesOf(ends) },
    );
  }
  for (const column of tupleColumns) {
    const { members, size } = site.tuples[column];
    const first = since.tuples[column] as number;
    if (size === first) continue;
    members.forEach((ids, member) => {
      const name = `${column}.${memberName(column, member)}`;
      sections.push({ name, data: settledBytesOf(ids.subarray(first, size)) });
    });
  }
  return sections;
}

/** The website of what `saveSite` gave for it when it was saved whole. Throws WrongContent. */
export function loadSite(sections: Sections): Site {
  const { websiteId } = json(sections, "site") as SiteHead;
  const site = new Site(websiteId);
  extendSite(site, sections);
  return site;
}

/** Gives a website, as it was loaded so far, what `saveSite` gave for it next. Throws WrongContent. */
export function extendSite(site: Site, sections: Sections): void {
  const { websiteId, nextChunkNumber, since: said } = json(sections, "site") as SiteHead;
  const since = "dictionaries" in said ? said : sizesOfFormat1(said);
  expectContent(
    websiteId === site.websiteId,
    `a file of website ${websiteId} is of website ${site.websiteId}`,
  );
  expectContent(isAt(since, sizesOf(site)), `website ${websiteId}: a file goes on from the one before it`);
  for (const [name, dictionary] of dictionariesOf(site))
    if (sections.has(`${name}.text`))
      dictionary.append(section(sections, `${name}.text`), viewedWords(sections, `${name}.ends`));
  site.nextChunkNumber = nextChunkNumber;
  for (const column of tupleColumns)
    if (column in since.tuples) appendTuples(site, column, sections, since);
    else addTupleBefore(site, column);
}

/** A member that the writer did not know is in all of its tuples what the dimension's line says. */
function appendTuples(site: Site, column: TupleColumn, sections: Sections, since: SiteSizes): void {
  const found = columnMembers[column].map((_, member) => {
    const name = memberName(column, member);
    return name in since.dictionaries ? idsOfMember(sections, column, name, member) : null;
  });
  const known = found.filter((ids) => ids !== null);
  const length = known.find((ids) => ids !== undefined)?.length;
  if (length === undefined) return;
  expectContent(
    known.every((ids) => ids?.length === length),
    `website ${site.websiteId}: the tuples of ${column} have members of other lengths`,
  );
  const members = found.map(
    (ids, member) => ids ?? new Uint32Array(length).fill(memberBefore(site, column, member)),
  );
  site.tuples[column].append(members);
}

/** Undefined where the file has no tuples. */
function idsOfMember(
  sections: Sections,
  column: TupleColumn,
  name: DimensionName,
  member: number,
): Uint32Array | undefined {
  return [`${column}.${name}`, tupleSectionOfFormat1(column, member)]
    .filter((name) => sections.has(name))
    .map((name) => viewedWords(sections, name))[0];
}

/** Rows in files from before the column have the first tuple of it, which is made of what its dimensions were then. */
function addTupleBefore(site: Site, column: TupleColumn): void {
  if (site.nextChunkNumber === 1) return;
  const members = columnMembers[column].map((_, member) => memberBefore(site, column, member));
  const tuple = site.tuples[column].intern(members, 0);
  assert(
    tuple === idBefore,
    `website ${site.websiteId}: the first tuple of ${column} is that of the rows before`,
  );
}

/** The id of what a dimension was before its line was appended; the value is interned by the first file that needs it. */
function memberBefore(site: Site, column: TupleColumn, member: number): number {
  const dimension = columnMembers[column][member] as number;
  const value = valuesBefore[dimension];
  expectContent(value !== undefined, `the section ${column}.${memberName(column, member)} is missing`);
  return (site.dictionaries[dimension] as Dictionary).intern(value);
}

function memberName(column: TupleColumn, member: number): DimensionName {
  return (dimensions[columnMembers[column][member] as number] as (typeof dimensions)[number]).name;
}

function dictionariesOf({ dictionaries, propertyNames, propertyValues }: Site): [name: string, Dictionary][] {
  return [
    ...dictionaries.map((dictionary, at): [string, Dictionary] => [
      (dimensions[at] as (typeof dimensions)[number]).name,
      dictionary,
    ]),
    ["property.name", propertyNames],
    ["property.value", propertyValues],
  ];
}
