/**
 * The cache of intermediate results that one question computed from filters and rows, and later ones use again. It has
 * a budget of bytes for all websites together. The least recently used entry goes first, but entries that the latest
 * questions of a page used stay: otherwise questions over more data than fits would each evict what the next one needs.
 * Small entries, such as answers, have an eighth of the budget to themselves: the rows that match one filter take as much
 * as a thousand of them, and would evict them all.
 */
import { MemoryBudget } from "../../lib/memory/memory-budget.ts";
import type { MemoryPart } from "../../lib/memory/scratch.ts";

interface Entry {
  /** The owner's version when the value was made. */
  readonly version: number;
  readonly bytes: number;
  readonly value: unknown;
  lastUsed: number;
  readonly forget: () => void;
}

/** The bytes that an entry takes besides its value and its key: the objects around the buffers. */
const entryBytes = 512;
/** The size up to which an entry is small, as answers and most masks are. */
const smallBytesMax = 2 ** 16;
const smallShare = 1 / 8;
/** The number of a page's questions for which an entry is safe after its use: a dashboard asks about fifteen. */
const safeQuestions = 16;

type Make<T> = (outdated?: T) => { readonly value: T; readonly bytes: number };

export class QueryCache implements MemoryPart {
  private readonly byOwner = new WeakMap<object, Map<string, Entry>>();
  /**
   * Least recently used first. They do not reference the owners: entries of a removed website are evicted in their turn.
   */
  private readonly large = new Set<Entry>();
  private readonly small = new Set<Entry>();
  private smallBytes = 0;
  private questions = 0;
  /** The first question of the page under way. */
  private pageFrom = 0;
  bytes = 0;

  /** With `bytesMax` 0 nothing is ever kept. `budget` is the thread's memory budget; the default has no bound. */
  constructor(
    private readonly bytesMax: number,
    private readonly budget = new MemoryBudget(Infinity),
  ) {
    budget.add("cache", this);
  }

  beginQuestion(): void {
    this.questions++;
  }

  /**
   * Begins the questions of a page. What only earlier pages used is not safe from now on: a new filter mostly comes after
   * another one, whose rows would leave no room for what all lists of its page share.
   */
  beginPage(): void {
    this.pageFrom = ++this.questions;
  }

  /** Returns the value that was kept for this key and version of its owner; undefined if there is none. */
  find<T>(owner: object, version: number, key: string): T | undefined {
    const known = this.byOwner.get(owner)?.get(key);
    return known?.version === version ? (this.use(known).value as T) : undefined;
  }

  /** Keeps a value if there is room. It replaces the value of another version. */
  keep(owner: object, version: number, key: string, value: unknown, valueBytes: number): void {
    const own = this.byOwner.getOrInsertComputed(owner, () => new Map());
    const outdated = own.get(key);
    if (outdated !== undefined) this.remove(outdated);
    const bytes = valueBytes + entryBytes + 2 * key.length;
    if (!this.makeRoomFor(bytes) || !this.budget.makeRoom(bytes)) return;
    const forget = () => own.delete(key);
    const entry = { version, bytes, value, lastUsed: this.questions, forget };
    own.set(key, entry);
    this.kindOf(entry).add(entry);
    this.count(entry, 1);
  }

  /**
   * Returns the value that is kept for this key and version of its owner. If there is none and there is room for
   * `bytesMax`, it calls `make` with the value of another version, if there is one, and keeps the result. Returns
   * undefined if there is no room.
   */
  get<T>(owner: object, version: number, key: string, bytesMax: number, make: Make<T>): T | undefined {
    const known = this.byOwner.get(owner)?.get(key);
    if (known?.version === version) return this.use(known).value as T;
    if (known !== undefined) this.remove(known);
    if (!this.makeRoomFor(bytesMax + entryBytes + 2 * key.length)) return undefined;
    const { value, bytes } = make(known?.value as T | undefined);
    this.keep(owner, version, key, value, bytes);
    return value;
  }

  /** Does the same as `get`, but also makes a value for which there is no room. */
  getAlways<T>(owner: object, version: number, key: string, bytesMax: number, make: Make<T>): T {
    return this.get(owner, version, key, bytesMax, make) ?? make().value;
  }

  /** Small entries keep their eighth: what asks for room, such as mapped files, may need more than there is, always. */
  shed(bytes: number): void {
    const enough = this.bytes - bytes;
    this.evict(this.small, () => this.bytes > enough && this.smallBytes > this.bytesMax * smallShare);
    this.evict(this.large, () => this.bytes > enough);
  }

  /** Removes entries that are not safe while `isDue`. */
  private evict(entries: ReadonlySet<Entry>, isDue: () => boolean): void {
    for (const entry of entries) {
      if (!isDue() || this.isSafe(entry)) return;
      this.remove(entry);
    }
  }

  private isSafe({ lastUsed }: Entry): boolean {
    return lastUsed >= this.pageFrom && this.questions - lastUsed < safeQuestions;
  }

  private use(entry: Entry): Entry {
    const entries = this.kindOf(entry);
    entries.delete(entry);
    entries.add(entry);
    entry.lastUsed = this.questions;
    return entry;
  }

  /** Returns whether there is room for this many bytes, after removing entries that are not safe if need be. */
  private makeRoomFor(bytes: number): boolean {
    const isSmall = bytes <= smallBytesMax;
    const bytesMax = this.bytesMax * (isSmall ? 1 : 1 - smallShare);
    if (bytes > bytesMax) return false;
    this.shed(this.bytes + bytes - bytesMax);
    if (isSmall) this.evict(this.small, () => this.bytes + bytes > bytesMax);
    return this.bytes + bytes <= bytesMax;
  }

  private remove(entry: Entry): void {
    this.kindOf(entry).delete(entry);
    entry.forget();
    this.count(entry, -1);
  }

  private kindOf({ bytes }: Entry): Set<Entry> {
    return bytes <= smallBytesMax ? this.small : this.large;
  }

  private count({ bytes }: Entry, times: 1 | -1): void {
    this.bytes += times * bytes;
    if (bytes <= smallBytesMax) this.smallBytes += times * bytes;
  }
}
