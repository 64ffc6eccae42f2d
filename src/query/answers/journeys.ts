/**
 * Answers the journeys of visits: where they went from a page, or where they came from. A stay is a page view of the path
 * with the reloads that follow it. Those in the period count, of visits that have a selected page view of the path; the
 * pages after and before are those of the whole visit, whatever is filtered. In memory it takes a bit for each visit, eight
 * bytes for each that has such a page view, four for each path, and what `inTimeOrder` does.
 */
import { otherLabel } from "../../core/dimension.ts";
import { visitMsMax, visitPauseMs } from "../../core/hit.ts";
import { percent } from "../../core/metric.ts";
import type { JourneyRow, Journeys } from "../../core/answer.ts";
import type { Filter, JourneysQuery } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import { QueryContext } from "../cache/context.ts";
import { valueOrder } from "../names/text-order.ts";
import { inTimeOrder, type Moments } from "../rows/in-time-order.ts";
import { pathMask } from "../rows/mask.ts";
import { pageViewsOf } from "../rows/page-views.ts";
import { distinctVisits } from "../rows/selected-visits.ts";
import { VisitPlaces, type VisitSet } from "../rows/visit-numbers.ts";
import { pathDictionary } from "../../store/values/path-dictionary.ts";

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
  // The value of a moment is one more than the id of its path. The ids of the path asked for are one page.
  const stay = isPath.indexOf(1) + 1;
  const pages = Uint32Array.from(isPath, (isStay, id) => (isStay === 1 ? stay : id + 1));
  const stays = new Stays(chosen, stay, pages.length, query);
  const { startMs, endMs } = query.period;
  const around = { period: { startMs: startMs - reachMs, endMs: endMs + reachMs }, filters: [] };
  if (chosen.size > 0)
    inTimeOrder(pageViewsOf(site, around, chosen, pages, context), (moments, from, to) =>
      stays.see(moments, from, to),
    );
  return answerOf(site, query, stays);
}

/** Follows visits from page to page, and counts their stays on the path. */
class Stays {
  /** By path: the stays after or before which it was seen. */
  readonly neighbours: Uint32Array;
  count = 0;
  private readonly places: VisitPlaces;
  /** By place of a visit: the page that it is on, as one more than the id of its path; 0 for none. */
  private readonly pages: Uint32Array;
  /** By place of a visit: one more than the page before its latest stay, until that is counted; then 0. */
  private readonly uncounted: Uint32Array;

  /** `stay`: the value of moments on the path. */
  constructor(
    visits: VisitSet,
    private readonly stay: number,
    paths: number,
    private readonly query: Pick<JourneysQuery, "direction" | "period">,
  ) {
    this.neighbours = new Uint32Array(paths);
    this.places = new VisitPlaces(visits);
    this.pages = new Uint32Array(visits.size);
    this.uncounted = new Uint32Array(visits.size);
  }

  /** Sees page views of these visits, which come after those that it saw before. */
  see({ baseMs, times, visits, values }: Moments, from: number, to: number): void {
    const { neighbours, places, pages, uncounted, stay, query } = this;
    const isNext = query.direction === "next";
    const [start, end] = [query.period.startMs - baseMs, query.period.endMs - baseMs];
    for (let at = from; at < to; at++) {
      const place = places.of(visits[at]!);
      const page = values[at]!;
      const before = pages[place]!;
      if (before !== page) {
        if (isNext && before === stay && uncounted[place] === 0) neighbours[page - 1]!++;
        pages[place] = page;
        if (page === stay) uncounted[place] = before + 1;
      }
      if (page !== stay || times[at]! < start || times[at]! > end) continue;
      const kept = uncounted[place]!;
      if (kept === 0) continue;
      uncounted[place] = 0;
      this.count++;
      if (!isNext && kept > 1) neighbours[kept - 2]!++;
    }
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
