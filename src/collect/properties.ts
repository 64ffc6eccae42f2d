/** Parses the `d` of a hit into properties. Names are values here, so that `__proto__` is a name like any other. */
import { propertiesMax, propertyNameCharactersMax, propertyValueCharactersMax } from "../core/hit.ts";
import { propertyNumberMax, type Properties, type PropertyNumbers } from "../core/questions/property.ts";
import { badInput, shown, type Refusal } from "../core/refusal.ts";
import { isJsonObject } from "../lib/texts/json-object.ts";

export interface GivenProperties {
  readonly properties: Properties;
  /** The values that are numbers; missing if none is. */
  readonly numbers?: PropertyNumbers;
}

/**
 * Returns the own keys of the object in its order, with values as strings and numbers as JSON prints them. Properties
 * that are null are left out. Throws Refusal 400 for another type and past a limit.
 */
export function parseProperties(value: unknown): GivenProperties {
  if (!isJsonObject(value)) throw badInput("d", value, "an object");
  const given = Object.entries(value).filter(([, property]) => property !== null);
  if (given.length > propertiesMax) throw badInput("d", given.length, `at most ${propertiesMax} properties`);
  const properties = given.map(([name, property]) => [nameOf(name), valueOf(name, property)] as const);
  const numbers = given.map(([, property]) => numberOf(property));
  return numbers.some((number) => number !== null) ? { properties, numbers } : { properties };
}

function numberOf(value: unknown): number | null {
  // JSON allows -0.
  return typeof value === "number" && Math.abs(value) <= propertyNumberMax ? value + 0 : null;
}

function nameOf(name: string): string {
  if (name === "" || name.length > propertyNameCharactersMax)
    throw badInput("d", name, `property names of 1 to ${propertyNameCharactersMax} characters`);
  return name.toWellFormed();
}

function valueOf(name: string, value: unknown): string {
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)))
    return String(value);
  if (typeof value !== "string") throw badValue(name, value, "a string, a number or a boolean");
  if (value.length > propertyValueCharactersMax)
    throw badValue(name, value, `at most ${propertyValueCharactersMax} characters`);
  return value.toWellFormed();
}

function badValue(name: string, value: unknown, expected: string): Refusal {
  return badInput(`d[${shown(name)}]`, value, expected);
}
