/**
 * Ranks groups and returns one page of them: the first `offset + limit` in a total order, without the first `offset`.
 * If these are few compared to all groups, a bounded heap keeps the best so far instead of sorting all.
 */
import { limitMax, offsetMax, type Page } from "../../core/questions/query.ts";
import { overflowId } from "../../store/values/dictionary.ts";

/** Returns a negative number if a comes before b. Never returns 0 for two groups. */
export type Order = (a: number, b: number) => number;

export function rank(
  groups: readonly number[] | Uint32Array,
  order: Order,
  { limit, offset }: Page,
): number[] {
  const wanted = offset + limit;
  if (wanted * 8 > groups.length) return Array.from(groups).sort(order).slice(offset, wanted);
  return firstOf(groups, order, wanted).slice(offset);
}

/** Whether a group that is the id of a value stands for those that are not kept apart. */
export function isOther(group: number): boolean {
  return group === overflowId;
}

/**
 * Ranks groups as `rank` does, where one or more of them stand for what is not kept apart. These come behind all others,
 * or at the last places that can be asked for if there are more groups than that.
 */
export function rankWithOthers(
  groups: readonly number[],
  isOther: (group: number) => boolean,
  order: Order,
  page: Page,
): number[] {
  const others = groups.filter(isOther);
  const kept = groups.filter((group) => !isOther(group));
  const first = Math.min(kept.length, offsetMax + limitMax - others.length);
  const shown = rank(kept, order, { ...page, limit: Math.max(0, Math.min(page.limit, first - page.offset)) });
  const wanted = page.offset + page.limit;
  return wanted <= first
    ? shown
    : [...shown, ...others.sort(order).slice(Math.max(0, page.offset - first), wanted - first)];
}

/** A heap whose root is the last of the best so far. */
function firstOf(groups: readonly number[] | Uint32Array, order: Order, wanted: number): number[] {
  const heap: number[] = [];
  for (const group of groups) {
    if (heap.length < wanted) rise(heap, group, order);
    else if (order(group, heap[0]!) < 0) sink(heap, group, order);
  }
  return heap.sort(order);
}

function rise(heap: number[], group: number, order: Order): void {
  let at = heap.push(group) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (order(heap[parent]!, group) > 0) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = group;
}

function sink(heap: number[], group: number, order: Order): void {
  const { length } = heap;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= length) break;
    if (child + 1 < length && order(heap[child + 1]!, heap[child]!) > 0) child++;
    if (order(heap[child]!, group) < 0) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = group;
}
