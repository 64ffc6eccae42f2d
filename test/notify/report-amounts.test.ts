/** Reports by mail and webhook have the amounts that goals sum up. */
import { expect, test } from "bun:test";
import { hourMs, dayMs, partOf, Told } from "../support/told.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const email = "ada@example.com";
const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };

test("a report has the sums of goals beside those of the week before, of those that sum up amounts", async () => {
  const receiver = new WebhookReceiver();
  await using told = await Told.open();
  await told.ask("POST", "goals", { name: "Sale", event: { prop_name: "sale", amount: "price" } });
  await told.ask("POST", "goals", { name: "Sign-up", event: { prop_name: "signup" } });
  await told.subscribe("reports", { kind: "weekly", email });
  const webhook = { url: receiver.url, format: "json" };
  await told.ask("POST", "reports", { kind: "weekly", time_zone: "Europe/Berlin", webhook });
  let beacons = 0;
  const buy = async (price: number) => {
    const b = `b${beacons++}`;
    for (const more of [{ u: "https://example.com/", p: true, q: false }, { d: { sale: true, price } }]) {
      const { status } = await told.server.ask("POST", "/event/hit", { body: { b, ...more }, headers });
      expect(status).toBe(200);
    }
  };
  await told.visitors(1, told.server.clock.nowMs() - 20 * dayMs);
  await buy(20);
  await told.after(7 * dayMs);
  for (const price of [19.5, 10.5, 10.25]) await buy(price);
  await told.after(2 * dayMs - 3 * hourMs);
  const text = partOf(told.smtp.mails.at(-1)!, "plain");
  expect(text).toMatch(/Goals.*Visits/i);
  expect(text).toMatch(/3 {2}Sale {2}\(\+200%\)/);
  expect(text).toMatch(/Goals.*Amount/i);
  expect(text).toMatch(/40\.25 {2}Sale, on average 13\.42 {2}\(\+101%\)/);
  expect(text.match(/Sign-up/g)).toHaveLength(1);
  const [report] = receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>).slice(-1);
  expect(report).toMatchObject({
    goals: [{ name: "Sale", visits: 3, events: 3, amount: 40.25 }, { name: "Sign-up" }],
  });
  expect(report?.["goals"]).not.toHaveProperty("1.amount");
  await receiver.stop();
});
