/**
 * Lines of access logs in JSON: those of Caddy, those of nginx with `escape=json` and the usual names, and those of Traefik and of
 * Cloudflare's Logpush, which have names of their own.
 */
import { jsonObject, type JsonObject } from "../../../../lib/texts/json-object.ts";
import { accessLog } from "./access-log.ts";
import {
  forwardedClient,
  parseRequest,
  parseTime,
  parseUnixTime,
  type LogLine,
  type LogTime,
} from "./log-line.ts";

/** Matches what syslog and Docker Compose write before a line. It is bounded, as that of a line of text. */
const prefix = /^[^{]{1,200} (?=\{)/;

function objectOf(text: string): JsonObject | undefined {
  return jsonObject(text.replace(prefix, ""));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** Seconds since 1970, also as a text, or a time in words. */
function timeOf(value: unknown): LogTime | undefined {
  const text = textOf(value);
  if (text === "") return undefined;
  return /^\d+(?:\.\d+)?$/.test(text) ? parseUnixTime(Number(text)) : parseTime(text);
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}

/** Parses what Caddy 2 writes with `log` and `format json`. */
function parseCaddy(text: string): LogLine | undefined {
  const line = objectOf(text);
  const request = line?.["request"];
  if (line === undefined || typeof request !== "object" || request === null) return undefined;
  const asked = request as JsonObject;
  const headers = new Map(
    Object.entries((asked["headers"] ?? {}) as JsonObject).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]),
  );
  const header = (name: string) => {
    const value = headers.get(name);
    return textOf(Array.isArray(value) ? value[0] : value);
  };
  const time = timeOf(line["ts"]);
  const target = textOf(asked["uri"]);
  if (time === undefined || target === "") return undefined;
  return {
    hostname: withoutPort(textOf(asked["host"])),
    // Behind a proxy that Caddy trusts these differ: client_ip is the visitor's.
    address: forwardedClient(
      textOf(asked["client_ip"]) || textOf(asked["remote_ip"]) || textOf(asked["remote_addr"]),
      header("x-forwarded-for"),
    ),
    time,
    method: textOf(asked["method"]),
    target,
    status: Number(line["status"]),
    referrer: header("referer"),
    userAgent: header("user-agent"),
    acceptLanguage: header("accept-language"),
  };
}

/** The names that are understood for each part of a line, in the order of preference: nginx's first. */
const nginxNames = {
  time: ["time_iso8601", "msec", "time_local", "@timestamp", "timestamp", "time", "EdgeStartTimestamp"],
  address: ["remote_addr", "client_ip", "remote_ip", "client", "ClientHost", "ClientIP"],
  forwarded: ["http_x_forwarded_for", "x_forwarded_for", "request_X-Forwarded-For"],
  host: ["host", "http_host", "server_name", "vhost", "RequestHost", "ClientRequestHost"],
  request: ["request"],
  method: ["request_method", "method", "RequestMethod", "ClientRequestMethod"],
  target: ["request_uri", "uri", "url", "path", "RequestPath", "ClientRequestURI"],
  status: ["status", "response_code", "DownstreamStatus", "EdgeResponseStatus"],
  referrer: [
    "http_referer",
    "http_referrer",
    "referer",
    "referrer",
    "request_Referer",
    "ClientRequestReferer",
  ],
  userAgent: [
    "http_user_agent",
    "user_agent",
    "agent",
    "useragent",
    "request_User-Agent",
    "ClientRequestUserAgent",
  ],
  acceptLanguage: ["http_accept_language", "accept_language", "request_Accept-Language"],
} as const;

/** Parses a line with the names above; undefined without a time, a request, an address or a status. */
function parseNginx(text: string): LogLine | undefined {
  const line = objectOf(text);
  if (line === undefined) return undefined;
  const found = (part: keyof typeof nginxNames) => {
    const name = nginxNames[part].find((name) => textOf(line[name]) !== "");
    return name === undefined ? undefined : textOf(line[name]);
  };
  const value = (part: keyof typeof nginxNames) => {
    const text = found(part) ?? "";
    return text === "-" ? "" : text;
  };
  const time = timeOf(found("time"));
  const asked = parseRequest(value("request")) ?? { method: value("method"), target: value("target") };
  const status = Number(found("status"));
  if (time === undefined || !Number.isInteger(status) || asked.target === "") return undefined;
  if (asked.method === "" || value("address") === "") return undefined;
  const userAgent = found("userAgent") === undefined && !hasUserAgent(line) ? undefined : value("userAgent");
  return {
    hostname: withoutPort(value("host")),
    address: forwardedClient(value("address"), value("forwarded")),
    time,
    ...asked,
    status,
    referrer: value("referrer"),
    userAgent,
    acceptLanguage: value("acceptLanguage"),
  };
}

function hasUserAgent(line: JsonObject): boolean {
  return nginxNames.userAgent.some((name) => name in line);
}

export const caddyLog = accessLog({
  name: "caddy",
  description: "an access log of Caddy in JSON",
  example: '{"ts":1431857103.5,"request":{"remote_ip":"203.0.113.7",…},"status":200,…}',
  parse: parseCaddy,
});

export const nginxJsonLog = accessLog({
  name: "nginx-json",
  description: "an access log in JSON",
  example: '{"msec":"1431857103.5","remote_addr":"203.0.113.7","request":"GET / …","status":"200",…}',
  parse: parseNginx,
});
