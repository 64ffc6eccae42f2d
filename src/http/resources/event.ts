/** The endpoints for trackers: hits, and the question whether this browser was here today. */
import { Type } from "@sinclair/typebox";
import {
  beaconCharactersMax,
  propertiesMax,
  propertyNameCharactersMax,
  propertyValueCharactersMax,
  referrerCharactersMax,
  urlCharactersMax,
  visibleMsMax,
} from "../../core/hit.ts";
import { badInput, Refusal } from "../../core/refusal.ts";
import { rejectionReasons } from "../../core/rejection.ts";
import { parseHit, type Hit, type HitHeaders, type Sender } from "../../collect/hit.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HitAnswer } from "../../engine/intake/hit-intake.ts";
import { parseJson, readBody } from "../parsing/body.ts";
import { parseHttpDate } from "../../core/date-time.ts";
import { refusalOf } from "../answers/errors.ts";
import { parsePairs, rawQuery } from "../parsing/query-string.ts";
import type { Services, VisitorCall, VisitorRoute } from "../transport/route.ts";
import { named, orMissing, wordsSchema } from "../parsing/schemas.ts";
import { dayStart } from "../parsing/day-start.ts";
import { hostnameSchema } from "./websites.ts";

const beacon = Type.String({
  minLength: 1,
  maxLength: beaconCharactersMax,
  description: "Beacon: a random name of the page view",
});
const url = Type.String({
  format: "uri",
  maxLength: urlCharactersMax,
  description: "URL of the page, http or https",
});
const origin = {
  r: orMissing(
    Type.String({ description: `URL of the referrer, of which ${referrerCharactersMax} characters count` }),
  ),
  t: orMissing(Type.String({ description: "IANA time zone of the visitor" })),
};
const properties = (minProperties: number) =>
  Type.Object(
    {},
    {
      additionalProperties: Type.Union([
        Type.String({ maxLength: propertyValueCharactersMax }),
        Type.Number(),
        Type.Boolean(),
      ]),
      propertyNames: { minLength: 1, maxLength: propertyNameCharactersMax },
      minProperties,
      maxProperties: propertiesMax,
      description: "Custom properties by name",
    },
  );
/**
 * The server ignores other fields. To clients the document allows none, so that a hit is one variant and no other. Those that
 * share their fields are told apart by `dependentSchemas`, which generators of clients pass over, and validators do not.
 */
const variant = { additionalProperties: false };
const present = (name: string, type: string) => ({ required: [name], properties: { [name]: { type } } });
const fromMedama = (kind: string, more = "") =>
  Type.Optional(
    Type.Literal(kind, { description: `The hit comes from Medama's tracker, which says so here${more}` }),
  );

const eventLoad = named(
  "EventLoad",
  Type.Object(
    {
      b: beacon,
      u: url,
      p: orMissing(Type.Boolean({ description: "First page view of a unique visitor; if missing, false" })),
      q: orMissing(
        Type.Boolean({ description: "The visitor has seen this page before; if missing, the opposite of p" }),
      ),
      n: orMissing(
        Type.Boolean({
          description:
            "Not known whether the visitor is new: the tracker's ping had no answer, or the browser keeps none. Then `p` is taken for false, and the first page " +
            "view of a visit makes the visitor, unless it was reached from the website itself or from an ignored referrer",
        }),
      ),
      ...origin,
      d: orMissing(properties(0)),
      e: fromMedama("load", ". There `q` means the opposite: true on the first visit of the page"),
    },
    {
      ...variant,
      dependentSchemas: {
        d: {
          anyOf: [
            { properties: { d: { maxProperties: 0 } } },
            present("p", "boolean"),
            present("q", "boolean"),
            present("e", "string"),
          ],
        },
      },
      description: "A page view. With properties it has `p` or `q`, or it would be a custom event",
    },
  ),
);

const eventUnload = named(
  "EventUnload",
  Type.Object(
    {
      b: beacon,
      m: orMissing(
        Type.Integer({
          minimum: 0,
          maximum: visibleMsMax,
          description: "Milliseconds for which the page was visible; if missing, the time since the load",
        }),
      ),
      u: Type.Optional({
        ...url,
        description: "URL of the page, which tells the website; only together with m",
      }),
      e: fromMedama("unload"),
    },
    {
      ...variant,
      dependentSchemas: { u: { anyOf: [present("m", "integer"), present("e", "string")] } },
      description: "The end of a page view",
    },
  ),
);

const eventCustom = named(
  "EventCustom",
  Type.Object(
    {
      d: properties(1),
      b: orMissing(beacon),
      u: orMissing(url),
      i: orMissing(
        Type.Union([Type.String(), Type.Number()], {
          description:
            "Id of the event, such as the number of an order: with it the event counts once per website, for two days at " +
            "least. It is stored as a keyed hash only. An empty one is none",
        }),
      ),
      ...origin,
      e: fromMedama("custom"),
      g: Type.Optional({
        ...hostnameSchema,
        description:
          "Hostname of the website, which Medama's tracker sends in place of u; only together with e",
      }),
    },
    {
      ...variant,
      dependentRequired: { g: ["e"] },
      dependentSchemas: {
        d: { anyOf: [present("b", "string"), present("u", "string"), present("g", "string")] },
      },
      description: "Custom events: of the page view that b names, or of the website in u; one is required",
    },
  ),
);

export const hitVariants = [eventLoad, eventUnload, eventCustom];
const hitSchema = named(
  "Hit",
  Type.Unsafe<object>({
    oneOf: hitVariants,
    description:
      "Beyond these the server takes fields that it does not know, which it ignores, and null for any field that may be missing",
  }),
);

const hitAnswerSchema = named(
  "HitAnswer",
  // The one with more fields comes first: generated clients take the first that fits.
  Type.Union([
    named(
      "HitRefused",
      Type.Object({
        accepted: Type.Literal(false),
        reason: wordsSchema(rejectionReasons),
      }),
    ),
    named("HitAccepted", Type.Object({ accepted: Type.Literal(true) })),
  ]),
);

function hit(call: VisitorCall): Promise<HitAnswer> {
  return countHit(call, readBody(call.request).then(parseJson), false);
}

/**
 * Counts what a tracker says, with the headers and the address of its request. `body`: the parsed body, which may be still
 * to come; `isPicture`: whether the request is for a picture. Rejects with Refusal 400, 404 and 500.
 */
export function countHit(call: VisitorCall, body: unknown, isPicture: boolean): Promise<HitAnswer> {
  return call.services.metrics.hit(judged(call, body, isPicture));
}

async function judged(
  { services: { engine, senderOf }, request }: VisitorCall,
  body: unknown,
  isPicture: boolean,
): Promise<HitAnswer> {
  const parsed = parsedHit(engine, await body);
  const { headers } = request;
  const sent = {
    userAgent: headers.get("user-agent") ?? "",
    acceptLanguage: headers.get("accept-language") ?? "",
    isPicture,
  };
  return engine.hits.take(parsed, sent, senderOf(request));
}

/** Counts the body of a hit that came to another node. Throws Refusal, and nothing else. */
export async function countForwardedHit(
  { engine, metrics }: Services,
  body: string,
  sent: HitHeaders,
  sender: Sender,
): Promise<HitAnswer> {
  try {
    const counting = Promise.try(() => engine.hits.take(parsedHit(engine, parseJson(body)), sent, sender));
    return await metrics.hit(counting);
  } catch (error) {
    throw refusalOf(error, { method: "POST", path: hitPath }, engine.logger);
  }
}

function parsedHit(engine: Engine, body: unknown): Hit {
  try {
    return parseHit(body);
  } catch (error) {
    if (error instanceof Refusal) engine.hits.malformed((body as { u?: unknown } | null)?.u);
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
  // A cache that visitors share would answer 1 to all but the first of them.
  headers["cdn-cache-control"] = headers["surrogate-control"] = "no-store";
  return sinceMs < startMs ? "0" : "1";
}

const hitPath = "/event/hit";

export const eventRoutes: readonly VisitorRoute[] = [
  {
    method: "POST",
    path: hitPath,
    access: "visitor",
    summary: "Count a page view, its end, or custom events",
    description:
      "The body is JSON whatever its content type. EventCustom: `d`, not empty, and neither `p` nor `q`; properties that " +
      "are null are left out, and where all are, the answer is 400. " +
      "EventUnload: none of `p`, `q`, `d`, and `m` or no `u`. EventLoad: everything else. The headers User-Agent " +
      "and Accept-Language tell browser, system, device and language. A body with the field `e` comes from " +
      "Medama's tracker: `e` names the variant, and `q` means the opposite.",
    body: hitSchema,
    // Browsers send `text/plain` from sendBeacon, without a preflight.
    bodyAsText: true,
    isHit: true,
    answer: hitAnswerSchema,
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
    answer: wordsSchema(["0", "1"]),
    media: "text/plain",
    errors: [400],
    handle: ping,
  },
];
