/** The list of pages by time: median and quartiles, exact, of the page views whose time is known. */
import type { Page, Selection, TimeQuery, TimeRow } from "../core/query.ts";
import { rowFlag } from "../store/chunk.ts";
import { overflowId } from "../store/dictionary.ts";
import type { ReadDictionary, ReadSite } from "../store/read-site.ts";
import { counts } from "./count.ts";
import { finishedIn } from "./finished.ts";
import { groupsOf } from "./labels.ts";
import { mergedQuantiles } from "./merged-quantiles.ts";
import { Durations } from "./quantile.ts";
import { pageDurationsIn, partsOf, sizeOf } from "./page-durations.ts";
import { compareText, rank, type Order } from "./rank.ts";
import { timeRow } from "./row.ts";
import { blockIds, wide } from "./block.ts";
import { blocksIn, sieveOf } from "./select.ts";
import { tally } from "./tally.ts";
import { Work } from "./work.ts";

const quartiles = [0.25, 0.5, 0.75];

export function answerTime(site: ReadSite, query: TimeQuery, work = new Work()): TimeRow[] {
  const { ofId, labels } = groupsOf(site.dictionaries[0] as ReadDictionary, "path", {
    grouped: false,
    locale: false,
  });
  const { length } = labels;
  const pages = { dimension: 0, groups: length, ofValue: ofId, ofColumn: ofId, ids: length };
  tally(counts, site, query, { ...pages, visitor: rowFlag.first }, work);
  const totalMs = Float64Array.from(labels, (_, group) => counts.totalMs(group));
  const allTotalMs = totalMs.reduce((sum, ms) => sum + ms, 0);
  const byTotal = (a: number, b: number) =>
    Number(a === overflowId) - Number(b === overflowId) || (totalMs[b] as number) - (totalMs[a] as number);
  const timed = Array.from(labels.keys()).filter((group) => counts.known(group) > 0);
  const candidates = withoutLater(timed, byTotal, query);
  const quantiles = quantilesOf(site, query, candidates, work);
  const times = new Map<number, number[]>();
  const timeOf = (group: number) => {
    const known = times.get(group) ?? quantiles(group, quartiles);
    times.set(group, known);
    return known;
  };
  const order = (a: number, b: number) =>
    byTotal(a, b) ||
    (timeOf(b)[1] as number) - (timeOf(a)[1] as number) ||
    compareText(labels[a] as string, labels[b] as string);
  return rank(candidates, order, query).map((group) => {
    const label = group === overflowId ? undefined : labels[group];
    const [lowerQuartileMs, medianMs, upperQuartileMs] = timeOf(group) as [number, number, number];
    const times = { allTotalMs, lowerQuartileMs, medianMs, upperQuartileMs };
    return timeRow(label, { ...counts.of(group), ...times }, query.summary);
  });
}

/** Without the pages that the order by total alone puts behind the list's last: nobody asks for their median. */
function withoutLater(groups: number[], byTotal: Order, { limit, offset }: Page): number[] {
  const [last] = rank(groups, (a, b) => byTotal(a, b) || a - b, { limit: 1, offset: offset + limit - 1 });
  return last === undefined ? groups : groups.filter((group) => byTotal(group, last) <= 0);
}

/** The quantiles of the durations of some pages, each asked for by the id of its path. */
function quantilesOf(
  site: ReadSite,
  { period, filters }: Selection,
  pages: readonly number[],
  work: Work,
): (page: number, shares: readonly number[]) => number[] {
  const { size } = site.dictionaries[0] as ReadDictionary;
  const { found, left } = finishedIn(site, { period, filters }, (aggregates) => aggregates.pageDurations());
  const knownOf = new Uint32Array(size);
  for (const page of pages) knownOf[page] = counts.known(page) - sizeOf(found, page);
  const rest = new Durations(knownOf);
  const sieve = sieveOf(site, filters, work.derived);
  for (const range of left) {
    const kept = pageDurationsIn(range, sieve, size, work);
    if (kept !== undefined) work.rowsRecalled += rest.addPages(kept);
    else
      for (const block of blocksIn(range, sieve, work)) rest.add(block, wide(blockIds(block, "path"), block));
  }
  return (page, shares) => mergedQuantiles([...partsOf(found, page), rest.sorted(page)], shares);
}
