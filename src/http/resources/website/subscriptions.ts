/** The endpoints of a website's reports and alerts: who is told what about it. */
import { Type, type Static, type TSchema } from "@sinclair/typebox";
import type { Website } from "../../../accounts/registry/registry.ts";
import {
  alertKinds,
  recipientOf,
  recipientsMax,
  reportKinds,
  subscriptionsMax,
  thresholds,
  webhookCharactersMax,
  webhookFormats,
  type Subscription,
  type SubscriptionKind,
} from "../../../core/website/subscription.ts";
import { Refusal, shown } from "../../../core/refusal.ts";
import { assertMayChange } from "../../../engine/admin/caller.ts";
import { addSubscription, ofKinds, removeSubscription } from "../../../engine/admin/website/subscriptions.ts";
import type { SessionCall, SessionRoute } from "../../transport/route.ts";
import { allOrMissing, named, orMissing, unixSecondsSchema, wordsSchema } from "../../parsing/schemas.ts";
import { isTimeZone } from "../../parsing/day-start.ts";
import { unixSeconds } from "../user.ts";
import { websiteCall, websiteOf } from "../websites.ts";

const zone = Type.String({ description: "IANA name of the time zone by which days, weeks and months go" });
const format = wordsSchema(webhookFormats);
const email = Type.String({
  description: "A mail address. Nothing but the question is sent until its owner confirms",
});
const url = Type.String({
  maxLength: webhookCharactersMax,
  description: "Takes a POST. It may hold a secret, and is not shown again",
});

const common = {
  id: Type.Integer({ minimum: 1 }),
  email: Type.Optional(email),
  confirmed: Type.Optional(Type.Boolean({ description: "Of an email: whether its owner has confirmed it" })),
  webhook: Type.Optional(Type.Object({ host: Type.String({ description: "The host of its URL" }), format })),
  time_zone: zone,
  dateCreated: unixSecondsSchema,
  last_sent: Type.Optional({
    ...unixSecondsSchema,
    description: "When the last message was taken, in Unix seconds",
  }),
  waiting: Type.Optional(
    Type.Literal(true, { description: "There while a message waits for its next attempt" }),
  ),
  last_error: Type.Optional(
    Type.String({
      description:
        "Why the last attempt failed, to send a message or to ask the owner of an email; missing once one succeeds",
    }),
  ),
};

function figureSchema(name: "visitors" | "hours" | "times") {
  const kinds = alertKinds.filter((kind) => thresholds[kind]?.field === name);
  const { min = 0, max = 0, usual = 0 } = thresholds[kinds[0] ?? "disk"] ?? {};
  return Type.Integer({
    minimum: min,
    maximum: max,
    description: `${kinds.join(", ")}: ${usual} without it`,
  });
}

/** The number that decides about alerts, by the name that their kind has for it. */
const figures = {
  visitors: figureSchema("visitors"),
  hours: figureSchema("hours"),
  times: figureSchema("times"),
  goal_id: Type.Integer({ minimum: 1, description: "goal: the one that is reached" }),
};

const reportSchema = named("Report", Type.Object({ ...common, kind: wordsSchema(reportKinds) }));
const alertSchema = named(
  "Alert",
  Type.Object({ ...common, kind: wordsSchema(alertKinds), ...Type.Partial(Type.Object(figures)).properties }),
);
const secret = {
  secret: Type.Optional(
    Type.String({ description: "Of a webhook: the key of the signatures. It is said once" }),
  ),
};
const target = {
  email: orMissing(email),
  webhook: orMissing(Type.Object({ url, format: orMissing(format) })),
  time_zone: orMissing(zone),
};

type View = Static<typeof reportSchema> | Static<typeof alertSchema>;

function viewOf({ recipients }: Pick<Website, "recipients">, subscription: Subscription): View {
  const { id, kind, threshold, goalId, target, format, timezone, createdMs, sentMs, due, failed } =
    subscription;
  const field = thresholds[kind]?.field;
  const isConfirmed = (recipientOf(recipients, subscription)?.confirmedMs ?? null) !== null;
  return {
    id,
    kind,
    ...(format === null
      ? { email: target, confirmed: isConfirmed }
      : { webhook: { host: URL.parse(target)?.host ?? "", format } }),
    ...(field !== undefined && { [field]: threshold }),
    ...(goalId > 0 && { goal_id: goalId }),
    time_zone: timezone,
    dateCreated: unixSeconds(createdMs),
    ...(sentMs > 0 && { last_sent: unixSeconds(sentMs) }),
    ...(due !== null && { waiting: true }),
    ...(failed !== null && { last_error: failed.error }),
  } as View;
}

async function add(call: SessionCall, kinds: readonly SubscriptionKind[]): Promise<object> {
  const { engine, sendsMail, messages } = call.services;
  const expectTarget = messages && ((url: URL, userId: number) => messages.expectTarget(url, userId));
  const subscribing = { kinds, sendsMail, isTimeZone, expectTarget };
  const body = await call.json();
  assertMayChange(engine, call.login.caller);
  const { websiteId } = websiteOf(call, "editor");
  const own = await addSubscription(websiteCall(call), body, subscribing);
  // It may have another name by now.
  const { recipients = [] } = engine.registry.websites.get(websiteId) ?? {};
  return { ...viewOf({ recipients }, own), ...(own.secret !== "" && { secret: own.secret }) };
}

async function sendTest(call: SessionCall, kinds: readonly SubscriptionKind[]): Promise<void> {
  const { engine, messages } = call.services;
  assertMayChange(engine, call.login.caller);
  const website = websiteOf(call, "editor");
  const id = call.params["id"] ?? "";
  const subscription = ofKinds(website, kinds).find((each) => String(each.id) === id);
  if (subscription === undefined)
    throw new Refusal(404, `there is no subscription ${shown(id)} of this website`);
  if (messages === undefined) throw new Refusal(400, "this server sends no messages");
  await messages.test(website, subscription);
}

interface ListRoutes {
  readonly name: "reports" | "alerts";
  readonly kinds: readonly SubscriptionKind[];
  readonly schema: TSchema;
  readonly added: TSchema;
  readonly body: TSchema;
  readonly explained: string;
}

function testRoute(name: ListRoutes["name"], kinds: readonly SubscriptionKind[]): SessionRoute {
  return {
    method: "POST",
    path: `/website/:hostname/${name}/:id/test`,
    access: "session",
    scope: "admin",
    summary: `Send a test message as these ${name} are sent`,
    description: `It is sent at once, and once a minute at most; 400 says what went wrong.${name === "reports" ? " It is the report of the last week or month that is over." : ""}`,
    status: 204,
    errors: [400, 403, 404],
    handle: (call) => sendTest(call, kinds),
  };
}

function routesOf({ name, kinds, schema, added, body, explained }: ListRoutes): readonly SessionRoute[] {
  const path = `/website/:hostname/${name}`;
  const list = {
    access: "session",
    scope: "admin",
    answer: Type.Array(schema, { maxItems: subscriptionsMax }),
    errors: [400, 403, 404],
  } as const;
  return [
    {
      ...list,
      method: "GET",
      path,
      summary: `Who gets ${name}, in the order in which they were added`,
      handle: (call) => {
        const website = websiteOf(call, "editor");
        return ofKinds(website, kinds).map((each) => viewOf(website, each));
      },
    },
    {
      method: "POST",
      path,
      access: "session",
      scope: "admin",
      summary: `Have ${name} sent to a mail address or a webhook`,
      description: explained,
      body,
      status: 201,
      answer: added,
      errors: [400, 403, 404, 409],
      handle: (call) => add(call, kinds),
    },
    testRoute(name, kinds),
    {
      method: "DELETE",
      path: `${path}/:id`,
      access: "session",
      scope: "admin",
      summary: `Send none of these ${name} any more`,
      description: "A mail address goes with the last of its reports and alerts, from every file.",
      status: 204,
      errors: [400, 403, 404],
      handle: (call) => removeSubscription(websiteCall(call), call.params["id"] ?? "", kinds),
    },
  ];
}

const limits =
  `A website has at most ${subscriptionsMax} reports and alerts, to at most ${recipientsMax} mail addresses. An address gets one ` +
  "mail that asks its owner to confirm; none if that was sent within a day. A webhook gets a POST that is signed. " +
  "409: that kind is sent there already, for a goal: about that goal.";

export const subscriptionsRoutes: readonly SessionRoute[] = [
  ...routesOf({
    name: "reports",
    kinds: reportKinds,
    schema: reportSchema,
    added: named("AddedReport", Type.Object({ ...reportSchema.properties, ...secret })),
    body: named("NewReport", Type.Object({ kind: wordsSchema(reportKinds), ...target })),
    explained: `Sent at 08:00 of the time zone: weekly on Monday, monthly on the first. ${limits}`,
  }),
  ...routesOf({
    name: "alerts",
    kinds: alertKinds,
    schema: alertSchema,
    added: named("AddedAlert", Type.Object({ ...alertSchema.properties, ...secret })),
    body: named(
      "NewAlert",
      Type.Object({
        kind: wordsSchema(alertKinds),
        ...target,
        ...allOrMissing(figures),
      }),
    ),
    explained:
      "spike and drop compare an hour with the median of the same hour of the four weeks before; silence: no page view for " +
      `so many hours; goal: reached so often in a day; disk: less than a tenth is free, for the oldest account. ${limits}`,
  }),
];
