/** The nested columns of Google Analytics' tables: objects, and lists of parameters that are each a key and a typed value. */
import { propertiesMax } from "../../../../core/hit.ts";
import { isJsonObject, jsonObject, jsonValue, type JsonObject } from "../../../../lib/texts/json-object.ts";
import { pairOf, type Pair } from "../event-values.ts";

/** The values of an event's parameters: whole numbers of BigQuery may be texts. */
export type Params = ReadonlyMap<string, Value>;

interface Value {
  readonly text: string;
  readonly isNumber: boolean;
}

/** Parses a nested column. Returns undefined for what is no object; an empty one for none. */
export function nestedFields(text: string): JsonObject | undefined {
  return text === "" || text === "null" ? {} : jsonObject(text);
}

/** Returns a text field; "" for none and for another value. */
export function fieldOf(fields: JsonObject, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Parses the list of parameters, of those with one name the first. Returns undefined for what is no list of them. */
export function paramsOf(text: string): Params | undefined {
  const params = new Map<string, Value>();
  if (text === "" || text === "null") return params;
  const list = jsonValue(text);
  if (!Array.isArray(list)) return undefined;
  for (const param of list as readonly unknown[]) {
    if (!isJsonObject(param) || typeof param["key"] !== "string") return undefined;
    const value = valueOf(param["value"]);
    if (value !== undefined && !params.has(param["key"])) params.set(param["key"], value);
  }
  return params;
}

export function textOf(value: Value | undefined): string {
  return value?.text ?? "";
}

/** Returns the parameters that are no part of what Google's script itself sends. */
export function valuesOf(params: Params): Pair[] {
  const own = [...params].filter(([name]) => !isGoogles(name.toLowerCase()));
  // One is the name of the event itself.
  return own.slice(0, propertiesMax - 1).map(([name, { text, isNumber }]) => {
    return pairOf(name, text, isNumber ? Number(text) : null);
  });
}

/**
 * Parameters that say what the page view says, that are for Google's own use, or that tell somebody from others: without the
 * marks between words, which differ.
 */
const ofPage = "pagelocation pagetitle pagereferrer pagepath pagehostname entrances alldata";
const ofTime = "engagementtimemsec sessionengaged engagedsessionevent cleanevent syntheticbundle";
const ofSource =
  "source medium campaign term content campaignid campaigninfosource creativeformat marketingtactic " +
  "sourceplatform ignorereferrer debugmode uniquesearchterm anonymizeip";
const ofClick = "gclid dclid gclsrc wbraid gbraid srsltid fbclid msclkid";
const ofSomebody =
  "userid uid userpseudoid clientid cid sessionid deviceid visitorid customerid accountid transactionid orderid " +
  "email emailaddress useremail username login phone phonenumber ip ipaddress";
const googlesNames: ReadonlySet<string> = new Set(
  [ofPage, ofTime, ofSource, ofClick, ofSomebody].flatMap((names) => names.split(" ")),
);
const googlesPrefix = /^(?:ga_|batch_|firebase_|gtm\.)/;

function isGoogles(name: string): boolean {
  return googlesPrefix.test(name) || googlesNames.has(name.replaceAll(/[_\s.-]/g, ""));
}

/** The typed fields of a value, one of which is given. */
const numberFields = ["int_value", "float_value", "double_value"];

function valueOf(value: unknown): Value | undefined {
  if (!isJsonObject(value)) return undefined;
  const text = value["string_value"];
  if (typeof text === "string") return { text, isNumber: false };
  const given = numberFields.map((field) => value[field]).find((number) => number != null);
  if (typeof given === "number") return { text: String(given), isNumber: true };
  if (typeof given === "string" && given !== "") return { text: given, isNumber: true };
  return undefined;
}
