/** The list of pages by time: median and quartiles, exact, of the page views whose time is known. */
import { otherLabel } from "../core/dimension.ts";
import type { TimeQuery, TimeRow } from "../core/query.ts";
import { rowFlag } from "../store/chunk.ts";
import { overflowId, type Dictionary } from "../store/dictionary.ts";
import type { Site } from "../store/site.ts";
import { Counts, percent } from "./count.ts";
import { groupsOf } from "./labels.ts";
import { Durations } from "./quantile.ts";
import { compareText, rank } from "./rank.ts";
import { blockIds, wide } from "./block.ts";
import { selectBlocks } from "./select.ts";
import { tally } from "./tally.ts";
import { Work } from "./work.ts";

const counts = new Counts();
const quartiles = [0.25, 0.5, 0.75];

export function answerTime(site: Site, query: TimeQuery, work = new Work()): TimeRow[] {
  const { ofId, labels } = groupsOf(site.dictionaries[0] as Dictionary, "path", {
    grouped: false,
    locale: false,
  });
  const { length } = labels;
  const pages = { dimension: 0, groups: length, ofValue: ofId, ofColumn: ofId, ids: length };
  tally(counts, site, query, { ...pages, visitor: rowFlag.first }, work);
  const knownOf = Uint32Array.from(labels, (_, group) => counts.known(group));
  const durations = new Durations(knownOf);
  for (const block of selectBlocks(site, query, work)) durations.add(block, wide(blockIds(block, "path")));
  const found = Array.from(knownOf.keys()).filter((group) => (knownOf[group] as number) > 0);
  const totalMs = Float64Array.from(labels, (_, group) => counts.totalMs(group));
  const totalOfAll = totalMs.reduce((sum, ms) => sum + ms, 0);
  const times = new Map<number, number[]>();
  const timeOf = (group: number) => {
    const known = times.get(group) ?? durations.quantiles(group, quartiles);
    times.set(group, known);
    return known;
  };
  const order = (a: number, b: number) =>
    Number(a === overflowId) - Number(b === overflowId) ||
    (totalMs[b] as number) - (totalMs[a] as number) ||
    (timeOf(b)[1] as number) - (timeOf(a)[1] as number) ||
    compareText(labels[a] as string, labels[b] as string);
  return rank(found, order, query).map((group): TimeRow => {
    const [lower, median, upper] = timeOf(group) as [number, number, number];
    return {
      path: group === overflowId ? otherLabel : (labels[group] as string),
      duration: median,
      duration_percentage: percent(totalMs[group] as number, totalOfAll),
      ...(!query.summary && {
        visitors: counts.visitors(group),
        duration_lower_quartile: lower,
        duration_upper_quartile: upper,
      }),
      ...(group === overflowId && { other: true as const }),
    };
  });
}
