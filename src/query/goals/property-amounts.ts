/**
 * Sums up the amounts of a goal by property: the numbers of those events that reach it and have the property. Whoever sends an
 * event for each product of an order learns what each product sold, where the visit's amounts are those of all its products.
 */
import type { Period } from "../../core/questions/query.ts";
import { hasAmount, type Target } from "../../core/website/goal.ts";
import { hitOf, readEvents, type CompiledEvent } from "../../facts/months/read-events.ts";
import { ExactSum } from "../../lib/exact-sum.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { movedRow } from "../../store/columns/columns.ts";
import type { QueryContext } from "../cache/context.ts";
import type { Mask } from "../rows/filters/mask.ts";
import { compileTargets } from "../rows/filters/targets.ts";
import { hasReducedMonth, measuresOfAmount, type AmountMeasures } from "./visit-amounts.ts";

export class PropertyAmounts {
  private readonly sums = new Map<number, ExactSum>();

  private constructor(
    private readonly events: readonly CompiledEvent[],
    private readonly names: Mask,
  ) {}

  /** Returns undefined if the goal sums up nothing, and where the period has months without rows, which know no part of a sum. */
  static of(target: Target, period: Period, context: QueryContext): PropertyAmounts | undefined {
    if (!hasAmount(target) || hasReducedMonth(context.site, period)) return undefined;
    const { events, names } = compileTargets([target], context);
    return new PropertyAmounts(events, names);
  }

  /** Adds the selected properties of a chunk, by index, to their keys. */
  add(chunk: Chunk, selected: Uint32Array, keyOf: (index: number) => number): void {
    const ofHits = this.amountsIn(chunk);
    if (ofHits.size === 0) return;
    // A hit may have several properties that are not kept apart. They lie side by side, and count once.
    const last = new Map<number, number>();
    for (const index of selected) {
      const hit = hitOf(chunk, index);
      const ofHit = ofHits.get(hit);
      const key = keyOf(index);
      if (ofHit === undefined || last.get(key) === hit) continue;
      last.set(key, hit);
      this.sums.getOrInsertComputed(key, () => new ExactSum()).addAll(ofHit);
    }
  }

  of(key: number): AmountMeasures {
    const sum = this.sums.get(key);
    return measuresOfAmount(sum, sum !== undefined);
  }

  /** Returns the amounts of each hit of a chunk that reaches the goal. */
  private amountsIn(chunk: Chunk): ReadonlyMap<number, ExactSum> {
    const { propertyName, propertyRow, properties } = chunk;
    const own = new Uint32Array(properties);
    let count = 0;
    for (let index = 0; index < properties; index++)
      if (this.names[propertyName[index]!] === 1 && propertyRow[index] !== movedRow) own[count++] = index;
    const ofHits = new Map<number, ExactSum>();
    for (const event of this.events)
      readEvents(chunk, own.subarray(0, count), event, {
        reached: (index) => ofHits.getOrInsertComputed(hitOf(chunk, index), () => new ExactSum()),
        amount: (value, index) => ofHits.get(hitOf(chunk, index))!.add(value),
      });
    return ofHits;
  }
}
