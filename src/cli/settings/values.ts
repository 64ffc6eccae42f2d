/** Parses the values of settings and flags. `source` is the flag or the variable. All functions throw Refusal. */
import { badInput, Refusal } from "../../core/refusal.ts";

/** The values of the settings of a table. */
export type ValuesOf<Table> = { readonly [K in keyof Table]: ValueOf<Table[K]> };

/** That of its parser, else a text; undefined for one that is not given and has no default. */
type ValueOf<Row> =
  | (Row extends { readonly parse: (...given: never) => infer T } ? T : string)
  | (Row extends { readonly fallback: string } ? never : undefined);

/** The rows of settings that do nothing without another one. */
type PartnerRows = Readonly<
  Record<
    string,
    {
      readonly flag: string;
      readonly fallback?: string;
      readonly parse?: (text: string, source: string) => unknown;
    }
  >
>;

/** Throws Refusal if one of the settings of `rows` is another than its default: without `partner` it does nothing. */
export function expectNone(
  rows: PartnerRows,
  settings: Readonly<Record<string, unknown>>,
  partner: string,
): void {
  for (const [name, { flag, fallback, parse = (text: string): unknown => text }] of Object.entries(rows)) {
    const usual = fallback === undefined ? undefined : parse(fallback, flag);
    if (settings[name] !== usual)
      throw refused(`${partner} is missing beside --${flag}, which does nothing without it`);
  }
}

export function parseCount(text: string, source: string): number {
  const count = Number(text);
  if (!/^\d{1,9}$/.test(text) || count < 1) throw badInput(source, text, "a whole number from 1");
  return count;
}

/** The text is a secret, which no message repeats. */
export function parseToken(text: string, source: string): string {
  if (!/^[\x21-\x7e]{16,200}$/.test(text))
    throw refused(`${source}: expected 16 to 200 characters without spaces`);
  return text;
}

export function parsePort(text: string, source: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw badInput(source, text, "a number from 0 to 65535");
  return port;
}

export function parseSwitch(text: string, source: string): boolean {
  const value = new Map([
    ["true", true],
    ["1", true],
    ["false", false],
    ["0", false],
  ]).get(text.toLowerCase());
  if (value === undefined) throw badInput(source, text, "true, false, 1 or 0");
  return value;
}

/** Requires a unit: statistics must not be lost because somebody thought of another one. */
export function parseMonths(text: string, source: string): number {
  const [, figure, unit] = /^([1-9]\d{0,3}) ?(month|year)s?$/i.exec(text) ?? [];
  if (figure === undefined) throw badInput(source, text, "a time such as 24 months or 2 years");
  return Number(figure) * (unit?.toLowerCase() === "year" ? 12 : 1);
}

const msPerUnit: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Returns milliseconds. */
export function parseInterval(text: string, source: string): number {
  const [, figure, unit = ""] =
    /^([1-9]\d{0,3}) ?(m|min|minutes?|h|hours?|d|days?|w|weeks?)$/i.exec(text) ?? [];
  if (figure === undefined) throw badInput(source, text, "a time such as 12h, 1d or 2 weeks");
  return Number(figure) * msPerUnit[unit.charAt(0).toLowerCase()]!;
}

/** M alone is not accepted: it is a million to some, and 1,048,576 to others. */
const bytesPerUnit: Readonly<Record<string, number>> = {
  "": 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** The least value. A smaller one means that the unit was forgotten. */
const memoryBytesMin = 1_000_000;

export function parseBytes(text: string, source: string): number {
  const [, figure, unit = ""] = /^([1-9]\d{0,14}) ?([a-z]*)$/i.exec(text) ?? [];
  const bytes = Number(figure) * (bytesPerUnit[unit.toLowerCase()] ?? NaN);
  if (!Number.isSafeInteger(bytes) || bytes < memoryBytesMin)
    throw badInput(source, text, "a size such as 512MB or 2GiB, or as many bytes, 1MB at least");
  return bytes;
}

export function parseScriptName(text: string, source: string): string {
  if (!/^[\w-][\w.-]{0,99}\.js$/.test(text)) throw badInput(source, text, "a file name such as stats.js");
  return text;
}

export function oneOf<T extends string>(values: readonly T[]) {
  return (text: string, source: string): T => {
    const value = values.find((candidate) => candidate === text.toLowerCase());
    if (value === undefined) throw badInput(source, text, values.join(", "));
    return value;
  };
}

export function refused(message: string): Refusal {
  return new Refusal(400, message);
}

/** Returns the path without a slash at its end: "" for the root. */
export function parseBase(text: string, source: string): string {
  if (!/^(\/[\w~-][\w.~-]*)*\/?$/.test(text)) throw badInput(source, text, "a path such as /stats");
  return text.replace(/\/$/, "");
}
