/**
 * One bound, in bytes, for all memory that a thread keeps only to be faster. If a request does not fit, the parts free
 * what they can, one after the other. If it does not fit even then, `makeRoom` says so, and the asker decides whether
 * to go without.
 *
 * Cached values go first, but none that the latest 16 questions of a page used; then scratch that the task under way has
 * not used; then mappings other than the one in use. A task gets the scratch it needs, and what is mapped is mapped,
 * whatever the bound.
 */
import { scratch as scratchOfThread, type MemoryPart, type Scratch } from "./scratch.ts";

/** The order in which parts free memory: cached values, scratch memory, mapped files. */
const order = ["cache", "scratch", "mapped"] as const;
/**
 * The share of the bound that scratch memory may keep between tasks: anything beyond it was needed by one task alone.
 */
const scratchShare = 1 / 2;

export class MemoryBudget {
  private readonly parts: Partial<Record<(typeof order)[number], MemoryPart>>;

  constructor(
    readonly bytesMax: number,
    private readonly scratch: Scratch = scratchOfThread,
  ) {
    this.parts = { scratch };
  }

  /** Counts the part from now on. */
  add(name: "cache" | "mapped", part: MemoryPart): void {
    this.parts[name] = part;
  }

  /** The sum of all parts. */
  get bytes(): number {
    return order.reduce((sum, name) => sum + (this.parts[name]?.bytes ?? 0), 0);
  }

  /** The sum without mapped files, whose pages the kernel takes back when it needs them. */
  get ownBytes(): number {
    return this.bytes - (this.parts.mapped?.bytes ?? 0);
  }

  /** Returns whether there is room for so many more bytes, after the parts have freed what they can. */
  makeRoom(bytes: number): boolean {
    for (const name of order) {
      const over = this.bytes + bytes - this.bytesMax;
      if (over <= 0) return true;
      this.parts[name]?.shed(over);
    }
    return this.bytes + bytes <= this.bytesMax;
  }

  /** Runs a task; tasks run one after the other. Scratch memory that a task uses stays until it is over. */
  run<T>(task: () => T): T {
    this.scratch.begin((bytes) => this.makeRoom(bytes));
    try {
      return task();
    } finally {
      this.scratch.end(this.bytesMax * scratchShare);
      this.makeRoom(0);
    }
  }
}
