/**
 * Answers what just happened on a website: the latest page views and events, and the pages and sources of the last minutes.
 * It reads the open chunks only, and walks their rows of these minutes once.
 */
import { minuteMs } from "../../../core/hit.ts";
import { otherLabel, type DimensionName } from "../../../core/questions/dimension.ts";
import type { Goal } from "../../../core/website/goal.ts";
import type { Period } from "../../../core/questions/query.ts";
import {
  recentEntriesMax,
  recentMinutes,
  recentRowsMax,
  type Recent,
  type RecentEvent,
  type RecentRow,
  type RecentView,
} from "../../../core/questions/recent.ts";
import { TextMap } from "../../../lib/collections/text-map.ts";
import type { Chunk } from "../../../store/chunks/chunk.ts";
import { rowFlag } from "../../../store/columns/row-flag.ts";
import type { ReadSite } from "../../../store/mirror/read-site.ts";
import { pathDictionary } from "../../../store/values/dictionaries.ts";
import { overflowId } from "../../../store/values/dictionary.ts";
import { idsOf } from "../../names/derived.ts";
import { formsOf, itself } from "../../names/forms.ts";
import { countryName } from "../../names/names.ts";
import { compareText } from "../../names/text-order.ts";
import { textOf } from "../../names/value-text.ts";
import { lastEvents, propertyOf } from "./events.ts";
import { RecentSources } from "./sources.ts";
import { valueTest } from "../../rows/filters/mask.ts";
import { rangesOf, type RowRange } from "../../rows/range.ts";
import { filtersOf } from "../../rows/filters/targets.ts";

/**
 * The most rows that are walked for an answer, which takes some milliseconds. The rows of the last minute are all
 * walked.
 */
const walkedMax = 250_000;
/** The most ids whose names are looked at. Who sends a name of its own with each page view makes tens of thousands. */
const namedMax = 2_000;

export function answerRecent(site: ReadSite, goals: readonly Goal[], nowMs: number): Recent {
  const period = periodOf(site, nowMs);
  const ranges = openRanges(site, period).toReversed();
  const walked = walk(ranges, period);
  const startMs = period.startMs;
  const paths = pathDictionary(site);
  const sources = new RecentSources(site);
  return {
    start: new Date(startMs).toISOString(),
    pageviews: [...walked.pageviews],
    pages: topOf(walked, walked.paths, paths.size, (id) => textOf(paths, id)),
    sources: topOf(
      walked,
      walked.sources.map((tuple) => sources.idOf(tuple)),
      sources.size,
      (id) => sources.nameOf(id),
    ),
    views: latestViews(site, ranges, period, goals, (tuple) => sources.nameOf(sources.idOf(tuple))),
    events: latestEvents(site, period, goals),
  };
}

/** Returns the last minutes: as many as `recentMinutes` has and rows can be walked. The last one goes on. */
function periodOf(site: ReadSite, nowMs: number): Period {
  const lastMs = minuteOf(nowMs);
  const periods = recentMinutes.map((minutes) => ({
    startMs: lastMs - (minutes - 1) * minuteMs,
    endMs: nowMs,
  }));
  const rowsIn = (period: Period) =>
    openRanges(site, period).reduce((sum, { from, to }) => sum + to - from, 0);
  return periods.find((period) => rowsIn(period) <= walkedMax) ?? (periods.at(-1) as Period);
}

/** Rows of the last minutes are in no sealed chunk. */
function openRanges(site: ReadSite, period: Period): RowRange[] {
  return rangesOf(site, period)
    .filter(({ chunk }) => !chunk.sealed)
    .toArray();
}

function minuteOf(ms: number): number {
  return Math.floor(ms / minuteMs) * minuteMs;
}

/** The page views of the period, as columns. */
interface Walked {
  readonly count: number;
  readonly paths: Uint32Array;
  /** Tuples. */
  readonly sources: Uint32Array;
  /** The minute of the period that each page view came in. */
  readonly minutes: Uint8Array;
  /** By minute. */
  readonly pageviews: Uint32Array;
}

function walk(ranges: readonly RowRange[], period: Period): Walked {
  const rows = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  const [paths, sources, minutes] = [new Uint32Array(rows), new Uint32Array(rows), new Uint8Array(rows)];
  const pageviews = new Uint32Array((minuteOf(period.endMs) - period.startMs) / minuteMs + 1);
  const lengthMs = period.endMs - period.startMs;
  let count = 0;
  for (const { chunk, from, to } of ranges) {
    const { time, monthMs, flags } = chunk;
    const { path, source } = chunk.ids;
    const [pathIds, sourceIds] = [path.values, source.values];
    const beforeMs = monthMs - period.startMs;
    for (let row = from; row < to; row++) {
      const ms = time[row]! + beforeMs;
      if ((flags[row]! & rowFlag.bare) !== 0 || ms < 0 || ms > lengthMs) continue;
      const minute = Math.trunc(ms / minuteMs);
      pageviews[minute]!++;
      paths[count] = pathIds[row]!;
      sources[count] = sourceIds[row]!;
      minutes[count++] = minute;
    }
  }
  return { count, paths, sources, minutes, pageviews };
}

/** Returns the ids that have page views; of very many those with the most, of equal ones the least. */
function idsNamed(counts: Uint32Array): readonly number[] {
  const ids: number[] = [];
  counts.forEach((own, id) => void (own > 0 && ids.push(id)));
  if (ids.length <= namedMax) return ids;
  return ids.sort((a, b) => counts[b]! - counts[a]! || a - b).slice(0, namedMax);
}

/**
 * Returns the names with the most page views. `size`: one more than the greatest id. `nameOf`: several ids may have one
 * name; those with "" are left out.
 */
function topOf(
  { count, minutes, pageviews }: Walked,
  ids: Uint32Array,
  size: number,
  nameOf: (id: number) => string,
): RecentRow[] {
  const counts = new Uint32Array(size);
  for (let at = 0; at < count; at++) counts[ids[at]!]!++;
  const names = new TextMap<{ total: number; readonly ids: number[] }>();
  for (const id of idsNamed(counts)) {
    const name = nameOf(id);
    if (name === "") continue;
    const known = names.get(name) ?? { total: 0, ids: [] };
    known.total += counts[id]!;
    known.ids.push(id);
    names.set(name, known);
  }
  const top = [...names]
    .sort(([a, one], [b, other]) => other.total - one.total || compareText(a, b))
    .slice(0, recentRowsMax);
  /** By id, one more than its place among the top; 0 for none. */
  const places = new Uint8Array(size);
  top.forEach(([, { ids }], place) => ids.forEach((id) => (places[id] = place + 1)));
  const byMinute = top.map(() => new Uint32Array(pageviews.length));
  for (let at = 0; at < count; at++) {
    const place = places[ids[at]!]!;
    if (place > 0) byMinute[place - 1]![minutes[at]!]!++;
  }
  return top.map(([name], place) => ({ name, pageviews: [...byMinute[place]!] }));
}

function latestViews(
  site: ReadSite,
  ranges: readonly RowRange[],
  period: Period,
  goals: readonly Goal[],
  sourceOf: (id: number) => string,
): RecentView[] {
  const latest = ranges.flatMap(({ chunk, from, to }) =>
    lastOf(
      from,
      to,
      (row) => (chunk.flags[row]! & rowFlag.bare) === 0,
      (row) => timeOf(chunk, row),
      period,
    ).map((found) => ({ ...found, chunk })),
  );
  const own = (name: DimensionName) => {
    const { dictionary, ofColumn } = idsOf(site, name);
    return (id: number) => textOf(dictionary, ofColumn === undefined ? id : ofColumn[id]!);
  };
  const [pathOf, countryOf, deviceOf] = [own("path"), own("country"), own("device")];
  const reached = goalTests(goals, "page");
  return newest(latest).map(({ ms, chunk: { ids }, at }) => {
    const path = pathOf(ids.path.values[at]!);
    const country = countryOf(ids.place.values[at]!);
    return {
      minute: new Date(minuteOf(ms)).toISOString(),
      path,
      source: sourceOf(ids.source.values[at]!),
      country: country === otherLabel ? country : countryName(country),
      device: deviceOf(ids.client.values[at]!),
      goals: ids.path.values[at] === overflowId ? [] : reached([path]),
    };
  });
}

function latestEvents(site: ReadSite, period: Period, goals: readonly Goal[]): RecentEvent[] {
  const chunks = [...site.chunks.values()].filter(
    ({ sealed, propertyMaxMs }) => !sealed && propertyMaxMs >= period.startMs,
  );
  const latest = chunks.toReversed().flatMap((chunk) => lastEvents(chunk, period));
  const reached = goalTests(goals, "event");
  return newest(latest).map(({ ms, chunk, indexes }) => {
    const { propertyName, propertyValue } = chunk;
    const properties = indexes.map((at) => propertyOf(site, chunk, at));
    const isKnown = (at: number) => propertyName[at] !== overflowId && propertyValue[at] !== overflowId;
    const known = properties.filter((_, index) => isKnown(indexes[index]!));
    return {
      minute: new Date(minuteOf(ms)).toISOString(),
      properties,
      goals: reached(...known.map(({ name, value }) => [name, value])),
    };
  });
}

function timeOf({ monthMs, time }: Chunk, row: number): number {
  return monthMs + time[row]!;
}

interface Found {
  readonly ms: number;
  readonly at: number;
}

/** Returns the last of the entries of a chunk that are in the period, the last first. */
function lastOf(
  from: number,
  to: number,
  isThere: (at: number) => boolean,
  msOf: (at: number) => number,
  { startMs, endMs }: Period,
): Found[] {
  const found: Found[] = [];
  for (let at = to - 1; at >= from && found.length < recentEntriesMax; at--) {
    const ms = msOf(at);
    if (ms >= startMs && ms <= endMs && isThere(at)) found.push({ ms, at });
  }
  return found;
}

/** Returns the latest; of the same time, those that come first. */
function newest<T extends { readonly ms: number }>(found: readonly T[]): T[] {
  return found.toSorted((a, b) => b.ms - a.ms).slice(0, recentEntriesMax);
}

/** Returns a function from paths, or from names and values, to the names of the goals that one of them reaches. */
function goalTests(
  goals: readonly Goal[],
  kind: "page" | "event",
): (...values: readonly (readonly string[])[]) => string[] {
  const tests = goals
    .filter(({ target }) => kind in target)
    .map(({ name, target }) => ({
      name,
      conditions: filtersOf(target).map((filter) => ({
        isMet: valueTest([filter], filter.name === "path" ? formsOf("path") : itself),
        at: filter.name === "prop_value" ? 1 : 0,
      })),
    }));
  return (...values) =>
    tests
      .filter(({ conditions }) => values.some((own) => conditions.every(({ isMet, at }) => isMet(own[at]!))))
      .map(({ name }) => name);
}
