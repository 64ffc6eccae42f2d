/**
 * Websites as sections of bytes and back: a checkpoint writes the sections and a recovery reads them. A restored store
 * equals the saved one: it has the same ids and rows, gives the same answers, and saves to the same bytes. Sections and
 * members are found by name. Data that a file lacks, because its writer did not know it yet, has the default that its
 * table states.
 */
import { assert } from "../../lib/assert.ts";
import { expectContent } from "../../lib/decoding.ts";
import { storedDimensions, valuesBefore, type StoredName } from "../../core/questions/stored-dimension.ts";
import { jsonSection, settledBytesOf, type Section } from "../../snapshot/section.ts";
import { dictionariesByKind } from "../values/dictionaries.ts";
import { sizesOfFormat1, tupleSectionOfFormat1 } from "./format-1.ts";
import { idBefore } from "./save-chunk.ts";
import { json, section, viewedWords, type Sections } from "../../snapshot/named-sections.ts";
import { columnMembers, Site, tupleColumns, type TupleColumn } from "../state/site.ts";

/**
 * The state of a website in numbers: one more than the greatest id of each table, by name, and the next chunk's number.
 */
export interface SiteSizes {
  /** By name of the dimension or property dictionary. */
  readonly dictionaries: Readonly<Record<string, number>>;
  /** By column. */
  readonly tuples: Readonly<Record<string, number>>;
  readonly nextChunkNumber: number;
}

interface SiteHead {
  readonly websiteId: number;
  readonly nextChunkNumber: number;
  /**
   * The sizes that these sections continue from; its names are all that the writer knew. Format 1 has them by position.
   */
  readonly since: SiteSizes | readonly number[];
}

/** Returns the sizes of a website. All that they measure only grows, so equal sizes mean that nothing has changed. */
export function sizesOf(site: Site): SiteSizes {
  const dictionaries = Array.from(dictionariesByKind(site), ([name, { size }]) => [name, size]);
  const tuples = tupleColumns.map((column) => [column, site.tuples[column].size]);
  const { nextChunkNumber } = site;
  return {
    dictionaries: Object.fromEntries(dictionaries),
    tuples: Object.fromEntries(tuples),
    nextChunkNumber,
  };
}

export const emptySizes = sizesOf(new Site(0));

/** Returns whether a website has exactly the sizes in `since`, for every name in it. */
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
 * Returns the sections of everything that dictionaries, tuples and counters gained after `since`. Chunks are saved one
 * by one. Large data is not copied: the sections are views of it.
 */
export function saveSite(site: Site, since = emptySizes): Section[] {
  const { websiteId, nextChunkNumber } = site;
  const sections = [jsonSection("site", { websiteId, nextChunkNumber, since } satisfies SiteHead)];
  for (const [name, dictionary] of dictionariesByKind(site)) {
    const first = since.dictionaries[name]!;
    if (dictionary.size === first) continue;
    const { bytes, ends } = dictionary.since(first);
    sections.push(
      // The values as one run of UTF-8, and the end of each, counted from the start of id 1.
      { name: `${name}.text`, data: settledBytesOf(bytes) },
      { name: `${name}.ends`, data: settledBytesOf(ends) },
    );
  }
  for (const column of tupleColumns) {
    const { members, size } = site.tuples[column];
    const first = since.tuples[column]!;
    if (size === first) continue;
    members.forEach((ids, member) => {
      const name = `${column}.${memberName(column, member)}`;
      sections.push({ name, data: settledBytesOf(ids.subarray(first, size)) });
    });
  }
  return sections;
}

/** Returns the website that `saveSite` saved whole. Throws WrongContent. */
export function loadSite(sections: Sections): Site {
  const { websiteId } = json(sections, "site") as SiteHead;
  const site = new Site(websiteId);
  extendSite(site, sections);
  return site;
}

/** Adds to a website, as loaded so far, the sections that `saveSite` returned next. Throws WrongContent. */
export function extendSite(site: Site, sections: Sections): void {
  const { websiteId, nextChunkNumber, since: said } = json(sections, "site") as SiteHead;
  const since = "dictionaries" in said ? said : sizesOfFormat1(said);
  expectContent(
    websiteId === site.websiteId,
    `a file of website ${websiteId} is of website ${site.websiteId}`,
  );
  expectContent(isAt(since, sizesOf(site)), `website ${websiteId}: a file goes on from the one before it`);
  for (const [name, dictionary] of dictionariesByKind(site))
    if (sections.has(`${name}.text`))
      dictionary.append(section(sections, `${name}.text`), viewedWords(sections, `${name}.ends`));
  site.nextChunkNumber = nextChunkNumber;
  for (const column of tupleColumns)
    if (column in since.tuples) appendTuples(site, column, sections, since);
    else addTupleBefore(site, column);
}

/**
 * Appends the tuples in the sections. A member that the writer did not know gets the default of its dimension's line in
 * all of them.
 */
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

/** Returns undefined if the file has no tuples. */
function idsOfMember(
  sections: Sections,
  column: TupleColumn,
  name: StoredName,
  member: number,
): Uint32Array | undefined {
  return [`${column}.${name}`, tupleSectionOfFormat1(column, member)]
    .filter((name) => sections.has(name))
    .map((name) => viewedWords(sections, name))[0];
}

/**
 * Adds the tuple that rows in files from before the column have: the first one, made of the defaults of its dimensions.
 */
function addTupleBefore(site: Site, column: TupleColumn): void {
  if (site.nextChunkNumber === 1) return;
  const members = columnMembers[column].map((_, member) => memberBefore(site, column, member));
  const tuple = site.tuples[column].intern(members);
  assert(
    tuple === idBefore,
    `website ${site.websiteId}: the first tuple of ${column} is that of the rows before`,
  );
}

/**
 * Returns the id of a dimension's default, for files from before its line was added. The first such file interns the
 * value.
 */
function memberBefore(site: Site, column: TupleColumn, member: number): number {
  const dimension = columnMembers[column][member]!;
  const value = valuesBefore[dimension];
  expectContent(value !== undefined, `the section ${column}.${memberName(column, member)} is missing`);
  return site.dictionaries[dimension]!.intern(value);
}

function memberName(column: TupleColumn, member: number): StoredName {
  return storedDimensions[columnMembers[column][member]!]!.name;
}
