/** The sections of files, mapped or not, that are rarely needed as a whole: each is compared when it is asked for. */
import { checksum, joinedChecksum } from "../lib/hashes/checksum.ts";
import type { Disk } from "../lib/disk/disk.ts";
import type { FileEntry } from "./manifest.ts";
import type { Sections } from "./named-sections.ts";
import {
  aligned,
  checkHead,
  decodeSections,
  fileChecksum,
  footHead,
  headBytes,
  sectionBytes,
  SnapshotDamage,
} from "./section.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** The greatest length of a section's name. */
const nameBytesMax = 64;
const readBytes = 2 ** 19;
/** Room for what is compared, the same each time: the system would have to clear new memory for every section. */
let memory: Uint8Array | undefined;
/** Bytes that were compared with their checksum are believed for so long, when they are mapped again. */
export const comparedForMs = 24 * 3_600_000;

export interface IndexedSection {
  readonly at: number;
  readonly dataAt: number;
  readonly length: number;
  /** The bytes of its name in the file. */
  readonly nameBytes: number;
  /** The checksum that it must have. */
  readonly expected: number;
  /** When it was found to have it. */
  checkedMs: number;
}

/** The positions of a file's sections, by name. */
export type SectionIndex = ReadonlyMap<string, IndexedSection>;

/** A file whose sections are known. `file`: its name in messages. */
interface IndexedFile {
  readonly disk: Disk;
  readonly path: string;
  readonly file: string;
  readonly index: SectionIndex;
}

/** Receives the length of each section once, when it is first asked for. */
type OnUse = (bytes: number) => unknown;

/**
 * Reads only the heads of a file's sections. Throws DiskError, or SnapshotDamage or NewerFormat with `file` in its message.
 *
 * With `entry`, the heads are compared with the checksum of the whole file: each head says which checksum its section
 * has, and from these follows that of the file. So a section that has its checksum is one of that file. Only a change of a
 * name may pass (`presence`).
 */
export function indexSections(disk: Disk, path: string, file: string, entry?: FileEntry): SectionIndex {
  const head = disk.read(path, 0, headBytes);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  checkHead(head, file);
  const size = disk.size(path);
  const index = new Map<string, IndexedSection>();
  let at = headBytes;
  let whole = checksum(head);
  for (let count = view.getUint32(8, true); count > 0; count--) {
    const { bytes, name, section } = readHead(disk, path, file, at);
    at = section.dataAt + aligned(section.length);
    if (section.length > size || at > size)
      throw new SnapshotDamage(file, section.at, "a section beyond the file");
    index.set(decoder.decode(name), section);
    // The section's checksum is that of its name and its data: the name's part in it is taken out again.
    const before = (checksum(bytes, whole) ^ checksum(name)) >>> 0;
    whole = joinedChecksum(before, section.expected, section.length);
    whole = checksum(new Uint8Array(aligned(section.length) - section.length), whole);
  }
  if (entry !== undefined && (size !== entry.bytes || checksum(footHead, whole) !== entry.checksum))
    throw new SnapshotDamage(file, undefined, "its checksum differs from that in the manifest");
  return index;
}

interface Head {
  /** All of it, up to the data. */
  readonly bytes: Uint8Array;
  readonly name: Uint8Array;
  readonly section: IndexedSection;
}

function readHead(disk: Disk, path: string, file: string, at: number): Head {
  const read = disk.read(path, at, sectionBytes + nameBytesMax);
  const view = new DataView(read.buffer, read.byteOffset, read.length);
  const nameLength = read.length < sectionBytes ? Infinity : view.getUint32(0, true);
  if (nameLength > nameBytesMax) throw new SnapshotDamage(file, at, "no section");
  const bytes = read.subarray(0, sectionBytes + aligned(nameLength));
  const [length, expected] = [view.getUint32(4, true), view.getUint32(8, true)];
  return {
    bytes,
    name: bytes.subarray(sectionBytes, sectionBytes + nameLength),
    section: { at, dataAt: at + bytes.length, length, nameBytes: nameLength, expected, checkedMs: -Infinity },
  };
}

/**
 * Does the same as `decodeSections`, but maps the file. A section is read and compared with its checksum when it is
 * first asked for, unless it was by an earlier mapping of the last day; this may throw SnapshotDamage or DiskError. The
 * footer is not checked. `onDamage` receives the damage too.
 */
export function openSections(
  { disk, path, file, index }: IndexedFile,
  onUse: OnUse,
  nowMs: number,
  onDamage = (_damage: SnapshotDamage) => {},
): Sections {
  const bytes = disk.map(path);
  const compare = (name: string, section: IndexedSection) => {
    if (nowMs - section.checkedMs < comparedForMs) return;
    expectWhole({ disk, path, file }, name, section, onDamage);
    section.checkedMs = nowMs;
  };
  const isThere = presence(index, compare);
  const find = (name: string) => {
    if (!isThere(name)) return undefined;
    const section = index.get(name)!;
    compare(name, section);
    return bytes.subarray(section.dataAt, section.dataAt + section.length);
  };
  return { has: isThere, get: foundOnce(find, onUse) };
}

/**
 * Returns the sections of a file that is not mapped: each is read, and compared with its checksum, whenever it is asked
 * for. This may throw SnapshotDamage, which `onDamage` receives too, or DiskError.
 */
export function readSections(
  { disk, path, file, index }: IndexedFile,
  onDamage: (damage: SnapshotDamage) => void,
): Sections {
  const isThere = presence(index, (name, section) =>
    expectWhole({ disk, path, file }, name, section, onDamage),
  );
  const find = (name: string) => {
    if (!isThere(name)) return undefined;
    const section = index.get(name)!;
    const data = disk.read(path, section.dataAt, section.length);
    if (checksum(data, checksum(encoder.encode(name))) === section.expected) return data;
    const damage = wrongSection(file, section);
    onDamage(damage);
    throw damage;
  };
  return { has: isThere, get: find };
}

/** Compares a section. It throws SnapshotDamage or DiskError. */
type Compare = (name: string, section: IndexedSection) => void;

/**
 * Returns whether a file has the section of a name. A lack is no answer before it is known that no damaged name is the
 * reason: where no padding is behind a name, what changes in it changes the checksum of the heads and that of the section
 * alike, and is taken out again. So the first time that such a name is missing, `compare` gets each section whose name has
 * as many bytes.
 */
function presence(index: SectionIndex, compare: Compare): (name: string) => boolean {
  const missing = new Set<string>();
  return (name) => {
    if (index.has(name)) return true;
    if (missing.has(name)) return false;
    const bytes = Buffer.byteLength(name);
    if (aligned(bytes) === bytes)
      for (const [other, section] of index) if (section.nameBytes === bytes) compare(other, section);
    missing.add(name);
    return false;
  };
}

function wrongSection(file: string, { at }: IndexedSection): SnapshotDamage {
  return new SnapshotDamage(file, at, "wrong section checksum");
}

/** Throws SnapshotDamage, which `onDamage` receives too, if the section has another checksum than it must have; or DiskError. */
function expectWhole(
  { disk, path, file }: Omit<IndexedFile, "index">,
  name: string,
  section: IndexedSection,
  onDamage: (damage: SnapshotDamage) => void,
): void {
  const { dataAt, length, expected } = section;
  if (checksumIn(disk, path, dataAt, length, checksum(encoder.encode(name))) === expected) return;
  const damage = wrongSection(file, section);
  onDamage(damage);
  throw damage;
}

/**
 * Returns the checksum of so many bytes of a file; `seed` continues an earlier one. They are read, for the pages of a
 * mapping would stay in memory. Throws DiskError.
 */
function checksumIn(disk: Disk, path: string, start: number, length: number, seed = 0): number {
  let found = seed;
  memory ??= new Uint8Array(readBytes);
  for (let from = 0; from < length; from += readBytes)
    found = checksum(disk.read(path, start + from, Math.min(readBytes, length - from), memory), found);
  return found;
}

/**
 * Returns the damage of a file; undefined if it has its length and checksum. Decoding finds the place of the damage,
 * which is only worth it if there is some.
 */
export function damageOf(bytes: Uint8Array, { name, bytes: length, checksum }: FileEntry) {
  if (bytes.length === length && fileChecksum(bytes) === checksum) return undefined;
  try {
    decodeSections(bytes, name);
  } catch (error) {
    if (error instanceof SnapshotDamage) return error;
    throw error;
  }
  return new SnapshotDamage(name, undefined, "its checksum differs from that in the manifest");
}

/**
 * Does the same for a file on the disk that has this many bytes; undefined too if it has its checksum. They are read piece
 * by piece. Throws DiskError.
 */
export function damageOnDisk(disk: Disk, path: string, length: number, entry: FileEntry) {
  const isWhole = length === entry.bytes && checksumIn(disk, path, 0, entry.bytes - 4) === entry.checksum;
  return isWhole ? undefined : damageOf(disk.read(path), entry);
}

/** Returns the same sections; `onUse` receives the length of each that is asked for. */
export function usedSections(sections: Sections, onUse: OnUse): Sections {
  return { has: (name) => sections.has(name), get: foundOnce((name) => sections.get(name), onUse) };
}

type Find = (name: string) => Uint8Array | undefined;

/** Returns a function that finds each section once; `onUse` receives its length. */
function foundOnce(find: Find, onUse: OnUse): Find {
  const found = new Map<string, Uint8Array>();
  return (name) => {
    const known = found.get(name);
    if (known !== undefined) return known;
    const data = find(name);
    if (data === undefined) return undefined;
    found.set(name, data);
    onUse(data.length);
    return data;
  };
}
