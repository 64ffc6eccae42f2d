/**
 * Asks again and again whether NATS keeps what it acknowledges, on as many servers as it should. A server that was down when a
 * node began, or was started anew with other settings since, may not sync every write; and somebody may have set the stream to
 * let records go. Hits are taken all the same: every node has the same servers and the same stream, and none is better.
 */
import type { Clock } from "../../lib/clock.ts";
import { Seldom } from "../../lib/seldom.ts";
import { findUnsynced, mayBeLost, syncAdvice, syncText, withoutAway, type SyncCheck } from "./sync-check.ts";

const lookMs = 60_000;
/** The same trouble is told again after this time. */
const againMs = 30 * 60_000;
/** A server that is away for so long is not only started again, or slow to hear who leads now. */
const awayMs = 10_000;

export class NatsWatch {
  /** The servers that do not sync every write, in words; undefined while none is known, or the settings accept them. */
  private unsynced: string | undefined;
  /** Since when the servers that do not get what is stored are away, by their names. */
  private awaySince = new Map<string, number>();
  /** The names of those that are away for long, in words; undefined while none is known. */
  private away: string | undefined;
  /** The setting by which the stream does not keep its records, in words; undefined while none is known. */
  private unlasting: string | undefined;
  private readonly timer: Timer;
  private readonly again: Seldom;
  private readonly streamAgain: Seldom;
  private looking: Promise<void> | undefined;

  /** `told`: what was found of the servers at the start, in words. */
  constructor(
    private readonly check: SyncCheck,
    private told: string,
    private readonly clock: Clock,
  ) {
    this.again = new Seldom(clock, againMs);
    this.again.isDue();
    this.streamAgain = new Seldom(clock, againMs);
    this.timer = setInterval(() => void this.look(), lookMs);
  }

  /** The trouble that is known, in words. */
  get troubles(): readonly string[] {
    return [this.unlasting, this.unsynced, this.away].filter((text) => text !== undefined);
  }

  /** Asks now, or waits for the answers that are on their way. */
  look(): Promise<void> {
    return (this.looking ??= this.ask().finally(() => (this.looking = undefined)));
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async ask(): Promise<void> {
    // If no server answers, whoever reads the stream says so.
    await Promise.allSettled([this.askServers(), this.askStream()]);
  }

  private async askServers(): Promise<void> {
    const { logger, acceptsUnsynced } = this.check;
    const found = withoutAway(await findUnsynced(this.check));
    const { unsynced, away } = found;
    this.noteAway(away);
    const isWrong = unsynced.length > 0 && !acceptsUnsynced;
    this.unsynced = isWrong ? syncText({ unsynced, silent: [] }) : undefined;
    const text = syncText(found);
    if (text === "" && this.told !== "") logger.info("all servers of NATS sync every write");
    else if (text !== "" && (text !== this.told || this.again.isDue()))
      logger[isWrong ? "error" : "warn"](mayBeLost, { reason: text, advice: syncAdvice });
    this.told = text;
  }

  /** The stream goes on while most servers have it: only the next that fails would show. */
  private noteAway(names: readonly string[]): void {
    const nowMs = this.clock.monotonicMs();
    this.awaySince = new Map(names.map((name) => [name, this.awaySince.get(name) ?? nowMs]));
    const isLong = (name: string) => nowMs - (this.awaySince.get(name) ?? nowMs) >= awayMs;
    // Each leader lists them in an order of its own.
    const long = names.filter(isLong).sort().join(", ");
    const away = long === "" ? undefined : `records do not reach the NATS server ${long}`;
    if (away !== undefined && away !== this.away)
      this.check.logger.warn("records do not reach all servers of NATS", { away: long });
    else if (away === undefined && this.away !== undefined)
      this.check.logger.info("records reach all servers of NATS again");
    this.away = away;
  }

  private async askStream(): Promise<void> {
    const { logger, stream } = this.check;
    const found = await stream.whyNotLasting();
    const isNew = found !== this.unlasting;
    this.unlasting = found;
    if (found === undefined && isNew) logger.info("the stream of the cluster is set as a log needs it again");
    else if (found !== undefined && (this.streamAgain.isDue() || isNew))
      logger.error("the stream of the cluster is not set as a log needs it", { reason: found });
  }
}
