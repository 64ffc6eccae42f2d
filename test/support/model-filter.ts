/**
 * The model's filters: they select the page views and properties of a question, and are written from the rules and
 * nothing else.
 */
import type { ListedDimension } from "../../src/core/questions/dimension.ts";
import {
  dimensionIndex,
  ownDimension,
  unknownReferrer,
  type RowName,
} from "../../src/core/questions/stored-dimension.ts";
import type { Filter, Period } from "../../src/core/questions/query.ts";
import { referrerGroup } from "../../src/query/names/referrer-groups.ts";
import { modelChannel } from "./model-channels.ts";
import type { Hit, ModelProperty, ModelValue } from "./model.ts";

/** The names of languages and countries in the model. They are kept, because asking takes a microsecond. */
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

/** Names the row of a list that a value belongs to. */
export function labelOf(
  name: ListedDimension["name"],
  value: string,
  { grouped, locale }: { readonly grouped: boolean; readonly locale: boolean },
): string {
  if (name === "referrer" && value === unknownReferrer) return "Unknown";
  if (name === "referrer" && grouped) return referrerGroup(value);
  if (name === "country") return nameOf("region", value);
  if (name === "language")
    return nameOf("language", twinsOf(locale ? value : languageOf(value))[0] as string);
  return value;
}

/** All that a filter may compare with. */
function formsOf(filter: Filter["name"], value: string): string[] {
  const name = ownDimension(filter as RowName);
  if (name === "path") return [value, decoded(value)];
  if (name === "referrer") return value === unknownReferrer ? ["Unknown"] : [value, referrerGroup(value)];
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
  if (!name.endsWith("referrer") || !/^https?:\/\//i.test(operand) || !URL.canParse(operand)) return operand;
  const { hostname, pathname } = new URL(operand);
  return `${hostname.replace(/^www\./, "")}${pathname}`.replace(/\/$/, "");
}

/** The operands of the filter that was asked for last: a question asks it about one value after the other. */
let latest: { readonly filter?: Filter; readonly operands: readonly string[] } = { operands: [] };

function operandsOf(filter: Filter): readonly string[] {
  const { name, operands } = filter;
  if (latest.filter !== filter)
    latest = { filter, operands: operands.map((operand) => operandOf(name, operand).toLowerCase()) };
  return latest.operands;
}

export function matches(filter: Filter, value: ModelValue): boolean {
  const negative = filter.operator.startsWith("not_") || filter.operator === "neq";
  if (value === null) return negative;
  const operands = operandsOf(filter);
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

export function dimensionsMatch(
  filters: readonly Filter[],
  values: readonly ModelValue[],
  by?: "visit",
): boolean {
  return filters.every((filter) => {
    const { name } = filter;
    return name === "prop_name" || name === "prop_value" || matches(filter, valueOf(name, values, by));
  });
}

/**
 * The value of a dimension; the channel is none of the values, but follows from them. `by` "visit": that of the source
 * of the visit, where a visit has one.
 */
export function valueOf(name: RowName, values: readonly ModelValue[], by?: "visit"): ModelValue {
  const ofVisit = `visit_${name}` as RowName;
  if (by === "visit" && (ofVisit in dimensionIndex || name === "channel")) return valueOf(ofVisit, values);
  const stored = (of: keyof typeof dimensionIndex) => values[dimensionIndex[of]] as ModelValue;
  if (name === "channel")
    return modelChannel(
      stored("referrer"),
      stored("utm_source"),
      stored("utm_medium"),
      stored("utm_campaign"),
    );
  if (name === "visit_channel")
    return modelChannel(
      stored("visit_referrer"),
      stored("visit_utm_source"),
      stored("visit_utm_medium"),
      stored("visit_utm_campaign"),
    );
  return stored(name);
}

export function pageViewMatches(
  filters: readonly Filter[],
  { values, properties }: Pick<Hit, "values" | "properties">,
  by?: "visit",
): boolean {
  const asksForProperty = filters.some(({ name }) => name.startsWith("prop_"));
  const fits = () => properties.some((property) => propertyMatches(filters, property));
  return dimensionsMatch(filters, values, by) && (!asksForProperty || fits());
}

export function within({ startMs, endMs }: Period, timeMs: number): boolean {
  return timeMs >= startMs && timeMs <= endMs;
}
