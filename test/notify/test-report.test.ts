/** The test of a report is the report itself, of the last week or month that is over. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { noonMs } from "../support/records.ts";
import { dayMs, headerOf, linkIn, minuteMs, partOf, Told } from "../support/told.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const email = "ada@example.com";

let told: Told;
beforeEach(async () => void (told = await Told.open()));
afterEach(() => told[Symbol.asyncDispose]());

const added = async (body: object) =>
  (await told.ask("POST", "reports", { time_zone: "Europe/Berlin", ...body })).value as unknown as {
    readonly id: number;
  };
const tried = (id: number) => told.ask("POST", `reports/${id}/test`);

test("has the figures of the last whole week, and says that it is a test", async () => {
  // It is Sunday: the week that is under way began on the 9th.
  await told.visitors(20, noonMs - 8 * dayMs, "/prices");
  await told.visitors(3, noonMs - 2 * dayMs, "/under-way");
  const { id } = await added({ kind: "weekly", email });
  await told.messenger.look();
  await told.post(linkIn(told.smtp.mails.at(-1)!, "confirm"));
  expect((await tried(id)).status).toBe(204);
  const mail = told.smtp.mails.at(-1)!;
  expect(mail.to).toBe(email);
  expect(headerOf(mail, "subject")).toMatch(/Test.*example.*your_week/);
  const text = partOf(mail, "plain");
  expect(text).toContain("Test: example.com: your week");
  expect(text).toContain("March 2 – 8, 2026");
  expect(text).toMatch(/20 {2}\/prices/);
  expect(text).not.toContain("/under-way");
  expect(partOf(mail, "html")).toContain("Test: example.com: your week");
  expect(headerOf(mail, "list-unsubscribe")).toContain("/mail/unsubscribe/");
});

test("goes to nobody who has not confirmed it, and once a minute", async () => {
  const { id } = await added({ kind: "weekly", email });
  await told.messenger.look();
  expect(await tried(id)).toMatchObject({
    status: 400,
    value: { error: { message: "email: its owner has not confirmed it yet" } },
  });
  await told.post(linkIn(told.smtp.mails.at(-1)!, "confirm"));
  expect((await tried(id)).status).toBe(204);
  expect(await tried(id)).toMatchObject({
    status: 400,
    value: { error: { message: "a test message was sent a moment ago: try again in a minute" } },
  });
  expect(told.smtp.mails).toHaveLength(2);
  await told.after(minuteMs);
  expect((await tried(id)).status).toBe(204);
  expect(told.smtp.mails).toHaveLength(3);
});

test("a webhook gets a report that is marked as a test, and the next one on its day", async () => {
  const receiver = new WebhookReceiver();
  await told.visitors(5, Date.UTC(2026, 1, 10, 12), "/february");
  const { id } = await added({ kind: "monthly", webhook: { url: receiver.url, format: "json" } });
  expect((await tried(id)).status).toBe(204);
  const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as object);
  expect(bodies()).toMatchObject([
    {
      type: "report",
      test: true,
      kind: "monthly",
      from: "2026-02-01",
      to: "2026-02-28",
      pages: [{ path: "/february", visitors: 5 }],
    },
  ]);
  await told.after(Date.UTC(2026, 3, 1, 6, 1) - noonMs);
  expect(bodies()).toHaveLength(2);
  expect(bodies()[1]).toMatchObject({ type: "report", from: "2026-03-01" });
  expect(bodies()[1]).not.toHaveProperty("test");
  await receiver.stop();
});
