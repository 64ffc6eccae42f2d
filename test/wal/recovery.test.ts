import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LogRecord } from "../../src/record/record.ts";
import { headerBytes } from "../../src/wal/format.ts";
import { anyRecord, everyKind } from "../support/any-record.ts";
import {
  damageOf,
  directory,
  edit,
  numbered,
  numberedFrom,
  openLog,
  replayAll,
  segmentPath,
  threeSegments,
  writeLog,
} from "../support/log-folder.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

const closed: LogRecord = { kind: "closed", timeMs: 1_700_000_001_000 };

describe("replay", () => {
  test("read(write(x)) = x for records of every kind, in any batches and segments", async () => {
    const records = anyRecord(everyKind.filter((kind) => kind !== "closed"));
    const batches = fc.array(fc.array(records, { minLength: 1, maxLength: 6 }), { maxLength: 6 });
    const rotations = fc.uniqueArray(fc.nat({ max: 5 }));
    await fc.assert(
      fc.asyncProperty(batches, rotations, fc.nat(), async (batches, rotateAfter, skip) => {
        const disk = new MemoryDisk();
        const written = await writeLog(disk, batches, rotateAfter);
        const all = replayAll(disk);
        expect(all.read).toEqual(written);
        expect(all.seqs).toEqual(written.map((_, index) => index + 1));
        expect(all).toMatchObject({ records: written.length, repairs: [] });
        expect(all.position.nextSeq).toBe(written.length + 1);
        const fromSeq = 1 + (skip % (written.length + 1));
        expect(replayAll(disk, { fromSeq }).read).toEqual(written.slice(fromSeq - 1));
      }),
      { seed: seed(), numRuns: rounds(60) },
    );
  });

  test("makes the folder of a new log, and an empty log begins with record 1", () => {
    const disk = new MemoryDisk();
    const result = replayAll(disk);
    expect(result).toMatchObject({ records: 0, repairs: [], read: [] });
    expect(result.position).toEqual({ nextSeq: 1, segmentNumber: 0, lastChecksum: 0, lastLength: 0 });
    expect(disk.list(directory)).toEqual([]);
    expect(disk.history).toContain("sync the directory /data");
  });

  test("has the bytes of one segment at a time", async () => {
    const disk = await threeSegments();
    const segments: Uint8Array[] = [];
    const inMemory = () => segments.filter(({ length }) => length > 0).length;
    let most = 0;
    const read = disk.read.bind(disk);
    disk.read = (path, start, length) => {
      const bytes = read(path, start, length);
      if (length !== headerBytes) segments.push(bytes);
      most = Math.max(most, inMemory());
      return bytes;
    };
    expect(replayAll(disk).records).toBe(5);
    // The newest is read once more, to be made anew.
    expect([segments.length, most, inMemory()]).toEqual([4, 1, 0]);
  });

  test("reads no segment before the one that it needs", async () => {
    const disk = await threeSegments();
    disk.put(segmentPath(1), new Uint8Array([1, 2, 3]));
    expect(replayAll(disk, { fromSeq: 3 }).read).toEqual(numberedFrom(3, 3));
    expect(replayAll(disk, { fromSeq: 6 })).toMatchObject({ read: [], records: 0 });
  });

  test("removes what a start that was cut short left behind", async () => {
    const disk = await threeSegments();
    disk.put(`${directory}/unfinished`, new Uint8Array(100));
    expect(replayAll(disk).repairs).toEqual([]);
    expect(disk.list(directory)).toHaveLength(3);
  });
});

describe("a torn tail", () => {
  test.each([
    ["zeros", new Uint8Array(40)],
    ["rubbish", Uint8Array.from({ length: 61 }, (_, index) => index * 37)],
  ])("of %s is copied, cut and reported, and the log goes on", async (_, tail) => {
    const disk = await threeSegments();
    const path = segmentPath(4);
    const end = disk.size(path);
    edit(disk, path, (bytes) => new Uint8Array([...bytes, ...tail]));
    const copy = `${path}.torn-${end}`;
    const first = replayAll(disk);
    expect(first.read).toEqual(numberedFrom(1, 5));
    expect(first.repairs).toEqual([{ file: path, offset: end, bytes: tail.length, copy }]);
    const cut = disk.crash(() => 0);
    expect(cut.size(path)).toBe(end);
    expect(cut.read(copy)).toEqual(tail);
    expect(replayAll(cut).repairs).toEqual([]);
    await writeLog(cut, [[numbered(6)]]);
    expect(replayAll(cut).read).toEqual(numberedFrom(1, 6));
  });

  test.each([
    [
      "half a batch",
      (bytes: Uint8Array) => new Uint8Array([...bytes, ...bytes.slice(headerBytes, headerBytes + 30)]),
      5,
    ],
    ["a damaged batch", (bytes: Uint8Array) => bytes.with(-20, bytes.at(-20)! ^ 1), 4],
    ["no whole batch", (bytes: Uint8Array) => bytes.slice(0, headerBytes + 30), 3],
  ])("of %s stays on a full disk, and the log goes on beside it", async (_, spoil, records) => {
    const disk = await threeSegments();
    edit(disk, segmentPath(4), spoil);
    disk.fillAt(1, Infinity);
    for (const _ of [1, 2]) {
      const { read, repairs } = replayAll(disk);
      expect(read).toEqual(numberedFrom(1, records));
      expect(repairs).toMatchObject([{ file: segmentPath(4), copy: undefined }]);
    }
    disk.fillAt(Infinity, 0);
    const { position } = replayAll(disk.clone());
    disk.fillAt(1, Infinity);
    expect(replayAll(disk).position).toEqual(position);
    disk.fillAt(Infinity, 0);
    const { log } = openLog(disk, { position });
    await log.append(numbered(records + 1));
    await log.close();
    const after = replayAll(disk);
    expect(after).toMatchObject({ read: numberedFrom(1, records + 1), repairs: [] });
  });

  test.each([0, 20, headerBytes - 1])("of %i bytes, less than a header, is set aside", async (length) => {
    const disk = await threeSegments();
    edit(disk, segmentPath(4), (bytes) => bytes.slice(0, length));
    const result = replayAll(disk);
    expect(result.read).toEqual(numberedFrom(1, 3));
    const copy = `${segmentPath(4)}.torn-0`;
    expect(result.repairs).toEqual([{ file: segmentPath(4), offset: 0, bytes: length, copy }]);
    await writeLog(disk, [[numbered(4)]]);
    expect(replayAll(disk)).toMatchObject({ read: numberedFrom(1, 4), repairs: [] });
  });

  test.each([headerBytes, headerBytes + 30])(
    "of a segment of %i bytes leaves its header, and the next start takes its place",
    async (length) => {
      const disk = await threeSegments();
      edit(disk, segmentPath(4), (bytes) => bytes.slice(0, length));
      for (const firstSeq of [1, 3]) disk.remove(segmentPath(firstSeq));
      const { position, repairs } = replayAll(disk, { fromSeq: 4 });
      expect(repairs).toHaveLength(length > headerBytes ? 1 : 0);
      expect(replayAll(disk, { fromSeq: 4 })).toMatchObject({ position, repairs: [], records: 0 });
      expect(position).toMatchObject({ nextSeq: 4, segmentNumber: 2 });
      const { log } = openLog(disk, { position });
      expect(await log.append(numbered(4))).toBe(4);
      await log.close();
      const after = replayAll(disk, { fromSeq: 4 });
      expect(after).toMatchObject({ read: [numbered(4)], position: { segmentNumber: 3 } });
    },
  );

  test("beyond the length that the successor states is no part of the log, also if it verifies", async () => {
    const disk = new MemoryDisk();
    await writeLog(disk, [[numbered(1)], [numbered(2)]]);
    const longer = disk.clone();
    const other = new MemoryDisk();
    await writeLog(other, [[numbered(1)]]);
    await writeLog(other, [[numbered(20)]]);
    longer.put(segmentPath(2), other.read(segmentPath(2)));
    expect(replayAll(longer)).toMatchObject({ read: [numbered(1), numbered(20)], repairs: [] });
    expect(longer.size(segmentPath(1))).toBeGreaterThan(other.size(segmentPath(1)));
  });

  test("after a closed record is damage", async () => {
    const disk = new MemoryDisk();
    await writeLog(disk, [[numbered(1)], [closed]]);
    edit(disk, segmentPath(1), (bytes) => new Uint8Array([...bytes, 0]));
    const damage = { file: segmentPath(1), offset: disk.size(segmentPath(1)) - 1 };
    expect(damageOf(disk)).toMatchObject(damage);
    const other = new MemoryDisk();
    await writeLog(other, [[numbered(1)], [closed]]);
    await writeLog(other, [[numbered(2)]]);
    edit(other, segmentPath(1), (bytes) => new Uint8Array([...bytes, 0]));
    expect(damageOf(other)).toMatchObject(damage);
  });
});
