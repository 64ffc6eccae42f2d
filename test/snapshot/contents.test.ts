/** Files that say where their sections are: only what is asked for is read and compared, and no damage of it is missed. */
import { expect, test } from "bun:test";
import { checksum } from "../../src/lib/hashes/checksum.ts";
import { readContents, withContents } from "../../src/snapshot/contents.ts";
import { encodeSections, fileChecksum, SnapshotDamage, type Section } from "../../src/snapshot/section.ts";
import { indexSections } from "../../src/snapshot/section-use.ts";
import { mappedFiles } from "../support/mapped-files.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

const path = "/data/0";

function sectionsOf(count: number, seed = 0): Section[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `größe ${at}`,
    data: Uint8Array.from({ length: 10 * at }, (__, byte) => byte * at + seed),
  }));
}

function filed(sections: readonly Section[]) {
  const disk = new MemoryDisk();
  const bytes = encodeSections(withContents(sections));
  disk.put(path, bytes);
  const heard: string[] = [];
  const files = mappedFiles(disk, "/data", Infinity, ({ message }) => heard.push(message));
  const entry = { name: "0", bytes: bytes.length, checksum: fileChecksum(bytes) };
  const read = files.unmapped(entry, (all) => all);
  const get = (name: string) => read().get(name);
  return { disk, bytes, files, entry, get, heard };
}

// The contents of the last one are longer than what is read at once.
test.each([0, 1, 20, 900])("%d sections are where their heads are", (count) => {
  const sections = sectionsOf(count);
  const { disk, get } = filed(sections);
  const heads = new Map(indexSections(disk, path, "0"));
  heads.delete("contents");
  expect(readContents(disk, path)).toEqual(heads);
  for (const { name, data } of sections) expect(get(name)).toEqual(data);
  expect(get("none")).toBeUndefined();
});

test("a file without contents has none", () => {
  const disk = new MemoryDisk();
  for (const sections of [[], sectionsOf(1), sectionsOf(3), [{ name: "contentz", data: Uint8Array.of(1) }]]) {
    disk.put(path, encodeSections(sections));
    expect(readContents(disk, path)).toBeUndefined();
  }
});

test("a section has what was written, or is damage that the operator hears of once", () => {
  const sections = sectionsOf(4);
  const { bytes, entry } = filed(sections);
  let noticed = 0;
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = bytes.slice();
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    const disk = new MemoryDisk();
    disk.put(path, flipped);
    const heard: string[] = [];
    const files = mappedFiles(disk, "/data", Infinity, ({ message }) => heard.push(message));
    const read = files.unmapped(entry, (all) => all);
    let damaged = 0;
    for (const { name, data } of [...sections, ...sections])
      try {
        expect(read().get(name)).toEqual(data);
      } catch (error) {
        expect(error).toBeInstanceOf(SnapshotDamage);
        damaged++;
      }
    expect(heard).toHaveLength(damaged > 0 ? 1 : 0);
    noticed += Math.min(damaged, 1);
  }
  // Each bit of the data. Contents and heads say the same: damage of one of them does no harm.
  expect(noticed).toBeGreaterThanOrEqual(8 * sections.reduce((sum, { data }) => sum + data.length, 0));
});

test("a whole file in the place of another is not taken for it", () => {
  const { disk, get } = filed(sectionsOf(3));
  const other = encodeSections(withContents(sectionsOf(3, 1)));
  disk.put(path, other);
  expect(() => get("größe 0")).toThrow("0: its checksum differs from that in the manifest");
  disk.put(path, other.subarray(0, -8));
  expect(() => get("größe 0")).toThrow(SnapshotDamage);
});

test("without contents, or with damaged ones, the heads say where sections are; with both damaged nothing does", () => {
  const sections = sectionsOf(3);
  const { disk, bytes, files, get } = filed(sections);
  const damaged = bytes.slice();
  damaged[60]! ^= 1;
  disk.put(path, damaged);
  for (const { name, data } of sections) expect(get(name)).toEqual(data);
  const plain = encodeSections(sections);
  disk.put("/data/1", plain);
  const entry = { name: "1", bytes: plain.length, checksum: fileChecksum(plain) };
  const read = files.unmapped(entry, (all) => all);
  for (const { name, data } of sections) expect(read().get(name)).toEqual(data);
  expect(disk.history.filter((call) => call.startsWith("map "))).toEqual([]);
  const head = indexSections(disk, path, "0").get("größe 1")!;
  damaged[head.at + 8]! ^= 1;
  disk.put(path, damaged);
  const other = filed(sections);
  other.disk.put(path, damaged);
  expect(() => other.get("größe 0")).toThrow("0: its checksum differs from that in the manifest");
  expect(other.heard).toHaveLength(1);
});

test("nothing is read but the contents and what is asked for, and one that is not trusted is compared again", () => {
  const sections = sectionsOf(3, 1);
  const { disk, bytes, files, get } = filed(sections);
  expect(get("größe 1")).toEqual(sections[1]!.data);
  const damaged = bytes.slice();
  const at = Buffer.from(bytes).indexOf(Buffer.from(sections[2]!.data));
  damaged[at]! ^= 1;
  disk.put(path, damaged);
  expect(() => get("größe 2")).toThrow("wrong section checksum");
  expect(get("größe 1")).toEqual(sections[1]!.data);
  files.distrust("0");
  const first = bytes.slice();
  first[Buffer.from(bytes).indexOf(Buffer.from(sections[1]!.data))]! ^= 1;
  disk.put(path, first);
  expect(() => get("größe 1")).toThrow("wrong section checksum");
  expect(checksum(first)).not.toBe(checksum(bytes));
});
