/** One line of an access log, whatever its format, and the ways in which logs write times and clients. */
import { isPrivate, parseAddress } from "../../../../core/addresses/address.ts";
import { withoutPort } from "../../../../http/callers/client-address.ts";

export interface LogLine {
  /** The virtual host; "" if the format has none. */
  readonly hostname: string;
  readonly address: string;
  readonly time: LogTime;
  readonly method: string;
  /** The requested path with its query, or the absolute URL that was sent to a proxy. */
  readonly target: string;
  readonly status: number;
  /** "" for none. */
  readonly referrer: string;
  /** "" for none; undefined if the format has none. */
  readonly userAgent: string | undefined;
  /** "" for none. */
  readonly acceptLanguage: string;
}

export interface LogTime {
  /** Milliseconds since 1970, UTC. */
  readonly timeMs: number;
  /** By how much the server's days begin before those of UTC. */
  readonly offsetMs: number;
}

const request = /^([A-Z]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/;

/** Parses `GET / HTTP/1.1`. */
export function parseRequest(text: string): { readonly method: string; readonly target: string } | undefined {
  const [, method, target] = request.exec(text) ?? [];
  return method === undefined || target === undefined ? undefined : { method, target };
}

/**
 * Returns the address of the client. Behind a proxy of its own network, or at a Unix socket, a server sees that one only;
 * `forwarded`, the header X-Forwarded-For, then names the client before other such proxies, and perhaps what the client made
 * up before it.
 */
export function forwardedClient(address: string, forwarded = ""): string {
  if (forwarded === "" || isPublic(address)) return address;
  const hops = forwarded.split(",").map((hop) => withoutPort(hop.trim()));
  return hops.findLast(isPublic) ?? address;
}

/** Whether it can be a visitor's own: not that of a private network, of this machine, or of a socket. */
export function isPublic(address: string): boolean {
  return parseAddress(address) !== undefined && !isPrivate(address);
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const zone = String.raw` ?(?:(?<sign>[+-])(?<zoneHours>\d\d):?(?<zoneMinutes>[0-5]\d)?|Z|UTC)`;
const time = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)(?:[.,](?<fraction>\d{1,9}))?`;
const commonTime = new RegExp(
  String.raw`^(?<day>\d\d)\/(?<month>[A-Z][a-z]{2})\/(?<year>\d{4}):${time}${zone}$`,
);
const isoTime = new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ]${time}(?:${zone})?$`);

/**
 * Parses `17/May/2015:10:05:03 +0200`, also with a fraction of the second, or RFC 3339 with `T` or a space. The second 60
 * is the first of the next minute. A time in the form of RFC 3339 without a zone, as databases write it, is UTC.
 */
export function parseTime(text: string): LogTime | undefined {
  const parts = (commonTime.exec(text) ?? isoTime.exec(text))?.groups;
  if (parts === undefined) return undefined;
  const part = (name: string) => Number(parts[name] ?? 0);
  const named = months.indexOf(parts["month"]!);
  const month = named < 0 ? part("month") - 1 : named;
  const dayMs = Date.UTC(part("year"), month, part("day"));
  const date = new Date(dayMs);
  if (date.getUTCMonth() !== month || date.getUTCDate() !== part("day")) return undefined;
  const offsetMs = (part("zoneHours") * 60 + part("zoneMinutes")) * 60_000 * (parts["sign"] === "-" ? -1 : 1);
  const seconds = (part("hour") * 60 + part("minute")) * 60 + part("second");
  const fractionMs = Math.floor(Number(`0.${parts["fraction"] ?? 0}`) * 1_000);
  // -0 is no record's time.
  return { timeMs: dayMs + seconds * 1_000 + fractionMs - offsetMs, offsetMs: offsetMs + 0 };
}

/** Seconds since 1970 have so many digits before the point for thousands of years; more digits are finer units. */
const secondsBelow = 1e11;

/** Parses seconds, milliseconds, microseconds or nanoseconds since 1970, as their size tells. */
export function parseUnixTime(value: number): LogTime | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined;
  let ms = value * 1_000;
  for (let unit = value; unit >= secondsBelow; unit /= 1_000) ms /= 1_000;
  return { timeMs: Math.floor(ms), offsetMs: 0 };
}
