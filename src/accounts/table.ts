/**
 * Rows by id, each with a second unique key: usernames, hostnames, hashes of tokens. It keeps the maps of both keys in
 * step; the registry decides which rows there may be.
 */
import { assert } from "../lib/assert.ts";

/** Asserts that ids rise, and stay below the bound. */
export function checkIds(ids: Iterable<number>, bound: number): void {
  let last = 0;
  for (const id of ids) {
    assert(id > last && id < bound, `id ${id} is above the one before it and below ${bound}`);
    last = id;
  }
}

export class Table<Id extends number | string, Row> {
  private readonly byId = new Map<Id, Row>();
  private readonly ids = new Map<string, Id>();

  constructor(
    private readonly idOf: (row: Row) => Id,
    private readonly keyOf: (row: Row) => string,
  ) {}

  get rows(): ReadonlyMap<Id, Row> {
    return this.byId;
  }

  find(key: string): Row | undefined {
    const id = this.ids.get(key);
    return id === undefined ? undefined : this.byId.get(id);
  }

  /** Adds a row, or replaces the one with the same id. No other row may have its key. */
  put(row: Row): void {
    const id = this.idOf(row);
    const key = this.keyOf(row);
    this.forgetKey(id);
    assert(!this.ids.has(key), `the key of row ${id} is free`);
    this.byId.set(id, row);
    this.ids.set(key, id);
  }

  remove(id: Id): void {
    this.forgetKey(id);
    this.byId.delete(id);
  }

  check(): void {
    assert(this.ids.size === this.byId.size, "as many keys as rows");
    for (const [id, row] of this.byId) {
      assert(this.idOf(row) === id, `row ${id} has its id`);
      assert(this.ids.get(this.keyOf(row)) === id, `row ${id} is found by its key`);
    }
  }

  private forgetKey(id: Id): void {
    const row = this.byId.get(id);
    if (row !== undefined) this.ids.delete(this.keyOf(row));
  }
}
