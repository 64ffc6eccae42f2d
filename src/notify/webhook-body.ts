/** The bodies of webhooks, in the forms that some services read. None of them makes a link or a mention of a text. */
import type { Website } from "../accounts/registry.ts";
import { ntfyTopicOf, type Subscription } from "../core/website/subscription.ts";
import { assert } from "../lib/assert.ts";
import type { Message } from "./message.ts";
import { SendError } from "./sending/webhook-target.ts";

const slackCharactersMax = 2_900;
const discordCharactersMax = 1_900;
const ntfyCharactersMax = 3_500;

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
      const blocks = [plain(title), plain(all), ...links.map((url) => plain(url))];
      return { url: target, body: JSON.stringify({ text: escaped(title), blocks, unfurl_links: false }) };
    }
    case "discord": {
      // Nothing within a block of code is a link, a mention or markdown.
      const code = `\`\`\`\n${cut(all, discordCharactersMax).replaceAll("`", "'")}\n\`\`\``;
      const content = [`**${title}**`, code, ...links.map((url) => `<${url}>`)].join("\n");
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
        message: cut(all, ntfyCharactersMax),
        ...(link !== undefined && { click: link }),
      };
      return { url: `${url.origin}/`, body: JSON.stringify(own) };
    }
  }
}

/** Slack reads the text of notifications as markup. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}
