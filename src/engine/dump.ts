/**
 * The state of a data folder as lines of JSON, for people and other programs. They are canonical: the same state gives the
 * same lines, however it lies in chunks and files. Ids of names, numbers of chunks and rows, and beacons are of no use
 * elsewhere, and are left out.
 */
import { columnNames, type ColumnName } from "../core/dimension.ts";
import { storedDimensions } from "../core/stored-dimension.ts";
import { columnMembers } from "../store/state/site.ts";
import { movedRow, rowFlag, type Chunk } from "../store/columns/chunk.ts";
import { visitFlag } from "../store/columns/row-flag.ts";
import { overflowId } from "../store/values/dictionary.ts";
import { isEmptyRow, type Site } from "../store/state/site.ts";
import type { State } from "./checkpoint/state.ts";

/** Yields the lines, without line feeds. It reads the rows of one month of one website at a time. */
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
  const months = Map.groupBy(site.chunks.values(), ({ monthMs }) => monthMs);
  for (const monthMs of [...months.keys()].sort((a, b) => a - b)) {
    const lines = (months.get(monthMs) as Chunk[]).flatMap((chunk) => linesOf(site, chunk));
    // A time has the same number of characters in each line, and comes first in it.
    yield* lines.sort();
  }
}

function linesOf(site: Site, chunk: Chunk): string[] {
  const { time, flags, duration, visit, visitFlags } = chunk.columns;
  const properties = propertiesByRow(site, chunk);
  const valuesOf = valueReader(site, chunk);
  const lines: string[] = [];
  for (let row = 0; row < chunk.rows; row++) {
    if (isEmptyRow({ chunk, row })) continue;
    const own = flags[row] as number;
    const line = {
      time: new Date(chunk.monthMs + (time[row] as number)).toISOString(),
      websiteId: site.websiteId,
      kind: own & rowFlag.bare ? "event" : "pageview",
      ...valuesOf(row),
      ...(own & rowFlag.timed && { durationMs: duration[row] }),
      flags: namesOf(rowFlag, own),
      ...(visit[row] !== 0 && {
        visit: visit[row],
        visitFlags: namesOf(visitFlag, visitFlags[row] as number),
      }),
      ...(properties.has(row) && {
        properties: properties
          .get(row)
          ?.sort()
          .map((text) => JSON.parse(text)),
      }),
    };
    lines.push(JSON.stringify(line));
  }
  return lines;
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
  if (column === "path") return (row: number) => values[row] as number;
  const ids = site.tuples[column].members[member] as Uint32Array;
  return (row: number) => ids[values[row] as number] as number;
}

/** Returns the properties of each row as JSON, which sorts by time. */
function propertiesByRow(site: Site, chunk: Chunk): Map<number, string[]> {
  const byRow = new Map<number, string[]>();
  const { propertyName, propertyValue, propertyRow, propertyNumber } = chunk.columns;
  const textOf = (dictionary: Site["propertyNames"], id: number) =>
    id === overflowId ? null : dictionary.value(id);
  for (let index = 0; index < chunk.properties; index++) {
    const row = propertyRow[index] as number;
    if (row === movedRow) continue;
    const number = propertyNumber[index] as number;
    const property = {
      time: new Date(chunk.propertyTimeMs(index)).toISOString(),
      name: textOf(site.propertyNames, propertyName[index] as number),
      value: textOf(site.propertyValues, propertyValue[index] as number),
      ...(!Number.isNaN(number) && { number }),
    };
    byRow.set(row, [...(byRow.get(row) ?? []), JSON.stringify(property)]);
  }
  return byRow;
}

function namesOf(table: Readonly<Record<string, number>>, bits: number): string[] {
  return Object.keys(table).filter((name) => bits & (table[name] as number));
}
