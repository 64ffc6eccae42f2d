/** Texts by strangers cannot become a link, markup or another text, in mails and in chats. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Website } from "../../src/accounts/registry/registry.ts";
import { strangerPath, strangerText } from "../../src/notify/stranger-text.ts";
import type { Message } from "../../src/notify/message.ts";
import { webhookBody } from "../../src/notify/webhook-body.ts";
import { webhookFormats } from "../../src/core/website/subscription.ts";
import { anyText } from "../support/any-record.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

test("control characters and those that nobody sees are written out, and texts are short", () => {
  expect(strangerText("a\r\nBcc: x@y.example")).not.toMatch(/[\r\n]/);
  expect(strangerText("a\u202egnp.exe")).toContain("\\u{202e}");
  expect(strangerPath("/a%0D%0Ab")).toBe("/a%0D%0Ab");
  expect(strangerPath("/%C3%BCber")).toBe("/über");
  expect([...strangerText("a".repeat(500))]).toHaveLength(70);
  expect(strangerText("\u05d0\u05d1")).toBe("\u2068\u05d0\u05d1\u2069");
});

test("no text has an address that a program would make a link of", () => {
  for (const text of [
    "https://evil.example/x",
    "www.evil.example",
    "evil.example",
    "a@evil.example",
    "tel:+491234567",
  ])
    expect([text, /\w[.:@]\/?\/?\w/.test(strangerText(text))]).toEqual([text, false]);
});

test("nothing in any text is markup", () => {
  const property = fc.property(anyText, (text) => {
    const html = Bun.escapeHTML(strangerText(text));
    expect(html).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#x27);)/);
    expect(strangerText(text)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
    expect(strangerPath(text)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
  });
  fc.assert(property, { seed: seed(), numRuns: rounds(1_000) });
});

test("no format of webhooks lets a text out of its place", () => {
  const website = { hostname: "example.com" } as Website;
  const property = fc.property(anyText, fc.constantFrom(...webhookFormats), (text, format) => {
    const message: Message = {
      subject: "A title",
      title: "A title",
      subtitle: "",
      text: `1  ${strangerText(text)} \`\`\` <!channel>`,
      html: "",
      query: "",
      values: {},
    };
    const target = { target: "https://hooks.example.com/topic", format, timezone: "UTC" };
    const { body } = webhookBody(target, website, message, "1", "https://stats.example.org/?a=1&b=2");
    const sent = JSON.parse(body) as Record<string, unknown>;
    if (format === "discord") {
      expect(String(sent["content"]).match(/```/g)).toHaveLength(2);
      expect(sent["allowed_mentions"]).toEqual({ parse: [] });
    }
    if (format === "slack")
      expect(sent["blocks"]).toMatchObject([
        { text: { type: "plain_text" } },
        { text: { type: "plain_text" } },
        { text: { type: "mrkdwn", text: "<https://stats.example.org/?a=1&amp;b=2>", verbatim: true } },
      ]);
  });
  fc.assert(property, { seed: seed(), numRuns: rounds(300) });
});
