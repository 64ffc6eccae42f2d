/** The kinds of records about who is told what of a website (core/website/subscription.ts): rows of the table in `record.ts`. */
import { ofWebsite, removal } from "./common-fields.ts";
import { appended, flag, integer, optional, text } from "./field.ts";
import { subscriptionKind, webhookFormat } from "./values.ts";

const ofSubscription = { ...ofWebsite, subscriptionId: integer } as const;

export const subscriptionKinds = {
  /** Somebody is to be told something. A target without a format is a mail address. */
  subscriptionAdded: {
    number: 41,
    part: "accounts",
    fields: {
      ...ofSubscription,
      subscribed: subscriptionKind,
      threshold: integer,
      goalId: integer,
      target: text,
      format: optional(webhookFormat),
      secret: text,
      timezone: text,
      ofLanguage: text,
    },
  },
  /** A mail address goes with its last subscription. */
  subscriptionRemoved: { number: 42, ...removal, fields: ofSubscription },
  /**
   * The mail that asks the owner of an address was taken. `tokenHash`: SHA-256 of its token, hex. `leavingKey`: the key of the
   * website's links to leave, unless it has one.
   */
  confirmationSent: {
    number: 43,
    part: "accounts",
    fields: { ...ofWebsite, recipient: text, tokenHash: text, leavingKey: appended(text, "") },
  },
  addressConfirmed: { number: 44, part: "accounts", fields: { ...ofWebsite, recipient: text } },
  /** A mail address goes, with its subscriptions. */
  addressRemoved: { number: 45, ...removal, fields: { ...ofWebsite, recipient: text } },
  /** Something happened, and a message is to be sent: from now on for this, and once. */
  messageDue: {
    number: 46,
    part: "accounts",
    fields: { ...ofSubscription, forMs: integer, value: integer, expected: integer },
  },
  /** The message was taken. */
  messageSent: { number: 47, part: "accounts", fields: { ...ofSubscription, forMs: integer } },
  /** An attempt failed. `isLast`: there is no other. */
  messageFailed: {
    number: 48,
    part: "accounts",
    fields: { ...ofSubscription, forMs: integer, error: text, isLast: flag },
  },
  /** The mail that asks the owner of an address was not taken. */
  confirmationFailed: {
    number: 55,
    part: "accounts",
    fields: { ...ofWebsite, recipient: text, error: text },
  },
} as const;
