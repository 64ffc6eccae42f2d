/**
 * Names for the data that files of format 1 hold by position. It never changes: such files stay as long as their rows
 * do.
 */

const dictionaries = [
  "path",
  "referrer",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "browser",
  "os",
  "device",
  "country",
  "language",
  "property.name",
  "property.value",
];
const tuples = ["client", "place", "source"];

/**
 * Takes the sizes of the dictionaries, then those of the tuples, then the next chunk's number; returns them by name.
 */
export function sizesOfFormat1(sizes: readonly number[]) {
  const named = (names: readonly string[], first: number) =>
    Object.fromEntries(names.map((name, at) => [name, sizes[first + at]!]));
  const nextAt = dictionaries.length + tuples.length;
  return {
    dictionaries: named(dictionaries, 0),
    tuples: named(tuples, dictionaries.length),
    nextChunkNumber: sizes[nextAt]!,
  };
}

export function tupleSectionOfFormat1(column: string, member: number): string {
  return `${column}.${member}`;
}
