/** Adds one month of sums to a website, as the control socket asks. */
import type { Website } from "../../../accounts/registry/registry.ts";
import type { Engine } from "../../../engine/engine.ts";
import { addableFromMs, type MonthLeftOut } from "../../../engine/intake/month-import.ts";
import type { MonthSums } from "../../../facts/months/month-sums.ts";

export interface MonthInput {
  readonly hostname: string;
  readonly monthMs: number;
  /** null: nothing is added. */
  readonly sums: MonthSums | null;
  /** Whether no other month follows: a checkpoint is made then. */
  readonly isLast: boolean;
}

export interface MonthOutcome {
  /** Why the month is left out; null if it is added, or could be. */
  readonly reason: MonthLeftOut | null;
  /** The time from which days are left out, because the website has page views of its own then; null takes all. */
  readonly untilMs: number | null;
  /** The time from which the days before that can be added; null unless the month is left out because it is to come. */
  readonly againMs: number | null;
}

/** Throws Refusal. */
export async function importMonth(
  engine: Engine,
  { websiteId }: Website,
  { monthMs, sums, isLast }: MonthInput,
): Promise<MonthOutcome> {
  const untilMs = engine.monthImport.untilOf(websiteId, monthMs) ?? null;
  const outcome = (reason: MonthLeftOut | null): MonthOutcome => ({
    reason,
    untilMs,
    againMs: reason === "waiting" && untilMs !== null ? addableFromMs(untilMs) : null,
  });
  if (sums === null) return outcome(engine.monthImport.whyNot(websiteId, monthMs) ?? null);
  const reason = (await engine.monthImport.add(websiteId, sums)) ?? null;
  if (isLast) await engine.purge();
  return outcome(reason);
}
