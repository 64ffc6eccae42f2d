/** Writes messages: the mails of reports, alerts and confirmations, and the bodies for webhooks. */
import { leavingToken } from "../accounts/recipients.ts";
import type { Website } from "../accounts/registry/registry.ts";
import type { Due, Recipient, Subscription, SubscriptionKind } from "../core/website/subscription.ts";
import { displayHostname } from "../core/addresses/display-hostname.ts";
import type { Words } from "../core/words/translated-words.ts";
import type { Alert } from "./alert.ts";
import type { Mail } from "./sending/mail.ts";
import { dateIn } from "./noticing/schedule.ts";
import { buttonHtml, frameHtml, linkHtml, listHtml, paragraphHtml, totalsHtml } from "./mail-frame.ts";
import type { Report, ReportLine } from "./report.ts";

export interface Message {
  readonly subject: string;
  readonly title: string;
  /** A line below the title; "" for none. */
  readonly subtitle: string;
  readonly text: string;
  /** The inner part of the mail, as HTML. */
  readonly html: string;
  /** Makes the dashboard show the days that it is about, after its address; "" for none. */
  readonly query: string;
  /** The fields for programs. */
  readonly values: Readonly<Record<string, unknown>>;
}

type Content = Omit<Mail, "to" | "id">;

/** Returns the address in the dashboard of what a message is about. `url`: the server's public address. */
export function dashboardUrl(url: string, { hostname }: Website, { query }: Message): string {
  return `${url}/dashboard/websites/${encodeURIComponent(hostname)}${query}`;
}

/** `days`: a date, or two of them with `..` between. */
function queryOf(days: string, timezone: string): string {
  return `?period=${days}&timezone=${encodeURIComponent(timezone)}`;
}

/** Returns the address by which a recipient leaves. */
function leaveUrl(url: string, website: Website, recipient: Recipient): string {
  return `${url}/mail/unsubscribe/${leavingToken(website, recipient)}`;
}

export function reportMessage(website: Website, report: Report, words: Words): Message {
  const { t, language } = words;
  const { period, timezone, firstDay, totals, lists, kind, values } = report;
  const dates = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  const short = new Intl.DateTimeFormat(language, { day: "numeric", month: "long", timeZone: "UTC" });
  const utcMs = (day: Temporal.PlainDate) => day.toZonedDateTime("UTC").epochMilliseconds;
  const [first, last] = [utcMs(period.from), utcMs(period.to)];
  const hostname = displayHostname(website.hostname);
  const compared =
    kind === "weekly" ? t("compared with the week before") : t("compared with the month before");
  const sections = [{ title: "", unit: "", lines: totals }, ...lists];
  // A website that is new has nothing to be compared with.
  const isCompared = sections.some(({ lines }) => lines.some(({ change }) => change !== ""));
  const subtitle = dates.formatRange(first, last);
  const text = sections
    .map(({ title, unit, lines }) =>
      [...(title === "" ? [] : [`${title} (${unit})`]), ...lines.map(lineText)].join("\n"),
    )
    .join("\n\n");
  const title =
    kind === "weekly" ? t("{hostname}: your week", { hostname }) : t("{hostname}: your month", { hostname });
  return {
    subject: `${title}, ${short.formatRange(first, last)}`,
    title,
    subtitle:
      firstDay === undefined
        ? [subtitle, ...(isCompared ? [compared] : [])].join(", ")
        : `${subtitle}. ${t("No changes are shown: figures begin on {date}, within the period compared with.", { date: dates.format(utcMs(firstDay)) })}`,
    text,
    html: totalsHtml(totals) + lists.map(listHtml).join(""),
    query: queryOf(`${period.from.toString()}..${period.to.toString()}`, timezone),
    values: { type: "report", kind, from: period.from.toString(), to: period.to.toString(), ...values },
  };
}

/** The figure stands first, so that a text in another direction cannot turn it round. */
function lineText({ name, value, change }: ReportLine): string {
  return `  ${value.padStart(9)}  ${name}${change === "" ? "" : `  (${change})`}`;
}

/** The alerts that are about one day. */
const dayKinds: readonly SubscriptionKind[] = ["spike", "drop", "goal"];

export function alertMessage(
  { kind, timezone }: Subscription,
  { forMs, value, expected }: Due,
  alert: Alert,
): Message {
  const { title, text } = alert;
  const query = dayKinds.includes(kind) ? queryOf(dateIn(timezone, forMs).toString(), timezone) : "";
  const time = new Date(forMs).toISOString();
  const values = { type: "alert", kind, time, value, expected, title, text };
  return { subject: title, title, subtitle: "", text, html: paragraphHtml(text), query, values };
}

export function mailOf(
  message: Message,
  website: Website,
  recipient: Recipient,
  words: Words,
  url: string,
): Content {
  const { subject, title, subtitle, text, html } = message;
  const { t, language } = words;
  const hostname = displayHostname(website.hostname);
  const [statistics, leave] = [dashboardUrl(url, website, message), leaveUrl(url, website, recipient)];
  const why = t("You get this because you confirmed your address for reports and alerts about {hostname}.", {
    hostname,
  });
  const head = [title, subtitle].filter((line) => line !== "").join("\n");
  return {
    subject,
    text: `${head}\n\n${text}\n\n${t("Open the statistics")}: ${statistics}\n\n-- \n${why}\n${t("Unsubscribe")}: ${leave}\n`,
    html: frameHtml({
      language,
      title,
      subtitle,
      body: html + buttonHtml(t("Open the statistics"), statistics),
      footer: `${Bun.escapeHTML(why)} ${linkHtml(t("Unsubscribe"), leave)}`,
    }),
    leaveUrl: leave,
  };
}

/** `token`: what the owner of the address shows to confirm it. */
export function confirmationMail(
  website: Website,
  recipient: Recipient,
  token: string,
  words: Words,
  url: string,
): Content {
  const { t, language } = words;
  const hostname = displayHostname(website.hostname);
  const confirm = `${url}/mail/confirm/${website.websiteId}.${token}`;
  const leave = leaveUrl(url, website, recipient);
  const title = t("Do you want reports about {hostname}?", { hostname });
  const text = t(
    "Somebody who runs the statistics of {hostname} wants to send you reports and alerts. Nothing is sent unless you confirm within seven days.",
    { hostname },
  );
  const ignore = t("If you do not know what this is about, do nothing: your address is deleted then.");
  return {
    subject: title,
    text: `${title}\n\n${text}\n\n${t("Confirm")}: ${confirm}\n\n${ignore}\n`,
    html: frameHtml({
      language,
      title,
      subtitle: "",
      body: paragraphHtml(text) + buttonHtml(t("Confirm"), confirm),
      footer: Bun.escapeHTML(ignore),
    }),
    leaveUrl: leave,
  };
}
