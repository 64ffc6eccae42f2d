/**
 * The digests of some pages are those that all pages have: in blocks, as files of the first format have them, and with
 * other ids. Only blocks that have one of the pages are read. `FOOTFALL_SEED` repeats a run.
 */
import { expect, test } from "bun:test";
import { digestsOf, packedDigests, type Digests } from "../../src/facts/months/digest.ts";
import { pagedSections, pagesName, unpackedPages } from "../../src/facts/months/paged-digests.ts";
import type { Section } from "../../src/snapshot/section.ts";
import { randomBySeed } from "../support/seed.ts";

/** Durations of pages: of most of them few, of some many; beyond two bytes, and beyond three. */
function randomDigests(random: () => number): Digests {
  const pages = Array.from({ length: 300 }, (_, page): readonly [number, Uint32Array] => {
    const length = Math.floor(random() ** 3 * 900);
    const most = 2 ** (4 + 27 * random());
    return [2 * page + 1, Uint32Array.from({ length }, () => random() * most).sort()];
  });
  return digestsOf(pages);
}

/** Returns the digests of pages with these ids, as lists. `idOf`: the id of now of each. */
function plain(
  { keys, counts, ends, means }: Digests,
  isAsked: (id: number) => boolean,
  idOf = (id: number) => id,
) {
  const all = Array.from(keys, (key, group) => ({
    id: idOf(key),
    count: counts[group]!,
    means: [...means.subarray(ends[group - 1] ?? 0, ends[group])],
  }));
  return all.filter(({ id }) => isAsked(id)).sort((a, b) => a.id - b.id);
}

function sourceOf(sections: readonly Section[], isPaged: boolean, idOf = (id: number) => id) {
  const read: string[] = [];
  const section = (name: string) => {
    read.push(name);
    return sections.find((own) => own.name === name)!.data;
  };
  return { read, source: { section, isPaged, idsNow: (ids: Uint32Array) => ids.map(idOf) } };
}

const idsOfNow = {
  "the same ids": (id: number) => id,
  "falling ids": (id: number) => 1_000 - id,
  "ids of which some are the same": (id: number) => (id * 7) % 101,
};

test.each(Object.entries(idsOfNow))("some pages, with %s", (_, idOf) => {
  const random = randomBySeed();
  const digests = randomDigests(random);
  const asked = Uint8Array.from({ length: 1_001 }, () => Number(random() < 0.1));
  const formats = [
    [pagedSections(digests), true],
    [[{ name: pagesName, data: packedDigests(digests) }], false],
  ] as const;
  for (const [sections, isPaged] of formats) {
    const { source } = sourceOf(sections, isPaged, idOf);
    const some = unpackedPages(source, asked);
    expect(plain(some, () => true)).toEqual(plain(digests, (id) => asked[id] === 1, idOf));
    expect(plain(unpackedPages(source), () => true)).toEqual(plain(digests, () => true, idOf));
  }
});

test("blocks without a page that is asked for are left alone", () => {
  const digests = randomDigests(randomBySeed());
  const sections = pagedSections(digests);
  expect(sections.length).toBeGreaterThan(3);
  const most = digests.keys[digests.counts.indexOf(Math.max(...digests.counts))]!;
  const isAsked = new Uint8Array(most + 1);
  isAsked[most] = 1;
  const { read, source } = sourceOf(sections, true);
  expect(unpackedPages(source, isAsked).keys).toEqual(Uint32Array.of(most));
  expect(read).toEqual(["pages", "pages 0"]);
});
