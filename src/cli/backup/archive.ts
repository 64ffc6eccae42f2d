/** A backup as one tar archive. Unpacked by any tar, it is a data folder, with the list of the backup beside it. */
import { dirname } from "node:path";
import { Refusal, shown } from "../../core/refusal.ts";
import type { Disk } from "../../lib/disk/disk.ts";
import { readTar, TarDamage, tarEnd, tarHeader, tarPadding } from "../../lib/packing/tar.ts";
import {
  decodeList,
  encodeList,
  isBackupFile,
  isListName,
  listName,
  type BackupEntry,
  type BackupList,
} from "../../snapshot/backup-list.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import type { BackupTarget } from "./target.ts";

/** Takes the bytes of an archive. */
interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  settle(): void;
  finish(): Promise<void>;
  abandon(): void;
}

export class ArchiveTarget implements BackupTarget {
  private constructor(
    private readonly sink: Sink,
    private readonly madeMs: number,
  ) {}

  /** Writes a file, which takes the place of an earlier one when it is complete. Throws DiskError. */
  static toFile(disk: Disk, path: string, madeMs: number): ArchiveTarget {
    const unfinished = `${path}.${process.pid}.new`;
    disk.remove(unfinished);
    const file = disk.create(unfinished);
    let isOpen = true;
    const close = () => {
      if (isOpen) disk.close(file);
      isOpen = false;
    };
    const sink: Sink = {
      write: async (bytes) => disk.write(file, bytes),
      settle: () => disk.sync(file),
      finish: async () => {
        disk.sync(file);
        close();
        disk.rename(unfinished, path);
        disk.syncDirectory(dirname(path));
      },
      abandon: () => {
        close();
        disk.remove(unfinished);
      },
    };
    return new ArchiveTarget(sink, madeMs);
  }

  static toStream(write: (bytes: Uint8Array) => Promise<void>, madeMs: number): ArchiveTarget {
    return new ArchiveTarget({ write, settle: () => {}, finish: async () => {}, abandon: () => {} }, madeMs);
  }

  has(): boolean {
    return false;
  }

  put({ name }: BackupEntry, bytes: Uint8Array): Promise<void> {
    return this.add(name, bytes);
  }

  settle(): void {
    this.sink.settle();
  }

  async finish(list: BackupList): Promise<number> {
    await this.add(listName(list), encodeList(list));
    await this.sink.write(tarEnd);
    await this.sink.finish();
    return 0;
  }

  abandon(): void {
    this.sink.abandon();
  }

  private async add(name: string, bytes: Uint8Array): Promise<void> {
    await this.sink.write(tarHeader(name, bytes.length, this.madeMs));
    await this.sink.write(bytes);
    await this.sink.write(tarPadding(bytes.length));
  }
}

/** Writes the files of an archive with `put`, and returns its list. Throws Refusal for anything that is not as it was. */
export async function readArchive(
  chunks: AsyncIterable<Uint8Array>,
  put: (name: string, bytes: Uint8Array) => void,
): Promise<BackupList> {
  let list: BackupList | undefined;
  try {
    for await (const { name, bytes } of readTar(chunks)) {
      if (list !== undefined) throw refusedArchive(`${shown(name)} comes after the list of its files`);
      if (isListName(name)) list = decodeList(bytes, name);
      else if (isBackupFile(name)) put(name, bytes);
      else throw refusedArchive(`${shown(name)} is no file of a data folder`);
    }
  } catch (error) {
    if (error instanceof TarDamage || error instanceof SnapshotDamage) throw refusedArchive(error.message);
    throw error;
  }
  if (list === undefined) throw refusedArchive("it is incomplete: the list of its files is missing");
  return list;
}

function refusedArchive(what: string): Refusal {
  return new Refusal(400, `the backup cannot be restored: ${what}; restore another backup`);
}
