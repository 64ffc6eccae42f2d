import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder on the real disk, removed after `use`. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = newFolder();
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A new folder for all tests of a file or of a group. It goes after them, and after the hooks from before this call. */
export function useFolder(): string {
  const folder = newFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "footfall-test-"));
}
