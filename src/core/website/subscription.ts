/**
 * Subscriptions of a website: who is told what about it. A report comes every week or month, an alert when something
 * happens. Both go to a mail address, whose owner has confirmed it, or to a webhook.
 */
import type { Listed } from "./listed-entries.ts";

export const reportKinds = ["weekly", "monthly"] as const;
export const alertKinds = ["spike", "drop", "silence", "goal", "disk"] as const;
export const subscriptionKinds = [...reportKinds, ...alertKinds] as const;
export type ReportKind = (typeof reportKinds)[number];
export type AlertKind = (typeof alertKinds)[number];
export type SubscriptionKind = (typeof subscriptionKinds)[number];

export const webhookFormats = ["json", "slack", "discord", "ntfy"] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

interface Threshold {
  /** The field of the API. */
  readonly field: "visitors" | "hours" | "times";
  readonly min: number;
  readonly max: number;
  readonly usual: number;
}

const visitors: Threshold = { field: "visitors", min: 10, max: 1_000_000, usual: 50 };
/**
 * The number that decides about an alert: of the visitors of an hour that is worth a message, of the hours without a
 * page view, of how often a goal is reached in a day.
 */
export const thresholds: Readonly<Partial<Record<SubscriptionKind, Threshold>>> = {
  spike: visitors,
  drop: visitors,
  silence: { field: "hours", min: 1, max: 720, usual: 24 },
  goal: { field: "times", min: 1, max: 1_000_000, usual: 1 },
};

/** A message that is to be sent. */
export interface Due {
  /** The time that it is about, in milliseconds; the same happening has the same one. */
  readonly forMs: number;
  readonly noticedMs: number;
  /** The figure that was seen, and the one that was to be expected; 0 where there is none. */
  readonly value: number;
  readonly expected: number;
}

export interface Subscription {
  readonly id: number;
  readonly kind: SubscriptionKind;
  /** 0 for a kind without one. */
  readonly threshold: number;
  /** The goal of the kind `goal`; else 0. */
  readonly goalId: number;
  /** A mail address, or the URL of a webhook. */
  readonly target: string;
  /** null for a mail address. */
  readonly format: WebhookFormat | null;
  /** The key with which what is sent to a webhook is signed; "" for a mail address. */
  readonly secret: string;
  /** IANA name of the time zone by which days, weeks and months go. */
  readonly timezone: string;
  readonly language: string;
  readonly createdMs: number;
  /** The `forMs` of the latest message, whether it was sent or not; 0 for none. */
  readonly lastForMs: number;
  readonly due: Due | null;
  /** The time of the last message that was taken; 0 for none. */
  readonly sentMs: number;
  /** Why the last attempt failed to send a message, or to ask the owner of the address; null if it did not. */
  readonly failed: { readonly error: string; readonly timeMs: number } | null;
}

export type Subscriptions = Listed<Subscription>;

/** A mail address to which subscriptions of a website go. */
export interface Recipient {
  readonly address: string;
  readonly addedMs: number;
  /** The time at which its owner was asked; 0 before. */
  readonly askedMs: number;
  /** SHA-256 of the token that was sent then, hex; null before. */
  readonly tokenHash: string | null;
  /** The time at which its owner confirmed it; null before. */
  readonly confirmedMs: number | null;
}

/** The most subscriptions of a website, and the most mail addresses among them. */
export const subscriptionsMax = 50;
export const recipientsMax = 10;
export const webhookCharactersMax = 2_000;
/** The longest mail address that SMTP carries. */
export const addressCharactersMax = 254;
export const errorCharactersMax = 200;
const unconfirmedMs = 7 * 86_400_000;

/** Whether an address may be confirmed no more: seven days after its owner was asked, or after it was added if nobody was. */
export function isExpired(
  { addedMs, askedMs }: Pick<Recipient, "addedMs" | "askedMs">,
  nowMs: number,
): boolean {
  return nowMs - (askedMs || addedMs) >= unconfirmedMs;
}

export function isReport(kind: SubscriptionKind): kind is ReportKind {
  return (reportKinds as readonly string[]).includes(kind);
}

/** Returns the topic of ntfy whose address a URL is; undefined for another URL. The pattern is that of ntfy itself. */
export function ntfyTopicOf({ pathname }: URL): string | undefined {
  return /^\/([-\w]{1,64})$/.exec(pathname)?.[1];
}

export function recipientOf(
  recipients: readonly Recipient[],
  { target, format }: Pick<Subscription, "target" | "format">,
): Recipient | undefined {
  return format === null ? recipients.find(({ address }) => address === target) : undefined;
}
