/**
 * Lines of the text formats of Apache and nginx: combined, `address identity user [time] "request" status bytes "referrer"
 * "user agent"`, with the virtual host before it (vhost_combined) or without the last two (common). What a server appends
 * to a combined line is ignored, whatever it is, but for the header X-Forwarded-For that nginx appends; and so is what a
 * collector of logs wrote before the address. This file knows only the format, not which lines count.
 */
import { accessLog } from "./access-log.ts";
import { forwardedClient, parseRequest, parseTime, type LogLine } from "./log-line.ts";

const quoted = (name: string) => String.raw`"(?<${name}>[^"\\]*(?:\\.[^"\\]*)*)"`;
const common = String.raw`(?<address>\S+) .*?\[(?<time>[^\]]{19,40})\] ${quoted("request")} (?<status>\d{3}) (?:\d+|-)`;
const combined = String.raw`${common} ${quoted("referrer")} ${quoted("userAgent")}(?: "(?<forwarded>[\dA-Fa-f:., \[\]]*)")?`;
const address = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|[\dA-Fa-f]*:[\dA-Fa-f:.]+)`;
/**
 * The time, machine and program of syslog, or the container of Docker Compose: its first word would be the address of
 * everybody. It is bounded, so that a hostile line takes no longer than others.
 */
const prefix = String.raw`(?:(?!${address}[ ,]).{1,200}? (?=${address} \S+ \S+ \[[^\]]{19,40}\] "))?`;
const patterns = {
  common: new RegExp(`^${prefix}${common}(?: |$)`),
  combined: new RegExp(`^${prefix}${combined}`),
  vhost_combined: new RegExp(String.raw`^(?<host>[^\s:\[]+)(?::\d{1,5})? ${combined}`),
} as const;
type TextFormat = keyof typeof patterns;

/**
 * Returns undefined for anything else: a line that was cut, another format, a date that does not exist, no request.
 * Exported for tests.
 */
export function parseLine(text: string, format: TextFormat = "combined"): LogLine | undefined {
  const groups = patterns[format].exec(text)?.groups as Record<string, string | undefined> | undefined;
  if (groups === undefined) return undefined;
  const time = parseTime(groups["time"]!);
  const asked = parseRequest(unescaped(groups["request"]!));
  if (time === undefined || asked === undefined) return undefined;
  const { userAgent } = groups;
  return {
    hostname: groups["host"] ?? "",
    address: forwardedClient(groups["address"]!, groups["forwarded"]),
    time,
    ...asked,
    status: Number(groups["status"]),
    referrer: unlessDash(groups["referrer"] ?? ""),
    userAgent: userAgent === undefined ? undefined : unlessDash(userAgent),
    acceptLanguage: "",
  };
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

/** A first word with a port, or a name before an address: it is the virtual host and not the client. */
const beginsWithHost = new RegExp(
  String.raw`^(?:[^\s:[]+:\d{1,5} \S|(?=[^\s:[A-Za-z]*[A-Za-z])[^\s:[]+ ${address} )`,
);

export const vhostCombined = accessLog({
  name: "vhost_combined",
  description: "an access log in the combined format with the virtual host before it",
  example: 'example.com:443 203.0.113.7 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "…"',
  parse: (text) => parseLine(text, "vhost_combined"),
  isOwn: (text) => beginsWithHost.test(text),
});

export const combinedLog = accessLog({
  name: "combined",
  description: "an access log in the combined format",
  example: '203.0.113.7 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "…"',
  parse: (text) => parseLine(text),
});

export const commonLog = accessLog({
  name: "common",
  description: "an access log in the common format, which has no user agents: crawlers count as visitors",
  example: '203.0.113.7 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5',
  parse: (text) => parseLine(text, "common"),
});
