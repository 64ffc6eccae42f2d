/**
 * What a thread keeps to be faster, counted together against one bound in bytes. When a need does not fit the parts let
 * go of what they can, one after the other; a need that does not fit even then is met all the same, or is none.
 */
import { scratch as scratchOfThread, type MemoryPart, type Scratch } from "./scratch.ts";

/** In the order in which they let go: cached values, scratch, mapped files. */
const order = ["cache", "scratch", "mapped"] as const;
/** Of the bound; what tasks leave to the next beyond that was for one of them alone. */
const scratchShare = 1 / 2;

export class MemoryBudget {
  private readonly parts: Partial<Record<(typeof order)[number], MemoryPart>>;

  constructor(
    readonly bytesMax: number,
    private readonly scratch: Scratch = scratchOfThread,
  ) {
    this.parts = { scratch };
  }

  /** From now on the part is counted. */
  add(name: "cache" | "mapped", part: MemoryPart): void {
    this.parts[name] = part;
  }

  /** Of all parts. */
  get bytes(): number {
    return order.reduce((sum, name) => sum + (this.parts[name]?.bytes ?? 0), 0);
  }

  /** Whether there is room for so many bytes more, once the parts have let go of what they can. */
  makeRoom(bytes: number): boolean {
    for (const name of order) {
      const over = this.bytes + bytes - this.bytesMax;
      if (over <= 0) return true;
      this.parts[name]?.shed(over);
    }
    return this.bytes + bytes <= this.bytesMax;
  }

  /** One after the other: scratch that a task uses stays until it is over. */
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
