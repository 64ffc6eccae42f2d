/**
 * Scratch memory of this thread: buffers that one task leaves to the next so that they need not be allocated again. A
 * task gets what it needs; buffers that the current task has not used can be freed. Up to half of the budget is kept for
 * the next task, but no large buffer of numbers, and nothing after a deletion.
 */
import { free } from "./free.ts";

/** One of the parts that share a memory budget (lib/memory/memory-budget.ts). */
export interface MemoryPart {
  readonly bytes: number;
  /** Frees so many bytes, or as many as it can. */
  shed(bytes: number): void;
}

/** An owner of scratch memory, which allocates it again after freeing it. */
export interface Holder {
  /** Whether its memory takes long to rebuild. Such memory is freed last. */
  readonly isDear?: boolean;
  /** If it has more than this by the end of a task, it is freed. */
  readonly keptBytesMax?: number;
  letGo(): void;
}

interface Held {
  readonly bytes: number;
  /** The number of the task that used it last. */
  readonly lastTask: number;
}

export class Scratch implements MemoryPart {
  /** Least recently used first. */
  private readonly held = new Map<Holder, Held>();
  private heldBytes = 0;
  /** The bytes that the current task takes for itself alone; they become garbage when it is over. */
  private neededBytes = 0;
  private task = 0;
  /** Undefined between tasks. Memory taken then lasts as long as its holder does, and is not counted. */
  private makeRoom: ((bytes: number) => void) | undefined;

  get bytes(): number {
    return this.heldBytes + this.neededBytes;
  }

  /** Begins a task. `makeRoom` is called before more memory is taken, with the number of bytes. */
  begin(makeRoom: (bytes: number) => void): void {
    this.task++;
    this.neededBytes = 0;
    this.makeRoom = makeRoom;
  }

  /** Ends a task. Keeps at most `bytesMax` for the next. */
  end(bytesMax: number): void {
    this.task++;
    this.neededBytes = 0;
    this.makeRoom = undefined;
    for (const [holder, { bytes }] of this.held)
      if (bytes > (holder.keptBytesMax ?? Infinity)) this.letGo(holder);
    if (this.heldBytes > bytesMax) this.shed(this.heldBytes - bytesMax);
  }

  /**
   * Counts so many bytes as memory of this holder that the current task uses. It may be called before they are
   * allocated.
   */
  hold(holder: Holder, bytes: number): void {
    const before = this.held.get(holder)?.bytes ?? 0;
    this.held.delete(holder);
    if (this.makeRoom === undefined) {
      this.heldBytes -= before;
      return;
    }
    if (bytes > before) this.makeRoom(bytes - before);
    this.held.set(holder, { bytes, lastTask: this.task });
    this.heldBytes += bytes - before;
  }

  /** Counts so many more bytes that the current task takes and leaves to nobody. */
  need(bytes: number): void {
    if (this.makeRoom === undefined) return;
    this.makeRoom(bytes);
    this.neededBytes += bytes;
  }

  shed(bytes: number): void {
    const enough = this.heldBytes - bytes;
    for (const dear of [false, true])
      for (const [holder, { lastTask }] of this.held) {
        if (this.heldBytes <= enough) return;
        if (lastTask === this.task) break;
        if ((holder.isDear ?? false) === dear) this.letGo(holder);
      }
  }

  /** Frees everything. Call it between tasks only. */
  clear(): void {
    for (const holder of this.held.keys()) this.letGo(holder);
  }

  private letGo(holder: Holder): void {
    this.heldBytes -= this.held.get(holder)?.bytes ?? 0;
    this.held.delete(holder);
    holder.letGo();
  }
}

/** The scratch memory of this thread. */
export const scratch = new Scratch();

/**
 * A buffer of numbers that is used again and again; its content is arbitrary at first. A large one would grow with the rows
 * of a website and stay: it is freed after the task, for which the next one pays some microseconds a megabyte. It is freed
 * at once, by a transfer: what garbage collection finds stays for long.
 */
export class ScratchWords implements Holder {
  readonly keptBytesMax = 2 ** 20;
  private words = new Uint32Array(0);

  /** Returns `length` numbers. Those that were taken before are gone. */
  take(length: number): Uint32Array {
    const fits = this.words.length >= length;
    scratch.hold(this, 4 * (fits ? this.words.length : roomFor(length)));
    if (!fits) {
      this.letGo();
      this.words = new Uint32Array(roomFor(length));
    }
    return this.words.subarray(0, length);
  }

  /** Returns at least `length` numbers, beginning with those that were taken before. */
  grow(length: number): Uint32Array {
    if (this.words.length >= length) this.take(length);
    else {
      const room = 4 * roomFor(length);
      scratch.hold(this, room);
      this.words = new Uint32Array(this.words.buffer.transfer(room));
    }
    return this.words;
  }

  letGo(): void {
    free(this.words);
    this.words = new Uint32Array(0);
  }
}

/** Returns a power of two, or 0, so that a buffer that needs to grow often is allocated again only now and then. */
export function roomFor(length: number): number {
  return length === 0 ? 0 : 2 ** Math.ceil(Math.log2(length));
}
