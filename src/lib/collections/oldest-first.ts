/**
 * A map that finds its oldest entry at once. A plain one looks for its first entry past all that were deleted, again and
 * again, which takes longer than all else with a hit once thousands go as others come. `delete` and `set` make an entry
 * the newest.
 */
export class OldestFirst<K, V> extends Map<K, V> {
  private left: MapIterator<K> | undefined;
  private found: { readonly key: K } | undefined;

  /** Returns the entry that was added first; undefined if there is none. */
  oldest(): readonly [K, V] | undefined {
    if (this.size === 0) return undefined;
    // All that the iterator has passed was deleted, or is `found`.
    this.found ??= { key: this.nextKey() };
    return [this.found.key, this.get(this.found.key) as V];
  }

  override delete(key: K): boolean {
    if (this.found?.key === key) this.found = undefined;
    return super.delete(key);
  }

  override clear(): void {
    this.left = this.found = undefined;
    super.clear();
  }

  private nextKey(): K {
    const next = this.left?.next();
    if (next !== undefined && next.done !== true) return next.value;
    // An iterator that came to the end stays there.
    this.left = this.keys();
    return this.left.next().value as K;
  }
}
