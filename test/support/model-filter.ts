/**
 * The model's filters: they select the page views and properties of a question, and are written from the rules and
 * nothing else.
 */
import { dimensions, type DimensionName } from "../../src/core/dimension.ts";
import type { Filter, Period } from "../../src/core/query.ts";
import { referrerGroup } from "../../src/query/names/referrer-groups.ts";
import type { ModelProperty, ModelValue, PageView } from "./model.ts";

/** What the model calls a language or country; remembered, because asking takes a microsecond. */
const remembered = new Map<string, string>();
function nameOf(type: "language" | "region", code: string): string {
  if (code === "") return "Unknown";
  const key = `${type} ${code}`;
  const name =
    remembered.get(key) ??
    new Intl.DisplayNames("en", { type, languageDisplay: "dialect", fallback: "none" }).of(code) ??
    "Unknown";
  remembered.set(key, name);
  return name;
}

/** Norwegians have two tags. */
const twinsOf = (tag: string) => {
  const [language = "", ...rest] = tag.split("-");
  const languages = ["no", "nb"].includes(language) ? ["no", "nb"] : [language];
  return languages.map((each) => [each, ...rest].join("-"));
};
const languageOf = (tag: string) => tag.replace(/-.*/, "");

/** What a row of a list is called. */
export function labelOf(
  name: DimensionName,
  value: string,
  { grouped, locale }: { readonly grouped: boolean; readonly locale: boolean },
): string {
  if (name === "referrer" && grouped) return referrerGroup(value);
  if (name === "country") return nameOf("region", value);
  if (name === "language")
    return nameOf("language", twinsOf(locale ? value : languageOf(value))[0] as string);
  return value;
}

/** All that a filter may compare with. */
function formsOf(name: Filter["name"], value: string): string[] {
  if (name === "path") return [value, decoded(value)];
  if (name === "referrer") return [value, referrerGroup(value)];
  if (name === "country") return [nameOf("region", value)];
  if (name === "language") {
    const tags = twinsOf(value);
    const common = tags[0] as string;
    return [
      ...tags,
      ...tags.map(languageOf),
      ...[common, languageOf(common)].map((tag) => nameOf("language", tag)),
    ];
  }
  return [value];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A URL as referrers are stored. */
function operandOf(name: Filter["name"], operand: string): string {
  if (name !== "referrer" || !/^https?:\/\//i.test(operand) || !URL.canParse(operand)) return operand;
  const { hostname, pathname } = new URL(operand);
  return `${hostname.replace(/^www\./, "")}${pathname}`.replace(/\/$/, "");
}

export function matches(filter: Filter, value: ModelValue): boolean {
  const negative = filter.operator.startsWith("not_") || filter.operator === "neq";
  if (value === null) return negative;
  const operands = filter.operands.map((operand) => operandOf(filter.name, operand).toLowerCase());
  const [operand = ""] = operands;
  const holds = formsOf(filter.name, value).some((text) => {
    const form = text.toLowerCase();
    const operator = filter.operator.replace("not_", "");
    if (operator === "contains") return form.includes(operand);
    if (operator === "starts_with") return form.startsWith(operand);
    if (operator === "ends_with") return form.endsWith(operand);
    return operands.includes(form);
  });
  return holds !== negative;
}

/** Filters on `prop_name` and `prop_value`: all of them of one property. */
export function propertyMatches(filters: readonly Filter[], { name, value }: ModelProperty): boolean {
  return filters.every((filter) => {
    if (filter.name === "prop_name") return matches(filter, name);
    return filter.name !== "prop_value" || matches(filter, value);
  });
}

export function dimensionsMatch(filters: readonly Filter[], values: readonly ModelValue[]): boolean {
  return filters.every((filter) => {
    const index = dimensions.findIndex(({ name }) => name === filter.name);
    return index < 0 || matches(filter, values[index] as ModelValue);
  });
}

export function pageViewMatches(filters: readonly Filter[], { values, properties }: PageView): boolean {
  const asksForProperty = filters.some(({ name }) => name.startsWith("prop_"));
  const fits = properties.some((property) => propertyMatches(filters, property));
  return dimensionsMatch(filters, values) && (fits || !asksForProperty);
}

export function within({ startMs, endMs }: Period, timeMs: number): boolean {
  return timeMs >= startMs && timeMs <= endMs;
}
