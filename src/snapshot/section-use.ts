/** Sections of mapped files of which nobody needs everything: looked at when they are asked for. */
import { checksum } from "../lib/checksum.ts";
import type { Disk } from "../lib/disk.ts";
import { aligned, headBytes, sectionBytes, SnapshotDamage } from "./section.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Of a section. */
const nameBytesMax = 64;
const readBytes = 2 ** 20;

/**
 * As `decodeSections`, for a mapped file of which nobody needs everything: a section is read and compared with its
 * checksum when it is first asked for, which throws SnapshotDamage or DiskError then. The footer is not looked at.
 */
export function openSections(
  disk: Disk,
  path: string,
  file: string,
  { checked, onUse }: SectionUse,
): ReadonlyMap<string, Uint8Array> {
  const head = disk.read(path, 0, headBytes);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  if (head.length < headBytes || view.getUint32(12, true) !== checksum(head.subarray(0, 12)))
    throw new SnapshotDamage(file, 0, "wrong header");
  return new CheckedSections(disk, path, file, view.getUint32(8, true), checked, onUse);
}

export interface SectionUse {
  /** Names of sections that were found to be whole: they are not compared again. */
  readonly checked: Set<string>;
  /** Hears how long each section is that is asked for, once. */
  readonly onUse: (bytes: number) => unknown;
}

/** The same sections; `onUse` hears how long each is that is asked for, once. */
export function usedSections(
  sections: ReadonlyMap<string, Uint8Array>,
  onUse: SectionUse["onUse"],
): ReadonlyMap<string, Uint8Array> {
  return new UsedSections(sections, onUse);
}

class UsedSections extends Map<string, Uint8Array> {
  private readonly used = new Set<string>();

  constructor(
    sections: ReadonlyMap<string, Uint8Array>,
    private readonly onUse: SectionUse["onUse"],
  ) {
    super(sections);
  }

  override get(name: string): Uint8Array | undefined {
    const data = super.get(name);
    if (data !== undefined && !this.used.has(name)) {
      this.used.add(name);
      this.onUse(data.length);
    }
    return data;
  }
}

class CheckedSections extends Map<string, Uint8Array> {
  /** Where the sections that nobody asked for yet are. */
  private readonly unused = new Map<string, number>();

  constructor(
    private readonly disk: Disk,
    private readonly path: string,
    private readonly file: string,
    sections: number,
    private readonly checked: Set<string>,
    private readonly onUse: (bytes: number) => unknown,
  ) {
    super();
    const bytes = disk.mapUnread(path);
    let at = headBytes;
    for (let count = 0; count < sections; count++) {
      const { name, dataAt, dataLength } = this.head(at, bytes.length);
      this.unused.set(name, at);
      this.set(name, bytes.subarray(dataAt, dataAt + dataLength));
      at = dataAt + aligned(dataLength);
    }
  }

  override get(name: string): Uint8Array | undefined {
    const at = this.unused.get(name);
    const data = super.get(name);
    if (at === undefined || data === undefined) return data;
    if (!this.checked.has(name)) this.check(name, at);
    this.checked.add(name);
    this.unused.delete(name);
    this.onUse(data.length);
    return data;
  }

  private check(name: string, at: number): void {
    const { dataAt, dataLength, expected } = this.head(at, Infinity);
    let found = checksum(encoder.encode(name));
    for (let from = 0; from < dataLength; from += readBytes)
      found = checksum(
        this.disk.read(this.path, dataAt + from, Math.min(readBytes, dataLength - from)),
        found,
      );
    if (found !== expected) throw new SnapshotDamage(this.file, at, "wrong section checksum");
  }

  /** What the file says of the section at `at`, which must end before `end`. */
  private head(at: number, end: number) {
    const bytes = this.disk.read(this.path, at, sectionBytes + nameBytesMax);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const nameLength = bytes.length < sectionBytes ? Infinity : view.getUint32(0, true);
    if (nameLength > nameBytesMax) throw new SnapshotDamage(this.file, at, "no section");
    const dataLength = view.getUint32(4, true);
    const dataAt = at + sectionBytes + aligned(nameLength);
    if (dataAt + dataLength > end) throw new SnapshotDamage(this.file, at, "a section beyond the file");
    const name = decoder.decode(bytes.subarray(sectionBytes, sectionBytes + nameLength));
    return { name, dataAt, dataLength, expected: view.getUint32(8, true) };
  }
}
