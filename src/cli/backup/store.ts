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
import { nameOfOriginal } from "../../lib/copied.ts";
import type { Random } from "../../lib/random.ts";
import {
  compareLists,
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
import type { BackupTarget } from "./target.ts";

/** Names the copy of a data folder that this is. Without it the next backup begins another. */
export const incarnationFile = "incarnation";
const incarnationPattern = /^[0-9a-f]{32}-[0-9a-f]{16}$/;

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
  /** Resolves when everything written and removed survives a power cut. */
  sync(): Promise<void>;
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

  put(entry: BackupEntry, bytes: Uint8Array): Promise<void> {
    return this.store.write(this.nameOf(entry), bytes);
  }

  /** Each file is on its device already. */
  settle(): void {}

  async finish(list: BackupList): Promise<number> {
    await this.store.sync();
    const name = listName({ ...list, madeMs: this.timeOfName(list.madeMs) });
    await this.store.write(`${this.incarnation}/${name}`, encodeList(list));
    await this.store.sync();
    return this.keep === Infinity ? 0 : this.prune(name);
  }

  /** Names sort in the order in which their backups were made, also where the clock has gone back since. */
  private timeOfName(madeMs: number): number {
    const newest = this.listsIn([...this.stored.keys()]).at(-1);
    return newest === undefined ? madeMs : Math.max(madeMs, listTimeMs(newest) + 1);
  }

  /** Returns the names of the lists of this incarnation without its folder, the oldest first. */
  private listsIn(names: readonly string[]): string[] {
    const top = `${this.incarnation}/`;
    const own = names.flatMap((name) => (name.startsWith(top) ? [name.slice(top.length)] : []));
    return own.filter(isListName).sort(compareLists);
  }

  /** Copied files stay: the next backup need not copy them again. */
  abandon(): void {}

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
      const bytes = await this.store.read(name);
      const { files } = inFile(`${this.store.place}/${name}`, bytes, () => decodeList(bytes, name));
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

function storedName({ name, checksum }: BackupEntry): string {
  return `${name}.${checksum.toString(16).padStart(8, "0")}`;
}

/** Returns whether a name is one of a stored file, or of one that was not written to its end. */
function isStored(name: string): boolean {
  const file = name.replace(/\.new$/, "");
  return isBackupFile(file.replace(/\.[0-9a-f]{8}$/, "")) || (file !== name && isListName(file));
}

/** Returns when the newest backup of a data folder in a store was made, in milliseconds since 1970; undefined for none. */
export async function newestBackupMs(
  store: BackupStore,
  data: string,
  random: Random,
): Promise<number | undefined> {
  const own = nameOfOriginal(join(data, incarnationFile), random);
  const lists = [...(await store.list()).keys()].flatMap((name) => {
    const [top = "", list = ""] = name.split("/");
    return incarnationPattern.test(top) && top.endsWith(`-${own}`) && isListName(list) ? [list] : [];
  });
  const newest = lists.sort(compareLists).at(-1);
  return newest === undefined ? undefined : listTimeMs(newest);
}

/**
 * Writes the files of the newest backup in a store with `put`, and returns its list. `choose` says of which incarnation, by
 * the beginning of the names of its files. Throws Refusal and DiskError.
 */
export async function readStore(
  store: BackupStore,
  put: (name: string, bytes: Uint8Array) => void,
  choose: (store: BackupStore, names: readonly string[]) => string = onlyTop,
): Promise<BackupList> {
  const names = [...(await store.list()).keys()].sort();
  const top = choose(store, names);
  const own = names.filter((name) => name.startsWith(top)).map((name) => name.slice(top.length));
  const newest = own.filter(isListName).sort(compareLists).at(-1);
  if (newest === undefined) throw new Refusal(404, `${store.place}/${top} has no complete backup`);
  const read = async <T>(name: string, decode: (bytes: Uint8Array) => T): Promise<T> =>
    inFile(`${store.place}/${top}${name}`, await store.read(top + name), decode);
  const list = await read(newest, (bytes) => decodeList(bytes, newest));
  const known = new Set(own);
  for (const entry of list.files) {
    const name = storedName(entry);
    if (!known.has(name))
      throw new Refusal(400, `${store.place}/${top}${name} is missing; take another backup`);
    put(entry.name, await read(name, (bytes) => expectListed(entry, bytes)));
  }
  return list;
}

/** Returns the beginning of the names of one incarnation: nothing if the store is its folder, or the only one in it. */
function onlyTop(store: BackupStore, names: readonly string[]): string {
  if (names.some(isListName)) return "";
  const tops = new Set(names.map((name) => name.split("/")[0] as string));
  const inside = [...tops].filter((name) => incarnationPattern.test(name));
  if (inside.length === 1) return `${inside[0]}/`;
  if (inside.length === 0) throw new Refusal(404, `${store.place} has no backup`);
  const choice = inside.map((name) => `${store.place}/${name}`).join(", ");
  throw new Refusal(400, `${store.place} has backups of several data folders: restore one of ${choice}`);
}

/** Returns that of the incarnation whose newest backup has most records: those of a cluster are copies of one log. */
export function newestTop({ place }: BackupStore, names: readonly string[]): string {
  const lists = names.flatMap((name) => {
    const [top = "", list = ""] = name.split("/");
    return incarnationPattern.test(top) && isListName(list) ? [{ top, list }] : [];
  });
  const [newest, ...others] = lists;
  if (newest === undefined) throw new Refusal(404, `${place} has no backup`);
  return `${others.reduce((found, other) => (other.list > found.list ? other : found), newest).top}/`;
}

/** Says which stored file is damaged: without it, the next backup copies the file again. */
function inFile<T>(path: string, bytes: Uint8Array, decode: (bytes: Uint8Array) => T): T {
  try {
    return decode(bytes);
  } catch (error) {
    if (!(error instanceof SnapshotDamage)) throw error;
    throw new Refusal(
      400,
      `${path} is damaged: ${error.message}; take another backup, and remove the file: then the next backup copies it again`,
    );
  }
}
