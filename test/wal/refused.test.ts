/** What no crash explains: refused with file, byte and what to do, and left as it was found. */
import { describe, expect, test } from "bun:test";
import { Packr } from "msgpackr";
import { encodeFrame, encodeHeader, frameBytes, headerBytes, headerChecksum } from "../../src/wal/format.ts";
import { replay } from "../../src/wal/recovery.ts";
import {
  damageOf,
  directory,
  edit,
  folderId,
  numbered,
  numberedFrom,
  openLog,
  replayAll,
  segmentPath,
  threeSegments,
  writeLog,
} from "../support/log-folder.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

describe("damage", () => {
  test("before a frame that verifies is refused at its byte; cutting there, as the hint says, helps", async () => {
    const disk = new MemoryDisk();
    await writeLog(
      disk,
      numberedFrom(1, 4).map((record) => [record]),
    );
    const path = segmentPath(1);
    edit(disk, path, (bytes) => bytes.with(headerBytes + 40, 0xff));
    const damage = damageOf(disk);
    expect(damage).toMatchObject({ file: path, offset: headerBytes });
    expect(damage.message).toContain(`${path} at byte ${headerBytes}: the batch after record 0 is damaged`);
    expect(damage.hint).toContain("truncate");
    disk.truncate(path, damage.offset);
    expect(replayAll(disk).records).toBe(0);
  });

  test("leaves the folder as it was found", async () => {
    const disk = await threeSegments();
    edit(disk, segmentPath(1), (bytes) => new Uint8Array([...bytes, 1, 2, 3]));
    edit(disk, segmentPath(3), (bytes) => new Uint8Array([...bytes, 4, 5, 6]));
    edit(disk, segmentPath(4), (bytes) => bytes.with(headerBytes + 40, 0xff));
    disk.put(`${directory}/unfinished`, new Uint8Array(8));
    const before = disk.list(directory).map((name) => disk.read(`${directory}/${name}`).toHex());
    damageOf(disk);
    expect(disk.list(directory).map((name) => disk.read(`${directory}/${name}`).toHex())).toEqual(before);
  });

  test("a segment that is missing is named by its neighbour", async () => {
    const disk = await threeSegments();
    disk.remove(segmentPath(3));
    const middle = damageOf(disk);
    expect(middle).toMatchObject({ file: segmentPath(4), offset: 0 });
    expect(middle.message).toContain("it is segment 3, but the one before is 1");
    disk.remove(segmentPath(1));
    const first = damageOf(disk);
    expect(first).toMatchObject({ file: segmentPath(4), offset: 0 });
    expect(first.message).toContain("the records from 1 on are needed");
  });

  test("an older copy of a segment in its place is refused", async () => {
    const disk = await threeSegments();
    const other = new MemoryDisk();
    await writeLog(other, [[numbered(8)], [numbered(9)]]);
    await writeLog(other, [[numbered(10)]]);
    disk.put(segmentPath(3), other.read(segmentPath(3)));
    const damage = damageOf(disk);
    expect(damage).toMatchObject({ file: segmentPath(3), offset: 0 });
    expect(damage.message).toContain("it does not go on where 0000000000000001.wal ends");
  });

  test("a segment that is shorter than its successor says is damaged at its end", async () => {
    const disk = await threeSegments();
    const length = disk.size(segmentPath(3));
    edit(disk, segmentPath(3), (bytes) => bytes.slice(0, length - 8));
    expect(damageOf(disk)).toMatchObject({ file: segmentPath(3), offset: headerBytes });
  });

  test("a frame that verifies but does not follow the one before it is refused", () => {
    const header = encodeHeader({ folderId, number: 1, firstSeq: 1, previousLength: 0, previousChecksum: 0 });
    const seed = headerChecksum(header);
    const payload = new Packr({ useRecords: false }).pack([[], [15, 1_700_000_000_000]]);
    const place = { firstSeq: 1, count: 1, previousChecksum: seed, seed };
    const read = (changed: Partial<typeof place>) => {
      const bytes = new Uint8Array(headerBytes + frameBytes(payload.length));
      bytes.set(header);
      encodeFrame(bytes, headerBytes, payload, { ...place, ...changed });
      const disk = new MemoryDisk();
      disk.put(segmentPath(1), bytes);
      return disk;
    };
    expect(replayAll(read({})).records).toBe(1);
    expect(damageOf(read({ previousChecksum: 5 })).offset).toBe(headerBytes);
    expect(damageOf(read({ firstSeq: 2 })).offset).toBe(headerBytes);
  });

  test("a gap between the records of two segments is refused", async () => {
    const disk = new MemoryDisk();
    await writeLog(disk, [[numbered(1)]]);
    const { position } = replayAll(disk);
    const { log } = openLog(disk, { position: { ...position, nextSeq: position.nextSeq + 1 } });
    await log.append(numbered(3));
    await log.close();
    expect(damageOf(disk)).toMatchObject({ file: segmentPath(3), offset: 0 });
  });

  test("a segment of another folder is refused", async () => {
    const disk = await threeSegments();
    const other = { disk, directory, fromSeq: 1, folderId: new Uint8Array(16), onRecord() {} };
    expect(() => replay(other)).toThrow("belongs to another data folder");
  });

  test("a segment under another's name is refused", async () => {
    const disk = await threeSegments();
    disk.rename(segmentPath(1), segmentPath(2));
    expect(damageOf(disk, { fromSeq: 2 }).message).toContain("begins with record 1");
  });

  test("a log that ends before its checkpoint is refused, and so is none at all", async () => {
    const disk = await threeSegments();
    expect(damageOf(disk, { fromSeq: 8 }).message).toContain("ends with record 5, but a checkpoint has 7");
    expect(damageOf(new MemoryDisk(), { fromSeq: 2 }).file).toBe(directory);
  });

  test("a format that is not known says to start the newer version", async () => {
    const disk = await threeSegments();
    edit(disk, segmentPath(1), (bytes) => {
      new DataView(bytes.buffer).setUint32(4, 2, true);
      new DataView(bytes.buffer).setUint32(48, Bun.hash.crc32(bytes.subarray(0, 48)), true);
      return bytes;
    });
    expect(damageOf(disk).message).toContain("a format that this version does not know; start the version");
  });

  test("a record kind that is not known says so too", () => {
    const header = encodeHeader({ folderId, number: 1, firstSeq: 1, previousLength: 0, previousChecksum: 0 });
    const payload = new Packr({ useRecords: false }).pack([[], [99, 1_700_000_000_000]]);
    const bytes = new Uint8Array(headerBytes + frameBytes(payload.length));
    bytes.set(header);
    const seed = headerChecksum(header);
    encodeFrame(bytes, headerBytes, payload, { firstSeq: 1, count: 1, previousChecksum: seed, seed });
    const disk = new MemoryDisk();
    disk.put(segmentPath(1), bytes);
    const damage = damageOf(disk);
    expect(damage).toMatchObject({ file: segmentPath(1), offset: headerBytes });
    expect(damage.message).toContain("record kind 99 is unknown to this version");
  });
});
