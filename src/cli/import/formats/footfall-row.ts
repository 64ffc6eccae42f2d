/**
 * One line of an export as a row. Fields that are missing have the value of a row that knows nothing of them, so that a
 * file of an earlier version can be read, and one that somebody makes needs only kind, time and path.
 */
import { dimensions, unknownLabel, type DimensionName } from "../../../core/questions/dimension.ts";
import { normalizeReferrer } from "../../../core/addresses/referrer.ts";
import { pageViewOpenMs, urlCharactersMax, visibleMsMax, visitMax } from "../../../core/hit.ts";
import { propertyNameCharactersMax, propertyValueCharactersMax } from "../../../core/hit.ts";
import { noVisitValues, unknownReferrer, visitDimensions } from "../../../core/questions/stored-dimension.ts";
import { badInput } from "../../../core/refusal.ts";
import { noNumbers, propertyNumberMax } from "../../../core/questions/property.ts";
import { parseDateTime } from "../../../core/date-time.ts";
import { noPastProperties, type PastProperties } from "../../../record/record.ts";
import { visitFlag } from "../../../store/columns/row-flag.ts";
import { browserOf, countryOfCode, deviceOf, languageOfTag, osOf } from "./exported.ts";
import type { Row } from "./format.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields that are no texts. */
export const fieldTypes: Readonly<Record<string, "flag" | "number" | "list">> = {
  is_unique: "flag",
  is_first_view: "flag",
  duration_ms: "number",
  had_event: "flag",
  visit: "number",
  is_entry: "flag",
  is_exit: "flag",
  is_bounce: "flag",
  properties: "list",
};

/** A value that is on no list stays as it is; none is unknown. */
const orItself = (listed: (value: string) => string) => (value: string) => {
  const found = listed(value);
  return found === unknownLabel && value !== "" ? value : found;
};

/** How values are kept: another program may write them otherwise. What an export of this program has stays as it is. */
const keptForms: Readonly<Partial<Record<DimensionName, (value: string) => string>>> = {
  browser: orItself(browserOf),
  os: orItself(osOf),
  device: orItself(deviceOf),
  country: countryOfCode,
  language: languageOfTag,
  referrer: (value) => normalizeReferrer(value) ?? value,
};

/** `null` is one of the others. */
function keptOf(name: DimensionName, value: string | null): string | null {
  return value === null ? null : (keptForms[name]?.(value) ?? value);
}

/** Throws Refusal 400 that names the field, what came, and what is expected. */
export function footfallRow(fields: Fields, propertiesMax = Infinity): Row & Required<Pick<Row, "exported">> {
  const kind = fields["kind"];
  if (kind !== "page_view" && kind !== "event") throw badInput("kind", kind, "page_view or event");
  const isEvent = kind === "event";
  const timeMs = timeOf("time", fields["time"]);
  const others = othersOf("others", fields["others"]);
  const valueOf = (name: string, missing: string) =>
    others.includes(name) ? null : text(name, fields[name] ?? missing, urlCharactersMax);
  const unique = flag(fields, "is_unique", false);
  const first = flag(fields, "is_first_view", unique);
  if (unique && !first) throw badInput("is_first_view", false, "true where is_unique is true");
  if (fields["path"] === undefined) throw badInput("path", undefined, "the path of a page");
  const hadEvent = flag(fields, "had_event", isEvent);
  const visit = optionalNumber(fields, "visit", visitMax) ?? 0;
  return {
    kind: isEvent ? "event" : "view",
    timeMs,
    offsetMs: 0,
    hostname: "",
    values: dimensions.map(({ name }) => keptOf(name, valueOf(name, ""))),
    isInternal: false,
    utm: "",
    visitor: "",
    visit: "",
    isUnderWay: false,
    flags: isEvent ? { unique: false, seen: true } : { unique, seen: !first },
    visibleMs: isEvent ? null : (optionalNumber(fields, "duration_ms", visibleMsMax) ?? null),
    properties: propertiesOf(fields["properties"], timeMs, hadEvent, propertiesMax),
    exported: {
      visit,
      visitValues:
        visit === 0
          ? noVisitValues
          : visitDimensions.map(({ name, of }) => {
              return keptOf(of, valueOf(name, name === "visit_referrer" ? unknownReferrer : ""));
            }),
      visitFlags: visit === 0 || isEvent ? 0 : visitFlagsOf(fields),
    },
  };
}

function visitFlagsOf(fields: Fields): number {
  const isEntry = flag(fields, "is_entry", false);
  const isEngaged = isEntry && !flag(fields, "is_bounce", false);
  return (
    (isEntry ? visitFlag.entry : 0) |
    (flag(fields, "is_exit", false) ? visitFlag.exit : 0) |
    (isEngaged ? visitFlag.engaged : 0)
  );
}

/** Which of the properties came with an event is not known, but whether one did. */
function propertiesOf(
  list: unknown,
  rowMs: number,
  isEvent: boolean,
  most: number,
): readonly PastProperties[] {
  const all = list ?? [];
  if (!Array.isArray(all)) throw badInput("properties", list, "a list");
  if (all.length > most) throw badInput("properties", all.length, `at most ${most} of one row`);
  if (all.length === 0)
    return isEvent ? [{ timeMs: rowMs, isEvent, properties: [], numbers: noNumbers }] : noPastProperties;
  return all.map((property: unknown, at) => {
    const field = (name: string) => `properties[${at}].${name}`;
    if (typeof property !== "object" || property === null)
      throw badInput(`properties[${at}]`, property, "an object with name and value");
    const own = property as Fields;
    const timeMs = own["time"] === undefined ? rowMs : timeOf(field("time"), own["time"]);
    if (Math.abs(timeMs - rowMs) > pageViewOpenMs)
      throw badInput(field("time"), own["time"], "a time within a day of that of the row");
    const others = othersOf(field("others"), own["others"]);
    const { number = null } = own;
    if (number !== null && !Number.isFinite(number))
      throw badInput(field("number"), number, "a number or null");
    // A greater one is a text only, as that of a hit: any sum stays finite.
    const kept = Math.abs(number as number) <= propertyNumberMax ? (number as number | null) : null;
    const name = text(field("name"), own["name"], propertyNameCharactersMax);
    const value = text(field("value"), own["value"], propertyValueCharactersMax);
    const pair = [others.includes("name") ? null : name, others.includes("value") ? null : value] as const;
    return { timeMs, isEvent, properties: [pair], numbers: [kept] };
  });
}

/** Returns the names of fields that read `(other)`. */
function othersOf(field: string, value: unknown): readonly string[] {
  return value === undefined ? [] : text(field, value, urlCharactersMax).split(" ");
}

function timeOf(field: string, value: unknown): number {
  const timeMs = typeof value === "string" ? parseDateTime(value) : undefined;
  if (timeMs === undefined || timeMs < 0)
    throw badInput(field, value, "a time since 1970 such as 2026-01-31T12:00:00.000Z");
  return timeMs;
}

function text(field: string, value: unknown, max: number): string {
  if (typeof value === "string" && value.length <= max) return value.toWellFormed();
  throw badInput(field, value, `a text of at most ${max} characters`);
}

function flag(fields: Fields, name: string, missing: boolean): boolean {
  const value = fields[name] ?? missing;
  if (typeof value === "boolean") return value;
  throw badInput(name, value, "true or false");
}

function optionalNumber(fields: Fields, name: string, max: number): number | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max)
    return value as number;
  throw badInput(name, value, `a whole number from 0 to ${max}, or nothing`);
}
