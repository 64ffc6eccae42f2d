/** Names what files of format 1 say by position. It never changes: such files stay as long as their rows do. */

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

/** Takes the sizes of the dictionaries, those of the tuples, and the next chunk's number. */
export function sizesOfFormat1(sizes: readonly number[]) {
  const named = (names: readonly string[], first: number) =>
    Object.fromEntries(names.map((name, at) => [name, sizes[first + at] as number]));
  const nextAt = dictionaries.length + tuples.length;
  return {
    dictionaries: named(dictionaries, 0),
    tuples: named(tuples, dictionaries.length),
    nextChunkNumber: sizes[nextAt] as number,
  };
}

export function tupleSectionOfFormat1(column: string, member: number): string {
  return `${column}.${member}`;
}
