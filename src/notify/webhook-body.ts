/** The bodies of webhooks, in the forms that some services read. None of them makes a link or a mention of a text. */
import type { Website } from "../accounts/registry/registry.ts";
import { ntfyTopicOf, type Subscription } from "../core/website/subscription.ts";
import { assert } from "../lib/assert.ts";
import type { Message } from "./message.ts";
import { SendError } from "./sending/webhook-target.ts";

const slackCharactersMax = 2_900;
/** Discord takes so many with the title and the link, as UTF-16 counts them. */
const discordCharactersMax = 2_000;
/** ntfy makes a file of a longer message. Counted as JSON writes it, because the whole body may have twice as many. */
const ntfyBytesMax = 4_096;

export interface WebhookBody {
  readonly url: string;
  readonly body: string;
}

/**
 * `id`: that of the message. `link`: the address of the statistics, if the server has a public one. Throws SendError where
 * no body can be sent there.
 */
export function webhookBody(
  { target, format, timezone }: Pick<Subscription, "target" | "format" | "timezone">,
  { hostname }: Website,
  { title, subtitle, text, values }: Message,
  id: string,
  link: string | undefined,
): WebhookBody {
  const all = [...(subtitle === "" ? [] : [subtitle, ""]), text].join("\n");
  assert(format !== null, "a webhook has a format");
  const links = link === undefined ? [] : [link];
  switch (format) {
    case "json": {
      const own = {
        id,
        website: hostname,
        time_zone: timezone,
        ...values,
        ...(link !== undefined && { link }),
      };
      return { url: target, body: JSON.stringify(own) };
    }
    case "slack": {
      const plain = (content: string) => ({
        type: "section",
        text: { type: "plain_text", text: cut(content, slackCharactersMax), emoji: false },
      });
      // Slack makes a link of no plain text.
      const linkTo = (url: string) => ({
        type: "section",
        text: { type: "mrkdwn", text: `<${escaped(url)}>`, verbatim: true },
      });
      const blocks = [plain(title), plain(all), ...links.map(linkTo)];
      return { url: target, body: JSON.stringify({ text: escaped(title), blocks, unfurl_links: false }) };
    }
    case "discord": {
      // Nothing within a block of code is a link, a mention or markdown.
      const withCode = (code: string) =>
        [`**${title}**`, `\`\`\`\n${code}\n\`\`\``, ...links.map((url) => `<${url}>`)].join("\n");
      const code = cut(all, discordCharactersMax - withCode("").length).replaceAll("`", "'");
      const content = withCode(code);
      return { url: target, body: JSON.stringify({ content, allowed_mentions: { parse: [] } }) };
    }
    case "ntfy": {
      // JSON goes to the root of the server, and names the topic.
      const url = new URL(target);
      const topic = ntfyTopicOf(url);
      if (topic === undefined) throw new SendError("its path is no topic of ntfy", true);
      const own = {
        topic,
        title,
        message: cut(all, ntfyBytesMax, (part) => Buffer.byteLength(JSON.stringify(part)) - 2),
        ...(link !== undefined && { click: link }),
      };
      return { url: `${url.origin}/`, body: JSON.stringify(own) };
    }
  }
}

/** Slack reads the text of notifications, and the one of the link, as markup. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Cuts a text to a size, which is that of its parts together. Characters stay whole. */
function cut(text: string, max: number, sizeOf = (part: string) => part.length): string {
  if (sizeOf(text) <= max) return text;
  let [size, end] = [sizeOf("…"), 0];
  for (const character of text) {
    size += sizeOf(character);
    if (size > max) break;
    end += character.length;
  }
  return `${text.slice(0, end)}…`;
}
