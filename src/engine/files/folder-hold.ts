/**
 * The hold of an engine on its folder. It is the lock of a file, which keeps others out as long as that file is at its path:
 * where another folder was put there, or `LOCK` was removed, the next server finds another file or none, and takes what is at
 * the path for its own. Two that write there would overwrite what the other one has acknowledged. So the engine looks before
 * and after each batch of the log, before each checkpoint, before it removes files, and every few seconds. While the folder is
 * gone nothing can be written, and it may come back.
 */
import { DiskError } from "../../lib/disk/disk.ts";
import type { Lock } from "../../lib/disk/lock.ts";

/** An engine that gets no hits writes other files now and then, such as precomputed sums. */
const lookMs = 5_000;

/** The folder is not the one that this process has locked any more. */
export class FolderLost extends Error {
  override name = "FolderLost";

  constructor(folder: string) {
    super(
      `${folder} was replaced by another folder, or its file LOCK was removed, while this server had it: another server may have it ` +
        "now, so this one writes nothing more and ends. What it has accepted is in the folder that it began with",
    );
  }
}

export class FolderHold {
  private lost: FolderLost | undefined;
  private readonly timer: Timer;

  /** `onLost` is called once, when the folder is found lost: nothing can be written from then on. */
  constructor(
    private readonly lock: Lock,
    private readonly folder: string,
    private readonly onLost: (lost: FolderLost) => void,
  ) {
    this.timer = setInterval(() => this.whyNot(), lookMs);
    this.timer.unref();
  }

  /** Returns why nothing may be written to the folder now; undefined if it may. */
  whyNot(): FolderLost | DiskError | undefined {
    if (this.lost !== undefined) return this.lost;
    try {
      if (this.lock.isInPlace()) return undefined;
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return error;
    }
    this.lost = new FolderLost(this.folder);
    this.onLost(this.lost);
    return this.lost;
  }

  /** Throws FolderLost or DiskError if nothing may be written to the folder now. */
  expect(): void {
    const reason = this.whyNot();
    if (reason !== undefined) throw reason;
  }

  release(): void {
    clearInterval(this.timer);
    this.lock.release();
  }
}
