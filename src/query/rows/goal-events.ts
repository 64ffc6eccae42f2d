/** Reads from the properties of a chunk the events that reach a goal, and the numbers of their hits that it sums up. */
import type { CompiledEvent } from "../../facts/months/converted.ts";
import type { Chunk } from "../../store/columns/chunk.ts";

interface EventReader {
  /** Takes the row of each event. */
  readonly reached?: (row: number) => void;
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
    reached?.(propertyRow[index]!);
    if (numbers.length > 0) hits.add(hitOf(index));
  }
  for (const index of numbers)
    if (hits.has(hitOf(index))) amount(propertyNumber[index]!, propertyRow[index]!);
}
