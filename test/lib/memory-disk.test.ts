/** The rules of the disk that the tests of durability trust. */
import { describe, expect, test } from "bun:test";
import { DiskError } from "../../src/lib/disk/disk.ts";
import { MemoryDisk, PowerCut } from "../support/memory-disk.ts";
import { randomFrom } from "../support/random.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A disk with a durable file `/d/a` that holds "safe" and is open. */
function fresh() {
  const disk = new MemoryDisk();
  disk.makeDirectory("/d");
  const file = disk.create("/d/a");
  disk.write(file, bytesOf("safe"));
  disk.sync(file);
  disk.syncDirectory("/d");
  return { disk, file };
}

/** Returns what a power cut may leave in `/d/a`, over many choices of chance; "none" means that the file is not there. */
function found(disk: MemoryDisk, path = "/d/a"): Set<string> {
  const random = randomFrom(1);
  const outcomes = new Set<string>();
  for (let round = 0; round < 300; round++) {
    const after = disk.crash(random);
    const there = after.list("/d").includes(path.slice(3));
    outcomes.add(there ? textOf(after.read(path)) : "none");
  }
  return outcomes;
}

describe("a power cut", () => {
  test("leaves what is synced", () => {
    expect(found(fresh().disk)).toEqual(new Set(["safe"]));
  });

  test("leaves any prefix of what is only written, of which sectors may be missing", () => {
    const { disk, file } = fresh();
    disk.write(file, bytesOf("12"));
    expect(found(disk)).toEqual(new Set(["safe", "safe1", "safe12", "safe\0", "safe\0\0"]));
    disk.write(file, new Uint8Array(3 * 512).fill(1));
    const isWritten = (bytes: Uint8Array) => [600, 1_100, 1_540].map((at) => bytes[at] === 1).join();
    const sectors = new Set<string>();
    const random = randomFrom(1);
    for (let round = 0; round < 300; round++) sectors.add(isWritten(disk.crash(random).read("/d/a")));
    expect(sectors.size).toBe(8);
  });

  test("may take a name whose directory is not synced, though its bytes are", () => {
    const { disk } = fresh();
    const file = disk.create("/d/b");
    disk.write(file, bytesOf("new"));
    disk.sync(file);
    expect(found(disk, "/d/b")).toEqual(new Set(["none", "new"]));
    disk.syncDirectory("/d");
    expect(found(disk, "/d/b")).toEqual(new Set(["new"]));
  });

  test("may take a directory that is new, with all that is in it, until the one around it is synced", () => {
    const { disk } = fresh();
    disk.makeDirectory("/d/e/f");
    disk.close(disk.create("/d/e/f/b"));
    disk.syncDirectory("/d/e/f");
    const random = randomFrom(1);
    const left = () => {
      const files = Array.from({ length: 100 }, () => [...disk.crash(random).files.keys()].join());
      return new Set(files);
    };
    expect(left()).toEqual(new Set(["/d/a", "/d/a,/d/e/f/b"]));
    disk.syncDirectory("/d");
    expect(left()).toEqual(new Set(["/d/a", "/d/a,/d/e/f/b"]));
    disk.syncDirectory("/d/e");
    expect(left()).toEqual(new Set(["/d/a,/d/e/f/b"]));
  });

  test("may take any of several names", () => {
    const { disk } = fresh();
    for (const name of ["b", "c"]) disk.close(disk.create(`/d/${name}`));
    const random = randomFrom(1);
    const lists = new Set(Array.from({ length: 100 }, () => disk.crash(random).list("/d").join()));
    expect(lists).toEqual(new Set(["a", "a,b", "a,c", "a,b,c"]));
  });

  test("may bring back a file that was removed, and one that was renamed over", () => {
    const { disk } = fresh();
    disk.put("/d/b", bytesOf("over"));
    disk.rename("/d/b", "/d/a");
    expect(found(disk)).toEqual(new Set(["safe", "over"]));
    disk.remove("/d/a");
    expect(found(disk)).toEqual(new Set(["safe", "over", "none"]));
  });

  test("does not undo truncate", () => {
    const { disk } = fresh();
    disk.truncate("/d/a", 2);
    expect(found(disk)).toEqual(new Set(["sa"]));
  });

  test("comes before the n-th call, and nothing is carried out after it", () => {
    const { disk, file } = fresh();
    disk.cutPowerAt(2);
    disk.write(file, bytesOf("1"));
    expect(() => disk.sync(file)).toThrow(PowerCut);
    expect(() => disk.close(file)).toThrow(PowerCut);
    expect(found(disk)).toEqual(new Set(["safe", "safe1", "safe\0"]));
  });
});

describe("a failure", () => {
  test("comes at the n-th call, once, with its code", () => {
    const { disk } = fresh();
    disk.failAt({ call: 2, code: "EIO" });
    disk.size("/d/a");
    expect(() => disk.size("/d/a")).toThrow(new DiskError("inspect", "/d/a", "EIO"));
    expect(disk.size("/d/a")).toBe(4);
  });

  test("for good lets nothing through but what gives back", () => {
    const { disk, file } = fresh();
    disk.failAt({ call: 2, code: "EMFILE", forGood: true });
    expect(disk.size("/d/a")).toBe(4);
    for (let time = 0; time < 2; time++) expect(() => disk.open("/d/a")).toThrow("EMFILE");
    disk.close(file);
    disk.failAt(undefined);
    disk.close(disk.open("/d/a"));
  });

  test("of a write may leave a part of it", () => {
    const { disk, file } = fresh();
    disk.failAt({ call: 1, code: "ENOSPC", writtenBytes: 2 });
    expect(() => disk.write(file, bytesOf("123"))).toThrow(DiskError);
    expect(textOf(disk.read("/d/a"))).toBe("safe12");
  });

  test("of a sync drops the bytes, and the next sync claims success", () => {
    const { disk, file } = fresh();
    disk.write(file, bytesOf("12"));
    disk.failAt({ call: 1, code: "EIO" });
    expect(() => disk.sync(file)).toThrow(DiskError);
    expect(textOf(disk.read("/d/a"))).toBe("safe12");
    expect(found(disk)).toEqual(new Set(["safe"]));
    disk.sync(file);
    expect(found(disk)).toEqual(new Set(["safe\0\0"]));
  });
});

test("files that are not closed are counted", () => {
  const { disk, file } = fresh();
  expect(disk.openFiles).toHaveLength(1);
  disk.close(file);
  expect(disk.openFiles).toHaveLength(0);
});
