import { dirname } from "node:path";
import { describe, expect, test } from "bun:test";
import { copyName, listSegments, removeSegmentsBefore, segmentName } from "../../src/wal/segment.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { directory, segmentPath } from "../support/log-folder.ts";

function folder(...names: string[]): MemoryDisk {
  const disk = new MemoryDisk();
  disk.makeDirectory(directory);
  for (const name of names) disk.put(`${directory}/${name}`, new Uint8Array(1));
  return disk;
}

describe("listSegments", () => {
  test("gives the segments in the order of their records and nothing else", () => {
    const names = [9, 10, 1_000_000].map(segmentName);
    const disk = folder("unfinished", copyName(segmentName(9), 400), "1.wal", "x.wal", ...names.toReversed());
    expect(listSegments(disk, directory)).toEqual(
      [9, 10, 1_000_000].map((firstSeq, index) => ({
        path: segmentPath(firstSeq),
        name: names[index] as string,
        firstSeq,
      })),
    );
  });
});

describe("removeSegmentsBefore", () => {
  const firsts = [1, 11, 21];
  test.each([
    [1, [1, 11, 21]],
    [10, [1, 11, 21]],
    [11, [11, 21]],
    [20, [11, 21]],
    [21, [21]],
    [1_000, [21]],
  ])("before %i leaves those that begin with %j", (seq, left) => {
    const disk = folder(...firsts.map(segmentName));
    removeSegmentsBefore(disk, directory, seq);
    expect(disk.list(directory)).toEqual(left.map(segmentName));
  });

  test("takes the copies of torn bytes with their segment, and leaves strangers alone", () => {
    const copies = [1, 11].map((firstSeq) => copyName(segmentName(firstSeq), 96));
    const disk = folder("notes.txt", ...firsts.map(segmentName), ...copies);
    removeSegmentsBefore(disk, directory, 11);
    expect(disk.list(directory)).toEqual([
      segmentName(11),
      copies[1],
      segmentName(21),
      "notes.txt",
    ] as string[]);
  });

  test("is durable when it returns", () => {
    const disk = folder(...firsts.map(segmentName));
    disk.syncDirectory(dirname(directory));
    removeSegmentsBefore(disk, directory, 21);
    expect(disk.crash(() => 0).list(directory)).toEqual([segmentName(21)]);
  });

  test("of an empty folder does nothing", () => {
    const disk = folder();
    removeSegmentsBefore(disk, directory, 5);
    expect(disk.list(directory)).toEqual([]);
  });
});
