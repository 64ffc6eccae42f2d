/**
 * Rows by id, each with other unique keys: usernames, hostnames, hashes of tokens. It keeps the maps of both in step; the
 * registry decides which rows there may be.
 */
import { assert } from "../../lib/assert.ts";

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
    /** None twice. */
    private readonly keysOf: (row: Row) => readonly string[],
  ) {}

  get rows(): ReadonlyMap<Id, Row> {
    return this.byId;
  }

  find(key: string): Row | undefined {
    const id = this.ids.get(key);
    return id === undefined ? undefined : this.byId.get(id);
  }

  /** Adds a row, or replaces the one with the same id. No other row may have one of its keys. */
  put(row: Row): void {
    const id = this.idOf(row);
    this.forgetKeys(id);
    this.byId.set(id, row);
    for (const key of this.keysOf(row)) {
      assert(!this.ids.has(key), `the key of row ${id} is free`);
      this.ids.set(key, id);
    }
  }

  remove(id: Id): void {
    this.forgetKeys(id);
    this.byId.delete(id);
  }

  check(): void {
    let keys = 0;
    for (const [id, row] of this.byId) {
      assert(this.idOf(row) === id, `row ${id} has its id`);
      for (const key of this.keysOf(row)) {
        assert(this.ids.get(key) === id, `row ${id} is found by its keys`);
        keys++;
      }
    }
    assert(this.ids.size === keys, "no key is of a row that went");
  }

  private forgetKeys(id: Id): void {
    const row = this.byId.get(id);
    if (row !== undefined) for (const key of this.keysOf(row)) this.ids.delete(key);
  }
}
