/** The settings of reports and alerts: rows of the table in `settings.ts`, and what they come to. */
import { parseMailAddress } from "../../core/website/mail-address.ts";
import { badInput } from "../../core/refusal.ts";
import { parseNetworks } from "../../http/callers/client-address.ts";
import type { MailServer, NotifySettings } from "../../notify/settings.ts";
import { readSecretFile } from "./secret-file.ts";
import { expectNone, refused, type ValuesOf } from "./values.ts";

export const messageSettings = {
  url: {
    flag: "url",
    placeholder: "URL",
    description:
      "Public address of this server, in links of mails and at the start: https://stats.example.com",
    parse: parseUrl,
  },
  smtp: {
    flag: "smtp",
    placeholder: "URL",
    fallbackText: "no mail is sent",
    description:
      "Mail server, as smtp[s]://USER:PASSWORD@HOST:PORT; other users of the machine can see a flag",
    parse: parseSmtp,
  },
  smtpFile: {
    flag: "smtp-file",
    placeholder: "FILE",
    description: "File with the URL of the mail server, which holds a password",
  },
  mailFrom: {
    flag: "mail-from",
    placeholder: "ADDRESS",
    description: "Sender of mails: stats@example.com, or Statistics <stats@example.com>",
    parse: parseSender,
  },
  webhookNetworks: {
    flag: "webhook-networks",
    placeholder: "LIST",
    fallbackText: "none",
    description: "Networks of your own that webhooks may reach, also without TLS, comma-separated",
    parse: parseNetworks,
  },
} as const;

/**
 * Returns what the settings come to. Throws Refusal if something is missing beside the mail server, or if links would lead
 * beside the path below which everything is.
 */
export function notifySettings({
  base,
  url,
  smtp,
  smtpFile,
  mailFrom,
  webhookNetworks = [],
}: ValuesOf<typeof messageSettings> & { readonly base: string }): NotifySettings {
  if (url !== undefined && !url.endsWith(base))
    throw badInput("FOOTFALL_URL", url, `an address that ends with ${base}, the path of FOOTFALL_BASE`);
  const variable = "FOOTFALL_SMTP_FILE";
  const server =
    smtp ?? (smtpFile === undefined ? undefined : parseSmtp(readSecretFile(smtpFile, variable), variable));
  if (server === undefined) {
    expectNone({ mailFrom: messageSettings.mailFrom }, { mailFrom }, "--smtp or --smtp-file");
    return { mail: undefined, url, webhookNetworks };
  }
  if (mailFrom === undefined) throw refused("FOOTFALL_MAIL_FROM is missing beside FOOTFALL_SMTP");
  if (url === undefined) throw refused("FOOTFALL_URL is missing beside FOOTFALL_SMTP: mails have links");
  return { mail: { ...server, from: mailFrom }, url, webhookNetworks };
}

/** Returns the URL without a slash at its end. */
function parseUrl(text: string, source: string): string {
  const url = URL.parse(text);
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash + url.username === "";
  if (!isWeb) throw badInput(source, text, "a URL like https://stats.example.com");
  return url.href.replace(/\/+$/, "");
}

/** The text may hold a password, which no message repeats. */
function parseSmtp(text: string, source: string): Omit<MailServer, "from"> {
  const url = URL.parse(text.trim());
  const wrong = () => refused(`${source}: expected smtp[s]://USER:PASSWORD@HOST:PORT, percent-encoded`);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || url.search !== "")
    throw wrong();
  const secure = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if ((url.username === "") !== (url.password === "")) throw wrong();
  const login = url.username === "" ? undefined : loginOf(url, wrong);
  const port = Number(url.port || (secure ? 465 : 587));
  return { host, port, secure, login, requireTls: !secure && login !== undefined && !isThisMachine(host) };
}

function loginOf({ username, password }: URL, wrong: () => Error): MailServer["login"] {
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    throw wrong();
  }
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

/** Returns the sender as a mail has it. The name has no sign that a header gives a meaning to. */
function parseSender(text: string, source: string): string {
  const [, name = "", named] = /^\s*([^<>"\\\p{Cc}]*?)\s*<([^<>]+)>\s*$/u.exec(text) ?? [];
  const address = parseMailAddress((named ?? text).trim());
  if (address === undefined) throw badInput(source, text, "an address like Statistics <stats@example.com>");
  return name === "" ? address : `"${name}" <${address}>`;
}
