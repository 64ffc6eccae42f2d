/** The endpoints for trackers: hits, and the question whether this browser was here today. */
import { Type } from "@sinclair/typebox";
import {
  beaconCharactersMax,
  propertiesMax,
  referrerCharactersMax,
  urlCharactersMax,
  visibleMsMax,
} from "../../core/hit.ts";
import { badInput, Refusal } from "../../core/refusal.ts";
import type { RejectionReason } from "../../core/rejection.ts";
import { parseHit, type Hit } from "../../collect/hit.ts";
import type { Engine } from "../../engine/engine.ts";
import { parseJson, readBody } from "../transport/body.ts";
import { parseHttpDate } from "../transport/date-time.ts";
import { RequestSender } from "../transport/sender.ts";
import { parsePairs, rawQuery } from "../transport/query-string.ts";
import type { VisitorCall, VisitorRoute } from "../transport/route.ts";
import { dayStart } from "../transport/time-zone.ts";
import { wordsSchema } from "../transport/words.ts";

const hitSchema = Type.Object({
  b: Type.Optional(
    Type.String({ minLength: 1, maxLength: beaconCharactersMax, description: "Beacon of the page view" }),
  ),
  u: Type.Optional(Type.String({ maxLength: urlCharactersMax, description: "URL of the page" })),
  p: Type.Optional(Type.Boolean({ description: "First page view of a unique visitor" })),
  q: Type.Optional(Type.Boolean({ description: "The visitor has seen this page before" })),
  r: Type.Optional(
    Type.String({ description: `URL of the referrer, of which ${referrerCharactersMax} characters count` }),
  ),
  t: Type.Optional(Type.String({ description: "IANA time zone of the visitor" })),
  m: Type.Optional(
    Type.Integer({ minimum: 0, maximum: visibleMsMax, description: "Milliseconds the page was visible" }),
  ),
  d: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
      maxProperties: propertiesMax,
      description: "Custom properties",
    }),
  ),
});

const hitAnswer = Type.Union([
  Type.Object({ accepted: Type.Literal(true) }),
  Type.Object({
    accepted: Type.Literal(false),
    reason: wordsSchema<RejectionReason>([
      "crawler",
      "referrer_spam",
      "blocked",
      "flood",
      "duplicate",
      "late",
    ]),
  }),
]);

async function hit({ services: { engine, peerOf, trustProxy }, request }: VisitorCall) {
  const { headers } = request;
  const body = parseJson(await readBody(request));
  const parsed = parsedHit(engine, body);
  const sent = {
    userAgent: headers.get("user-agent") ?? "",
    acceptLanguage: headers.get("accept-language") ?? "",
  };
  const forwardedFor = headers.get("x-forwarded-for");
  return engine.hit(parsed, sent, new RequestSender(() => peerOf(request), forwardedFor, trustProxy));
}

function parsedHit(engine: Engine, body: unknown): Hit {
  try {
    return parseHit(body);
  } catch (error) {
    if (error instanceof Refusal) engine.malformed((body as { u?: unknown } | null)?.u);
    throw error;
  }
}

/**
 * Answers whether this browser was here today. Browsers cache by URL, which separates websites, and pages if one is
 * named. So only the time zone matters here.
 */
function ping({ services: { engine }, request, headers }: VisitorCall): string {
  const zone = parsePairs(rawQuery(request.url)).find(([name]) => name === "t")?.[1] ?? "UTC";
  const nowMs = engine.clock.nowMs();
  const startMs = dayStart(zone, nowMs);
  const since = request.headers.get("if-modified-since");
  const sinceMs = since === null ? -Infinity : parseHttpDate(since, nowMs);
  if (sinceMs === undefined) throw badInput("If-Modified-Since", since, "an HTTP date");
  headers["last-modified"] = new Date(startMs).toUTCString();
  headers["cache-control"] = "no-cache";
  return sinceMs < startMs ? "0" : "1";
}

export const eventRoutes: readonly VisitorRoute[] = [
  {
    method: "POST",
    path: "/event/hit",
    access: "visitor",
    summary: "Count a page view, its end, or custom events",
    description:
      "The body is JSON whatever its content type. EventCustom: `d`, not empty, and neither `p` nor `q`. " +
      "EventUnload: none of `p`, `q`, `d`, and `m` or no `u`. EventLoad: everything else. The headers User-Agent " +
      "and Accept-Language tell browser, system, device and language. A body with the field `e` is read in " +
      "Medama's dialect.",
    body: hitSchema,
    status: 200,
    answer: hitAnswer,
    errors: [400, 404],
    handle: hit,
  },
  {
    method: "GET",
    path: "/event/ping",
    access: "visitor",
    summary: "Whether this browser visited today (0 or 1), found out by HTTP caching alone",
    query: [
      { name: "h", description: "Hostname of the website", schema: Type.String() },
      { name: "u", description: "Host and path, to ask about a single page", schema: Type.String() },
      { name: "t", description: "IANA time zone of the visitor, else UTC", schema: Type.String() },
    ],
    status: 200,
    answer: wordsSchema(["0", "1"]),
    media: "text/plain",
    errors: [400],
    handle: ping,
  },
];
