/** Reads the events of a chunk that reach a goal, and the numbers of their hits that it sums up. */
import type { Chunk } from "../../store/chunks/chunk.ts";

/** A goal that is an event, as the ids of the website that reach it. A mask has a byte for each id. */
export interface CompiledEvent {
  /** The index of the goal. */
  readonly index: number;
  readonly names: Uint8Array;
  readonly values: Uint8Array;
  /** The names whose numbers are summed up; undefined if none are. */
  readonly amounts: Uint8Array | undefined;
}

interface EventReader {
  /** Takes the index of each event among the properties. */
  readonly reached: (index: number) => void;
  /** Takes each number that came with one, and its own index. All events come first. */
  readonly amount: (value: number, index: number) => void;
}

/** `indexes`: the properties that are read, at least those of all names that the event or its amount has; rising. */
export function readEvents(
  chunk: Chunk,
  indexes: Uint32Array,
  { names, values, amounts }: Omit<CompiledEvent, "index">,
  { reached, amount }: EventReader,
): void {
  const { propertyName, propertyValue, propertyNumber } = chunk;
  const isNumber = (index: number) =>
    amounts?.[propertyName[index]!] === 1 && !Number.isNaN(propertyNumber[index]);
  const numbers = indexes.filter(isNumber);
  const hits = new Set<number>();
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at]!;
    if (names[propertyName[index]!] === 0 || values[propertyValue[index]!] === 0) continue;
    reached(index);
    if (numbers.length > 0) hits.add(hitOf(chunk, index));
  }
  for (const index of numbers) if (hits.has(hitOf(chunk, index))) amount(propertyNumber[index]!, index);
}

/** Returns a number for the hit that a property came with: it is known by its row and its time (store/state/hit-time.ts). */
export function hitOf({ propertyRow, propertyTime }: Chunk, index: number): number {
  return propertyRow[index]! * 2 ** 32 + propertyTime[index]!;
}
