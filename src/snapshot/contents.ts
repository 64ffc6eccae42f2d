/**
 * The section `contents`, the first one of a file of which mostly few sections are read: it says where the others are, so
 * that nobody has to look at the head of each.
 *
 *   contents := JSON: [name, length of its data, checksum of its name and data] of each section after it
 */
import { checksum } from "../lib/hashes/checksum.ts";
import type { Disk } from "../lib/disk/disk.ts";
import type { FileEntry } from "./manifest.ts";
import type { IndexedSection, SectionIndex } from "./section-use.ts";
import {
  aligned,
  headBytes,
  isHeadKnown,
  jsonSection,
  readJson,
  sectionBytes,
  type Section,
} from "./section.ts";

const contentsName = "contents";
/** The bytes of a file that are read first: most contents fit. */
const firstBytes = 2 ** 14;
const nameAt = headBytes + sectionBytes;
const dataAt = nameAt + aligned(contentsName.length);
const encoder = new TextEncoder();

/** Returns the sections with their contents before them. */
export function withContents(sections: readonly Section[]): Section[] {
  const entries = sections.map(({ name, data }) => [
    name,
    data.length,
    checksum(data, checksum(encoder.encode(name))),
  ]);
  return [jsonSection(contentsName, entries), ...sections];
}

/**
 * Returns where the sections are; undefined if the file has no contents, or damaged ones, or a header that is none of
 * this program. Throws DiskError.
 */
export function readContents(disk: Disk, path: string): SectionIndex | undefined {
  const first = disk.read(path, 0, firstBytes);
  if (first.length < dataAt) return undefined;
  if (!isHeadKnown(first)) return undefined;
  const view = new DataView(first.buffer, first.byteOffset, first.length);
  const name = first.subarray(nameAt, nameAt + contentsName.length);
  if (view.getUint32(headBytes, true) !== contentsName.length || !isContents(name)) return undefined;
  const [length, expected] = [view.getUint32(headBytes + 4, true), view.getUint32(headBytes + 8, true)];
  const isRead = dataAt + length <= first.length;
  const data = isRead ? first.subarray(dataAt, dataAt + length) : disk.read(path, dataAt, length);
  if (data.length !== length || checksum(data, checksum(name)) !== expected) return undefined;
  return indexOf(readJson(data) as readonly (readonly [string, number, number])[], dataAt + aligned(length));
}

/** Returns the same, but undefined if the file is another than that of the manifest's entry. Throws DiskError. */
export function namedContents(
  disk: Disk,
  path: string,
  { bytes, checksum: expected }: FileEntry,
): SectionIndex | undefined {
  if (disk.size(path) !== bytes) return undefined;
  // The last bytes of a file are its checksum: they tell it from every other.
  const last = disk.read(path, bytes - 4, 4);
  const isNamed = new DataView(last.buffer, last.byteOffset).getUint32(0, true) === expected;
  return isNamed ? readContents(disk, path) : undefined;
}

function isContents(name: Uint8Array): boolean {
  return new TextDecoder().decode(name) === contentsName;
}

function indexOf(
  entries: readonly (readonly [name: string, length: number, expected: number])[],
  start: number,
): SectionIndex {
  const index = new Map<string, IndexedSection>();
  let at = start;
  for (const [name, length, expected] of entries) {
    const nameBytes = Buffer.byteLength(name);
    const ownAt = at + sectionBytes + aligned(nameBytes);
    index.set(name, { at, dataAt: ownAt, length, nameBytes, expected, checkedMs: -Infinity });
    at = ownAt + aligned(length);
  }
  return index;
}
