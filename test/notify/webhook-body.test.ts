/** The bodies for services that take messages of a certain length: a long report is cut, and none is too long. */
import { expect, test } from "bun:test";
import type { Website } from "../../src/accounts/registry/registry.ts";
import type { Message } from "../../src/notify/message.ts";
import { strangerText } from "../../src/notify/stranger-text.ts";
import { webhookBody } from "../../src/notify/webhook-body.ts";

const hostname = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.example`;
const link = `https://stats.example.org/stats/dashboard/websites/${hostname}`;

function sent(format: "discord" | "ntfy", text: string, name: string, url: string | undefined) {
  const title = `${name}: your week`;
  const message: Message = {
    subject: title,
    title,
    subtitle: "9 to 15",
    text,
    html: "",
    query: "",
    values: {},
  };
  const target = { target: "https://hooks.example.com/topic", format, timezone: "UTC" };
  const { body } = webhookBody(target, { hostname: name } as Website, message, "1", url);
  return { body, values: JSON.parse(body) as { content: string; message: string } };
}

const long = [
  "a",
  ". ",
  "é",
  "😀",
  '"',
  "`",
  "\n",
  strangerText("a.".repeat(35)),
  strangerText("אב.".repeat(23)),
]
  .map((part) => part.repeat(5_000 / part.length))
  .flatMap((text) => [text, `-${text}`]);

test("no message to Discord has more than 2,000 characters, title and link among them, nor many fewer", () => {
  for (const text of long)
    for (const [name, url] of [
      ["a.example", undefined],
      [hostname, link],
    ] as const) {
      const { content } = sent("discord", text, name, url).values;
      expect(content.length).toBeLessThanOrEqual(2_000);
      expect(content.length).toBeGreaterThan(1_990);
      expect(content).toEndWith(`…\n\`\`\`${url === undefined ? "" : `\n<${url}>`}`);
      expect(content.isWellFormed()).toBe(true);
    }
});

test("no message to ntfy has more than 4,096 bytes, nor more than twice as many with all around it", () => {
  for (const text of long) {
    const { body, values } = sent("ntfy", text, hostname, link);
    expect(Buffer.byteLength(values.message)).toBeLessThanOrEqual(4_096);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2 * 4_096);
    expect(Buffer.byteLength(JSON.stringify(values.message))).toBeGreaterThan(4_085);
    expect(values.message).toEndWith("…");
    expect(values.message.isWellFormed()).toBe(true);
  }
});

test("a text that has room is whole", () => {
  const text = "x".repeat(1_900);
  expect(sent("discord", text, "a.example", undefined).values.content).toContain(`${text}\n\`\`\``);
  const bytes = "x".repeat(4_096 - "9 to 15\\n\\n".length);
  expect(sent("ntfy", bytes, hostname, link).values.message).toEndWith(`\n${bytes}`);
});
