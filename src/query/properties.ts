/** The list of custom properties: names with their events, or the values of the names that are asked for. */
import { otherLabel, type ColumnName } from "../core/dimension.ts";
import type { Period, PropertiesQuery, PropertyRow } from "../core/query.ts";
import { movedRow, type Chunk } from "../store/chunk.ts";
import { overflowId } from "../store/dictionary.ts";
import type { ReadSite } from "../store/read-site.ts";
import { percent } from "./count.ts";
import { compareText, rank } from "./rank.ts";
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
  for (const chunk of site.chunks.values()) {
    const { properties, propertyMinMs, propertyMaxMs, version } = chunk;
    if (propertyMaxMs < period.startMs || propertyMinMs > period.endMs) continue;
    const whole = propertyMinMs >= period.startMs && propertyMaxMs <= period.endMs;
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
    for (let at = 0; at < counts.keys.length; at++) {
      const of = counts.keys[at] as number;
      events.set(of, (events.get(of) ?? 0) + (counts.events[at] as number));
    }
  }
  return pageOf(site, query, events, byValue);
}

function countNames({ propertyName }: Chunk, selected: Uint32Array, names: number): EventCounts {
  const byName = new Uint32Array(names);
  for (let at = 0; at < selected.length; at++) {
    const name = propertyName[selected[at] as number] as number;
    byName[name] = (byName[name] as number) + 1;
  }
  const found = Array.from(byName.keys()).filter((name) => (byName[name] as number) > 0);
  return {
    keys: Float64Array.from(found, (name) => name * valuesMax),
    events: Uint32Array.from(found, (name) => byName[name] as number),
  };
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
  const eventsOfAll = events.values().reduce((sum, count) => sum + count, 0);
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
  return rank([...events.keys()], order, query).map((key): PropertyRow => ({
    name: nameOf(key),
    ...(byValue && { value: valueOf(key) }),
    events: events.get(key) as number,
    events_percentage: percent(events.get(key) as number, eventsOfAll),
    ...(isOther(key) && { other: true as const }),
  }));
}
