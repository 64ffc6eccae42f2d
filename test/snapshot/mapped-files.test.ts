import { describe, expect, test } from "bun:test";
import { DiskError, systemDisk } from "../../src/lib/disk/disk.ts";
import { MemoryBudget } from "../../src/lib/memory/memory-budget.ts";
import { Scratch } from "../../src/lib/memory/scratch.ts";
import type { FileEntry } from "../../src/snapshot/manifest.ts";
import { MappedFiles } from "../../src/snapshot/mapped-files.ts";
import type { Sections } from "../../src/snapshot/named-sections.ts";
import { encodeSections, fileChecksum, snapshotFormat, SnapshotDamage } from "../../src/snapshot/section.ts";
import { TestClock } from "../support/clock.ts";
import { withFolder } from "../support/folder.ts";
import { mappedFiles } from "../support/mapped-files.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

const data = (sections: Sections) => [...(sections.get("data") as Uint8Array)];
/** The bytes that a file counts for: its first page, and the section that was asked for. */
const size = 4_096 + 1;

/** A folder with files "0", "1" and so on, each of one section with its number and one that nobody asks for. */
function filled(count: number): { disk: MemoryDisk; entries: FileEntry[]; bytes: Uint8Array[] } {
  const disk = new MemoryDisk();
  const bytes = Array.from({ length: count }, (_, at) =>
    encodeSections([
      { name: "data", data: Uint8Array.of(at) },
      { name: "more", data: new Uint8Array(100) },
    ]),
  );
  const entries = bytes.map((each, at) => {
    disk.put(`/data/${at}`, each);
    return { name: String(at), bytes: each.length, checksum: fileChecksum(each) };
  });
  return { disk, entries, bytes };
}

const mapsOf = ({ history }: MemoryDisk) => history.filter((call) => call.startsWith("map "));

describe("mapped files", () => {
  test("are mapped at their first use, and once", () => {
    const { disk, entries } = filled(2);
    const files = mappedFiles(disk, "/data");
    const [first, second] = entries.map((entry) => files.reader(entry, data));
    expect(mapsOf(disk)).toEqual([]);
    expect(second?.()).toEqual([1]);
    expect(second?.()).toBe(second?.() as number[]);
    expect(mapsOf(disk)).toEqual(["map /data/1"]);
    expect(files.bytes).toBe(size);
    expect(first?.()).toEqual([0]);
    expect(files.bytes).toBe(2 * size);
  });

  test("of which sections are asked for are refused where a newer program wrote them", () => {
    const { disk, entries, bytes } = filled(1);
    const [newer] = bytes as [Uint8Array];
    const view = new DataView(newer.buffer);
    view.setUint32(4, snapshotFormat + 1, true);
    view.setUint32(12, Bun.hash.crc32(newer.subarray(0, 12)), true);
    disk.put("/data/0", newer);
    // The checksum of a header over itself is the same for all, so that the manifest's is too.
    const entry = { ...entries[0]!, checksum: fileChecksum(newer) };
    for (const named of [entry, undefined])
      expect(() => mappedFiles(disk, "/data").sectionReader("0", data, named)()).toThrow(
        "0 was written by a newer Footfall (format 3, this one knows up to 2)",
      );
  });

  test("count for what is asked of them, once", () => {
    const { disk, entries } = filled(1);
    const files = mappedFiles(disk, "/data");
    const sections = files.reader(entries[0] as FileEntry, (all) => all)();
    expect(files.bytes).toBe(4_096);
    for (let time = 0; time < 2; time++) {
      sections.get("more");
      expect(sections.get("none")).toBeUndefined();
      expect(files.bytes).toBe(4_196);
    }
    files.keepOnly(new Set());
    sections.get("data");
    expect(files.bytes).toBe(0);
  });

  test("one that takes the place of another of its name counts in its place", () => {
    const { disk, entries } = filled(1);
    const files = mappedFiles(disk, "/data");
    const old = files.sectionReader("0", (sections) => sections)();
    old.get("data");
    expect(files.bytes).toBe(size);
    const again = files.sectionReader("0", (sections) => sections)();
    expect(files.bytes).toBe(4_096);
    // Who still has the old one uses what counts for nothing.
    old.get("more");
    expect(files.bytes).toBe(4_096);
    again.get("data");
    expect(files.bytes).toBe(size);
    expect(files.reader(entries[0] as FileEntry, data)()).toEqual([0]);
    expect(files.bytes).toBe(size);
  });

  test("that are asked round and round beyond their budget: most stay, and one comes and goes", () => {
    const { disk, entries } = filled(6);
    const files = mappedFiles(disk, "/data", 4 * size);
    const readers = entries.map((entry) => files.reader(entry, data));
    const round = () => readers.forEach((read, at) => expect(read()).toEqual([at]));
    round();
    disk.history.length = 0;
    for (let time = 0; time < 4; time++) round();
    expect(files.bytes).toBe(4 * size);
    expect(new Set(mapsOf(disk)).size).toBe(3);
    expect(mapsOf(disk)).toHaveLength(4 * 3);
    expect(disk.history).toEqual(mapsOf(disk));
  });

  test("that nobody has asked for long make room", () => {
    const { disk, entries } = filled(6);
    const files = mappedFiles(disk, "/data", 2 * size);
    const readers = entries.map((entry) => files.reader(entry, data));
    readers[0]?.();
    for (let time = 0; time < 6; time++) for (const at of [1, 2]) readers[at]?.();
    disk.history.length = 0;
    for (let time = 0; time < 3; time++) for (const at of [1, 2]) readers[at]?.();
    expect(mapsOf(disk)).toEqual([]);
    expect(readers[0]?.()).toEqual([0]);
    expect(mapsOf(disk)).toEqual(["map /data/0"]);
  });

  test("one that is larger than the budget is mapped alone", () => {
    const { disk, entries } = filled(2);
    const files = mappedFiles(disk, "/data", 1);
    const readers = entries.map((entry) => files.reader(entry, data));
    for (const at of [0, 1, 1, 0]) expect(readers[at]?.()).toEqual([at]);
    expect(files.bytes).toBe(size);
    expect(mapsOf(disk)).toHaveLength(3);
  });

  test("make room for other needs, but for the one that was used last", () => {
    const { disk, entries } = filled(4);
    const budget = new MemoryBudget(4 * size, new Scratch());
    const files = new MappedFiles({ disk, folder: "/data", budget, onDamage: () => {} });
    const readers = entries.map((entry) => files.reader(entry, data));
    for (const read of readers) read();
    expect(budget.bytes).toBe(4 * size);
    expect(budget.makeRoom(2 * size)).toBe(true);
    expect(files.bytes).toBe(2 * size);
    expect(budget.makeRoom(4 * size)).toBe(false);
    expect(files.bytes).toBe(size);
    disk.history.length = 0;
    expect(readers.at(-1)?.()).toEqual([3]);
    expect(mapsOf(disk)).toEqual([]);
  });

  test("are compared with their checksums once, however often they are mapped", () => {
    const { disk, entries, bytes } = filled(2);
    const files = mappedFiles(disk, "/data", 1);
    const [first, second] = entries.map((entry) => files.reader(entry, data));
    expect(first?.()).toEqual([0]);
    expect(second?.()).toEqual([1]);
    // The checksum was compared before, so another file in its place goes unnoticed.
    disk.put("/data/0", bytes[1] as Uint8Array);
    expect(first?.()).toEqual([1]);
    files.keepOnly(new Set());
    expect(first).toThrow("0: its checksum differs from that in the manifest");
  });

  test("are compared again when they are mapped again after a day, whole or by sections, and not before", () => {
    const { disk, entries, bytes } = filled(2);
    const clock = new TestClock();
    const budget = new MemoryBudget(1, new Scratch());
    const files = new MappedFiles({ disk, folder: "/data", budget, clock, onDamage: () => {} });
    const sectioned = files.sectionReader("0", data);
    const [first, second] = entries.map((entry) => files.reader(entry, data));
    for (const [read, message] of [
      [first, "0: its checksum differs from that in the manifest"],
      [sectioned, "0: wrong section checksum at byte 16"],
    ] as const) {
      disk.put("/data/0", bytes[0] as Uint8Array);
      const again = () => (second?.(), read?.());
      expect(again()).toEqual([0]);
      const other = read === first ? (bytes[1] as Uint8Array) : (bytes[0] as Uint8Array).with(40, 1);
      disk.put("/data/0", other);
      clock.advance(24 * 3_600_000 - 1);
      expect(again()).toEqual([1]);
      clock.advance(1);
      expect(again).toThrow(message);
    }
  });

  test("one that is not trusted any more is compared again, though it was mapped", () => {
    const { disk, entries, bytes } = filled(2);
    const files = mappedFiles(disk, "/data");
    const read = files.reader(entries[0] as FileEntry, data);
    read();
    disk.put("/data/0", bytes[1] as Uint8Array);
    files.distrust("0");
    expect(read).toThrow("0: its checksum differs from that in the manifest");
    disk.put("/data/0", bytes[0] as Uint8Array);
    expect(read()).toEqual([0]);
  });

  test("that no checkpoint names are let go", () => {
    const { disk, entries } = filled(3);
    const files = mappedFiles(disk, "/data");
    for (const entry of entries) files.reader(entry, data)();
    files.keepOnly(new Set(["1"]));
    expect(files.bytes).toBe(size);
  });

  test("no bit that is read may differ: whoever reads hears of it each time, the operator once", () => {
    const { disk, entries, bytes } = filled(1);
    const [entry] = entries as [FileEntry];
    const [whole] = bytes as [Uint8Array];
    const heard: string[] = [];
    const files = mappedFiles(disk, "/data", Infinity, ({ message }) => heard.push(message));
    const read = files.reader(entry, data);
    // The last four bytes repeat what the manifest has.
    for (let bit = 0; bit < (whole.length - 4) * 8; bit++) {
      const damaged = whole.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      disk.put("/data/0", damaged);
      expect(read).toThrow(SnapshotDamage);
    }
    expect(heard).toHaveLength(1);
    expect(heard[0]).toBe("0: no checkpoint file at byte 0");
    expect(files.bytes).toBe(0);
    disk.put("/data/0", whole);
    expect(read()).toEqual([0]);
  });

  describe("whose sections are compared one by one", () => {
    /** A file as `filled` makes it, and a reader of both of its sections. */
    const sectioned = (onDamage?: (damage: SnapshotDamage) => void) => {
      const { disk, entries, bytes } = filled(2);
      const files = mappedFiles(disk, "/data", Infinity, onDamage);
      const reader = () => files.sectionReader("0", (sections) => sections, entries[0] as FileEntry);
      const read = (name: string) => [...(reader()().get(name) as Uint8Array)];
      return { disk, files, bytes: bytes as [Uint8Array, Uint8Array], read };
    };

    test("are read as far as they are asked for, and compared once", () => {
      const { disk, files, read } = sectioned();
      expect(read("data")).toEqual([0]);
      const before = disk.history.length;
      expect(read("data")).toEqual([0]);
      // The positions of the sections are known, and the one that is there was compared.
      expect(disk.history.slice(before)).toEqual(["map /data/0"]);
      expect(read("more")).toEqual(Array(100).fill(0));
      expect(disk.history.slice(before).filter((call) => call.startsWith("read "))).toHaveLength(1);
      files.distrust("0");
      expect(read("data")).toEqual([0]);
      expect(disk.history.slice(before).filter((call) => call.startsWith("read ")).length).toBeGreaterThan(3);
    });

    test("never have another value or lack one: each flipped bit is damage, or changes nothing", () => {
      const { disk, files, bytes, read } = sectioned();
      const [whole] = bytes;
      const harmless: number[] = [];
      for (let bit = 0; bit < whole.length * 8; bit++) {
        const damaged = whole.slice();
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
        disk.put("/data/0", damaged);
        files.distrust("0");
        try {
          expect([read("data"), read("more")]).toEqual([[0], Array(100).fill(0)]);
          harmless.push(bit >> 3);
        } catch (error) {
          if (!(error instanceof SnapshotDamage)) throw error;
        }
      }
      // Behind both data: 7 bytes and 4 up to a multiple of eight. Then the footer: its content follows from the heads.
      const behind = [
        ...Array(7)
          .fill(0)
          .map((_, at) => 16 + 16 + 8 + 1 + at),
        ...Array(12)
          .fill(0)
          .map((_, at) => whole.length - 12 + at),
      ];
      expect([...new Set(harmless)]).toEqual(behind);
    });

    test("do not lack one whose name is damaged, however long names are, mapped or not", () => {
      // Behind a name of 8 or 16 bytes is no padding.
      for (const name of ["data", "duration", "property", "goals utm_source", "seconds"]) {
        const bytes = encodeSections([
          { name: "head", data: Uint8Array.of(1) },
          { name, data: new Uint8Array(40).fill(7) },
          { name: "same8888", data: Uint8Array.of(2, 3) },
        ]);
        const disk = new MemoryDisk();
        const entry = { name: "0", bytes: bytes.length, checksum: fileChecksum(bytes) };
        const heard: string[] = [];
        for (let at = 64; at < 64 + name.length; at++) {
          const [files, unmapped] = [0, 1].map(() =>
            mappedFiles(disk, "/data", Infinity, ({ message }) => heard.push(message)),
          );
          const readers = [
            files!.sectionReader("0", (sections) => sections, entry),
            unmapped!.unmapped(entry, (sections) => sections),
          ];
          disk.put("/data/0", bytes.with(at, bytes[at]! ^ 0x80));
          for (const reader of readers) {
            expect(() => reader().has(name)).toThrow(SnapshotDamage);
            expect(() => reader().get(name)).toThrow(SnapshotDamage);
          }
        }
        expect(heard).toHaveLength(2 * name.length);
        disk.put("/data/0", bytes);
        const whole = mappedFiles(disk, "/data").sectionReader("0", (sections) => sections, entry)();
        expect([whole.has(name), whole.has("nothing8"), whole.get("nothing8")]).toEqual([
          true,
          false,
          undefined,
        ]);
      }
    });

    test("are not those of another file, and damage is said once", () => {
      const heard: string[] = [];
      const { disk, files, bytes, read } = sectioned(({ message }) => heard.push(message));
      disk.put("/data/0", bytes[1]);
      for (let time = 0; time < 2; time++)
        expect(() => read("data")).toThrow("0: its checksum differs from that in the manifest");
      const damaged = bytes[0].slice();
      damaged[40] = 7;
      disk.put("/data/0", damaged);
      expect(() => read("data")).toThrow("0: wrong section checksum at byte 16");
      expect(read("more")).toEqual(Array(100).fill(0));
      expect(heard).toHaveLength(1);
      disk.put("/data/0", bytes[0]);
      expect(read("data")).toEqual([0]);
      expect(files.bytes).toBeGreaterThan(0);
    });
  });

  test("a whole file in the place of another is not taken for it, and damage says where it is", () => {
    const { disk, entries, bytes } = filled(2);
    const read = mappedFiles(disk, "/data").reader(entries[0] as FileEntry, data);
    disk.put("/data/0", bytes[1] as Uint8Array);
    expect(read).toThrow("0: its checksum differs from that in the manifest");
    const damaged = (bytes[0] as Uint8Array).slice();
    damaged[40] = 7;
    disk.put("/data/0", damaged);
    expect(read).toThrow("0: wrong section checksum at byte 16");
  });

  test("a disk that fails is tried again at the next use", () => {
    const { disk, entries } = filled(1);
    const read = mappedFiles(disk, "/data").reader(entries[0] as FileEntry, data);
    disk.failAt({ call: 1, code: "EIO" });
    expect(read).toThrow(DiskError);
    expect(read()).toEqual([0]);
  });

  test("of a real disk outlive their names", () =>
    withFolder(async (folder) => {
      const bytes = encodeSections([{ name: "data", data: Uint8Array.of(1, 2, 3) }]);
      const file = systemDisk.create(`${folder}/0`);
      systemDisk.write(file, bytes);
      systemDisk.close(file);
      const entry = { name: "0", bytes: bytes.length, checksum: fileChecksum(bytes) };
      const read = mappedFiles(systemDisk, folder).reader(entry, (sections) => sections.get("data"));
      const before = read() as Uint8Array;
      systemDisk.remove(`${folder}/0`);
      expect([...before]).toEqual([1, 2, 3]);
      expect(read()).toBe(before);
    }));
});
