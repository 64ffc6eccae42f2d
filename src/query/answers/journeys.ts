/**
 * Answers the journeys of visits: where they went from a page, or where they came from. A stay is a page view of the path
 * with the reloads that follow it. Those in the period count, of visits that have a selected page view of the path; the
 * pages after and before are those of the whole visit, whatever is filtered. In memory it takes a bit and up to eight
 * bytes for each visit, four for each path, and what `inTimeOrder` does.
 */
import { otherLabel } from "../../core/dimension.ts";
import { visitMsMax, visitPauseMs } from "../../core/hit.ts";
import { percent } from "../../core/metric.ts";
import type { Filter, JourneyRow, Journeys, JourneysQuery } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { columnMembers } from "../../store/state/site.ts";
import type { ReadDictionary } from "../../store/mirror/read-site.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import { QueryContext } from "../cache/context.ts";
import { valueOrder } from "../names/text-order.ts";
import { inTimeOrder } from "../rows/in-time-order.ts";
import { pathMask, type Mask } from "../rows/mask.ts";
import { pageViewsOf } from "../rows/page-views.ts";
import { distinctVisits } from "../rows/selected-visits.ts";
import { VisitNumbers } from "../rows/visit-numbers.ts";

/** The rows of a visit are no further apart. */
const reachMs = visitMsMax + visitPauseMs;

export function answerJourneys(
  site: SiteWithFacts,
  query: JourneysQuery,
  context = new QueryContext(),
): Journeys {
  const ofPath: Filter = { name: "path", operator: "eq", operands: [query.path] };
  const isPath = pathMask(site, [ofPath], context);
  const chosen = distinctVisits(site, query, context, [ofPath]);
  const stays = new Stays(isPath, query);
  const { startMs, endMs } = query.period;
  const around = { period: { startMs: startMs - reachMs, endMs: endMs + reachMs }, filters: [] };
  // The value of a moment is one more than the id of its path.
  const pages = Uint32Array.from(isPath, (_, id) => id + 1);
  if (chosen.size > 0)
    inTimeOrder(
      pageViewsOf(site, around, chosen, pages, context),
      ({ baseMs, times, visits, values }, from, to) => {
        for (let at = from; at < to; at++) stays.see(baseMs + times[at]!, visits[at]!, values[at]! - 1);
      },
    );
  return answerOf(site, query, stays);
}

/** Follows visits from page to page, and counts their stays on the path. */
class Stays {
  /** By path: the stays after or before which it was seen. */
  readonly neighbours: Uint32Array;
  count = 0;
  /** The page that a visit is on: one more than its id, 0 for none. */
  private readonly page = new VisitNumbers(Uint32Array);
  /** By visit: 0 once its stay counts, else one more than the page before it, as above. */
  private readonly uncounted = new VisitNumbers(Uint32Array);
  /** The ids of the path are one page. */
  private readonly pathId: number;

  constructor(
    private readonly isPath: Mask,
    private readonly query: Pick<JourneysQuery, "direction" | "period">,
  ) {
    this.neighbours = new Uint32Array(isPath.length);
    this.pathId = isPath.indexOf(1);
  }

  /** Sees a page view of a visit, which comes after those that it saw before. */
  see(timeMs: number, visit: number, path: number): void {
    const isNext = this.query.direction === "next";
    const isStay = this.isPath[path] === 1;
    const id = isStay ? this.pathId : path;
    const before = this.page.get(visit);
    if (before !== id + 1) {
      if (isNext && before === this.pathId + 1 && this.uncounted.get(visit) === 0) this.neighbours[id]!++;
      this.page.set(visit, id + 1);
      if (isStay) this.uncounted.set(visit, before + 1);
    }
    const { startMs, endMs } = this.query.period;
    if (!isStay || timeMs < startMs || timeMs > endMs) return;
    const kept = this.uncounted.get(visit);
    if (kept === 0) return;
    this.uncounted.set(visit, 0);
    this.count++;
    if (!isNext && kept > 1) this.neighbours[kept - 2]!++;
  }
}

function answerOf(site: SiteWithFacts, { direction, limit }: JourneysQuery, stays: Stays): Journeys {
  const paths = site.dictionaries[columnMembers.path[0] as number] as ReadDictionary;
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
