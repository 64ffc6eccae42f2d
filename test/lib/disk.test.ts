import { describe, expect, spyOn, test } from "bun:test";
import fs from "node:fs";
import { join } from "node:path";
import { DiskError, diskCall, systemDisk, type Disk } from "../../src/lib/disk/disk.ts";
import { useFolder } from "../support/folder.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { testWith } from "../support/needs.ts";

const top = useFolder();

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function errorOf(call: () => unknown): DiskError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(DiskError);
    return error as DiskError;
  }
  throw new Error("the call did not fail");
}

function write(disk: Disk, path: string, text: string): void {
  const file = disk.create(path);
  disk.write(file, bytesOf(text));
  disk.sync(file);
  disk.close(file);
}

const disks: readonly (readonly [name: string, open: () => Disk])[] = [
  ["systemDisk", () => systemDisk],
  ["MemoryDisk", () => new MemoryDisk()],
];

test("a file is written and read whole where the system does a few bytes a call", () => {
  const [disk, path] = [systemDisk, join(top, "in parts")];
  const [write, read] = [fs.writeSync, fs.readSync] as unknown as [
    (file: number, bytes: Uint8Array, at: number, length: number) => number,
    (file: number, bytes: Uint8Array, at: number, length: number, position: number) => number,
  ];
  const shortWrite = (file: number, bytes: Uint8Array, at: number) =>
    write(file, bytes, at, Math.min(7, bytes.length - at));
  const shortRead = (file: number, bytes: Uint8Array, at: number, length: number, position: number) =>
    read(file, bytes, at, Math.min(5, length), position);
  const spies = [
    spyOn(fs, "writeSync").mockImplementation(shortWrite as never),
    spyOn(fs, "readSync").mockImplementation(shortRead as never),
  ];
  try {
    const bytes = Uint8Array.from({ length: 100 }, (_, index) => index);
    const file = disk.create(path);
    disk.write(file, bytes);
    disk.close(file);
    expect(disk.read(path)).toEqual(bytes);
    expect(disk.read(path, 90)).toEqual(bytes.subarray(90));
    expect(spies.map(({ mock }) => mock.calls.length)).toEqual([15, 22]);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});

describe.each(disks)("%s", (name, open) => {
  let count = 0;
  /** A fresh disk and an empty directory on it. */
  function fresh() {
    const disk = open();
    const directory = join(top, name, String(++count));
    disk.makeDirectory(directory);
    return { disk, directory, path: join(directory, "a") };
  }

  test("what is written is read, whole and in ranges that may pass the end", () => {
    const { disk, path } = fresh();
    write(disk, path, "0123456789");
    expect(textOf(disk.read(path))).toBe("0123456789");
    expect(textOf(disk.read(path, 3))).toBe("3456789");
    expect(textOf(disk.read(path, 3, 4))).toBe("3456");
    expect(textOf(disk.read(path, 8, 100))).toBe("89");
    expect(disk.read(path, 100, 5)).toHaveLength(0);
    expect(disk.size(path)).toBe(10);
  });

  test("a mapped file is all of its bytes, and stays when the file is removed or its bytes are changed", () => {
    const { disk, path } = fresh();
    write(disk, path, "x".repeat(100_000));
    const mapped = disk.map(path);
    expect(mapped.byteOffset % 8).toBe(0);
    expect(textOf(mapped)).toBe("x".repeat(100_000));
    mapped.fill(0, 0, 9);
    expect(textOf(disk.map(path))).toBe("x".repeat(100_000));
    disk.remove(path);
    expect(textOf(mapped.subarray(9))).toBe("x".repeat(99_991));
    expect(errorOf(() => disk.map(path)).code).toBe("ENOENT");
  });

  test("bytes that were read are the reader's own", () => {
    const { disk, path } = fresh();
    write(disk, path, "abc");
    disk.read(path).fill(0);
    expect(textOf(disk.read(path))).toBe("abc");
  });

  test("writes append, also after the file was opened again", () => {
    const { disk, path } = fresh();
    write(disk, path, "one");
    const file = disk.open(path);
    disk.write(file, bytesOf("two"));
    disk.write(file, bytesOf(""));
    disk.write(file, bytesOf("three"));
    disk.close(file);
    expect(textOf(disk.read(path))).toBe("onetwothree");
  });

  test("a megabyte arrives whole", () => {
    const { disk, path } = fresh();
    const bytes = Uint8Array.from({ length: 1 << 20 }, (_, index) => index * 31);
    const file = disk.create(path);
    disk.write(file, bytes);
    disk.close(file);
    expect(disk.read(path)).toEqual(bytes);
  });

  test("create refuses a file that is there and leaves it alone", () => {
    const { disk, path } = fresh();
    write(disk, path, "kept");
    expect(errorOf(() => disk.create(path))).toMatchObject({ operation: "create", path, code: "EEXIST" });
    expect(textOf(disk.read(path))).toBe("kept");
  });

  test("what is missing is ENOENT, with its path", () => {
    const { disk, directory, path } = fresh();
    const missing = join(directory, "no", "b");
    for (const call of [
      () => disk.open(path),
      () => disk.read(path),
      () => disk.size(path),
      () => disk.truncate(path, 0),
      () => disk.rename(path, join(directory, "b")),
    ])
      expect(errorOf(call)).toMatchObject({ path, code: "ENOENT" });
    expect(errorOf(() => disk.create(missing))).toMatchObject({ path: missing, code: "ENOENT" });
    expect(errorOf(() => disk.list(join(directory, "no"))).code).toBe("ENOENT");
    expect(errorOf(() => disk.syncDirectory(join(directory, "no"))).code).toBe("ENOENT");
  });

  test("rename takes the place of what is there", () => {
    const { disk, directory, path } = fresh();
    const to = join(directory, "b");
    write(disk, path, "new");
    write(disk, to, "old");
    disk.rename(path, to);
    expect(disk.list(directory)).toEqual(["b"]);
    expect(textOf(disk.read(to))).toBe("new");
  });

  test("a file goes on taking writes under its new name", () => {
    const { disk, directory, path } = fresh();
    const file = disk.create(path);
    disk.write(file, bytesOf("1"));
    disk.rename(path, join(directory, "b"));
    disk.write(file, bytesOf("2"));
    disk.sync(file);
    disk.close(file);
    expect(textOf(disk.read(join(directory, "b")))).toBe("12");
  });

  test("an error names the path that an open file has now", () => {
    const { disk, directory, path } = fresh();
    const to = join(directory, "b");
    const file = disk.create(path);
    disk.rename(path, to);
    const before = disk instanceof MemoryDisk ? disk.failAt({ call: 1, code: "EBADF" }) : fs.closeSync(file);
    expect(before).toBeUndefined();
    expect(errorOf(() => disk.sync(file))).toMatchObject({ operation: "sync", path: to, code: "EBADF" });
  });

  test("remove removes once and is content the second time", () => {
    const { disk, directory, path } = fresh();
    write(disk, path, "x");
    disk.remove(path);
    disk.remove(path);
    disk.syncDirectory(directory);
    expect(disk.list(directory)).toEqual([]);
  });

  test("list is sorted and knows directories; makeDirectory makes parents and may be repeated", () => {
    const { disk, directory } = fresh();
    for (const name of ["b", "c", "a"]) write(disk, join(directory, name), name);
    disk.makeDirectory(join(directory, "d", "e"));
    disk.makeDirectory(join(directory, "d", "e"));
    expect(disk.list(directory)).toEqual(["a", "b", "c", "d"]);
    expect(disk.list(join(directory, "d"))).toEqual(["e"]);
  });

  test("truncate cuts, and later writes go to the new end", () => {
    const { disk, path } = fresh();
    write(disk, path, "0123456789");
    disk.truncate(path, 4);
    const file = disk.open(path);
    disk.write(file, bytesOf("x"));
    disk.close(file);
    expect(textOf(disk.read(path))).toBe("0123x");
  });

  test("a closed file takes nothing", () => {
    const { disk, path } = fresh();
    const file = disk.create(path);
    disk.close(file);
    expect(errorOf(() => disk.write(file, bytesOf("x"))).code).toBe("EBADF");
    expect(errorOf(() => disk.sync(file)).code).toBe("EBADF");
    expect(errorOf(() => disk.close(file)).code).toBe("EBADF");
  });

  test("free bytes are a positive number", () => {
    const { disk, directory } = fresh();
    expect(disk.freeBytes(directory)).toBeGreaterThan(0);
  });
});

describe("systemDisk on this machine", () => {
  test("files and directories belong to their owner alone", () => {
    const directory = join(top, "modes");
    systemDisk.makeDirectory(directory);
    write(systemDisk, join(directory, "a"), "secret");
    expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
    expect(fs.statSync(join(directory, "a")).mode & 0o777).toBe(0o600);
  });

  testWith("mount", "a disk that may only be read is read", () => {
    const directory = join(top, "read only");
    systemDisk.makeDirectory(directory);
    const path = join(directory, "a");
    write(systemDisk, path, "content");
    const run = (...command: string[]) =>
      expect(Bun.spawnSync(command, { stderr: "inherit" }).exitCode).toBe(0);
    run("mount", "--bind", directory, directory);
    try {
      run("mount", "-o", "remount,bind,ro", directory);
      expect(errorOf(() => systemDisk.open(path)).code).toBe("EROFS");
      expect(textOf(systemDisk.map(path))).toBe("content");
      expect(errorOf(() => systemDisk.map(join(directory, "b"))).code).toBe("ENOENT");
    } finally {
      run("umount", directory);
    }
  });

  test("what cannot be removed says why", () => {
    const path = join(top, "kept");
    write(systemDisk, path, "x");
    expect(errorOf(() => systemDisk.remove(join(path, "below"))).code).toBe("ENOTDIR");
    // POSIX says EPERM of a directory, and Linux EISDIR.
    expect(errorOf(() => systemDisk.remove(top)).message).toMatch(
      /^cannot remove \S+: .+ \((EISDIR|EPERM)\)$/,
    );
  });

  test("a device that is full says so", () => {
    const file = systemDisk.open("/dev/full");
    const error = errorOf(() => systemDisk.write(file, bytesOf("x")));
    systemDisk.close(file);
    expect(error).toMatchObject({ operation: "write", path: "/dev/full", code: "ENOSPC" });
    expect(error.message).toBe(
      "cannot write /dev/full: the disk is full: free some space, or files if `df -i` says 100 % (ENOSPC)",
    );
  });
});

describe("DiskError", () => {
  test("says operation, path, code and a hint, and keeps the cause", () => {
    const cause = Object.assign(new Error("EROFS"), { code: "EROFS" });
    const error = errorOf(() =>
      diskCall("rename", "/data/x", () => {
        throw cause;
      }),
    );
    expect(error).toMatchObject({ operation: "rename", path: "/data/x", code: "EROFS", cause });
    expect(error.message).toContain("cannot rename /data/x");
    expect(error.message).toContain("read-only");
  });

  test("an unknown code still has a hint", () => {
    expect(new DiskError("read", "/x", "EWEIRD").message).toBe("cannot read /x: the system refused (EWEIRD)");
  });

  test("an error without a code is a bug and passes as it is", () => {
    const bug = new TypeError("a bug");
    expect(() =>
      diskCall("read", "/x", () => {
        throw bug;
      }),
    ).toThrow(bug);
  });
});
