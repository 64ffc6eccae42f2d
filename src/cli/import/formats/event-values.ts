/** Makes the properties of an event of its name and of the values that another product kept beside it, and those of a page view. */
import { propertyNameCharactersMax, propertyValueCharactersMax } from "../../../core/hit.ts";
import { noNumbers, propertyNumberMax } from "../../../core/questions/property.ts";
import type { PastProperties } from "../../../record/record.ts";

/** `number`: the value, where it is one that sums are made of. */
export type Pair = readonly [name: string, value: string, number: number | null];

/** Returns a value as it is kept: longer texts are cut, and numbers that are too great stay texts. */
export function pairOf(name: string, value: string, number: number | null): Pair {
  const isKept = number !== null && Number.isFinite(number) && Math.abs(number) <= propertyNumberMax;
  return [
    propertyName(name),
    value.slice(0, propertyValueCharactersMax).toWellFormed(),
    isKept ? number : null,
  ];
}

/** Returns an event of this name, which is a property as well. */
export function eventOf(name: string, timeMs: number, values: readonly Pair[]): PastProperties {
  const own = values.filter(([property]) => property !== name);
  return { ...ofPageView(timeMs, [[name, "true", null], ...own]), isEvent: true };
}

export function ofPageView(timeMs: number, values: readonly Pair[]): PastProperties {
  const own = values.filter(([property]) => property !== "");
  const numbers = own.map(([, , number]) => number);
  return {
    timeMs,
    isEvent: false,
    properties: own.map(([property, value]) => [property, value] as const),
    numbers: numbers.some((number) => number !== null) ? numbers : noNumbers,
  };
}

/** Returns the name of an event or of a value as it is kept. */
export function propertyName(name: string): string {
  return name.slice(0, propertyNameCharactersMax).toWellFormed();
}
