/**
 * Asks again and again whether the servers of NATS sync every write: one that was down when a node began, or was started
 * anew with other settings since, may not. Hits are taken all the same: every node has the same servers, and none is better.
 */
import type { Clock } from "../../lib/clock.ts";
import { Seldom } from "../../lib/seldom.ts";
import { findUnsynced, mayBeLost, syncAdvice, syncText, type SyncCheck } from "./sync-check.ts";

const lookMs = 60_000;
/** The same trouble is told again after this time. */
const againMs = 30 * 60_000;

export class SyncWatch {
  /** The servers that do not sync every write, in words; undefined while none is known, or the settings accept them. */
  unsynced: string | undefined;
  private readonly timer: Timer;
  private readonly again: Seldom;
  private looking: Promise<void> | undefined;

  /** `told`: what was found at the start, in words. */
  constructor(
    private readonly check: SyncCheck,
    private told: string,
    clock: Clock,
  ) {
    this.again = new Seldom(clock, againMs);
    this.again.isDue();
    this.timer = setInterval(() => void this.look(), lookMs);
  }

  /** Asks now, or waits for the answers that are on their way. */
  look(): Promise<void> {
    return (this.looking ??= this.ask().finally(() => (this.looking = undefined)));
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async ask(): Promise<void> {
    const { logger, acceptsUnsynced } = this.check;
    // If no server answers, whoever reads the stream says so.
    const found = await findUnsynced(this.check).catch(() => undefined);
    if (found === undefined) return;
    const { unsynced } = found;
    const isWrong = unsynced.length > 0 && !acceptsUnsynced;
    this.unsynced = isWrong ? syncText({ unsynced, silent: [] }) : undefined;
    const text = syncText(found);
    if (text === "" && this.told !== "") logger.info("all servers of NATS sync every write");
    else if (text !== "" && (text !== this.told || this.again.isDue()))
      logger[isWrong ? "error" : "warn"](mayBeLost, { reason: text, advice: syncAdvice });
    this.told = text;
  }
}
