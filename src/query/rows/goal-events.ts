/** Reads from the properties of a chunk the events that reach a goal, and the numbers of their hits that it sums up. */
import type { CompiledEvent } from "../../facts/months/converted.ts";
import type { Chunk } from "../../store/columns/chunk.ts";

interface EventReader {
  /** Takes the visit of each event; 0 for none. */
  readonly reached?: (visit: number) => void;
  /** Takes each number that came with one, and the visit of both. */
  readonly amount: (value: number, visit: number) => void;
}

/** `indexes`: the properties that are selected, of all names that the event or its amount has; rising. */
export function readEvents(
  chunk: Chunk,
  indexes: Uint32Array,
  { names, values, amounts }: Omit<CompiledEvent, "index">,
  { reached, amount }: EventReader,
): void {
  const { propertyName, propertyValue, propertyRow, propertyTime, propertyNumber, visit } = chunk;
  // A hit is known by its row and its time.
  const hitOf = (index: number) => propertyRow[index]! * 2 ** 32 + propertyTime[index]!;
  const isNumber = (index: number) =>
    amounts?.[propertyName[index]!] === 1 && !Number.isNaN(propertyNumber[index]);
  const numbers = indexes.filter(isNumber);
  const hits = new Set<number>();
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at]!;
    if (names[propertyName[index]!] === 0 || values[propertyValue[index]!] === 0) continue;
    reached?.(visit[propertyRow[index]!]!);
    if (numbers.length > 0) hits.add(hitOf(index));
  }
  for (const index of numbers)
    if (hits.has(hitOf(index))) amount(propertyNumber[index]!, visit[propertyRow[index]!]!);
}
