import { beforeEach, describe, expect, test } from "bun:test";
import { DiskError } from "../../src/lib/disk/disk.ts";
import { SegmentWriter } from "../../src/wal/writer.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("SegmentWriter", () => {
  let disk: MemoryDisk;
  let writer: SegmentWriter;
  beforeEach(() => {
    disk = new MemoryDisk();
    disk.makeDirectory("/w");
    writer = new SegmentWriter(disk);
  });

  const read = (from: MemoryDisk, path: string) => new TextDecoder().decode(from.read(path));

  test("a batch is one write, one sync, and a look whether the segment is there", () => {
    writer.start("/w/1", bytesOf("a"));
    disk.history.length = 0;
    writer.append(bytesOf("b"));
    expect(disk.history.map((call) => call.split(" ")[0])).toEqual(["write", "sync", "inspect"]);
  });

  test("a batch fails whose segment somebody has removed", () => {
    writer.start("/w/1", bytesOf("a"));
    disk.take("/w/1");
    expect(() => writer.append(bytesOf("b"))).toThrow("cannot inspect /w/1: there is no such file");
    expect(disk.openFiles).toHaveLength(0);
    writer.start("/w/2", bytesOf("b"));
    expect(disk.list("/w")).toEqual(["2"]);
  });

  test("bytes and name are durable when a call returns", () => {
    writer.start("/w/1", bytesOf("a"));
    expect(
      read(
        disk.crash(() => 0),
        "/w/1",
      ),
    ).toBe("a");
    writer.append(bytesOf("b"));
    expect(
      read(
        disk.crash(() => 0),
        "/w/1",
      ),
    ).toBe("ab");
    writer.start("/w/2", bytesOf("c"));
    expect(disk.crash(() => 0).list("/w")).toEqual(["1", "2"]);
  });

  test("a segment has its name only when its first batch is durable", () => {
    const calls = 6; // remove, create, write, sync, rename, sync the directory
    for (let call = 1; call <= calls; call++) {
      const before = disk.clone();
      const starting = new SegmentWriter(before);
      before.failAt({ call, code: "EIO", writtenBytes: 1 });
      expect(() => starting.start("/w/1", bytesOf("whole"))).toThrow(DiskError);
      const after = before.crash(() => 0.3);
      if (after.list("/w").includes("1")) expect(read(after, "/w/1")).toBe("whole");
      expect(before.openFiles).toHaveLength(0);
    }
  });

  test("takes the place of a start that failed under the same name", () => {
    disk.failAt({ call: 6, code: "EIO" });
    expect(() => writer.start("/w/1", bytesOf("failed"))).toThrow(DiskError);
    writer.start("/w/1", bytesOf("second"));
    expect(
      read(
        disk.crash(() => 0),
        "/w/1",
      ),
    ).toBe("second");
    expect(disk.list("/w")).toEqual(["1"]);
  });

  test.each([1, 2])(
    "after a failure of call %i the segment takes no more, and is never synced again",
    (call) => {
      writer.start("/w/1", bytesOf("a"));
      disk.history.length = 0;
      disk.failAt({ call, code: "EIO" });
      expect(() => writer.append(bytesOf("b"))).toThrow(DiskError);
      expect(() => writer.append(bytesOf("c"))).toThrow("has not failed");
      expect(disk.history.filter((entry) => entry === "sync /w/1")).toHaveLength(call - 1);
      expect(disk.openFiles).toHaveLength(0);
      writer.start("/w/2", bytesOf("c"));
      expect(
        read(
          disk.crash(() => 0),
          "/w/2",
        ),
      ).toBe("c");
    },
  );

  test("an error of closing is no error of what is durable", () => {
    writer.start("/w/1", bytesOf("a"));
    disk.failAt({ call: 1, code: "EIO" });
    expect(() => writer.close()).not.toThrow();
    expect(() => writer.close()).not.toThrow();
  });
});
