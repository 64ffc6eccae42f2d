/**
 * Deletes statistics that are too old to be kept: whole UTC months, by a record of the log, once the clock is trusted.
 */
import { monthNumber } from "../../store/chunks/month.ts";
import { hasMonthsBefore, monthsFrom } from "../../store/state/rebuilding/drop.ts";
import type { ClockTrust } from "../options/options.ts";
import { firstMs, Periodic } from "./periodic.ts";
import type { EngineParts } from "./engine-parts.ts";

const checkEveryMs = 3_600_000;

/**
 * When this many percent of the bytes of a website's names belong to no row any more, its names get new ids and its
 * files are written again. Until then names of dropped months stay in the files.
 */
export const deadPercent = 30;
/** No website reaches so many percent: all keep their ids and their files. */
const neverPercent = 101;

/** Returns the start of the oldest UTC month that is kept: some part of it is younger than `months` months. 0 for all. */
export function keptFromMs(nowMs: number, months = Infinity): number {
  if (months === Infinity) return 0;
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months);
}

export class Retention extends Periodic {
  /** `months`: how many whole months are kept besides the current one. */
  constructor(
    private readonly options: EngineParts,
    private readonly months: number,
    private readonly trusted: ClockTrust,
  ) {
    super(checkEveryMs, firstMs);
  }

  protected failed(error: unknown): void {
    this.options.engine.logger.error("old statistics could not be deleted yet", { error: String(error) });
  }

  /** Drops what is too old, if the clock can be trusted, and no other node is told to keep it longer or shorter. */
  protected async work(): Promise<void> {
    const { engine, recovered, checkpointer } = this.options;
    const beforeMs = keptFromMs(engine.clock.nowMs(), this.months);
    const isDue = () => recovered.state.store.hasMonthsBefore(beforeMs);
    if (!this.trusted.isTrusted(isDue) || !isDue()) return;
    if (engine.shared?.agreesOnRetention?.() === false) return;
    // No checkpoint is under way meanwhile: chunks are not merged then, nor files removed.
    if (!(await checkpointer.between(() => this.dropBefore(beforeMs)))) return;
    engine.logger.info("old statistics were deleted", { before: monthNumber(beforeMs) });
    await checkpointer.purge();
  }

  /** Resolves to whether it did: a stop may come first. */
  private async dropBefore(beforeMs: number): Promise<boolean> {
    const { room, commit } = this.options;
    for (const _ of this.prepared(beforeMs)) if (!(await this.pause())) return false;
    // Without room to write the remaining data again, months go and their names stay.
    const percent = room.canRewriteAll ? deadPercent : neverPercent;
    await commit({ kind: "monthsDropped", beforeMs, deadPercent: percent });
    return true;
  }

  /**
   * Reads what the drop of those months needs, in steps, and the checkpoint after it. Throws if that cannot be read: then
   * the drop must not be logged.
   */
  private *prepared(beforeMs: number): Generator<void, void> {
    const { state, files } = this.options.recovered;
    const kept = monthsFrom(beforeMs);
    const sites = state.store.sites.values().filter((site) => hasMonthsBefore(site, beforeMs));
    for (const site of [...sites]) {
      yield* state.store.drops.readWhatStays(site, kept);
      yield* files.chunks.compareToRewrite(site, kept);
    }
  }
}
