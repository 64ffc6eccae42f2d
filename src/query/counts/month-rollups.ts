/**
 * The rollups of months without rows. Whole months are one rollup, which is kept as long as there is room; a month at an
 * edge of the period has one of its days.
 */
import { storedDimensions } from "../../core/questions/stored-dimension.ts";
import type { Rollup } from "../../facts/entries.ts";
import type { RollupOf } from "../../facts/facts.ts";
import { daysByClass } from "../../facts/months/class-sums.ts";
import { rollupTogether, type KeepTogether } from "../../facts/months/months-together.ts";
import { bytesIn } from "../../facts/months/reduced-facts.ts";
import type { ReducedMonth } from "../../store/state/reduced-month.ts";
import type { QueryContext } from "../cache/context.ts";
import { idsOf } from "../names/derived.ts";
import { partsOf, type MonthPart } from "../rows/facts-and-rows.ts";

/** A rollup, of which the parts from `first` up to `end` are meant. */
interface PartOfRollup {
  readonly rollup: Rollup;
  readonly first: number;
  readonly end: number;
}

/**
 * Returns the rollups of parts of months by a dimension or channel. That of a channel in whole months has one entry a
 * channel: there are far fewer than tuples. Throws what reading them throws.
 */
export function monthRollups(
  parts: readonly MonthPart[],
  of: RollupOf,
  context: QueryContext,
): PartOfRollup[] {
  const rollups = parts
    .filter(({ whole }) => !whole)
    .map((part) => {
      const [first, end] = partsOf(part);
      return { rollup: rollupOfDays(part, of, context), first, end };
    });
  const whole = parts.filter((part) => part.whole).map(({ month }) => month);
  if (whole.length === 0) return rollups;
  return [...rollups, { rollup: rollupOfWhole(whole, of, context), first: 0, end: 1 }];
}

/** Returns the same rollup throughout a question: where the values of each month are in it is found once. */
function rollupOfWhole(months: readonly ReducedMonth[], of: RollupOf, context: QueryContext): Rollup {
  const known = context.rollups.get(of);
  if (known !== undefined && isSame(known.months, months)) return known.rollup;
  const rollup = rollupTogether(
    months.map((month) => context.factsOf(month)),
    of,
    keepOf(months, context),
    typeof of === "string" ? idsOf(context.site, of).ofColumn : undefined,
  );
  context.rollups.set(of, { months, rollup });
  return rollup;
}

function isSame(some: readonly ReducedMonth[], others: readonly ReducedMonth[]): boolean {
  return some.length === others.length && some.every((month, at) => month === others[at]);
}

function rollupOfDays({ month }: MonthPart, of: RollupOf, context: QueryContext): Rollup {
  const { site } = context;
  const facts = context.factsOf(month);
  if (typeof of === "string") {
    const { ids } = facts.rollup(of, "whole");
    return daysByClass(month, of, ids, idsOf(site, of).ofColumn!) ?? facts.rollup(of, "day");
  }
  if (!facts.isInChannelDays(of)) return facts.rollup(of, "day");
  // The days of this list are those of channels: the value of a tuple may be in several entries.
  const rollup = facts.rollup("visit_channel", "day");
  const { ofColumn } = idsOf(site, storedDimensions[of]!.name);
  return { ...rollup, ids: rollup.ids.map((tuple) => ofColumn![tuple]!) };
}

/** Returns a function that keeps what is made of these months, which are not the same ones as soon as one has changed. */
function keepOf(months: readonly ReducedMonth[], { cache }: QueryContext): KeepTogether {
  const owner = months[0]!;
  return <T extends object>(name: string, make: () => T) => {
    const key = `together ${name}`;
    const known = cache.find<{ readonly of: readonly ReducedMonth[]; readonly value: T }>(owner, 0, key);
    if (known !== undefined && isSame(known.of, months)) return known.value;
    const value = make();
    cache.keep(owner, 0, key, { of: months, value }, bytesIn(value));
    return value;
  };
}
