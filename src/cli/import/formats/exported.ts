/** Makes a row of what another product exported: its names of browsers, countries and languages become those kept here. */
import { browserNames, deviceNames, osNames } from "../../../collect/visitor/names.ts";
import { languageOf } from "../../../collect/visitor/language.ts";
import { pageOf } from "../../../collect/page.ts";
import { utmOf } from "../../../collect/visits/visit-rules.ts";
import { dimensions, unknownLabel, type DimensionName } from "../../../core/questions/dimension.ts";
import { referrerCharactersMax, utmCharactersMax, visibleMsMax } from "../../../core/hit.ts";
import { bareHost, normalizeReferrer } from "../../../core/addresses/referrer.ts";
import { remembering } from "../../../lib/collections/lru.ts";
import { noPastProperties } from "../../../record/record.ts";
import type { ReaderContext, Row } from "./format.ts";
import type { LogTime } from "./logs/log-line.ts";

type Dimensions = Readonly<Partial<Record<DimensionName, string>>>;

/** A page view or event as the export has it. */
export interface Exported extends Partial<Omit<Row, "values" | "isInternal" | "utm">> {
  readonly time: LogTime;
  /** The path, perhaps with a query, from which utm values are taken. */
  readonly target: string;
  /** A URL; host and path without a scheme, or a name; "" for none. */
  readonly referrer: string;
  /** The values of dimensions that are known; utm values here come before those of the query. */
  readonly dimensions: Dimensions;
}

/** Returns undefined for a path that no hit could have. */
export function exportedRow(exported: Exported, { hostname }: ReaderContext): Row | undefined {
  const { time, target, referrer: given, dimensions: known, visibleMs = null, ...rest } = exported;
  const page = pageOf(`http://localhost${target.startsWith("/") ? "" : "/"}${target}`);
  if (page === undefined) return undefined;
  const own = bareHost(rest.hostname || hostname);
  const referrer = referrerOf(given);
  const isInternal = referrer === own || referrer.startsWith(`${own}/`);
  const utm = Object.fromEntries(
    Object.entries(page.utm).map(([name, value]) => [
      name,
      (known[name as DimensionName] || value).slice(0, utmCharactersMax).toWellFormed(),
    ]),
  ) as typeof page.utm;
  const values: Dimensions = {
    ...known,
    ...utm,
    path: page.path,
    referrer: isInternal ? "" : referrer,
  };
  return {
    kind: "view",
    hostname: "",
    visitor: "",
    visit: "",
    isUnderWay: false,
    flags: undefined,
    properties: noPastProperties,
    ...rest,
    visibleMs: visibleMs === null ? null : Math.min(Math.floor(visibleMs), visibleMsMax),
    ...time,
    values: dimensions.map(({ name }) => values[name] ?? (unknownNames.has(name) ? unknownLabel : "")),
    isInternal,
    utm: utmOf({ ...page, utm }),
  };
}

/** The dimensions whose unknown value has a name of its own. */
const unknownNames: ReadonlySet<DimensionName> = new Set(["browser", "os", "device"]);

/** The beginning of a referrer that has no scheme: whether it is a host shows a dot that is neither first nor last. */
const firstPart = /^[^\s/:]*(?=[/:]|$)/;

/** Returns a referrer as it is kept; a name of a source stays as it is. A longer text is cut, as that of a hit. */
export function referrerOf(text: string): string {
  if (text === "") return "";
  const given = text.slice(0, referrerCharactersMax).toWellFormed();
  const isHost = firstPart.exec(given)?.[0].slice(1, -1).includes(".") === true;
  return normalizeReferrer(given) ?? (isHost ? normalizeReferrer(`https://${given}`) : undefined) ?? given;
}

/** Names of other products that are words of no list here. */
const browserWords: ReadonlyMap<string, string> = new Map([
  ["amazon silk", "Silk"],
  ["android", "Android Browser"],
  // GA4 has this name for apps.
  ["android runtime", unknownLabel],
  ["edge-chromium", "Edge"],
  ["edge-ios", "Edge"],
  ["chromium-webview", "Chrome"],
  ["crios", "Chrome"],
  ["fxios", "Firefox"],
  ["ios", "Safari"],
  ["ios-webview", "Safari"],
  ["heytapbrowser", "HeyTap Browser"],
  ["miui", "MIUI Browser"],
  ["mobile safari", "Safari"],
  ["mobile silk", "Silk"],
  ["samsung", "Samsung Internet"],
  ["samsung browser", "Samsung Internet"],
  ["yandexbrowser", "Yandex Browser"],
  ["opera-mini", "Opera"],
  ["microsoft edge", "Edge"],
  ["android webview", "Chrome"],
  ["yabrowser", "Yandex Browser"],
]);
const osWords: ReadonlyMap<string, string> = new Map([
  ["android os", "Android"],
  ["chrome os", "ChromeOS"],
  ["open bsd", "OpenBSD"],
  ["sun os", "Solaris"],
  ["blackberry os", "BlackBerry"],
  ["amazon os", "Android"],
  ["fire os", "Android"],
  ["mac", "macOS"],
  ["macintosh", "macOS"],
  ["gnu/linux", "Linux"],
]);
const deviceWords: ReadonlyMap<string, string> = new Map([
  ["desktop", "Desktop"],
  ["laptop", "Desktop"],
  ["ultra-wide", "Desktop"],
  ["smart tv", "TV"],
  ["smartphone", "Mobile"],
  ["phablet", "Mobile"],
  ["feature phone", "Mobile"],
]);

/** Returns the browser of a name, perhaps with a version after it. */
export function browserOf(name: string): string {
  return firstNamed(name, browserWords, browserNames());
}

export function osOf(name: string): string {
  return firstNamed(name, osWords, osNames());
}

export function deviceOf(name: string): string {
  return firstNamed(name, deviceWords, deviceNames());
}

/** No name of a browser, system or device is longer. */
const nameCharactersMax = 64;

/** Looks for the beginning of a text, and then for less and less of its first words. */
function firstNamed(text: string, ...maps: readonly ReadonlyMap<string, string>[]): string {
  const beginning = text.trim().slice(0, nameCharactersMax).toLowerCase();
  for (let words = beginning.split(" "); words.length > 0; words = words.slice(0, -1)) {
    const word = words.join(" ");
    const found = maps.map((map) => map.get(word)).find((name) => name !== undefined);
    if (found !== undefined) return found;
  }
  return unknownLabel;
}

/** Returns the code of a country, also of `US-TX`; "" for what is none. */
export function countryOfCode(code: string): string {
  const country = code.slice(0, 2).toUpperCase();
  return /^[A-Z]{2}$/.test(country) && /^..(?:-|$)/.test(code) ? country : "";
}

/** A longer tag is none: a time that grows with the square of its length would be needed to tell. */
const tagCharactersMax = 100;

/** Returns the tag of a language as it is kept; "" for what is none. To find out takes as long as to read a row. */
export const languageOfTag = remembering(
  (tag) =>
    tag.length <= tagCharactersMax && /^[A-Za-z]/.test(tag) ? languageOf(tag.replaceAll("_", "-")) : "",
  1_000,
  tagCharactersMax,
);

export function isTrue(value: string): boolean {
  return /^(?:true|t|1)$/i.test(value);
}
