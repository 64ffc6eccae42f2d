/** Calls whoever watches a website after each change of its page views. */
export class Watchers {
  private readonly byWebsite = new Map<number, Set<() => void>>();

  /** The number of websites that somebody watches. */
  get size(): number {
    return this.byWebsite.size;
  }

  /** Returns a function that ends this. */
  add(websiteId: number, onChange: () => void): () => void {
    const watchers = this.byWebsite.get(websiteId) ?? new Set();
    this.byWebsite.set(websiteId, watchers.add(onChange));
    return () => {
      watchers.delete(onChange);
      if (watchers.size === 0) this.byWebsite.delete(websiteId);
    };
  }

  call(websiteId: number): void {
    this.byWebsite.get(websiteId)?.forEach((call) => call());
  }
}
