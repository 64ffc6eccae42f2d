/** A folder that keeps the files of backups. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskCall, replaceFile, systemDisk } from "../../lib/disk.ts";
import type { BackupStore } from "./store.ts";

export class FolderStore implements BackupStore {
  /** The directories that got new names. */
  private readonly touched = new Set<string>();

  constructor(readonly place: string) {}

  async list(): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    diskCall("list", this.place, () => readdirSync(this.place));
    this.measure("", sizes);
    return sizes;
  }

  /**
   * Adds the files of a directory, and those below it. What cannot be looked at is left out: `lost+found` of a disk, a
   * link into nothing, a file that another server gives up meanwhile.
   */
  private measure(directory: string, sizes: Map<string, number>): void {
    for (const entry of orNone(() => readdirSync(join(this.place, directory), { withFileTypes: true })) ??
      []) {
      const name = join(directory, entry.name);
      if (entry.isDirectory()) this.measure(name, sizes);
      const size = entry.isFile() ? orNone(() => statSync(join(this.place, name)).size) : undefined;
      if (size !== undefined) sizes.set(name, size);
    }
  }

  async read(name: string): Promise<Uint8Array> {
    return systemDisk.read(join(this.place, name));
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.place, name);
    let directory = dirname(path);
    systemDisk.makeDirectory(directory);
    for (; directory.length > this.place.length; directory = dirname(directory)) this.touched.add(directory);
    this.touched.add(this.place);
    replaceFile(systemDisk, path, bytes);
  }

  async remove(name: string): Promise<void> {
    const path = join(this.place, name);
    systemDisk.remove(path);
    this.touched.add(dirname(path));
  }

  async sync(): Promise<void> {
    for (const directory of this.touched) systemDisk.syncDirectory(directory);
  }
}

/** Returns undefined where the system refuses. */
function orNone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (typeof (error as { code?: unknown }).code === "string") return undefined;
    throw error;
  }
}
