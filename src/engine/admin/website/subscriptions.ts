/** The use cases of a website's subscriptions to reports and alerts: add and remove. */
import { newToken } from "../../../accounts/token.ts";
import type { Website } from "../../../accounts/registry/registry.ts";
import { parseMailAddress } from "../../../core/website/mail-address.ts";
import { badInput, Refusal } from "../../../core/refusal.ts";
import {
  ntfyTopicOf,
  recipientOf,
  recipientsMax,
  thresholds,
  webhookCharactersMax,
  webhookFormats,
  type Subscription,
  type SubscriptionKind,
  type WebhookFormat,
} from "../../../core/website/subscription.ts";
import type { Engine } from "../../engine.ts";
import type { WebsiteCall } from "../caller.ts";
import {
  fieldsOf,
  knownWord,
  limitedText,
  optionalObject,
  optionalText,
  requiredText,
  type Fields,
} from "../fields.ts";
import { goalOf } from "./goals.ts";
import { addListed, commitListed, expectPlace } from "./listed-entries.ts";
import { purge } from "../purge-files.ts";
import { callersUser } from "../account/users.ts";
import { websiteStillFor, websiteToChange } from "../websites.ts";

/** The kinds of a list, and what the server can do. */
export interface Subscribing {
  readonly kinds: readonly SubscriptionKind[];
  readonly sendsMail: boolean;
  readonly isTimeZone: (name: string) => boolean;
  /** Throws Refusal 400 for a webhook to which nothing would be sent. `userId`: the account that gives it. */
  readonly expectTarget?: ((url: URL, userId: number) => Promise<void>) | undefined;
}

/**
 * Adds a subscription. Takes `{kind, email | webhook: {url, format?}, time_zone?}`, and of an alert the number that decides
 * and `goal_id`. Throws Refusal 400, also for one too many, 403, 404, and 409 for what is sent
 * there already.
 */
export async function addSubscription(
  call: WebsiteCall,
  body: unknown,
  { kinds, sendsMail, isTimeZone, expectTarget }: Subscribing,
): Promise<Subscription> {
  const { engine, caller } = call;
  const website = websiteToChange(call, "editor");
  const { websiteId } = website;
  const user = callersUser(engine, caller);
  const fields = fieldsOf(body);
  const kind = knownWord("kind", requiredText(fields, "kind"), kinds);
  if (kind === "disk" && user !== engine.registry.oldestUser)
    throw new Refusal(403, "kind: the disk is told of to the oldest account only");
  const timezone = optionalText(fields, "time_zone") ?? "UTC";
  if (!isTimeZone(timezone)) throw badInput("time_zone", timezone, "the IANA name of a time zone");
  const goalId = kind === "goal" ? goalIdOf(website, fields) : 0;
  const to = targetOf(engine, fields, sendsMail);
  const own = {
    websiteId,
    subscribed: kind,
    threshold: thresholdOf(kind, fields),
    goalId,
    ...to,
    timezone,
    ofLanguage: user.language,
  };
  const record = (subscriptionId: number) => {
    // The first of those that come at once has this id, and the others are made again with the next one.
    expectNew(engine.registry.websites.get(websiteId) ?? website, own);
    return { kind: "subscriptionAdded", subscriptionId, ...own } as const;
  };
  if (to.format !== null && expectTarget !== undefined) {
    // No name is looked up for what is not added anyway.
    expectPlace(engine, websiteId, "subscriptions", record);
    await expectTarget(new URL(to.target), user.userId);
  }
  // Its name was looked up, which took time.
  websiteStillFor(call, "editor");
  return addListed(call, websiteId, "subscriptions", record);
}

/** Throws Refusal 409 for what is sent there already, and 400 for one address too many. */
function expectNew(
  { subscriptions, recipients }: Website,
  own: Pick<Subscription, "goalId" | "target" | "format"> & { readonly subscribed: SubscriptionKind },
): void {
  const isSame = ({ kind, goalId, target }: Subscription) =>
    kind === own.subscribed && goalId === own.goalId && target === own.target;
  if (subscriptions.list.some(isSame))
    throw new Refusal(409, `${fieldOfTarget(own)}: this is sent there already: remove it first to change it`);
  const isNew = own.format === null && recipientOf(recipients, own) === undefined;
  if (isNew && recipients.length >= recipientsMax)
    throw new Refusal(
      400,
      `email: expected at most ${recipientsMax} addresses of a website: remove one first`,
    );
}

/** Removes a subscription, and the mail address to which no other one goes, from every file. Throws Refusal 403, 404. */
export async function removeSubscription(
  call: WebsiteCall,
  id: string,
  kinds: readonly SubscriptionKind[],
): Promise<void> {
  const { engine } = call;
  const website = websiteToChange(call, "editor");
  const { websiteId, subscriptions } = website;
  const named = { list: "subscriptions", what: "subscription", id } as const;
  const shown = { ...website, subscriptions: { ...subscriptions, list: ofKinds(website, kinds) } };
  const removed = await commitListed(engine, shown, named, ({ id: subscriptionId }) => ({
    kind: "subscriptionRemoved",
    websiteId,
    subscriptionId,
  }));
  // Others may have been removed or added at the same time: who is left is known only now.
  const { recipients = [] } = engine.registry.websites.get(websiteId) ?? {};
  if (removed.format === null && recipientOf(recipients, removed) === undefined) await purge(engine);
}

/** Returns the subscriptions of a website of these kinds, in the order in which they came. */
export function ofKinds(
  { subscriptions }: Pick<Website, "subscriptions">,
  kinds: readonly SubscriptionKind[],
): readonly Subscription[] {
  return subscriptions.list.filter(({ kind }) => kinds.includes(kind));
}

function thresholdOf(kind: SubscriptionKind, fields: Fields): number {
  const threshold = thresholds[kind];
  if (threshold === undefined) return 0;
  const { field, min, max, usual } = threshold;
  const value = fields[field] ?? usual;
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max)
    throw badInput(field, value, `a whole number from ${min} to ${max}`);
  return value as number;
}

function goalIdOf(website: Website, fields: Fields): number {
  const id = fields["goal_id"];
  const goal = goalOf(website, String(id));
  if (goal === undefined) throw badInput("goal_id", id, "the id of a goal of this website");
  return goal.id;
}

function targetOf(
  engine: Engine,
  fields: Fields,
  sendsMail: boolean,
): Pick<Subscription, "target" | "format" | "secret"> {
  const email = optionalText(fields, "email");
  const hasWebhook = (fields["webhook"] ?? null) !== null;
  if ((email === undefined) !== hasWebhook) throw badInput("email", email, "either email or webhook");
  if (email === undefined) {
    const webhook = optionalObject(fields, "webhook");
    const secret = `whsec_${newToken(engine.random)}`;
    const format = knownWord<WebhookFormat>(
      "webhook.format",
      optionalText(webhook, "format", "webhook.format") ?? "json",
      webhookFormats,
    );
    const url = urlOf(requiredText(webhook, "url", "webhook.url"));
    if (format === "ntfy" && ntfyTopicOf(url) === undefined)
      throw new Refusal(400, "webhook.url: expected the address of a topic like https://ntfy.sh/my-topic");
    return { target: url.href, format, secret };
  }
  if (!sendsMail) throw new Refusal(400, "email: this server sends no mail: its owner sets FOOTFALL_SMTP");
  const target = parseMailAddress(email.trim());
  if (target === undefined) throw badInput("email", email, "a mail address like ada@example.com");
  return { target, format: null, secret: "" };
}

function fieldOfTarget({ format }: Pick<Subscription, "format">): string {
  return format === null ? "email" : "webhook.url";
}

/** The message does not repeat the URL: it may hold a secret. */
function urlOf(text: string): URL {
  const url = URL.parse(limitedText("webhook.url", text.trim(), webhookCharactersMax));
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === null || !isWeb || url.username !== "" || url.password !== "")
    throw new Refusal(
      400,
      "webhook.url: expected a URL like https://hooks.example.com/a, without a password",
    );
  url.hash = "";
  return url;
}
