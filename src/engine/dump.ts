/**
 * The state of a data folder as lines of JSON, for people and other programs. They are canonical: the same state gives the
 * same lines, however it lies in chunks and files. Ids of names, numbers of chunks and rows, and beacons are of no use
 * elsewhere, and are left out.
 */
import { columnNames, type ColumnName } from "../core/questions/dimension.ts";
import { storedDimensions } from "../core/questions/stored-dimension.ts";
import { columnMembers } from "../store/state/site.ts";
import type { Chunk } from "../store/chunks/chunk.ts";
import { movedRow, rowsByKey } from "../store/columns/columns.ts";
import { rowFlag, visitFlag } from "../store/columns/row-flag.ts";
import { overflowId } from "../store/values/dictionary.ts";
import type { ReducedMonth } from "../store/state/reduced-month.ts";
import { isEmptyRow } from "../store/state/row-ref.ts";
import type { Site } from "../store/state/site.ts";
import type { State } from "./checkpoint/state.ts";

/** Yields the lines, without line feeds. It reads one row at a time of each chunk of a month. */
export function* dumpLines({ registry, store }: State): Generator<string> {
  const { users, websites, sessions, ...counters } = registry.save();
  yield JSON.stringify({ kind: "folder", ...counters });
  for (const user of users) yield JSON.stringify({ kind: "user", ...user });
  for (const website of websites) yield JSON.stringify({ kind: "website", ...website });
  for (const session of sessions) yield JSON.stringify({ kind: "session", ...session });
  const rejected = store.rejected.save().toSorted(([a], [b]) => a - b);
  for (const [websiteId, days] of rejected) yield JSON.stringify({ kind: "rejected", websiteId, days });
  for (const { websiteId } of websites) {
    const site = store.sites.get(websiteId);
    if (site !== undefined) yield* dumpSite(site);
  }
}

function* dumpSite(site: Site): Generator<string> {
  const { websiteId, lastVisit } = site;
  yield JSON.stringify({ kind: "statistics", websiteId, lastVisit });
  for (const month of [...site.reduced.values()].sort((a, b) => a.monthMs - b.monthMs || a.rows - b.rows))
    yield reducedLine(site, month);
  const months = Map.groupBy(site.chunks.values(), ({ monthMs }) => monthMs);
  for (const monthMs of [...months.keys()].sort((a, b) => a - b))
    yield* dumpMonth((months.get(monthMs) as Chunk[]).map((chunk) => rowsByTime(site, chunk)));
}

/** Returns the line of a month that gave up its rows: of the values of its lists, how many rows had each. */
function reducedLine({ websiteId, dictionaries }: Site, month: ReducedMonth): string {
  const { monthMs, rows, properties, isImported, untilMs } = month.head;
  const values = storedDimensions.flatMap(({ name }, dimension) => {
    const { ids, counts } = month.uses({ dimension });
    const own = Array.from(ids, (id, at): [string | null, number] => [
      id === overflowId ? null : (dictionaries[dimension]?.value(id) ?? null),
      counts[at]!,
    ]);
    const sorted = own.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    return own.length === 0 ? [] : [[name, sorted] as const];
  });
  const start = new Date(monthMs).toISOString();
  return JSON.stringify({
    kind: "month",
    websiteId,
    start,
    ...(isImported && { isImported }),
    ...(untilMs !== undefined && { until: new Date(untilMs).toISOString() }),
    rows,
    properties,
    values: Object.fromEntries(values),
  });
}

/** The rows of a chunk in the order of their times. */
interface RowsByTime {
  /** The time of the next row, since the start of the month; Infinity after the last one. */
  nextTime(): number;
  /** Returns the line of the next row, and goes on; undefined for a row that is empty. */
  next(): string | undefined;
}

/** Yields the lines of a month sorted: by time, and as texts if they have the same time. */
function* dumpMonth(chunks: readonly RowsByTime[]): Generator<string> {
  for (;;) {
    const time = chunks.reduce((least, chunk) => Math.min(least, chunk.nextTime()), Infinity);
    if (time === Infinity) return;
    const lines: string[] = [];
    for (const chunk of chunks)
      while (chunk.nextTime() === time) {
        const line = chunk.next();
        if (line !== undefined) lines.push(line);
      }
    yield* lines.length > 1 ? lines.sort() : lines;
  }
}

function rowsByTime(site: Site, chunk: Chunk): RowsByTime {
  const { time } = chunk.columns;
  const order = chunk.sorted ? undefined : rowsByKey(time, chunk.rows);
  const lineOf = lineWriter(site, chunk);
  let at = 0;
  const row = () => order?.[at] ?? at;
  return {
    nextTime: () => (at === chunk.rows ? Infinity : time[row()]!),
    next: () => {
      const line = lineOf(row());
      at++;
      return line;
    },
  };
}

/** Returns a function that makes the line of a row; undefined if the row is empty. */
function lineWriter(site: Site, chunk: Chunk): (row: number) => string | undefined {
  const { time, flags, duration, visit, visitFlags } = chunk.columns;
  const propertiesOf = propertyReader(site, chunk);
  const valuesOf = valueReader(site, chunk);
  return (row) => {
    if (isEmptyRow({ chunk, row })) return undefined;
    const own = flags[row]!;
    const properties = propertiesOf(row);
    return JSON.stringify({
      time: new Date(chunk.monthMs + time[row]!).toISOString(),
      websiteId: site.websiteId,
      kind: own & rowFlag.bare ? "event" : "pageview",
      ...valuesOf(row),
      ...(own & rowFlag.timed && { durationMs: duration[row] }),
      flags: namesOf(rowFlag, own),
      ...(visit[row] !== 0 && {
        visit: visit[row],
        visitFlags: namesOf(visitFlag, visitFlags[row]!),
      }),
      ...(properties.length > 0 && { properties }),
    });
  };
}

/** Returns a function that reads the values of a row, by the names of dimensions; null for one not kept apart. */
function valueReader(site: Site, { ids }: Chunk) {
  const members = columnNames.flatMap((column) =>
    columnMembers[column].map((dimension, member) => ({
      dimension,
      idOf: idReader(site, ids[column], column, member),
    })),
  );
  return (row: number) =>
    Object.fromEntries(
      members.map(({ dimension, idOf }) => {
        const id = idOf(row);
        const value = id === overflowId ? null : site.dictionaries[dimension]?.value(id);
        return [storedDimensions[dimension]?.name, value];
      }),
    );
}

function idReader(site: Site, { values }: Chunk["ids"][ColumnName], column: ColumnName, member: number) {
  if (column === "path") return (row: number) => values[row]!;
  const ids = site.tuples[column].members[member]!;
  return (row: number) => ids[values[row]!]!;
}

/** Returns a function that reads the properties of a row, in the order of their JSON, which begins with their time. */
function propertyReader(site: Site, chunk: Chunk): (row: number) => unknown[] {
  const { propertyName, propertyValue, propertyRow, propertyNumber } = chunk.columns;
  // The properties of a row are a list: `first` is where it begins, plus 1, and `next` where it goes on; 0 is its end.
  const first = new Uint32Array(chunk.properties === 0 ? 0 : chunk.rows);
  const next = new Uint32Array(chunk.properties);
  for (let index = 0; index < chunk.properties; index++) {
    const row = propertyRow[index]!;
    if (row === movedRow) continue;
    next[index] = first[row]!;
    first[row] = index + 1;
  }
  const textOf = (dictionary: Site["propertyNames"], id: number) =>
    id === overflowId ? null : dictionary.value(id);
  const textAt = (index: number) => {
    const number = propertyNumber[index]!;
    return JSON.stringify({
      time: new Date(chunk.propertyTimeMs(index)).toISOString(),
      name: textOf(site.propertyNames, propertyName[index]!),
      value: textOf(site.propertyValues, propertyValue[index]!),
      ...(!Number.isNaN(number) && { number }),
    });
  };
  return (row) => {
    const texts: string[] = [];
    for (let at = first[row] ?? 0; at !== 0; at = next[at - 1]!) texts.push(textAt(at - 1));
    return texts.sort().map((text) => JSON.parse(text) as unknown);
  };
}

function namesOf(table: Readonly<Record<string, number>>, bits: number): string[] {
  return Object.keys(table).filter((name) => bits & table[name]!);
}
