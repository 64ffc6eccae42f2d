/**
 * Memory of this thread that one task leaves to the next only so that it need not be made again. A task gets what it
 * needs; what the task under way has not used can be let go.
 */
/** One of those that share a bound of memory (lib/memory-budget.ts). */
export interface MemoryPart {
  readonly bytes: number;
  /** Lets go of so many bytes, or of as many as it can. */
  shed(bytes: number): void;
}

/** Who has such memory, and makes it anew after letting go of it. */
export interface Holder {
  /** It takes long to make again: it goes after all that does not. */
  readonly isDear?: boolean;
  letGo(): void;
}

interface Held {
  readonly bytes: number;
  /** Number of the task that used it last. */
  readonly lastTask: number;
}

export class Scratch implements MemoryPart {
  /** Least recently used first. */
  private readonly held = new Map<Holder, Held>();
  private heldBytes = 0;
  /** Of the task under way: the garbage's when it is over. */
  private neededBytes = 0;
  private task = 0;
  /** Undefined between tasks: who asks then keeps what it has as long as it lasts itself, and nothing is counted. */
  private makeRoom: ((bytes: number) => void) | undefined;

  get bytes(): number {
    return this.heldBytes + this.neededBytes;
  }

  /** `makeRoom`: called before more is taken, with how many bytes more. */
  begin(makeRoom: (bytes: number) => void): void {
    this.task++;
    this.neededBytes = 0;
    this.makeRoom = makeRoom;
  }

  /** Keeps no more than `bytesMax` for the next task. */
  end(bytesMax: number): void {
    this.task++;
    this.neededBytes = 0;
    this.makeRoom = undefined;
    if (this.heldBytes > bytesMax) this.shed(this.heldBytes - bytesMax);
  }

  /** The task under way uses what the holder has, which is so many bytes, or is about to be. */
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

  /** The task under way takes so many bytes more, and leaves them to nobody. */
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

  /** Lets go of everything: to be called between tasks. */
  clear(): void {
    for (const holder of this.held.keys()) this.letGo(holder);
  }

  private letGo(holder: Holder): void {
    this.heldBytes -= this.held.get(holder)?.bytes ?? 0;
    this.held.delete(holder);
    holder.letGo();
  }
}

/** This thread's. */
export const scratch = new Scratch();

const none = new Uint32Array(0);

/** Numbers that somebody used before: whatever they are. */
export class ScratchWords implements Holder {
  private words = none;

  /** `length` of them. */
  take(length: number): Uint32Array {
    const fits = this.words.length >= length;
    scratch.hold(this, 4 * (fits ? this.words.length : roomFor(length)));
    if (!fits) this.words = new Uint32Array(roomFor(length));
    return this.words.subarray(0, length);
  }

  /** At least `length` of them, of which the first are those that were taken before. */
  grow(length: number): Uint32Array {
    const before = this.words;
    this.take(length);
    if (this.words !== before) this.words.set(before);
    return this.words;
  }

  letGo(): void {
    this.words = none;
  }
}

/** A power of two, or 0: what is asked for ever more is made anew now and then. */
export function roomFor(length: number): number {
  return length === 0 ? 0 : 2 ** Math.ceil(Math.log2(length));
}
