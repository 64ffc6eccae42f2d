/**
 * Answers the journeys of visits: where they went from a page, or where they came from. A stay is a page view of the path
 * with the reloads that follow it. Those in the period count, of visits that have a selected page view of the path; the
 * pages after and before are those of the whole visit, whatever is filtered. In memory it takes a bit and a byte for each
 * visit, four bytes for each path, and what `walkByTime` does.
 */
import { otherLabel } from "../../core/questions/dimension.ts";
import { visitSpanMsMax } from "../../core/hit.ts";
import { percent } from "../../core/questions/metric.ts";
import type { JourneyRow, Journeys } from "../../core/questions/answer.ts";
import type { Filter, JourneysQuery } from "../../core/questions/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import type { QueryContext } from "../cache/context.ts";
import { valueOrder } from "../names/text-order.ts";
import { pathMask, type Mask } from "../rows/filters/mask.ts";
import { distinctVisits } from "../rows/selected-visits.ts";
import { walkByTime, type TimedRows } from "../rows/views-by-time.ts";
import { setPageBits, setPageVisits } from "../rows/visit-numbers.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import { pathDictionary } from "../../store/values/dictionaries.ts";

export function answerJourneys(query: JourneysQuery, context: QueryContext): Journeys {
  const ofPath: Filter = { name: "path", operator: "eq", operands: [query.path] };
  const isPath = pathMask([ofPath], context);
  const chosen = distinctVisits(query, context, [ofPath]);
  const stays = new Stays(isPath);
  if (chosen.size > 0) {
    const isBackwards = query.direction === "previous";
    const take = (rows: TimedRows) => stays.see(rows, isBackwards);
    walkByTime(
      { visits: chosen, period: query.period, aroundMs: visitSpanMsMax, isBackwards, take },
      context,
    );
  }
  return answerOf(context.site, query, stays);
}

const bareBit = Math.log2(rowFlag.bare);
const noStates = new Uint8Array(0) as Uint8Array;

/**
 * Follows visits from page to page, and counts their stays on the path. A stay against time is the same one, and the page
 * before it comes after it.
 */
class Stays {
  /** By path: the stays after which it was seen. */
  readonly neighbours: Uint32Array;
  count = 0;
  /** By number of the page: 1 for each of its visits while it is in a stay that was counted. */
  private readonly pages = new Map<number, Uint8Array>();

  constructor(private readonly isPath: Mask) {
    this.neighbours = new Uint32Array(isPath.length);
  }

  /** Sees rows that come after those that it saw before: in the order of time, or from the last one to the first. */
  see({ visits, paths, flags, count, isIn }: TimedRows, isBackwards: boolean): void {
    const { isPath, neighbours } = this;
    const step = isBackwards ? -1 : 1;
    let stays = 0;
    let number = -1;
    let page = noStates;
    // The loop below has no conditions about rows, which a processor cannot foresee. It is: for each page view of the path
    // in the period, stays += 1 unless its visit is in a stay; for each other page view that ends a stay,
    // neighbours[path] += 1.
    for (let left = count, at = isBackwards ? count - 1 : 0; left > 0; left--, at += step) {
      const visit = visits[at]! | 0;
      if (visit >>> setPageBits !== number) {
        number = visit >>> setPageBits;
        page = this.pageOf(number);
      }
      const own = visit & (setPageVisits - 1);
      const before = page[own]! | 0;
      const path = paths[at]!;
      const isView = ((flags[at]! >>> bareBit) & 1) ^ 1;
      const isStay = isPath[path]! & isView;
      const begins = isIn & isStay & ~before;
      const ends = before & (isView ^ isStay);
      stays = (stays + begins) | 0;
      neighbours[path] = neighbours[path]! + ends;
      page[own] = (before | begins) & ~ends;
    }
    this.count += stays;
  }

  private pageOf(number: number): Uint8Array {
    return this.pages.getOrInsertComputed(number, () => new Uint8Array(setPageVisits));
  }
}

function answerOf(site: SiteWithFacts, { direction, limit }: JourneysQuery, stays: Stays): Journeys {
  const paths = pathDictionary(site);
  const { neighbours, count } = stays;
  const found = [...neighbours.keys()].filter((path) => path !== overflowId && neighbours[path]! > 0);
  const byText = valueOrder(paths);
  const ranked = found.sort((a, b) => neighbours[b]! - neighbours[a]! || byText(a, b));
  const row = (path: string, own: number): JourneyRow => ({
    path,
    stays: own,
    stays_percentage: percent(own, count),
  });
  const sum = (ids: readonly number[]) => ids.reduce((all, id) => all + neighbours[id]!, 0);
  const rest = sum(ranked.slice(limit)) + neighbours[overflowId]!;
  const without = count - sum(ranked) - neighbours[overflowId]!;
  return {
    stays: count,
    ...(direction === "next" ? { exits: without } : { entries: without }),
    pages: [
      ...ranked.slice(0, limit).map((path) => row(paths.value(path), neighbours[path]!)),
      ...(rest > 0 ? [{ ...row(otherLabel, rest), other: true as const }] : []),
    ],
  };
}
