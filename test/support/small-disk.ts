/** A real disk that has no room left: a small one in memory, which root may mount. */
import { expect } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { withFolder } from "./folder.ts";

/** A small disk of its own, as long as `use` takes. */
export async function withSmallDisk(use: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const run = (...words: string[]) => expect(Bun.spawnSync(words).exitCode).toBe(0);
    run("mount", "-t", "tmpfs", "-o", "size=16m", "footfall-test", folder);
    try {
      await use(folder);
    } finally {
      run("umount", "-l", folder);
    }
  });
}

/** Makes the disk one that can only be read, or one that can be written to again. No file may be open for writing. */
export function remount(folder: string, how: "ro" | "rw"): void {
  expect(Bun.spawnSync(["mount", "-o", `remount,${how}`, folder]).exitCode).toBe(0);
}

/** Takes all room that is left. */
export function fillUp(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let bytes = 65_536; bytes > 0; bytes >>= 1)
      try {
        for (;;) writeSync(file, new Uint8Array(bytes));
      } catch (error) {
        expect((error as { code?: string }).code).toBe("ENOSPC");
      }
  } finally {
    closeSync(file);
  }
}
