/**
 * The page views of one commit of an import, as they come through the control socket: they are checked before they are
 * logged.
 */
import { dimensions } from "../../core/questions/dimension.ts";
import { pageViewOpenMs, propertiesMax } from "../../core/hit.ts";
import { noNumbers } from "../../core/questions/property.ts";
import { noVisitValues, visitDimensions } from "../../core/questions/stored-dimension.ts";
import { badInput } from "../../core/refusal.ts";
import { fieldsOf } from "../../engine/admin/fields.ts";
import { noPastProperties, type PastLoad, type PastProperties, type RecordOf } from "../../record/record.ts";

export type ImportBatch = Omit<RecordOf<"import">, "kind" | "timeMs">;

/** More than an import sends: all page views that wait, and one batch. */
const loadsMax = 30_000;
const sha256 = /^[0-9a-f]{64}$/;

/** Parses a batch. Throws Refusal 400 naming the field. */
export function parseBatch(body: unknown): ImportBatch {
  const { websiteId, file, fromPosition, position, digest, loads, isPartial = false } = fieldsOf(body);
  const from = natural("fromPosition", fromPosition);
  const to = natural("position", position);
  // A file that is set back begins again.
  if (to < from && to > 0) throw badInput("position", to, `${from} or more`);
  if (!Array.isArray(loads) || loads.length > loadsMax)
    throw badInput("loads", loads, `a list of at most ${loadsMax} page views`);
  return {
    websiteId: natural("websiteId", websiteId),
    file: parseHash("file", file),
    fromPosition: from,
    position: to,
    digest: parseHash("digest", digest),
    loads: loads.map(parseLoad),
    isPartial: flag("isPartial", isPartial),
  };
}

function parseLoad(load: unknown): PastLoad {
  const fields = fieldsOf(load);
  const { unique, seen, values, visit = 0, visitValues = noVisitValues } = fields;
  const { visibleMs = null, properties = noPastProperties, isBare = false, visitFlags = null } = fields;
  if (typeof unique !== "boolean" || typeof seen !== "boolean")
    throw badInput("loads", load, "page views with unique and seen");
  const timeMs = natural("timeMs", fields["timeMs"]);
  return {
    timeMs,
    unique,
    seen,
    values: strings(values, dimensions.length),
    visit: natural("visit", visit),
    visitValues: strings(visitValues, visitDimensions.length),
    visibleMs: visibleMs === null ? null : natural("visibleMs", visibleMs),
    properties: properties === noPastProperties ? noPastProperties : parsePastProperties(properties, timeMs),
    isBare: flag("isBare", isBare),
    ...(visitFlags !== null && { visitFlags: natural("visitFlags", visitFlags) }),
  };
}

/** Parses the properties of a page view, none of which is further from it than an event may be. */
function parsePastProperties(given: unknown, loadMs: number): readonly PastProperties[] {
  if (!Array.isArray(given)) throw badInput("properties", given, "a list");
  if (given.length === 0) return noPastProperties;
  return given.map((own) => {
    const fields = fieldsOf(own);
    const timeMs = natural("timeMs", fields["timeMs"]);
    if (Math.abs(timeMs - loadMs) > pageViewOpenMs)
      throw badInput("timeMs", timeMs, "a time within a day of the page view");
    const { properties, numbers = noNumbers } = fields;
    return {
      timeMs,
      isEvent: flag("isEvent", fields["isEvent"]),
      properties: list(properties).map((pair) => strings(pair, 2) as [string | null, string | null]),
      numbers:
        list(numbers).length === 0
          ? noNumbers
          : list(numbers).map((number) => (number === null ? null : finite(number))),
    };
  });
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value) && value.length <= propertiesMax) return value;
  throw badInput("properties", value, `a list of at most ${propertiesMax}`);
}

function finite(value: unknown): number {
  if (Number.isFinite(value)) return value as number;
  throw badInput("numbers", value, "a number");
}

/** null is a value that is not kept apart. */
function strings(values: unknown, count: number): readonly (string | null)[] {
  const isList = Array.isArray(values) && values.length === count;
  if (isList && values.every((value) => value === null || typeof value === "string")) return values;
  throw badInput("loads", values, "a string for each dimension");
}

function flag(field: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw badInput(field, value, "true or false");
}

function natural(field: string, value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw badInput(field, value, "a whole number");
  return value as number;
}

export function parseHash(field: string, value: unknown): string {
  if (typeof value !== "string" || !sha256.test(value)) throw badInput(field, value, "a SHA-256 in hex");
  return value;
}
