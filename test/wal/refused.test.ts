/** A log with damage that no crash explains is refused with file, byte and what to do, and is left as it was found. */
import { describe, expect, test } from "bun:test";
import { Packr } from "msgpackr/pack";
import { dimensions } from "../../src/core/questions/dimension.ts";
import { assert } from "../../src/lib/assert.ts";
import { NewerFormat } from "../../src/lib/decoding.ts";
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

/** A log of one frame that says that it has one record. */
function logOf(batch: unknown): MemoryDisk {
  const header = encodeHeader({ folderId, number: 1, firstSeq: 1, previousLength: 0, previousChecksum: 0 });
  const payload = new Packr({ useRecords: false }).pack(batch);
  const bytes = new Uint8Array(headerBytes + frameBytes(payload.length));
  bytes.set(header);
  const seed = headerChecksum(header);
  encodeFrame(bytes, headerBytes, payload, { firstSeq: 1, count: 1, previousChecksum: seed, seed });
  const disk = new MemoryDisk();
  disk.put(segmentPath(1), bytes);
  return disk;
}

function expectNewer(disk: MemoryDisk, file: string, what: string): void {
  const before = [...disk.files].map(([path, bytes]) => [path, bytes.toHex()]);
  const message = `${file} was written by a newer Footfall (${what}): start that version, or restore a backup`;
  expect(() => replayAll(disk)).toThrow(message);
  expect(() => replayAll(disk)).toThrow(NewerFormat);
  expect([...disk.files].map(([path, bytes]) => [path, bytes.toHex()])).toEqual(before);
}

describe("damage", () => {
  test("before a frame that verifies is refused at its byte; cutting there, as the repair of the hint does, helps", async () => {
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
    expect(damage.message).toContain(
      "with 'footfall repair --accept-loss', which copies aside what it changes",
    );
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

  test("a segment that another server wrote behind those of this one is refused, though it is all that is wanted", async () => {
    const disk = await threeSegments();
    const ofOther = numberedFrom(1, 7).map((record) => [record]);
    for (const rotateAfter of [[6], [3, 6], [1, 2, 6]]) {
      const other = new MemoryDisk();
      await writeLog(other, [...ofOther, [numbered(8)]], rotateAfter);
      const both = disk.clone();
      both.put(segmentPath(8), other.read(segmentPath(8)));
      const read = () => replayAll(both, { fromSeq: 8 }).read;
      if (rotateAfter.length === 3) expect(read()).toEqual([numbered(8)]);
      else {
        const damage = damageOf(both, { fromSeq: 8 });
        expect(damage).toMatchObject({ file: segmentPath(8), offset: 0 });
        const number = rotateAfter.length + 1;
        expect(damage.message).toContain(`it is segment ${number}, but the one before is 3; put back`);
      }
      // A gap is no reason: a checkpoint had removed what is missing, and a power cut has brought back the rest.
      both.take(segmentPath(4));
      both.take(segmentPath(3));
      expect(read()).toEqual([numbered(8)]);
    }
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

  test("a format that is not known is a newer one, and left as it is", async () => {
    const disk = await threeSegments();
    edit(disk, segmentPath(4), (bytes) => {
      new DataView(bytes.buffer).setUint32(4, 2, true);
      new DataView(bytes.buffer).setUint32(48, Bun.hash.crc32(bytes.subarray(0, 48)), true);
      return bytes;
    });
    expectNewer(disk, segmentPath(4), "format 2, this one knows 1");
  });

  test("so is a record of a kind, of fields or of dimensions that are not known", () => {
    const timeMs = 1_700_000_000_000;
    const known = dimensions.length;
    const more = Array.from({ length: known + 1 }, () => 0);
    const cases: readonly (readonly [record: unknown[], what: string])[] = [
      [[99, timeMs], "a record of kind 99, where this one knows 1 to 60"],
      [[15, timeMs, "more"], "a record of 2 fields, where this one knows 1"],
      [[1, timeMs, 1, "b", 1, 0, more, []], `${more.length} dimensions, where this one knows ${known}`],
    ];
    for (const [record, what] of cases) expectNewer(logOf([["/"], record]), segmentPath(1), what);
  });

  test("what no record says is damage, with the batch that it stands in", () => {
    const timeMs = 1_700_000_000_000;
    const cases: readonly (readonly [batch: unknown, what: string])[] = [
      [7, "a batch is no list"],
      [[7], "7 stands where a list belongs"],
      [[[], 7], "a record is no list"],
      [[[], ["15", timeMs]], '"15" stands where an integer belongs'],
      [[[], [15]], "the field timeMs is missing"],
      [[[], [15, 0.5]], "0.5 stands where an integer belongs"],
      [[[], [2, timeMs, 1, 7, null]], "7 stands where a text belongs"],
      [[[], [1, timeMs, 1, "b", true, 0, [], []]], "true stands where 0 or 1 belongs"],
      [[["/"], [1, timeMs, 1, "b", 1, 0, [0], []]], "1 values stand where more dimensions always were"],
      [[["/"], [3, timeMs, 0, "b", null, [0]]], "1 strings stand where pairs belong"],
      [[[], [6, timeMs, 1, "a.example"], [15, timeMs]], "a frame of 1 records has 2"],
    ];
    for (const [batch, what] of cases) {
      const damage = damageOf(logOf(batch));
      expect(damage).toMatchObject({ file: segmentPath(1), offset: headerBytes });
      expect(damage.message).toContain(`a record that does not fit the log: ${what}; restore a backup`);
    }
  });

  test("a record that fits no state is damage too, and a failure of something else is not", async () => {
    const disk = await threeSegments();
    const replayWith = (onRecord: () => void) => () =>
      replay({ disk, directory, fromSeq: 1, folderId, onRecord });
    const failing = replayWith(() => assert(false, "website 1 is new"));
    expect(failing).toThrow("a record that does not fit the log: website 1 is new");
    expect(replayWith(() => JSON.parse("{"))).toThrow(SyntaxError);
  });
});
