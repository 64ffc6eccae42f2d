import { describe, expect, spyOn, test } from "bun:test";
import fs from "node:fs";
import { join } from "node:path";
import { DiskError } from "../../src/lib/disk/disk.ts";
import { acquireLock, LockHeld, lockOpened } from "../../src/lib/disk/lock.ts";
import { lockFolder } from "../../src/engine/opening/open.ts";
import { useFolder } from "../support/folder.ts";
import { testWith } from "../support/needs.ts";

const top = useFolder();

function heldBy(path: string): string {
  try {
    acquireLock(path).release();
  } catch (error) {
    if (error instanceof LockHeld) return error.process;
    throw error;
  }
  return "nobody";
}

describe("acquireLock", () => {
  test("is exclusive, names the holder, and can be taken again after its release", () => {
    const path = join(top, "a");
    const lock = acquireLock(path);
    expect(fs.readFileSync(path, "utf8")).toMatch(new RegExp(`^${process.pid} [0-9a-f]{16}\n$`));
    expect(heldBy(path)).toBe(`the process ${process.pid}`);
    expect(() => acquireLock(path)).toThrow(`${path} is locked by the process ${process.pid}`);
    lock.release();
    expect(heldBy(path)).toBe("nobody");
  });

  test("a file that a dead process left behind is no lock", () => {
    const path = join(top, "b");
    fs.writeFileSync(path, "999999999 and more than a process id\n");
    const lock = acquireLock(path);
    expect(fs.readFileSync(path, "utf8")).toMatch(new RegExp(`^${process.pid} [0-9a-f]{16}\n$`));
    lock.release();
  });

  test("a folder that is missing is a DiskError", () => {
    expect(() => acquireLock(join(top, "no", "c"))).toThrow(DiskError);
  });

  testWith(
    "linux",
    "a file that cannot be locked is not taken for one that another process has locked",
    () => {
      const path = join(top, "e");
      fs.writeFileSync(path, "");
      // O_PATH: of such a descriptor flock says EBADF, as that of a file system without locks says ENOLCK or ENOTSUP.
      const file = fs.openSync(path, 0o10000000);
      const lock = () => lockOpened(file, path);
      expect(lock).toThrow(DiskError);
      expect(lock).toThrow(
        `cannot lock ${path}: the file system of this folder cannot lock files, and two servers on one folder would lose ` +
          "data: choose a folder on a local disk (EBADF)",
      );
      fs.closeSync(file);
    },
  );

  test("says whether its file is in its place: not where it is gone, is another one, or the folder was moved away", () => {
    const [folder, moved] = [join(top, "f"), join(top, "g")];
    fs.mkdirSync(folder);
    const path = join(folder, "LOCK");
    const lock = acquireLock(path);
    expect(lock.isInPlace()).toBe(true);
    fs.renameSync(folder, moved);
    // Nobody can tell yet: it may come back.
    expect(() => lock.isInPlace()).toThrow("there is no such file or folder");
    fs.cpSync(moved, folder, { recursive: true });
    expect(lock.isInPlace()).toBe(false);
    // A process in another container has that one, under the same id.
    const other = acquireLock(path);
    fs.writeFileSync(path, `${process.pid} 0123456789abcdef\n`);
    expect([lock.isInPlace(), other.isInPlace()]).toEqual([false, true]);
    other.release();
    fs.rmSync(folder, { recursive: true });
    fs.renameSync(moved, folder);
    expect(lock.isInPlace()).toBe(true);
    fs.rmSync(path);
    expect(lock.isInPlace()).toBe(false);
    lock.release();
  });

  test("is in its place on a file system that gives it another number each time", () => {
    const path = join(top, "h");
    const lock = acquireLock(path);
    const { statSync } = fs;
    const renumbered = (...args: Parameters<typeof fs.statSync>) => {
      const found = statSync(...args);
      return found && Object.assign(found, { ino: 1n });
    };
    const spy = spyOn(fs, "statSync").mockImplementation(renumbered as typeof fs.statSync);
    try {
      expect(lock.isInPlace()).toBe(true);
      lock.release();
      expect(acquireLock(path).isInPlace()).toBe(true);
    } finally {
      spy.mockRestore();
    }
  });

  test("another process holds it until it is killed", async () => {
    const path = join(top, "d");
    const source = new URL("../../src/lib/disk/lock.ts", import.meta.url).href;
    const script = `import { acquireLock } from ${JSON.stringify(source)};
      acquireLock(${JSON.stringify(path)}); console.log("held"); setInterval(() => {}, 1000);`;
    const holder = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
    await holder.stdout.getReader().read();
    expect(heldBy(path)).toBe(`the process ${holder.pid}`);
    holder.kill("SIGKILL");
    await holder.exited;
    expect(heldBy(path)).toBe("nobody");
  });

  test("without a process id in the file it still says what is wrong", () => {
    const refuse = () => {
      throw held;
    };
    const held = new LockHeld("/data/LOCK", "");
    expect(held.message).toBe("/data/LOCK is locked by another process");
    expect(() => lockFolder("/data", refuse)).toThrow("/data is in use by another process: stop it");
  });
});
