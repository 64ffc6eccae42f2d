/**
 * Reads from the properties of chunks the events that reach a goal, and the numbers of their hits that it sums up. Those of a
 * whole sealed chunk are cached: 4 bytes for each event, and 12 for each number.
 */
import type { Selection } from "../../core/questions/query.ts";
import { keyOfTarget, type Target } from "../../core/website/goal.ts";
import { readEvents } from "../../facts/months/read-events.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
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
  target: Target,
  selection: Selection,
  context: QueryContext,
): Generator<GoalEvents> {
  const { events, names } = compileTargets([target], context);
  const properties = new SelectedProperties(selection, context);
  const key = `events ${keyOfTarget(target)} ${keyOf(selection.filters)}`;
  const bytesOf = ({ rows, amounts }: Events) => 4 * rows.length + 12 * amounts.length + 128;
  for (const chunk of properties.chunks) {
    const read = () => {
      const [rows, amounts, amountRows]: [number[], number[], number[]] = [[], [], []];
      const indexes = properties.of(chunk, names);
      for (const event of events)
        readEvents(chunk, indexes, event, {
          reached: (index) => rows.push(chunk.propertyRow[index]!),
          amount: (value, index) => {
            amounts.push(value);
            amountRows.push(chunk.propertyRow[index]!);
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
