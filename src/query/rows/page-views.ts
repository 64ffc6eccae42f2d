/** Page views of visits, for going through them in the order of time. */
import type { Selection } from "../../core/questions/query.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";
import { keepVisits, selectedFlags, selectedIds, selectedVisits } from "./block.ts";
import type { MomentList, MomentSource } from "./in-time-order.ts";
import { visitLeft } from "./select.ts";
import { chunksIn } from "./selected-visits.ts";
import type { VisitSet } from "./visit-numbers.ts";

/**
 * Returns the selected page views of some visits, or of all if `visits` is undefined. `valueOf`: the value of a moment by
 * id of its path; page views of a path with the value 0 are left out.
 */
export function pageViewsOf(
  { period, filters }: Selection,
  visits: VisitSet | undefined,
  valueOf: Uint32Array,
  context: QueryContext,
): (MomentSource & { readonly chunk: Chunk })[] {
  const read = (chunk: Chunk, list: MomentList) => {
    visitLeft([{ chunk, period }], filters, context, (block) => {
      const own = visits === undefined ? block : keepVisits(block, visits);
      const [ids, flags, visitOf] = [selectedIds(own, "path"), selectedFlags(own), selectedVisits(own)];
      const { time } = own.chunk;
      for (let at = 0; at < own.count; at++) {
        const value = valueOf[ids[at]!]!;
        if (value !== 0 && (flags[at]! & rowFlag.bare) === 0)
          list.add(time[own.start + own.rows[at]!]!, visitOf[at]!, value);
      }
    });
  };
  return chunksIn(context.site, { period }).map((chunk) => ({
    chunk,
    startMs: chunk.minMs,
    baseMs: chunk.monthMs,
    read: (list: MomentList) => read(chunk, list),
  }));
}
