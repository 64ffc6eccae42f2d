/** The list of custom properties: names with their events, or the values of the names that are asked for. */
import { otherLabel, type ColumnName } from "../core/dimension.ts";
import type { Period, PropertiesQuery, PropertyRow } from "../core/query.ts";
import { movedRow, type Chunk } from "../store/chunk.ts";
import { overflowId } from "../store/dictionary.ts";
import { nameEvents } from "../store/name-events.ts";
import type { ReadSite } from "../store/read-site.ts";
import { finishedOf } from "./finished.ts";
import { compareText, rank } from "./rank.ts";
import { propertyRow } from "./row.ts";
import { columnMasks, keyOf, type Mask } from "./mask.ts";
import { isPropertyFilter, propertyMasks, type PropertyMasks } from "./property-mask.ts";
import { newestMsOf, takesHits } from "./range.ts";
import { Work } from "./work.ts";

/** Keys of pairs: name id and value id in one number, which both stay far below 2^26. */
const valuesMax = 2 ** 26;
/** A key and how many events it has. */
const eventBytes = 12;

/** Events of a chunk by key. */
interface EventCounts {
  readonly keys: Float64Array;
  readonly events: Uint32Array;
}

/** A property counts by its own time; filters on dimensions select by the row it lives with. */
export function answerProperties(site: ReadSite, query: PropertiesQuery, work = new Work()): PropertyRow[] {
  const { period, filters } = query;
  const { derived } = work;
  const byValue = filters.some(({ name, operator }) => name === "prop_name" && operator === "eq");
  const masks = propertyMasks(site, filters, derived);
  const rowFilters = filters.filter((filter) => !isPropertyFilter(filter));
  const rowMasks = [...columnMasks(site, rowFilters, derived)];
  const key = `events ${byValue} ${keyOf(filters)}`;
  const newestMs = newestMsOf(site);
  const events = new Map<number, number>();
  const { found, left } = finishedOf(
    filters.length > 0 ? undefined : site.aggregates,
    piecesOf(site, period),
    ({ whole }) => whole,
    (aggregates) => aggregates.events(),
  );
  for (const { names, events: own } of found) {
    work.entriesAdded += names.length;
    add(events, keysOf(names), own);
  }
  for (const { chunk, whole } of left) {
    const { properties, version } = chunk;
    const count = () => {
      work.rowsRead += properties;
      const selected = selectProperties(chunk, period, masks, rowMasks);
      return byValue ? countValues(chunk, selected) : countNames(chunk, selected, site.propertyNames.size);
    };
    const keep = whole && !takesHits(chunk, newestMs);
    const counts = !keep
      ? count()
      : derived.getAlways(chunk, version, key, properties * eventBytes, () => {
          const value = count();
          return { value, bytes: value.keys.length * eventBytes };
        });
    add(events, counts.keys, counts.events);
  }
  return pageOf(site, query, events, byValue);
}

/** The chunks with properties of the period; `whole`: the period has all of them. */
function piecesOf(site: ReadSite, { startMs, endMs }: Period): { chunk: Chunk; whole: boolean }[] {
  const chunks = [...site.chunks.values()];
  const hasSome = ({ propertyMinMs, propertyMaxMs }: Chunk) =>
    propertyMaxMs >= startMs && propertyMinMs <= endMs;
  const months = new Set(chunks.filter(hasSome).map(({ monthMs }) => monthMs));
  // A chunk without properties is all there, so that its month can be.
  return chunks
    .filter((chunk) => hasSome(chunk) || (chunk.properties === 0 && months.has(chunk.monthMs)))
    .map((chunk) => ({ chunk, whole: chunk.propertyMinMs >= startMs && chunk.propertyMaxMs <= endMs }));
}

function add(events: Map<number, number>, keys: Float64Array, counts: Uint32Array): void {
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as number;
    events.set(key, (events.get(key) ?? 0) + (counts[at] as number));
  }
}

/** Of names, whatever their values. */
function keysOf(names: Uint32Array): Float64Array {
  return Float64Array.from(names, (name) => name * valuesMax);
}

function countNames({ propertyName }: Chunk, selected: Uint32Array, size: number): EventCounts {
  const byName = new Uint32Array(size);
  for (let at = 0; at < selected.length; at++) {
    const name = propertyName[selected[at] as number] as number;
    byName[name] = (byName[name] as number) + 1;
  }
  const { names, events } = nameEvents(byName);
  return { keys: keysOf(names), events };
}

function countValues({ propertyName, propertyValue }: Chunk, selected: Uint32Array): EventCounts {
  const byKey = new Map<number, number>();
  for (let at = 0; at < selected.length; at++) {
    const index = selected[at] as number;
    const key = (propertyName[index] as number) * valuesMax + (propertyValue[index] as number);
    byKey.set(key, (byKey.get(key) ?? 0) + 1);
  }
  return { keys: Float64Array.from(byKey.keys()), events: Uint32Array.from(byKey.values()) };
}

/** Indexes of the selected properties of a chunk. */
function selectProperties(
  chunk: Chunk,
  { startMs, endMs }: Period,
  { names, values }: PropertyMasks,
  rowMasks: readonly (readonly [ColumnName, Mask])[],
): Uint32Array {
  const { propertyName, propertyValue, propertyRow } = chunk;
  const whole = chunk.propertyMinMs >= startMs && chunk.propertyMaxMs <= endMs;
  const kept = new Uint32Array(chunk.properties);
  let count = 0;
  for (let index = 0; index < chunk.properties; index++) {
    kept[count] = index;
    if (propertyRow[index] === movedRow) continue;
    if (names[propertyName[index] as number] === 0 || values[propertyValue[index] as number] === 0) continue;
    if (!whole && (chunk.propertyTimeMs(index) < startMs || chunk.propertyTimeMs(index) > endMs)) continue;
    count++;
  }
  for (const [column, mask] of rowMasks) {
    const ids = chunk.ids[column].values;
    let selected = 0;
    for (let at = 0; at < count; at++) {
      const index = kept[at] as number;
      kept[selected] = index;
      selected += mask[ids[propertyRow[index] as number] as number] as number;
    }
    count = selected;
  }
  return kept.subarray(0, count);
}

function pageOf(
  site: ReadSite,
  query: PropertiesQuery,
  events: ReadonlyMap<number, number>,
  byValue: boolean,
): PropertyRow[] {
  const allEvents = events.values().reduce((sum, count) => sum + count, 0);
  const nameIdOf = (key: number) => Math.floor(key / valuesMax);
  const text = (dictionary: ReadSite["propertyNames"], id: number) =>
    id === overflowId ? otherLabel : dictionary.value(id);
  const nameOf = (key: number) => text(site.propertyNames, nameIdOf(key));
  const valueOf = (key: number) => (byValue ? text(site.propertyValues, key % valuesMax) : "");
  const isOther = (key: number) =>
    nameIdOf(key) === overflowId || (byValue && key % valuesMax === overflowId);
  const order = (a: number, b: number) =>
    Number(isOther(a)) - Number(isOther(b)) ||
    (events.get(b) as number) - (events.get(a) as number) ||
    compareText(nameOf(a), nameOf(b)) ||
    compareText(valueOf(a), valueOf(b)) ||
    a - b;
  return rank([...events.keys()], order, query).map((key) => {
    const names = { name: nameOf(key), ...(byValue && { value: valueOf(key) }) };
    return propertyRow(names, isOther(key), { events: events.get(key) as number, allEvents });
  });
}
