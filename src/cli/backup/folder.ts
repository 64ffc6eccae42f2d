/** A folder that keeps the files of backups. */
import { dirname, join } from "node:path";
import { replaceFile, systemDisk, unfinishedName, type Disk } from "../../lib/disk/disk.ts";
import { diskFailure } from "../../lib/disk/failure.ts";
import { roomAt, type PlaceRoom } from "./room.ts";
import type { BackupStore } from "./store.ts";

export class FolderStore implements BackupStore {
  /** The directories that got new names, or may have got some from a process that was interrupted. */
  private readonly touched = new Set<string>();

  constructor(
    readonly place: string,
    private readonly disk: Disk = systemDisk,
  ) {}

  async list(): Promise<ReadonlyMap<string, number>> {
    return this.disk.sizesBelow(this.place);
  }

  async read(name: string): Promise<Uint8Array> {
    return this.disk.read(join(this.place, name));
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.place, name);
    this.disk.makeDirectory(dirname(path));
    this.touch(name);
    try {
      replaceFile(this.disk, path, bytes);
    } catch (error) {
      this.forget(unfinishedName(path));
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    const path = join(this.place, name);
    this.disk.remove(path);
    this.touched.add(dirname(path));
  }

  async sync(names: readonly string[] = []): Promise<void> {
    for (const name of names) this.touch(name);
    for (const directory of this.touched) this.disk.syncDirectory(directory);
    this.touched.clear();
  }

  roomFor(data: string): PlaceRoom | undefined {
    return roomAt(this.disk, this.place, data);
  }

  /** Removes a file that takes room for nothing, if the disk lets it. */
  private forget(path: string): void {
    diskFailure(() => this.disk.remove(path));
  }

  private touch(name: string): void {
    let directory = dirname(join(this.place, name));
    for (; directory.length > this.place.length; directory = dirname(directory)) this.touched.add(directory);
    this.touched.add(this.place);
  }
}
