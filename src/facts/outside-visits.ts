/** Page views without a visit: of a time without visits, or of an import. Figures by visit leave them out. */
import type { Chunk } from "../store/chunks/chunk.ts";
import { isPageView } from "../store/columns/row-flag.ts";

/** One number for each group. */
export interface Outside {
  readonly pageviews: Uint32Array;
  readonly totalMs: Float64Array;
}

/** Returns zeros for this many groups. */
export function outsideOf(groups: number): Outside {
  return { pageviews: new Uint32Array(groups), totalMs: new Float64Array(groups) };
}

/** Returns whether a chunk has page views without a visit. */
export function hasOutside({ visit, flags, rows }: Chunk): boolean {
  for (let row = 0; row < rows; row++) if (visit[row] === 0 && isPageView(flags[row]!)) return true;
  return false;
}
