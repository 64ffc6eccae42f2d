/** Values that fit a JSON Schema of the OpenAPI document, or nearly do. */
import { oddJson, oddText, type Picker } from "./odd-values.ts";

export interface Schema {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly format?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

function formsOf({ anyOf, oneOf }: Schema): readonly Schema[] | undefined {
  return anyOf ?? oneOf;
}

/** Values that a schema does not tell, by the name of the parameter, or of the field behind `body.`. */
export type Hints = Readonly<Record<string, (picker: Picker) => unknown>>;

export function goodValue(schema: Schema, picker: Picker, hints: Hints, name = ""): unknown {
  const hint = hints[name];
  if (hint !== undefined) return hint(picker);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return picker.of(schema.enum);
  const forms = formsOf(schema);
  if (forms !== undefined) return goodValue(picker.of(forms), picker, hints);
  const { minimum = 0, maximum = 1_000, minItems = 0, minLength = 0 } = schema;
  switch (schema.type) {
    case "string":
      return goodText(schema.format, picker, minLength);
    case "boolean":
      return picker.chance(0.5);
    case "integer":
      return picker.of([minimum, maximum, minimum + picker.below(maximum - minimum + 1)]);
    case "number":
      return picker.random() * 100;
    case "array": {
      const items = Array.from({ length: minItems + picker.below(3) }, () =>
        goodValue(schema.items ?? {}, picker, hints, `${name}[]`),
      );
      return [...new Set(items)];
    }
    default:
      return goodObject(schema, picker, hints);
  }
}

function goodText(format: string | undefined, picker: Picker, minLength: number): string {
  if (format === "hostname") return `host-${picker.below(1_000_000)}.example`;
  if (format === "date-time") return new Date(Date.now() - picker.below(40 * 86_400_000)).toISOString();
  return picker.of(["a", "ab", "page", "\u00e9", "/page-1", "Firefox"]).padEnd(minLength, "x");
}

function goodObject(schema: Schema, picker: Picker, hints: Hints): unknown {
  const { properties = {}, patternProperties = {}, required = [] } = schema;
  const named = Object.entries(properties).filter(([name]) => required.includes(name) || picker.chance(0.5));
  const [other] = Object.values(patternProperties);
  const more =
    other === undefined ? [] : Array.from({ length: picker.below(4) }, (_, at) => [`name-${at}`, other]);
  return Object.fromEntries(
    [...named, ...(more as [string, Schema][])].map(([name, own]) => [
      name,
      goodValue(own, picker, hints, `body.${name}`),
    ]),
  );
}

/** The JSON of a good value in which one thing is wrong, or odd at least; or what is no JSON. */
export function badJson(schema: Schema, picker: Picker, hints: Hints): string {
  const forms = formsOf(schema);
  if (forms !== undefined) return badJson(picker.of(forms), picker, hints);
  const good = goodValue(schema, picker, hints);
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0 || picker.chance(0.15)) return oddJson(picker);
  const text = JSON.stringify(good);
  if (picker.chance(0.1)) return text.slice(0, picker.below(text.length));
  const name = picker.of(names);
  const without = Object.entries(good as Values).filter(([each]) => each !== name);
  const odd = picker.chance(0.5) ? JSON.stringify(oddText(picker)) : oddJson(picker);
  const fields = without.map(([each, value]) => `${JSON.stringify(each)}:${JSON.stringify(value)}`);
  if (picker.chance(0.8)) fields.push(`${JSON.stringify(name)}:${odd}`);
  return `{${fields.join()}}`;
}
