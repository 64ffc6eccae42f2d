/**
 * Things in the order in which they were last used: a list linked through the things themselves. A map that deletes and
 * sets an entry at each use has that order too, but copies itself again and again.
 */

export interface Linked<T> {
  older: T | undefined;
  newer: T | undefined;
}

export class Recency<T extends Linked<T>> {
  private first: T | undefined;
  private last: T | undefined;

  /** The one that was used longest ago; undefined if there is none. */
  get oldest(): T | undefined {
    return this.first;
  }

  /** Adds one that is not in the list, as the newest. */
  add(thing: T): void {
    thing.older = this.last;
    thing.newer = undefined;
    if (this.last === undefined) this.first = thing;
    else this.last.newer = thing;
    this.last = thing;
  }

  /** Makes one that is in the list the newest. */
  use(thing: T): void {
    if (thing === this.last) return;
    this.remove(thing);
    this.add(thing);
  }

  /** Removes one that is in the list. */
  remove(thing: T): void {
    const { older, newer } = thing;
    if (older === undefined) this.first = newer;
    else older.newer = newer;
    if (newer === undefined) this.last = older;
    else newer.older = older;
    thing.older = thing.newer = undefined;
  }
}
