/**
 * Reads from the properties of chunks the events that reach a goal, and the numbers of their hits that it sums up. Those of a
 * whole sealed chunk are cached: 4 bytes for each event, and 12 for each number.
 */
import type { Selection } from "../../core/questions/query.ts";
import { keyOfTarget, type Target } from "../../core/website/goal.ts";
import type { CompiledEvent } from "../../facts/months/converted.ts";
import type { Chunk } from "../../store/columns/chunk.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import type { QueryContext } from "../cache/context.ts";
import { keyOf } from "../rows/filters/mask.ts";
import { compileTargets } from "../rows/filters/targets.ts";
import { cachedOfWhole } from "../rows/selected-visits.ts";
import { SelectedProperties } from "../rows/selected-properties.ts";

/** The events of a chunk that reach a goal, and the numbers that came with them, by their rows in the chunk. */
export interface GoalEvents extends Events {
  readonly chunk: Chunk;
}

interface Events {
  readonly rows: Uint32Array;
  readonly amounts: Float64Array;
  /** By amount: the row of its hit. */
  readonly amountRows: Uint32Array;
}

/** Returns the events of a goal in the selected rows, chunk by chunk. Throws Cancelled. */
export function* goalEvents(
  site: ReadSite,
  target: Target,
  selection: Selection,
  context: QueryContext,
): Generator<GoalEvents> {
  const { events, names } = compileTargets(site, [target], context);
  const properties = new SelectedProperties(site, selection, context);
  const key = `events ${keyOfTarget(target)} ${keyOf(selection.filters)}`;
  const bytesOf = ({ rows, amounts }: Events) => 4 * rows.length + 12 * amounts.length + 128;
  for (const chunk of properties.chunks) {
    const read = () => {
      const [rows, amounts, amountRows]: [number[], number[], number[]] = [[], [], []];
      const indexes = properties.of(chunk, names);
      for (const event of events)
        readEvents(chunk, indexes, event, {
          reached: (row) => rows.push(row),
          amount: (value, row) => {
            amounts.push(value);
            amountRows.push(row);
          },
        });
      return {
        rows: Uint32Array.from(rows),
        amounts: Float64Array.from(amounts),
        amountRows: Uint32Array.from(amountRows),
      };
    };
    yield { chunk, ...cachedOfWhole(chunk, selection, key, context, read, bytesOf) };
  }
}

interface EventReader {
  /** Takes the row of each event. */
  readonly reached: (row: number) => void;
  /** Takes each number that came with one, and the row of both. */
  readonly amount: (value: number, row: number) => void;
}

/** `indexes`: the properties that are selected, of all names that the event or its amount has; rising. */
export function readEvents(
  chunk: Chunk,
  indexes: Uint32Array,
  { names, values, amounts }: Omit<CompiledEvent, "index">,
  { reached, amount }: EventReader,
): void {
  const { propertyName, propertyValue, propertyRow, propertyTime, propertyNumber } = chunk;
  // A hit is known by its row and its time.
  const hitOf = (index: number) => propertyRow[index]! * 2 ** 32 + propertyTime[index]!;
  const isNumber = (index: number) =>
    amounts?.[propertyName[index]!] === 1 && !Number.isNaN(propertyNumber[index]);
  const numbers = indexes.filter(isNumber);
  const hits = new Set<number>();
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at]!;
    if (names[propertyName[index]!] === 0 || values[propertyValue[index]!] === 0) continue;
    reached(propertyRow[index]!);
    if (numbers.length > 0) hits.add(hitOf(index));
  }
  for (const index of numbers)
    if (hits.has(hitOf(index))) amount(propertyNumber[index]!, propertyRow[index]!);
}
