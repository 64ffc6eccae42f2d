/**
 * One line of an access log in the combined format of Apache and nginx: `address identity user [time] "request" status
 * bytes "referrer" "user agent"`; anything that a server appends to that is ignored. This file knows only the format,
 * not which lines count.
 */
export interface LogLine {
  readonly address: string;
  /** Whole seconds, in milliseconds since 1970. */
  readonly timeMs: number;
  readonly method: string;
  /** The requested path with its query, or the absolute URL that was sent to a proxy. */
  readonly target: string;
  readonly status: number;
  /** "" if the log has `-`. */
  readonly referrer: string;
  /** "" if the log has `-`. */
  readonly userAgent: string;
}

const quoted = (name: string) => String.raw`"(?<${name}>[^"\\]*(?:\\.[^"\\]*)*)"`;
const combined = new RegExp(
  String.raw`^(?<address>\S+) .*?\[(?<time>[^\]]{26})\] ${quoted("request")} (?<status>\d{3}) (?:\d+|-) ` +
    String.raw`${quoted("referrer")} ${quoted("userAgent")}(?: .*)?$`,
);
const request = /^([A-Z]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/;

/** Returns undefined for anything else: a line that was cut, another format, a date that does not exist, no request. */
export function parseLine(text: string): LogLine | undefined {
  const groups = combined.exec(text)?.groups as Record<string, string> | undefined;
  if (groups === undefined) return undefined;
  const timeMs = parseTime(groups["time"] as string);
  const [, method, target] = request.exec(unescaped(groups["request"] as string)) ?? [];
  if (timeMs === undefined || method === undefined || target === undefined) return undefined;
  return {
    address: groups["address"] as string,
    timeMs,
    method,
    target,
    status: Number(groups["status"]),
    referrer: unlessDash(groups["referrer"] as string),
    userAgent: unlessDash(groups["userAgent"] as string),
  };
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const clock =
  /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60) ([+-])(\d\d)([0-5]\d)$/;

/** Parses `17/May/2015:10:05:03 +0200`; the second 60 is the first of the next minute. */
function parseTime(text: string): number | undefined {
  const parts = clock.exec(text);
  if (parts === null) return undefined;
  const [, day, month, year, hour, minute, second, sign, offsetHours, offsetMinutes] = parts;
  const dayMs = Date.UTC(Number(year), months.indexOf(month as string), Number(day));
  if (!months.includes(month as string) || new Date(dayMs).getUTCDate() !== Number(day)) return undefined;
  const offsetS = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60 * (sign === "-" ? -1 : 1);
  return dayMs + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second) - offsetS) * 1_000;
}

function unlessDash(text: string): string {
  return text === "-" ? "" : unescaped(text);
}

/** Removes escapes: servers write quotes and backslashes with a backslash before them, other bytes as `\xHH`. */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/((?:\\x[0-9A-Fa-f]{2})+)|\\(.)/g, (_, bytes?: string, character?: string) =>
    bytes === undefined ? (character as string) : Buffer.from(bytes.replaceAll("\\x", ""), "hex").toString(),
  );
}
