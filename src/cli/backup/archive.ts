/** A backup as one tar archive. Unpacked by any tar, it is a data folder, with the list of the backup beside it. */
import { Refusal, shown } from "../../core/refusal.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import {
  firstName,
  readTar,
  tarBlockBytes,
  TarDamage,
  tarEnd,
  tarHeader,
  tarPadding,
} from "../../lib/packing/tar.ts";
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
import type { OutputFile } from "../output-file.ts";
import { expectRoom, roomAt } from "./room.ts";
import type { BackupTarget, GivenUp, RoomNeeds } from "./target.ts";

export class ArchiveTarget implements BackupTarget {
  constructor(
    private readonly file: OutputFile,
    private readonly madeMs: number,
    /** The folder in which it is made; undefined where nobody knows its room. */
    private readonly inside?: string,
  ) {}

  has(): boolean {
    return false;
  }

  expectRoom(files: readonly BackupEntry[], { folder, keptFreeBytes }: RoomNeeds): void {
    const { inside } = this;
    const room = inside === undefined ? undefined : roomAt(systemDisk, inside, folder);
    if (room !== undefined) expectRoom(inside!, room, files, keptFreeBytes);
  }

  put({ name }: BackupEntry, bytes: Uint8Array): Promise<void> {
    return this.add(name, bytes);
  }

  settle(): void {
    this.file.settle();
  }

  async finish(list: BackupList): Promise<GivenUp> {
    await this.add(listName(list), encodeList(list));
    await this.file.write(tarEnd);
    this.file.finish();
    return { removed: 0 };
  }

  abandon(): void {
    this.file.abandon();
  }

  private async add(name: string, bytes: Uint8Array): Promise<void> {
    await this.file.write(tarHeader(name, bytes.length, this.madeMs));
    await this.file.write(bytes);
    await this.file.write(tarPadding(bytes.length));
  }
}

/** Returns whether a backup may take the place of a file: it is empty, or an archive of one. Throws DiskError. */
export function isReplaceable(path: string): boolean {
  const begin = systemDisk.read(path, 0, tarBlockBytes);
  return begin.length === 0 || isBackupFile(firstName(begin) ?? "");
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
    if (error instanceof TarDamage && error.offset === 0)
      throw error.isEnd ? refusedArchive("it is empty") : noArchive();
    if (error instanceof TarDamage || error instanceof SnapshotDamage) throw refusedArchive(error.message);
    throw error;
  }
  if (list === undefined) throw refusedArchive("it is incomplete: the list of its files is missing");
  return list;
}

/** Most backups that begin otherwise are whole: somebody packed or encrypted them. */
function noArchive(): Refusal {
  return new Refusal(
    400,
    "the backup cannot be restored: it does not begin as one does. One that was packed or encrypted since goes through a pipe, such as: " +
      "gzip -dc FILE | footfall restore - --data NEW",
  );
}

function refusedArchive(what: string): Refusal {
  return new Refusal(400, `the backup cannot be restored: ${what}; restore another backup`);
}
