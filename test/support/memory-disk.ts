/**
 * A disk in memory that forgets as a real one does: a power cut may lose, shorten or tear data that was written but not
 * synced, sector by sector, and lose any of the names whose directory was not synced. It can fail any call, once or from
 * then on, and stop at any call. A sync that fails drops the data that it was to save, and the next one succeeds, as on
 * Linux. A new directory may be lost with all that is in it until the one around it is synced; one at the top is durable at
 * once.
 */
import { basename, dirname } from "node:path";
import { DiskError, type Disk, type FileHandle } from "../../src/lib/disk/disk.ts";
import type { Lock } from "../../src/lib/disk/lock.ts";

/** The power is off: this call and all later ones are not carried out. */
export class PowerCut extends Error {
  override name = "PowerCut";
}

/** Bytes to which more are appended without copying all of them. What was read of them stays as it is. */
class GrowingBytes {
  private buffer: Uint8Array;

  constructor(public all: Uint8Array = new Uint8Array()) {
    this.buffer = all;
  }

  append(part: Uint8Array): void {
    const { length } = this.all;
    const end = length + part.length;
    if (end > this.buffer.length) {
      this.buffer = new Uint8Array(Math.max(end, 2 * length));
      this.buffer.set(this.all);
    }
    this.buffer.set(part, length);
    this.all = this.buffer.subarray(0, end);
  }

  /** Keeps the first bytes, in memory of their own: the next ones do not overwrite those that go. */
  truncate(length: number): void {
    this.all = this.buffer = this.all.slice(0, length);
  }
}

interface Content {
  /** The bytes that a program sees. */
  readonly seen: GrowingBytes;
  /** The bytes that the platter has. */
  readonly durable: GrowingBytes;
  /** Bytes that a failed sync has dropped: they are seen until the power goes, and never become durable. */
  dropped: { from: number; to: number }[];
}

type Names = Map<string, Content>;
/** Names that get a content, or undefined to take the name away, in this order. */
type NameChange = readonly (readonly [path: string, content: Content | undefined])[];

export interface Fault {
  /** Counts from 1, from when the fault was set. */
  readonly call: number;
  /** Whether every later call fails as well, but for those that give something back: close, remove. */
  readonly forGood?: boolean;
  /** The code of the error, such as ENOSPC. */
  readonly code: string;
  /** If the call is a write: how much of it comes through before it fails. */
  readonly writtenBytes?: number;
}

interface Entered {
  readonly beforeFailing?: (fault: Fault) => void;
  /** Whether a full disk refuses it. */
  readonly takesRoom?: boolean;
}

/** A disk writes so much whole, or not at all. */
const sectorBytes = 512;

const takingRoom: ReadonlySet<string> = new Set([
  "create",
  "write",
  "sync",
  "rename",
  "make the directory",
  "sync the directory",
]);

const givingBack: ReadonlySet<string> = new Set(["close", "remove"]);

export class MemoryDisk implements Disk {
  /** Calls since the last fault was set. */
  calls = 0;
  /** Operations in the order of their calls, such as `sync /wal/x`. */
  readonly history: string[] = [];
  /** Called before each call is carried out. */
  onCall: () => void = () => {};
  free = 1_000_000_000;
  total = 1_000_000_000;
  private fault: Fault | undefined;
  /** The first and the last call that find the disk full. */
  private fullCalls: readonly [first: number, last: number] | undefined;
  private cutAtCall = Infinity;
  private readonly names: Names = new Map();
  private readonly durableNames: Names = new Map();
  /** By directory: changes of names that are not synced yet, oldest first. */
  private readonly changes = new Map<string, NameChange[]>();
  private readonly directories = new Set<string>(["/", "."]);
  /** Directories whose name may be lost. */
  private readonly newDirectories = new Set<string>();
  private readonly handles = new Map<FileHandle, { path: string; content: Content }>();
  private nextHandle = 1;
  /** By path: files that are locked. They are no others of the folder. */
  private readonly locks = new Map<string, object>();

  /** Makes one call fail. */
  failAt(fault: Fault | undefined): void {
    this.calls = 0;
    this.fault = fault;
  }

  /** From the `call`-th call from now, for as many: what takes room fails. */
  fillAt(call: number, calls: number): void {
    this.calls = 0;
    this.fullCalls = [call, call + calls - 1];
  }

  /** Cuts the power before the `call`-th call from now. */
  cutPowerAt(call: number): void {
    this.calls = 0;
    this.cutAtCall = call;
  }

  /** The disk as it is found after a power cut now: every choice it has is made by `random`. */
  crash(random: () => number): MemoryDisk {
    const after = new MemoryDisk();
    const names: Names = new Map(this.durableNames);
    for (const changes of this.changes.values())
      for (const change of someOf(changes, random)) apply(change, names);
    const lost = [...this.newDirectories].filter(() => random() < 0.5).map((path) => `${path}/`);
    const isLost = (path: string) => lost.some((directory) => `${path}/`.startsWith(directory));
    for (const [path, content] of names) {
      if (isLost(path)) continue;
      const bytes = survivors(content, random);
      const kept = contentOf(bytes);
      after.names.set(path, kept);
      after.durableNames.set(path, kept);
    }
    for (const directory of this.directories) if (!isLost(directory)) after.directories.add(directory);
    after.free = this.free;
    after.total = this.total;
    return after;
  }

  /**
   * The disk as the next process finds it if this one is killed now: all that it wrote is seen, and only what it synced is
   * durable.
   */
  afterKill(): MemoryDisk {
    const after = new MemoryDisk();
    const copies = new Map<Content, Content>();
    const copyOf = (content: Content) => copies.getOrInsertComputed(content, () => copyOfContent(content));
    for (const [path, content] of this.names) after.names.set(path, copyOf(content));
    for (const [path, content] of this.durableNames) after.durableNames.set(path, copyOf(content));
    for (const [directory, changes] of this.changes)
      after.changes.set(
        directory,
        changes.map((change) => change.map(([path, content]) => [path, content && copyOf(content)] as const)),
      );
    for (const directory of this.directories) after.directories.add(directory);
    for (const directory of this.newDirectories) after.newDirectories.add(directory);
    return after;
  }

  /** Another disk with the same files, all durable. */
  clone(): MemoryDisk {
    const copy = new MemoryDisk();
    for (const [path, { seen }] of this.names) copy.add(path, contentOf(seen.all));
    for (const directory of this.directories) copy.directories.add(directory);
    return copy;
  }

  /** Takes a file away, past all rules. */
  take(path: string): void {
    this.locks.delete(path);
    this.names.delete(path);
    this.durableNames.delete(path);
  }

  /** Locks a file, which is there until it is taken away. */
  lock(path: string): Lock {
    const file = this.locks.getOrInsertComputed(path, () => ({}));
    return { isInPlace: () => this.locks.get(path) === file, release: () => {} };
  }

  /** Puts a durable file there, past all rules. */
  put(path: string, bytes: Uint8Array): void {
    this.add(path, contentOf(bytes.slice()));
  }

  /** The bytes that a program sees, by path. */
  get files(): ReadonlyMap<string, Uint8Array> {
    return new Map([...this.names].map(([path, { seen }]) => [path, seen.all]));
  }

  /** The paths of files that nobody closed. */
  get openFiles(): readonly string[] {
    return [...this.handles.values()].map(({ path }) => path);
  }

  create(path: string): FileHandle {
    this.enter("create", path);
    this.needDirectory("create", path, dirname(path));
    if (this.names.has(path)) throw new DiskError("create", path, "EEXIST");
    const content = contentOf(new Uint8Array());
    this.change(dirname(path), [[path, content]]);
    return this.handle(path, content);
  }

  open(path: string): FileHandle {
    this.enter("open", path);
    return this.handle(path, this.contentOf("open", path));
  }

  write(file: FileHandle, bytes: Uint8Array): void {
    const { path, content } = this.fileOf(file, "write");
    this.enter("write", path, {
      beforeFailing: ({ writtenBytes = 0 }) => content.seen.append(bytes.subarray(0, writtenBytes)),
    });
    content.seen.append(bytes);
  }

  sync(file: FileHandle): void {
    const { path, content } = this.fileOf(file, "sync");
    this.enter("sync", path, {
      beforeFailing: () =>
        content.dropped.push({ from: content.durable.all.length, to: content.seen.all.length }),
    });
    settle(content);
  }

  close(file: FileHandle): void {
    const { path } = this.fileOf(file, "close");
    this.handles.delete(file);
    this.enter("close", path);
  }

  read(path: string, start = 0, length = Infinity): Uint8Array {
    this.enter("read", path);
    return this.contentOf("read", path).seen.all.slice(start, start + length);
  }

  /** A copy: what becomes of the file later does not reach it, as with a real one that is removed. */
  map(path: string): Uint8Array {
    this.enter("map", path);
    return this.contentOf("map", path).seen.all.slice();
  }

  size(path: string): number {
    this.enter("inspect", path);
    return this.contentOf("inspect", path).seen.all.length;
  }

  list(directory: string): string[] {
    this.enter("list", directory);
    this.needDirectory("list", directory);
    const paths = [...this.names.keys(), ...this.directories];
    const inside = paths.filter((path) => dirname(path) === directory && path !== directory);
    return inside.map((path) => basename(path)).sort();
  }

  sizesBelow(directory: string): Map<string, number> {
    this.list(directory);
    const below = [...this.names].filter(([path]) => path.startsWith(`${directory}/`));
    return new Map(below.map(([path, { seen }]) => [path.slice(directory.length + 1), seen.all.length]));
  }

  rename(from: string, to: string): void {
    this.enter("rename", from);
    const content = this.contentOf("rename", from);
    if (dirname(from) !== dirname(to)) throw new Error("the memory disk renames within a directory");
    this.change(dirname(to), [
      [from, undefined],
      [to, content],
    ]);
    for (const open of this.handles.values()) if (open.path === from) open.path = to;
  }

  remove(path: string): void {
    this.enter("remove", path);
    if (this.names.has(path)) this.change(dirname(path), [[path, undefined]]);
  }

  makeDirectory(path: string): void {
    this.enter("make the directory", path, { takesRoom: !this.directories.has(path) });
    for (const made of this.addDirectories(path)) if (dirname(made) !== "/") this.newDirectories.add(made);
  }

  syncDirectory(path: string): void {
    this.enter("sync the directory", path, { takesRoom: this.changes.has(path) });
    this.needDirectory("sync the directory", path);
    for (const made of this.newDirectories) if (dirname(made) === path) this.newDirectories.delete(made);
    for (const change of this.changes.get(path) ?? []) apply(change, this.durableNames);
    this.changes.delete(path);
  }

  truncate(path: string, length: number): void {
    this.enter("truncate", path);
    const content = this.contentOf("truncate", path);
    content.seen.truncate(length);
    content.durable.truncate(length);
    settle(content);
  }

  freeBytes(path: string): number {
    this.enter("measure the free space at", path);
    return this.free;
  }

  totalBytes(path: string): number {
    this.enter("measure the disk at", path);
    return this.total;
  }

  private add(path: string, content: Content): void {
    this.addDirectories(dirname(path));
    this.names.set(path, content);
    this.durableNames.set(path, content);
  }

  /** Counts the call, and fails it if it is the one. */
  private enter(
    operation: string,
    path: string,
    { beforeFailing, takesRoom = takingRoom.has(operation) }: Entered = {},
  ): void {
    this.calls++;
    this.onCall();
    if (this.calls >= this.cutAtCall) throw new PowerCut(`the power is cut before ${operation} ${path}`);
    this.history.push(`${operation} ${path}`);
    const [first, last] = this.fullCalls ?? [Infinity, Infinity];
    if (this.calls >= first && this.calls <= last && takesRoom)
      throw new DiskError(operation, path, "ENOSPC");
    const fault = this.fault;
    if (fault === undefined || this.calls < fault.call) return;
    if (fault.forGood !== true) this.fault = undefined;
    else if (givingBack.has(operation)) return;
    beforeFailing?.(fault);
    throw new DiskError(operation, path, fault.code);
  }

  /** Returns those that were not there. */
  private addDirectories(path: string): string[] {
    const made: string[] = [];
    for (let at = path; !this.directories.has(at); at = dirname(at)) {
      this.directories.add(at);
      made.push(at);
    }
    return made;
  }

  private change(directory: string, change: NameChange): void {
    apply(change, this.names);
    const changes = this.changes.get(directory) ?? [];
    changes.push(change);
    this.changes.set(directory, changes);
  }

  private handle(path: string, content: Content): FileHandle {
    this.handles.set(this.nextHandle, { path, content });
    return this.nextHandle++;
  }

  private fileOf(file: FileHandle, operation: string): { path: string; content: Content } {
    const open = this.handles.get(file);
    if (open === undefined) throw new DiskError(operation, `descriptor ${file}`, "EBADF");
    return open;
  }

  private contentOf(operation: string, path: string): Content {
    const content = this.names.get(path);
    if (content === undefined)
      throw new DiskError(operation, path, this.directories.has(path) ? "EISDIR" : "ENOENT");
    return content;
  }

  private needDirectory(operation: string, path: string, directory = path): void {
    if (!this.directories.has(directory)) throw new DiskError(operation, path, "ENOENT");
  }
}

function apply(change: NameChange, names: Names): void {
  for (const [path, content] of change)
    if (content === undefined) names.delete(path);
    else names.set(path, content);
}

function copyOfContent({ seen, durable, dropped }: Content): Content {
  const copy = ({ all }: GrowingBytes) => new GrowingBytes(all.slice());
  return { seen: copy(seen), durable: copy(durable), dropped: [...dropped] };
}

/** Makes durable what a program sees. Where a failed sync has dropped something, zeros are durable. */
function settle({ seen, durable, dropped }: Content): void {
  durable.append(seen.all.subarray(durable.all.length));
  for (const { from, to } of dropped) durable.all.fill(0, from, to);
}

/** A file whose bytes are durable. They are not changed here: what is appended goes into a copy. */
function contentOf(bytes: Uint8Array): Content {
  return { seen: new GrowingBytes(bytes), durable: new GrowingBytes(bytes), dropped: [] };
}

/** Every durable byte, and of what was appended since any prefix, of which sectors may be missing. */
function survivors({ seen, durable, dropped }: Content, random: () => number): Uint8Array {
  const [firstDropped] = dropped;
  const kept = durable.all.length;
  const end = firstDropped === undefined ? seen.all.length : Math.max(firstDropped.from, kept);
  if (end <= kept) return durable.all;
  const bytes = joined(durable.all, seen.all.subarray(kept, kept + upTo(random, end - kept)));
  if (random() < 0.5) return bytes;
  for (let at = kept; at < bytes.length;) {
    const next = at - (at % sectorBytes) + sectorBytes;
    if (random() < 0.5) bytes.fill(0, at, next);
    at = next;
  }
  return bytes;
}

/** The first ones, or any of them, in their order. */
function someOf<T>(all: readonly T[], random: () => number): readonly T[] {
  if (random() < 0.6) return all.slice(0, upTo(random, all.length));
  return all.filter(() => random() < 0.5);
}

/** 0 to max inclusive; both ends come up often. */
function upTo(random: () => number, max: number): number {
  const kind = random();
  if (kind < 0.25) return 0;
  if (kind < 0.5) return max;
  return Math.floor(random() * (max + 1));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
