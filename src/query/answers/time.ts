/** Answers the list of pages by time: exact median and quartiles over the page views whose time is known. */
import type { RowFigures } from "../../core/questions/metric.ts";
import type { Page, Selection, TimeQuery } from "../../core/questions/query.ts";
import { durationsOf } from "../../facts/page-durations.ts";
import { keepIds, selectedDurations, selectedFlags, selectedIds } from "../rows/block.ts";
import type { QueryContext } from "../cache/context.ts";
import { groupCounts as counts } from "../counts/count.ts";
import { factsAndRows } from "../rows/facts-and-rows.ts";
import { DigestQuantiles } from "../quantiles/digest-quantiles.ts";
import { PageDigests } from "../quantiles/page-digests.ts";
import { noVisits, VisitCounts, visitNeeds } from "../visits/visit-counts.ts";
import { Durations, quantilesOf } from "../quantiles/quantile.ts";
import { exactQuantiles, type AddRows } from "../quantiles/walked-quantiles.ts";
import { answering, type Counting, type Grouped } from "./grouped.ts";
import { allOf } from "./list.ts";
import { isOther, rank, rankWithOthers, type Order } from "./rank.ts";
import { figuresOf, type FiguresOf } from "../counts/row.ts";
import { visitLeft } from "../rows/select.ts";
import { pathDictionary } from "../../store/values/dictionaries.ts";

const quartiles = [0.25, 0.5, 0.75];
/** Parts with at most this many durations on average are put together, which is faster. */
const fewMax = 100;

export const answerTime = answering(figuresIn);

/** Returns the figures of pages in the period of the query. */
function figuresIn(
  query: TimeQuery,
  { labels, values, byValue }: Grouped,
  { context, page, only }: Counting,
): FiguresOf<RowFigures<"time">> {
  page.count(counts, values);
  const totalMs = new Float64Array(labels.size);
  const timed: number[] = [];
  for (let group = 0; group < labels.size; group++) {
    totalMs[group] = counts.totalMs(group);
    if (counts.known(group) > 0) timed.push(group);
  }
  const byTotal = (a: number, b: number) => totalMs[b]! - totalMs[a]!;
  const candidates =
    only === undefined
      ? withoutLater(timed, byTotal, query)
      : Array.from(only).filter((group) => counts.known(group) > 0);
  const quartilesOf = pageQuartiles(query, candidates, context);
  const times = new Map<number, number[]>();
  const timeOf = (group: number) => times.getOrInsertComputed(group, quartilesOf);
  const order = (a: number, b: number) =>
    byTotal(a, b) || timeOf(b)[1]! - timeOf(a)[1]! || labels.compare(a, b);
  const needs = visitNeeds(query, query.metrics === undefined);
  const visits = needs && VisitCounts.of(query, needs, byValue, context, counts);
  const all = allOf(true, visits, page);
  const chosen = only === undefined ? rankWithOthers(candidates, isOther, order, query) : candidates;
  return new Map(
    chosen.map((group) => {
      const [lowerQuartileMs, medianMs, upperQuartileMs] = timeOf(group) as [number, number, number];
      const quartilesOfGroup = { lowerQuartileMs, medianMs, upperQuartileMs };
      const ofVisits = visits?.of(group) ?? noVisits;
      const measures = { ...counts.of(group), ...all, ...quartilesOfGroup, ...ofVisits };
      return [group, figuresOf("time", query, measures)] as const;
    }),
  );
}

/**
 * Drops the pages that come after the last listed one by their total alone, so that their medians need not be computed.
 */
function withoutLater(groups: number[], byTotal: Order, { limit, offset }: Page): number[] {
  const kept = groups.filter((group) => !isOther(group));
  const [last] = rank(kept, (a, b) => byTotal(a, b) || a - b, { limit: 1, offset: offset + limit - 1 });
  return last === undefined ? groups : groups.filter((group) => isOther(group) || byTotal(group, last) <= 0);
}

/** Returns a function that gives the quartiles of a page's durations by the id of its path, for the given pages. */
function pageQuartiles(
  selection: Selection,
  pages: readonly number[],
  context: QueryContext,
): (page: number) => number[] {
  const { site } = context;
  const { facts, rows, months } = factsAndRows(site, selection, Infinity);
  const finished = facts.map((part) => part.facts.pageDurations());
  const partsOf = (page: number) => finished.map((own) => durationsOf(own, page));
  const knownOf = new Uint32Array(pathDictionary(site).size);
  const isAsked = new Uint8Array(knownOf.length);
  const digested = new PageDigests(
    months.map(({ month }) => month),
    new Set(pages),
    context,
  );
  for (const page of pages) {
    isAsked[page] = 1;
    const unread = counts.known(page) - digested.countOf(page);
    knownOf[page] = partsOf(page).reduce((left, { length }) => left - length, unread);
  }
  const walk = (addRows: AddRows) =>
    visitLeft(rows, selection.filters, context, (block) => {
      const own = keepIds(block, "path", isAsked);
      addRows(selectedIds(own, "path"), selectedFlags(own), selectedDurations(own), own.count);
    });
  if (finished.length + months.length === 0)
    return exactQuantiles(knownOf, pages, quartiles, walk, context.copiedMax);
  const read = new Durations(knownOf);
  walk((ids, flags, durations, count) => read.addRows(ids, flags, durations, count));
  if (months.length > 0) {
    return (page) => {
      const quantiles = new DigestQuantiles();
      digested.addTo(quantiles, page);
      quantiles.addExact(joined([...partsOf(page), read.of(page)]));
      context.isApproximate ||= !quantiles.isExact;
      return quantiles.of(quartiles);
    };
  }
  return (page) => {
    const parts = [...partsOf(page), read.of(page)];
    if (counts.known(page) <= fewMax * parts.length) return quantilesOf(joined(parts), quartiles);
    read.of(page).sort();
    const quantiles = new DigestQuantiles();
    for (const part of parts) quantiles.addSorted(part);
    return quantiles.of(quartiles);
  };
}

function joined(parts: Uint32Array[]): Uint32Array {
  return new Uint32Array(Bun.concatArrayBuffers(parts));
}
