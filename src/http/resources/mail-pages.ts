/**
 * The pages to which the links in mails lead: one confirms an address, the other lets it leave. Neither is done by a GET,
 * because programs that look at mails follow links. Mail programs leave by a POST without cookie (RFC 8058).
 */
import { Type } from "@sinclair/typebox";
import { wordsOf, type Words } from "../../core/words/translated-words.ts";
import {
  confirmAddress,
  leave,
  recipientToConfirm,
  recipientToLeave,
} from "../../engine/admin/website/recipients.ts";
import { hashOf } from "../../accounts/token.ts";
import type { Call, PublicRoute } from "../transport/route.ts";

const style =
  "body{font:17px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem}html{color-scheme:light dark}" +
  "h1{font-size:1.4rem}button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:#1d5fd1;color:#fff}";
const styleHash = `'sha256-${Buffer.from(hashOf(style), "hex").toString("base64")}'`;

/** All texts are our own, or hostnames. */
function page(call: Call, { language }: Words, title: string, text: string, button?: string): string {
  const { headers } = call;
  headers["content-security-policy"] =
    `default-src 'none'; style-src ${styleHash}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
  headers["x-robots-tag"] = "noindex";
  const form = button === undefined ? "" : `<form method="post"><button>${button}</button></form>`;
  return (
    `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    // A form of a page without a referrer would come from no origin.
    '<meta name="referrer" content="same-origin">' +
    `<title>${title}</title><style>${style}</style><h1>${title}</h1><p>${text}</p>${form}</html>\n`
  );
}

/** A mail and its pages have the language of whoever subscribed the address; without one it is the browser's. */
function wordsFor(
  call: Call,
  find: typeof recipientToConfirm,
): { words: Words; hostname: string | undefined } {
  const found = find(call.services.engine, call.params["token"] ?? "");
  const own = found?.website.subscriptions.list.find(({ target }) => target === found.recipient.address);
  const browser = call.request.headers.get("accept-language")?.slice(0, 2).toLowerCase() ?? "en";
  return { words: wordsOf(own?.language ?? browser), hostname: found?.website.hostname };
}

function invalid(call: Call, words: Words): string {
  const { t } = words;
  const text = t("It was used already, it is too old, or the address was removed.");
  return page(call, words, t("This link does nothing any more"), text);
}

function askToConfirm(call: Call): string {
  const { words, hostname } = wordsFor(call, recipientToConfirm);
  if (hostname === undefined) return invalid(call, words);
  const { t } = words;
  const text = t("Reports and alerts about {hostname} will come to your mail address.", { hostname });
  return page(call, words, t("Confirm your mail address"), text, t("Confirm"));
}

async function confirm(call: Call): Promise<string> {
  const { words, hostname } = wordsFor(call, recipientToConfirm);
  const done = await confirmAddress(call.services.engine, call.params["token"] ?? "");
  if (!done || hostname === undefined) return invalid(call, words);
  const { t } = words;
  const text = t("Each mail about {hostname} has a link by which you leave.", { hostname });
  return page(call, words, t("Your mail address is confirmed"), text);
}

function askToLeave(call: Call): string {
  const { words, hostname } = wordsFor(call, recipientToLeave);
  if (hostname === undefined) return invalid(call, words);
  const { t } = words;
  const text = t("No reports and alerts about {hostname} come any more then, and your address is deleted.", {
    hostname,
  });
  return page(call, words, t("Unsubscribe"), text, t("Unsubscribe"));
}

/**
 * A link that finds nobody is answered with 200, too: a mail program may ask again when the first answer took long, and whoever
 * has left before gets no mails.
 */
async function unsubscribe(call: Call): Promise<string> {
  const { words } = wordsFor(call, recipientToLeave);
  const { t } = words;
  if (!(await leave(call.services.engine, call.params["token"] ?? ""))) return invalid(call, words);
  return page(call, words, t("You have unsubscribed"), t("Your address is deleted."));
}

const html = {
  access: "public",
  answer: Type.String(),
  media: "text/html; charset=utf-8",
  errors: [400, 403],
} as const;

export const mailPagesRoutes: readonly PublicRoute[] = [
  {
    ...html,
    method: "GET",
    path: "/mail/confirm/:token",
    summary: "Ask the owner of a mail address whether it should get mails",
    handle: askToConfirm,
  },
  {
    ...html,
    method: "POST",
    path: "/mail/confirm/:token",
    summary: "Confirm a mail address",
    handle: confirm,
  },
  {
    ...html,
    method: "GET",
    path: "/mail/unsubscribe/:token",
    summary: "Ask whether an address should get no mails any more: this changes nothing",
    handle: askToLeave,
  },
  {
    ...html,
    method: "POST",
    path: "/mail/unsubscribe/:token",
    summary:
      "Unsubscribe an address, as mail programs do by RFC 8058: without cookie and login, whatever the body",
    handle: unsubscribe,
  },
];
