/**
 * Backups in a store of files, each of which copies only what is not there yet. The backups of one data folder have a
 * folder of their own, named by its id and by its incarnation: a copy of a data folder is another incarnation. The name
 * of a stored file ends in its checksum, so no file is ever overwritten by another.
 *
 *   <id>-<incarnation>/<record>.<time>.backup           the list of one backup
 *   <id>-<incarnation>/<name in the data folder>.<checksum>
 */
import { join } from "node:path";
import { Refusal } from "../../core/refusal.ts";
import { nameOfOriginal } from "../../lib/disk/copied.ts";
import type { Random } from "../../lib/random.ts";
import {
  decodeList,
  encodeList,
  expectListed,
  isBackupFile,
  isListName,
  listName,
  listTimeMs,
  type BackupEntry,
  type BackupList,
} from "../../snapshot/backup-list.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import { advice, backupsIn, newestOfFolder, type Choose, type StoredBackup } from "./stored-backups.ts";
import { expectRoom, type PlaceRoom } from "./room.ts";
import type { BackupTarget, GivenUp, RoomNeeds } from "./target.ts";

/** Names the copy of a data folder that this is. Without it the next backup begins another. */
export const incarnationFile = "incarnation";

/** A place that keeps files by name, with slashes. Its functions throw DiskError or Refusal. */
export interface BackupStore {
  /** Its name for people, to which names of files are added. */
  readonly place: string;
  /** Returns the lengths of all files, by name. */
  list(): Promise<ReadonlyMap<string, number>>;
  read(name: string): Promise<Uint8Array>;
  /** Replaces a file of that name in one step. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Removes a file; succeeds if there is none. */
  remove(name: string): Promise<void>;
  /**
   * Resolves when everything written and removed here survives a power cut. `names`: files that an earlier process may have
   * written, which do as well then.
   */
  sync(names?: readonly string[]): Promise<void>;
  /** The room that is there for backups of a data folder; missing where nobody knows. */
  roomFor?(data: string): PlaceRoom | undefined;
}

export class StoreTarget implements BackupTarget {
  private constructor(
    private readonly store: BackupStore,
    private readonly incarnation: string,
    private readonly stored: ReadonlyMap<string, number>,
    private readonly keep: number,
  ) {}

  /** `incarnation`: the id and the incarnation. `keep`: the number of backups that stay. Throws DiskError or Refusal. */
  static async open(store: BackupStore, incarnation: string, keep: number): Promise<StoreTarget> {
    return new StoreTarget(store, incarnation, await store.list(), keep);
  }

  has(entry: BackupEntry): boolean {
    return this.stored.get(this.nameOf(entry)) === entry.bytes;
  }

  expectRoom(missing: readonly BackupEntry[], { folder, keptFreeBytes }: RoomNeeds): void {
    const room = this.store.roomFor?.(folder);
    if (room !== undefined) expectRoom(this.store.place, room, missing, keptFreeBytes);
  }

  put(entry: BackupEntry, bytes: Uint8Array): Promise<void> {
    return this.store.write(this.nameOf(entry), bytes);
  }

  async finish(list: BackupList): Promise<GivenUp> {
    await this.store.sync(list.files.map((entry) => this.nameOf(entry)));
    await this.expectAll(list);
    const name = listName({ ...list, madeMs: this.timeOfName(list.madeMs) });
    await this.store.write(`${this.incarnation}/${name}`, encodeList(list));
    await this.store.sync();
    if (this.keep === Infinity) return { removed: 0 };
    return this.prune(name).then(
      (removed) => ({ removed }),
      (error: unknown) => ({ removed: 0, trouble: error instanceof Error ? error.message : String(error) }),
    );
  }

  /**
   * Throws Refusal if a file of the list is not in the store as it should be. Two machines that were made of one snapshot of a
   * disk have the same incarnation, and each gives up files of the other that no list names yet.
   */
  private async expectAll({ files }: BackupList): Promise<void> {
    const { place } = this.store;
    const stored = await this.store.list();
    for (const entry of files) {
      const name = this.nameOf(entry);
      const bytes = stored.get(name);
      if (bytes === entry.bytes) continue;
      const what = bytes === undefined ? "is missing" : `has ${bytes} bytes and not ${entry.bytes}`;
      throw new Refusal(
        409,
        `${place}/${name} ${what}, although the backup has it. If a copy of this machine makes backups to the same ` +
          `place, stop it, remove ${incarnationFile} from its data folder, and start it again`,
      );
    }
  }

  /** Names sort in the order in which their backups were made, also where the clock has gone back since. */
  private timeOfName(madeMs: number): number {
    const newest = this.listsIn(this.stored.keys()).at(-1);
    return newest === undefined ? madeMs : Math.max(madeMs, listTimeMs(newest) + 1);
  }

  /** Returns the names of the lists of this incarnation without its folder, the oldest first. */
  private listsIn(names: Iterable<string>): string[] {
    const own = backupsIn(names).filter(({ top }) => top === `${this.incarnation}/`);
    return own.map(({ list }) => list);
  }

  /**
   * Gives up all backups but the one with the list `own` and the newest others, and every file that none of those names,
   * and returns how many backups that were. Lists go before the files that they name, so whatever interrupts this, each
   * list that is left has all of its files. Throws Refusal, if a list that stays cannot be read, and DiskError; nothing
   * that is needed has gone then.
   */
  private async prune(own: string): Promise<number> {
    const top = `${this.incarnation}/`;
    const names = [...(await this.store.list()).keys()].filter((name) => name.startsWith(top));
    const others = this.listsIn(names).filter((name) => name !== own);
    const old = others.slice(0, Math.max(0, others.length - this.keep + 1));
    const needed = new Set<string>();
    for (const list of [own, ...others.slice(old.length)]) {
      const name = top + list;
      const { files } = await readAs(this.store, name, (bytes) => decodeList(bytes, name));
      for (const entry of files) needed.add(this.nameOf(entry));
    }
    await this.removeAll(old.map((name) => top + name));
    await this.removeAll(names.filter((name) => isStored(name.slice(top.length)) && !needed.has(name)));
    return old.length;
  }

  private async removeAll(names: readonly string[]): Promise<void> {
    for (const name of names) await this.store.remove(name);
    await this.store.sync();
  }

  private nameOf(entry: BackupEntry): string {
    return `${this.incarnation}/${storedName(entry)}`;
  }
}

/** Returns the name of a file below the folder of its incarnation. */
export function storedName({ name, checksum }: BackupEntry): string {
  return `${name}.${checksum.toString(16).padStart(8, "0")}`;
}

/** Returns whether a name is one of a stored file, or of one that was not written to its end. */
function isStored(name: string): boolean {
  const file = name.replace(/\.new$/, "");
  return isBackupFile(file.replace(/\.[0-9a-f]{8}$/, "")) || (file !== name && isListName(file));
}

/**
 * Returns when a backup in a store was made, in milliseconds since 1970. Its list says so: names go on after one that a
 * wrong clock made. Throws Refusal if the list cannot be read, and DiskError.
 */
export async function madeMsOf(store: BackupStore, { top, list }: StoredBackup): Promise<number> {
  const name = top + list;
  return (await readAs(store, name, (bytes) => decodeList(bytes, name))).madeMs;
}

/**
 * Returns when the newest backup of a data folder in a store was made; undefined for none. Throws what `madeMsOf` throws.
 */
export async function newestBackupMs(
  store: BackupStore,
  data: string,
  random: Random,
): Promise<number | undefined> {
  const own = nameOfOriginal(join(data, incarnationFile), random);
  const backups = backupsIn((await store.list()).keys());
  const newest = backups.findLast(({ top }) => top.endsWith(`-${own}/`));
  return newest && madeMsOf(store, newest);
}

/** A backup of which all files are there. */
export interface FoundBackup {
  /** The folder of its incarnation with a slash; empty if the store is that folder. */
  readonly top: string;
  readonly list: BackupList;
}

/** Finds a backup in a store. Throws Refusal, also if one of its files is missing, and DiskError. */
export async function findBackup(store: BackupStore, choose: Choose = newestOfFolder): Promise<FoundBackup> {
  const known = await store.list();
  const { top, list: name } = choose(store.place, backupsIn(known.keys()));
  const list = await readAs(store, top + name, (bytes) => decodeList(bytes, name));
  const missing = list.files.map(storedName).find((stored) => !known.has(top + stored));
  if (missing === undefined) return { top, list };
  throw new Refusal(400, `${store.place}/${top}${missing} is missing; ${advice(store.place)}`);
}

/** Reads a file of the backups below `top`. Throws Refusal for one that is not as the list has it, and DiskError. */
export function readStored(store: BackupStore, top: string, entry: BackupEntry): Promise<Uint8Array> {
  return readAs(store, top + storedName(entry), (bytes) => expectListed(entry, bytes));
}

/**
 * Writes the files of a backup in a store with `put`, by default the newest one's, and returns its list. Throws Refusal and
 * DiskError.
 */
export async function readStore(
  store: BackupStore,
  put: (name: string, bytes: Uint8Array) => void,
  choose: Choose = newestOfFolder,
): Promise<BackupList> {
  const { top, list } = await findBackup(store, choose);
  for (const entry of list.files) put(entry.name, await readStored(store, top, entry));
  return list;
}

/** Reads a stored file, and says if it is damaged: without it, the next backup copies the file again. */
async function readAs<T>(store: BackupStore, name: string, decode: (bytes: Uint8Array) => T): Promise<T> {
  const bytes = await store.read(name);
  try {
    return decode(bytes);
  } catch (error) {
    if (!(error instanceof SnapshotDamage)) throw error;
    throw new Refusal(
      400,
      `${store.place}/${name} is damaged: ${error.message}; ${advice(store.place)}; remove the file: then the next backup copies it again`,
    );
  }
}
