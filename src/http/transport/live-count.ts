/**
 * The number of current visitors of a website, counted once for all streams that show it. It is counted again at most
 * once a tick, and not at all where nobody is there and nothing has changed.
 */

export interface LiveSource {
  /** Equal sources have equal keys: the website, and the filters of a link. */
  readonly key: string;
  /** Returns the current number of visitors. Where it rejects, it is asked again. */
  count(): number | Promise<number>;
  /** Calls `onChange` after each change; returns a function that ends this. */
  watch(onChange: () => void): () => void;
}

export interface LiveListener {
  /** Called each tick, also while a count takes longer. It may leave. */
  tick(): void;
  /** Called after each count. `isChanged`: something was recorded since the one before. */
  tell(visitors: number, isChanged: boolean): void;
}

export class LiveCounts {
  private readonly counts = new Map<string, LiveCount>();

  /** `tickMs`: the least time between two counts. */
  constructor(private readonly tickMs: number) {}

  /** Tells the listener the number as soon as it is known, then after each count. Returns a function that ends this. */
  join(source: LiveSource, listener: LiveListener): () => void {
    const { key } = source;
    const count = this.counts.getOrInsertComputed(key, () => new LiveCount(source, this.tickMs));
    count.add(listener);
    return () => {
      if (count.remove(listener)) this.counts.delete(key);
    };
  }
}

class LiveCount {
  private readonly listeners = new Set<LiveListener>();
  private readonly timer: ReturnType<typeof setInterval>;
  private readonly unwatch: () => void;
  private visitors: number | undefined;
  private changed = true;
  private counting = false;

  constructor(
    private readonly source: LiveSource,
    tickMs: number,
  ) {
    this.timer = setInterval(() => this.tick(), tickMs);
    this.unwatch = source.watch(() => {
      this.changed = true;
    });
  }

  add(listener: LiveListener): void {
    this.listeners.add(listener);
    if (this.visitors === undefined) this.count();
    else listener.tell(this.visitors, false);
  }

  /** Returns whether it was the last one, which ends the count. */
  remove(listener: LiveListener): boolean {
    if (!this.listeners.delete(listener) || this.listeners.size > 0) return false;
    clearInterval(this.timer);
    this.unwatch();
    return true;
  }

  private tick(): void {
    for (const listener of this.listeners) listener.tick();
    // Without visitors there is nobody whose five minutes could end.
    const isIdle = !this.changed && this.visitors === 0;
    if (!isIdle && this.listeners.size > 0) this.count();
  }

  private count(): void {
    if (this.counting) return;
    const isChanged = this.changed;
    this.changed = false;
    this.counting = true;
    void Promise.try(() => this.source.count())
      .then(
        (visitors) => {
          this.visitors = visitors;
          for (const listener of this.listeners) listener.tell(visitors, isChanged);
        },
        () => {
          this.changed ||= isChanged;
        },
      )
      .finally(() => {
        this.counting = false;
      });
  }
}
