/** The endpoint for back ends and apps: many hits at once, each with what the server knows of its visitor. */
import { Type, type Static } from "@sinclair/typebox";
import { parseHit, sentNetwork, type Hit, type Sender } from "../../collect/hit.ts";
import type { ApiToken } from "../../accounts/account.ts";
import { parseAddress } from "../../core/addresses/address.ts";
import { batchBytesMax, batchHitsMax, clockAheadMsMax, givenTimeMsMax } from "../../core/hit.ts";
import { badInput, Refusal } from "../../core/refusal.ts";
import { rejectionReasons, type RejectionReason } from "../../core/rejection.ts";
import { maySend } from "../../engine/admin/account/tokens.ts";
import { expectClock } from "../../engine/log/early-clock.ts";
import { fieldsOf, optionalList, optionalText } from "../../engine/admin/fields.ts";
import { BodyLimit } from "../parsing/body.ts";
import { parseDateTime } from "../../core/date-time.ts";
import type { ServerCall, ServerRoute, Services } from "../transport/route.ts";
import { named, orMissing, wordsSchema } from "../parsing/schemas.ts";
import { networkOf } from "../callers/sender.ts";
import { hitVariants } from "./event.ts";
import { Trickle } from "../../lib/threads/turn.ts";
import type { Clock } from "../../lib/clock.ts";

/** The milliseconds that a batch works in one turn: hits of visitors must not wait for a thousand. */
const turnMs = 4;
/** Batches that need more turns take them one after the other: many at once must not be many times as long. */
const turns = new Trickle(1);

/** A hit as it was sent, parsed. */
interface SentHit {
  readonly hit: Hit;
  readonly userAgent: string;
  readonly acceptLanguage: string;
  /** "" for none. */
  readonly address: string;
  /** When it happened; null for now. */
  readonly atMs: number | null;
}

/** The fields that a hit of a batch has beside those of a tracker. */
const visitor = {
  time: orMissing(
    Type.String({
      format: "date-time",
      description: `When it happened, within ${givenTimeMsMax / 86_400_000} days before now; if missing, now`,
    }),
  ),
  user_agent: orMissing(Type.String({ description: "User agent of the visitor; an app may have none" })),
  language: orMissing(
    Type.String({ description: "Accept-Language of the visitor, such as `de-AT,de;q=0.9`" }),
  ),
  address: orMissing(
    Type.String({
      description:
        "IP address of the visitor, which tells visits apart, in memory only, and is judged by the rules of the website. It is never stored",
    }),
  ),
};
const sentHitSchema = named(
  "SentHit",
  Type.Unsafe<object>({
    description: "A `Hit`, and what the server knows of its visitor",
    oneOf: hitVariants.map((variant) => ({
      ...variant,
      $id: `Sent${variant.$id}`,
      properties: { ...variant.properties, ...visitor },
    })),
  }),
);
const outcomeSchema = named(
  "SentHitAnswer",
  Type.Object({
    accepted: Type.Boolean(),
    reason: Type.Optional(
      wordsSchema<RejectionReason | "unknown_website">([...rejectionReasons, "unknown_website"]),
    ),
  }),
);
type SentHitAnswer = Static<typeof outcomeSchema>;

async function batch(call: ServerCall): Promise<{ hits: SentHitAnswer[] }> {
  const { services, token, json } = call;
  const { engine, metrics } = services;
  const body = await json();
  const nowMs = engine.nowMs();
  // By such a clock all times would be in the future.
  expectClock(nowMs);
  const inTurns = turnsBy(engine.clock);
  const hits = await parseBatch(body, services, nowMs, inTurns);
  const count = async (sent: SentHit): Promise<SentHitAnswer> => {
    const sentBy = { atMs: sent.atMs, maySend: (websiteId: number) => maySend(engine, token, websiteId) };
    const sender = senderOf(sent, token);
    try {
      return await metrics.hit(engine.hits.take(sent.hit, sent, sender, sentBy));
    } catch (error) {
      if (error instanceof Refusal && error.code === 404)
        return { accepted: false, reason: "unknown_website" };
      throw error;
    }
  };
  // Visits go on in the order of time.
  const order = hits.map((_, at) => at).sort((a, b) => timeOf(hits[a]!) - timeOf(hits[b]!) || a - b);
  const counting = new Array<Promise<SentHitAnswer>>(hits.length);
  await inTurns(order, (at) => {
    counting[at] = count(hits[at]!);
    // A hit may fail while others are still to be counted, and nobody waits for it yet.
    counting[at].catch(() => {});
  });
  // Each is durable then, or failed.
  await Promise.allSettled(counting);
  return { hits: await Promise.all(counting) };
}

type InTurns = <T>(items: readonly T[], work: (item: T, at: number) => void) => Promise<void>;

/** Returns what does the work of a batch item by item, and lets others go on once a turn has had its time. */
function turnsBy(clock: Clock): InTurns {
  let endMs = clock.monotonicMs() + turnMs;
  return async (items, work) => {
    for (const [at, item] of items.entries()) {
      if (clock.monotonicMs() >= endMs) {
        await turns.turn();
        endMs = clock.monotonicMs() + turnMs;
      }
      work(item, at);
    }
  };
}

function timeOf({ atMs }: SentHit): number {
  return atMs ?? Infinity;
}

/** Rejects with Refusal 400, which names the place of the hit; nothing is counted then. */
async function parseBatch(
  body: unknown,
  services: Services,
  nowMs: number,
  inTurns: InTurns,
): Promise<SentHit[]> {
  const list = optionalList(fieldsOf(body), "hits");
  if (list === undefined || list.length === 0 || list.length > batchHitsMax)
    throw badInput("hits", list?.length, `1 to ${batchHitsMax} hits`);
  const hits: SentHit[] = [];
  await inTurns(list, (value, at) => void hits.push(parseSent(value, `hits[${at}]`, services, nowMs)));
  return hits;
}

function parseSent(value: unknown, shownAs: string, { engine, metrics }: Services, nowMs: number): SentHit {
  const fields = fieldsOf(value, shownAs);
  try {
    expectWholeId(fields["i"]);
    return {
      hit: parseHit(value),
      userAgent: optionalText(fields, "user_agent") ?? "",
      acceptLanguage: optionalText(fields, "language") ?? "",
      address: addressOf(optionalText(fields, "address")),
      atMs: givenTime(optionalText(fields, "time"), nowMs),
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A program may keep the answer to itself: the owner of the website sees that something came.
    engine.hits.malformed(fields["u"]);
    metrics.malformed();
    throw new Refusal(error.code, `${shownAs}.${error.message}`);
  }
}

/** The second of two orders whose numbers JSON rounds to one would be taken for a duplicate. */
function expectWholeId(i: unknown): void {
  if (typeof i === "number" && Math.abs(i) > Number.MAX_SAFE_INTEGER)
    throw badInput("i", i, `a string, or a number up to ${Number.MAX_SAFE_INTEGER}`);
}

function addressOf(text = ""): string {
  if (text !== "" && parseAddress(text) === undefined)
    throw new Refusal(400, "address: expected an IP address");
  return text;
}

/** A clock that is a little ahead of this one loses no hit. */
function givenTime(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const timeMs = parseDateTime(text);
  if (timeMs === undefined) throw badInput("time", text, "a date and time of RFC 3339");
  const [earliestMs, latestMs] = [nowMs - givenTimeMsMax, nowMs + clockAheadMsMax];
  if (timeMs >= earliestMs && timeMs <= latestMs) return Math.min(timeMs, nowMs);
  const [from, to] = [earliestMs, latestMs].map((ms) => new Date(ms).toISOString());
  throw badInput("time", text, `from ${from} to ${to}`);
}

/** Hits without an address share the budget that visitors behind an unnamed proxy have. */
function senderOf({ address }: SentHit, { userId: account, tokenId }: ApiToken): Sender {
  const isUnnamedProxy = address === "";
  const network = isUnnamedProxy ? `token ${tokenId}` : networkOf(address);
  return { address, network: sentNetwork(account, network), account, isUnnamedProxy };
}

export const batchRoutes: readonly ServerRoute[] = [
  {
    method: "POST",
    path: "/event/batch",
    access: "server",
    scope: "send",
    summary: "Count hits that a server sends for its visitors",
    description:
      `At most ${batchHitsMax} hits and ${batchBytesMax / 1_048_576} MiB. Each is one that a tracker sends, with what the server ` +
      "knows of the visitor; no header of this request counts. The answers are in the order of the hits. Where one is not what it should be, 400 names its place " +
      "and nothing is counted. A hit without `u` needs a page view that is known. Without `address` there is no visit but that of `b`. Hits with `time` are in " +
      "visits among themselves: they join none of hits without it, and what comes later belongs to a visit if it " +
      "fits its times within half an hour after the last one came. " +
      "What is unknown about who is new is said by `n`: true. A clock may be a minute ahead. After an answer of 500, or none, send the batch again: a load is not counted twice " +
      "while its `b` is known, for two days at least, and an unload changes nothing; an event counts again unless it has an id in `i`.",
    body: named(
      "Batch",
      Type.Object({ hits: Type.Array(sentHitSchema, { minItems: 1, maxItems: batchHitsMax }) }),
    ),
    // 16 of the longest, with their heads: whoever sends them has a token.
    bodyLimit: new BodyLimit(batchBytesMax, 16 * (batchBytesMax + 32 * 1024)),
    answer: named("BatchAnswer", Type.Object({ hits: Type.Array(outcomeSchema) })),
    errors: [400, 403],
    handle: batch,
  },
];
