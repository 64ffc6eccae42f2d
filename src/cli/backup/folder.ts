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
    return diskCall("list", this.place, () => {
      const names = readdirSync(this.place, { recursive: true, encoding: "utf8" });
      return new Map(names.map((name) => [name, statSync(join(this.place, name)).size]));
    });
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
