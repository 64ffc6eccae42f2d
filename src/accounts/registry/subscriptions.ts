/** How records change the subscriptions of a website, and the mail addresses to which they go. */
import {
  recipientOf,
  recipientsMax,
  subscriptionsMax,
  type Recipient,
  type Subscription,
  type Subscriptions,
} from "../../core/website/subscription.ts";
import type { RecordOf } from "../../record/record.ts";
import type { subscriptionKinds } from "../../record/subscription-kinds.ts";
import type { Changes, Unchanged, Website } from "../account.ts";
import { added, changed } from "./listed-changes.ts";

export type SubscriptionRecord = RecordOf<keyof typeof subscriptionKinds>;
type Told = Pick<Website, "subscriptions" | "recipients">;

/** Returns what a record changes, or the outcome if nothing changes. */
export function changedSubscriptions(website: Website, record: SubscriptionRecord): Changes {
  const { subscriptions, recipients } = website;
  switch (record.kind) {
    case "subscriptionAdded":
      return withSubscription(website, record);
    case "subscriptionRemoved":
      return without(website, ({ id }) => id === record.subscriptionId);
    case "confirmationSent": {
      const { recipient, tokenHash, timeMs: askedMs } = record;
      const asked = withRecipient(recipients, recipient, (known) => ({ ...known, askedMs, tokenHash }));
      if (typeof asked === "string") return asked;
      const leavingKey = website.leavingKey || (record.leavingKey ?? "");
      return { ...asked, leavingKey, ...withFailed(subscriptions, recipient, null) };
    }
    case "confirmationFailed": {
      const { recipient, error, timeMs } = record;
      if (!recipients.some(({ address }) => address === recipient)) return "missing";
      return withFailed(subscriptions, recipient, { error, timeMs });
    }
    case "addressConfirmed": {
      const { recipient, timeMs } = record;
      return withRecipient(recipients, recipient, (known) => ({
        ...known,
        confirmedMs: known.confirmedMs ?? timeMs,
      }));
    }
    case "addressRemoved":
      return without(website, ({ target, format }) => format === null && target === record.recipient);
    default: {
      const { subscriptionId } = record;
      const known = subscriptions.list.find(({ id }) => id === subscriptionId);
      const changes = known === undefined ? "missing" : changesOfMessage(known, record);
      if (typeof changes === "string") return changes;
      const list = changed(subscriptions, subscriptionId, changes);
      return typeof list === "string" ? list : { subscriptions: list };
    }
  }
}

/** A subscription is "taken" if its id was given before, or there are too many of them or of addresses. */
function withSubscription(website: Told, record: RecordOf<"subscriptionAdded">): Told | Unchanged {
  const { subscriptionId: id, subscribed: kind, ofLanguage: language, timeMs: createdMs } = record;
  const { threshold, goalId, target, format, secret, timezone } = record;
  const own = { id, kind, threshold, goalId, target, format, secret, timezone, language, createdMs };
  const nothing = { lastForMs: 0, due: null, sentMs: 0, failed: null };
  const subscriptions = added(website.subscriptions, { ...own, ...nothing }, subscriptionsMax);
  if (typeof subscriptions === "string") return subscriptions;
  const { recipients } = website;
  if (format !== null || recipientOf(recipients, record) !== undefined) return { subscriptions, recipients };
  if (recipients.length >= recipientsMax) return "taken";
  const recipient = { address: target, addedMs: createdMs, askedMs: 0, tokenHash: null, confirmedMs: null };
  return { subscriptions, recipients: [...recipients, recipient] };
}

/** Addresses to which no subscription goes any more go too. */
function without(
  { subscriptions, recipients }: Told,
  leaves: (subscription: Subscription) => boolean,
): Told | Unchanged {
  const list = subscriptions.list.filter((subscription) => !leaves(subscription));
  if (list.length === subscriptions.list.length) return "missing";
  const isNeeded = ({ address }: Recipient) =>
    list.some(({ target, format }) => format === null && target === address);
  return { subscriptions: { ...subscriptions, list }, recipients: recipients.filter(isNeeded) };
}

function withRecipient(
  recipients: readonly Recipient[],
  address: string,
  change: (recipient: Recipient) => Recipient,
): Changes {
  if (!recipients.some((known) => known.address === address)) return "missing";
  return { recipients: recipients.map((known) => (known.address === address ? change(known) : known)) };
}

/** Says of all that goes to an address why its owner could not be asked; null once that is done. */
function withFailed(
  subscriptions: Subscriptions,
  address: string,
  failed: Subscription["failed"],
): Pick<Website, "subscriptions"> {
  const list = subscriptions.list.map((own) =>
    own.format === null && own.target === address ? { ...own, failed } : own,
  );
  return { subscriptions: { ...subscriptions, list } };
}

/** A message is "taken" if another one waits, or there was one about this already; it is "missing" if none waits for it. */
function changesOfMessage(
  { due, lastForMs }: Subscription,
  record: RecordOf<"messageDue" | "messageSent" | "messageFailed">,
): Partial<Subscription> | Unchanged {
  const { forMs, timeMs } = record;
  if (record.kind === "messageDue") {
    if (due !== null || forMs === lastForMs) return "taken";
    const { value, expected } = record;
    return { lastForMs: forMs, due: { forMs, noticedMs: timeMs, value, expected } };
  }
  if (due?.forMs !== forMs) return "missing";
  if (record.kind === "messageSent") return { due: null, sentMs: timeMs, failed: null };
  const failed = { error: record.error, timeMs };
  return { failed, ...(record.isLast && { due: null }) };
}
