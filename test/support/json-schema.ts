/**
 * Compares a value with a JSON Schema of an OpenAPI document, as strict clients do. It knows the keywords that the document
 * uses, and throws for any other.
 */
import { parseHostname } from "../../src/core/addresses/hostname.ts";
import { parseDateTime } from "../../src/core/date-time.ts";

type Json = Readonly<Record<string, unknown>>;
type Keyword = (value: unknown, given: never, schema: Json, mismatches: Mismatches) => boolean;
/** Returns what does not fit, as places in the value with the keyword that they break; nothing for a value that fits. */
type Mismatches = (value: unknown, schema: Json, at: string) => string[];

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const typeOf = (value: unknown) =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "array"
      : typeof value === "object"
        ? "object"
        : typeof value;
const has = (value: Json, names: readonly string[]) => names.every((name) => Object.hasOwn(value, name));
/** A keyword that only says something of objects, of texts, of numbers, of lists. */
const ofObject = (check: (value: Json, given: never) => boolean) => (value: unknown, given: never) =>
  !isObject(value) || check(value, given);
const ofText = (check: (value: string, given: never) => boolean) => (value: unknown, given: never) =>
  typeof value !== "string" || check(value, given);
const ofNumber = (check: (value: number, given: number) => boolean) => (value: unknown, given: never) =>
  typeof value !== "number" || check(value, given);
const ofList =
  (check: (value: readonly unknown[], given: never) => boolean) => (value: unknown, given: never) =>
    !Array.isArray(value) || check(value, given);
const fits = (value: unknown, schema: Json, mismatches: Mismatches) =>
  mismatches(value, schema, "").length === 0;

/** Others are taken as they come. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  hostname: (text) => parseHostname(text) === text,
  "date-time": (text) => parseDateTime(text) !== undefined,
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text),
};

const keywords: Readonly<Record<string, Keyword>> = {
  description: () => true,
  format: ofText((value, name: string) => formats[name]?.(value) ?? true),
  default: () => true,
  type: (value, type: string) => (type === "integer" ? Number.isInteger(value) : typeOf(value) === type),
  const: (value, given: unknown) => value === given,
  enum: (value, given: readonly unknown[]) => given.includes(value),
  required: ofObject((value, names: readonly string[]) => has(value, names)),
  minProperties: ofObject((value, least: number) => Object.keys(value).length >= least),
  maxProperties: ofObject((value, most: number) => Object.keys(value).length <= most),
  dependentRequired: ofObject((value, given: Readonly<Record<string, string[]>>) =>
    Object.entries(given).every(([name, others]) => !has(value, [name]) || has(value, others)),
  ),
  dependentSchemas: (value, given: Readonly<Record<string, Json>>, _, mismatches) =>
    Object.entries(given).every(
      ([name, schema]) => !isObject(value) || !has(value, [name]) || fits(value, schema, mismatches),
    ),
  propertyNames: (value, given: Json, _, mismatches) =>
    !isObject(value) || Object.keys(value).every((name) => fits(name, given, mismatches)),
  minLength: ofText((value, least: number) => value.length >= least),
  maxLength: ofText((value, most: number) => value.length <= most),
  pattern: ofText((value, pattern: string) => new RegExp(pattern, "u").test(value)),
  minimum: ofNumber((value, least) => value >= least),
  maximum: ofNumber((value, most) => value <= most),
  minItems: ofList((value, least: number) => value.length >= least),
  maxItems: ofList((value, most: number) => value.length <= most),
  uniqueItems: ofList((value) => new Set(value).size === value.length),
  anyOf: (value, given: readonly Json[], _, mismatches) =>
    given.some((schema) => fits(value, schema, mismatches)),
  oneOf: (value, given: readonly Json[], _, mismatches) =>
    given.filter((schema) => fits(value, schema, mismatches)).length === 1,
};

/** Returns the mismatches of what is inside of an object or a list. `unnamed`: the schema of fields without one. */
function inside(
  value: unknown,
  schema: Json,
  at: string,
  mismatches: Mismatches,
  unnamed: Json | false,
): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return value.flatMap((item, index) =>
      items === undefined ? [] : mismatches(item, items as Json, `${at}/${index}`),
    );
  }
  if (!isObject(value)) return [];
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Json>>;
  const [pattern] = Object.values(schema["patternProperties"] ?? {});
  const hasForms = "anyOf" in schema || "oneOf" in schema;
  const others = pattern ?? schema["additionalProperties"] ?? (hasForms ? {} : unnamed);
  return Object.entries(value).flatMap(([name, part]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : others;
    return own === false ? [`${at}/${name} is not allowed`] : mismatches(part, own as Json, `${at}/${name}`);
  });
}

/**
 * Returns a function that says what of a value does not fit a schema. `schemas`: those that others refer to, by name;
 * `unnamed`: the schema of fields for which a schema has none, or false if there may be no such fields.
 */
export function mismatchesOf(
  schemas: Readonly<Record<string, object>>,
  unnamed: Json | false = {},
): (value: unknown, schema: object) => string[] {
  const mismatches: Mismatches = (value, schema, at) => {
    const { $ref, properties, patternProperties, additionalProperties, items, ...own } = schema;
    if (typeof $ref === "string") {
      const name = $ref.replace("#/components/schemas/", "");
      const referred = schemas[name];
      if (referred === undefined) throw new Error(`there is no schema ${name}`);
      return mismatches(value, referred as Json, at);
    }
    const broken = Object.entries(own).filter(([name, given]) => {
      const keyword = keywords[name];
      if (keyword === undefined) throw new Error(`${name} is no keyword that this knows`);
      return !keyword(value, given as never, schema, mismatches);
    });
    return [
      ...broken.map(([name, given]) => `${at} breaks ${name} ${JSON.stringify(given)}`),
      ...inside(value, schema, at, mismatches, unnamed),
    ];
  };
  return (value, schema) => mismatches(value, schema as Json, "");
}
