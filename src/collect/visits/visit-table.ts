/**
 * The visits that go on, each in a slot: found by their numbers and by the hashes of their visitors, and in the order of
 * their last signs of life, those of each account's tokens apart from those of browsers. All but a short text are in typed
 * arrays: tens of thousands of objects would be most of what the collector of garbage finds alive each time. A slot is used
 * again once its visit is removed.
 */
import type { VisitValues } from "../../core/questions/stored-dimension.ts";
import { Chains, noSlot } from "../../lib/collections/chains.ts";
import { SharedTexts } from "../../lib/collections/shared-texts.ts";

const slotsMin = 64;

/** It stands for the account where a visit is of a browser. */
export const browsers = 0;

/** The visits of one account's tokens, or of browsers, as a list from the oldest last sign of life to the newest. */
interface Order {
  oldest: number;
  newest: number;
  size: number;
}

/** The fields of the visit in each slot. */
interface Columns {
  readonly websiteId: Uint32Array;
  readonly number: Uint32Array;
  readonly firstMs: Float64Array;
  readonly lastMs: Float64Array;
  /** When its last sign of life came: it is forgotten by that. */
  readonly cameMs: Float64Array;
  /** The hash by which it is found, in two halves, and the day of its key; where `isPlaced` is 0 there is none. */
  readonly hashLow: Int32Array;
  readonly hashHigh: Int32Array;
  readonly isPlaced: Uint8Array;
  readonly day: Int32Array;
  readonly hasPageView: Uint8Array;
  /** 1: the browser gave up a ping, and so forgot that it was here today: it says once more that its visitor is new. */
  readonly forgets: Uint8Array;
  /** The account whose tokens have it, or `browsers`. */
  readonly account: Uint32Array;
  /** The numbers of the texts of its values. */
  readonly entry: Uint32Array;
  readonly origin: Uint32Array;
  /** The neighbours in the order of last signs of life; for a free slot, `newer` is the next free one. */
  readonly older: Int32Array;
  readonly newer: Int32Array;
}

export class VisitTable {
  size = 0;
  /** By account; those without a visit have none. */
  private readonly orders = new Map<number, Order>();
  private free = noSlot;
  columns: Columns = columnsOf(slotsMin);
  /** By slot: a digest of the utm values; "" for none. */
  readonly utm: string[] = [];
  /**
   * The values as JSON, those of the entry and those of the origin apart. There are no more of either than names that are
   * kept apart: whoever sends the longest names again and again takes the memory for them once.
   */
  private readonly texts = new SharedTexts();
  private byNumber = new Chains(slotsMin);
  private byHash = new Chains(slotsMin);
  /** Room to take a hash apart. */
  private readonly hash = new BigInt64Array(1);
  private readonly halves = new Int32Array(this.hash.buffer);

  constructor() {
    this.release(0, slotsMin);
  }

  /** The accounts that have a visit, `browsers` among them. */
  get accounts(): Iterable<number> {
    return this.orders.keys();
  }

  sizeOf(account: number): number {
    return this.orders.get(account)?.size ?? 0;
  }

  /** Returns the slot of the visit whose last sign of life is longest ago, or `noSlot`. */
  oldestOf(account: number): number {
    return this.orders.get(account)?.oldest ?? noSlot;
  }

  find(websiteId: number, visit: number): number {
    const { columns, byNumber } = this;
    for (let slot = byNumber.first(mixed(websiteId, visit)); slot !== noSlot; slot = byNumber.next(slot))
      if (columns.number[slot] === visit && columns.websiteId[slot] === websiteId) return slot;
    return noSlot;
  }

  findHash(hash: bigint): number {
    const { columns, byHash, halves } = this;
    this.hash[0] = hash;
    const [low, high] = [halves[0]!, halves[1]!];
    for (let slot = byHash.first(low); slot !== noSlot; slot = byHash.next(slot))
      if (columns.hashLow[slot] === low && columns.hashHigh[slot] === high) return slot;
    return noSlot;
  }

  /** Whether a visit is found by this hash. */
  hasHash(slot: number, hash: bigint): boolean {
    this.hash[0] = hash;
    const { isPlaced, hashLow, hashHigh } = this.columns;
    return isPlaced[slot] === 1 && hashLow[slot] === this.halves[0] && hashHigh[slot] === this.halves[1];
  }

  /** Adds a visit that is new, as the newest of an account and without a hash; the rest of its slot is to be filled. */
  add(websiteId: number, visit: number, account: number): number {
    if (this.free === noSlot) this.grow();
    const slot = this.free;
    const { columns } = this;
    this.free = columns.newer[slot]!;
    columns.websiteId[slot] = websiteId;
    columns.number[slot] = visit;
    columns.isPlaced[slot] = 0;
    this.byNumber.add(mixed(websiteId, visit), slot);
    this.append(slot, account);
    this.size++;
    return slot;
  }

  /** Returns the values of a visit's first page view; before one, those of its first event. */
  valuesOf(slot: number): VisitValues {
    const { entry, origin } = this.columns;
    return [...jsonOf(this.texts.textOf(entry[slot]!)), ...jsonOf(this.texts.textOf(origin[slot]!))];
  }

  setValues(slot: number, values: VisitValues): void {
    this.forgetValues(slot);
    const { entry, origin } = this.columns;
    entry[slot] = this.texts.hold(JSON.stringify(values.slice(0, 1)));
    origin[slot] = this.texts.hold(JSON.stringify(values.slice(1)));
  }

  private forgetValues(slot: number): void {
    const { entry, origin } = this.columns;
    this.texts.release(entry[slot]!);
    this.texts.release(origin[slot]!);
    entry[slot] = origin[slot] = 0;
  }

  /** Makes a visit the newest of an account. */
  use(slot: number, account: number): void {
    if (slot === this.orders.get(account)?.newest) return;
    this.unlink(slot);
    this.append(slot, account);
  }

  remove(slot: number): void {
    const { columns } = this;
    this.unplace(slot);
    this.byNumber.remove(mixed(columns.websiteId[slot]!, columns.number[slot]!), slot);
    this.unlink(slot);
    columns.number[slot] = 0;
    this.forgetValues(slot);
    this.utm[slot] = "";
    columns.newer[slot] = this.free;
    this.free = slot;
    this.size--;
  }

  /** Lets a visit be found by a hash, and no longer by another, nor another visit by this one. */
  place(slot: number, hash: bigint): void {
    const other = this.findHash(hash);
    if (other !== noSlot) this.unplace(other);
    this.unplace(slot);
    const { columns, halves } = this;
    columns.hashLow[slot] = halves[0]!;
    columns.hashHigh[slot] = halves[1]!;
    columns.isPlaced[slot] = 1;
    this.byHash.add(halves[0]!, slot);
  }

  private unplace(slot: number): void {
    const { isPlaced, hashLow } = this.columns;
    if (isPlaced[slot] === 0) return;
    this.byHash.remove(hashLow[slot]!, slot);
    isPlaced[slot] = 0;
  }

  private append(slot: number, account: number): void {
    const { columns, orders } = this;
    const order = orders.get(account) ?? { oldest: slot, newest: noSlot, size: 0 };
    if (order.size === 0) orders.set(account, order);
    else columns.newer[order.newest] = slot;
    columns.account[slot] = account;
    columns.older[slot] = order.newest;
    columns.newer[slot] = noSlot;
    order.newest = slot;
    order.size++;
  }

  private unlink(slot: number): void {
    const { columns, orders } = this;
    const account = columns.account[slot]!;
    const order = orders.get(account)!;
    const [older, newer] = [columns.older[slot]!, columns.newer[slot]!];
    if (older === noSlot) order.oldest = newer;
    else columns.newer[older] = newer;
    if (newer === noSlot) order.newest = older;
    else columns.older[newer] = older;
    order.size--;
    if (order.size === 0) orders.delete(account);
  }

  /** Doubles the slots, all of which are taken. */
  private grow(): void {
    const { columns } = this;
    const slots = columns.number.length;
    this.columns = columnsOf(2 * slots);
    for (const name of columnNames) this.columns[name].set(columns[name]);
    this.byNumber = new Chains(2 * slots);
    this.byHash = new Chains(2 * slots);
    for (let slot = 0; slot < slots; slot++) {
      this.byNumber.add(mixed(columns.websiteId[slot]!, columns.number[slot]!), slot);
      if (columns.isPlaced[slot] === 1) this.byHash.add(columns.hashLow[slot]!, slot);
    }
    this.release(slots, 2 * slots);
  }

  /** Makes slots free, the first of them the next one to be taken. */
  private release(from: number, to: number): void {
    for (let slot = from; slot < to; slot++) {
      this.columns.newer[slot] = slot + 1 < to ? slot + 1 : this.free;
      this.utm.push("");
    }
    this.free = from;
  }
}

function jsonOf(text: string): VisitValues {
  return text === "" ? [] : (JSON.parse(text) as VisitValues);
}

/** A website's numbers follow each other: they spread by themselves. */
function mixed(websiteId: number, visit: number): number {
  return visit + Math.imul(websiteId, 0x9e3779b1);
}

function columnsOf(slots: number): Columns {
  const times = () => new Float64Array(slots);
  const words = () => new Int32Array(slots);
  const flags = () => new Uint8Array(slots);
  return {
    websiteId: new Uint32Array(slots),
    number: new Uint32Array(slots),
    firstMs: times(),
    lastMs: times(),
    cameMs: times(),
    hashLow: words(),
    hashHigh: words(),
    isPlaced: flags(),
    day: words(),
    hasPageView: flags(),
    forgets: flags(),
    account: new Uint32Array(slots),
    entry: new Uint32Array(slots),
    origin: new Uint32Array(slots),
    older: words(),
    newer: words(),
  };
}

const columnNames = Object.keys(columnsOf(0)) as readonly (keyof Columns)[];
