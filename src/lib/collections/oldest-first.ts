/** After so many deletions, and as many as there are entries, a new iterator takes no longer than what was deleted. */
const deletedMin = 1_024;

/**
 * A map that finds its oldest entry at once. A plain one looks for its first entry past all that were deleted, again and
 * again, which takes longer than all else with a hit once thousands go as others come. `delete` and `set` make an entry
 * the newest.
 */
export class OldestFirst<K, V> extends Map<K, V> {
  private left: MapIterator<K> | undefined;
  private found: { readonly key: K } | undefined;
  /** How many entries were deleted since the iterator was asked. */
  private deleted = 0;

  /** Returns the entry that was added first; undefined if there is none. */
  oldest(): readonly [K, V] | undefined {
    if (this.size === 0) return undefined;
    // All that the iterator has passed was deleted, or is `found`.
    this.found ??= { key: this.nextKey() };
    return [this.found.key, this.get(this.found.key) as V];
  }

  override delete(key: K): boolean {
    if (this.found?.key === key) this.found = undefined;
    const isDeleted = super.delete(key);
    // An iterator that waits keeps all that is deleted meanwhile.
    if (isDeleted && ++this.deleted > deletedMin + this.size) this.left = undefined;
    return isDeleted;
  }

  override clear(): void {
    this.left = this.found = undefined;
    super.clear();
  }

  private nextKey(): K {
    this.deleted = 0;
    const next = this.left?.next();
    if (next !== undefined && next.done !== true) return next.value;
    // An iterator that came to the end stays there.
    this.left = this.keys();
    return this.left.next().value as K;
  }
}
