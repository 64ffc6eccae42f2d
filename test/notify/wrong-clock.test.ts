/** A clock that was ahead for a while: once it is right again, reports and alerts come as if it had always been. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { noonMs } from "../support/records.ts";
import { dayMs, hourMs, minuteMs, Told } from "../support/told.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** Monday, 2026-03-16, 08:00 in Berlin. */
const mondayMs = Date.UTC(2026, 2, 16, 7);
const report = { kind: "weekly", time_zone: "Europe/Berlin" };

let told: Told;
let receiver: WebhookReceiver;
beforeEach(async () => {
  told = await Told.open();
  receiver = new WebhookReceiver();
});
afterEach(() => Promise.all([told[Symbol.asyncDispose](), receiver.stop()]));

test("whoever subscribed and confirmed by it is told", async () => {
  told.server.clock.set(noonMs + 20 * dayMs);
  await told.subscribe("reports", { ...report, email: "ada@example.com" });
  await told.subscribe("alerts", { kind: "silence", hours: 3, webhook: { url: receiver.url } });
  await told.visitors(1, noonMs - hourMs);
  told.server.clock.set(noonMs);
  await told.messenger.look();
  await told.after(mondayMs - noonMs + minuteMs);
  expect(told.smtp.mails.map(({ to }) => to)).toEqual(["ada@example.com", "ada@example.com"]);
  expect(receiver.received).toHaveLength(1);
});

test("a clock that goes back by a moment has nothing told of what was before", async () => {
  await told.after(mondayMs - noonMs + hourMs);
  await told.subscribe("reports", { ...report, webhook: { url: receiver.url } });
  told.server.clock.set(mondayMs + hourMs - 6 * minuteMs);
  for (let round = 0; round < 3; round++) await told.after(5 * minuteMs);
  expect(receiver.received).toEqual([]);
});

test.each([
  ["years ahead", Date.UTC(2036, 1, 5, 10)],
  ["some weeks behind", noonMs - 20 * dayMs],
])(
  "a server that starts with a clock that is %s for some minutes sends no report twice, and none about nothing",
  async (_, wrongMs) => {
    for (const kind of ["weekly", "monthly"])
      await told.subscribe("reports", { kind, time_zone: "UTC", webhook: { url: receiver.url } });
    // Both reports that are due come, on Monday and on the first of April.
    for (let day = 0; day < 20; day++) await told.after(dayMs);
    expect(receiver.received.length).toBeGreaterThan(2);
    const count = receiver.received.length;
    const { clock } = told.server;
    await told.offFor(minuteMs, wrongMs - clock.nowMs());
    const byMs = clock.nowMs() - noonMs - 20 * dayMs;
    for (let round = 0; round < 9; round++) await told.after(minuteMs);
    clock.set(clock.nowMs() - byMs);
    for (let round = 0; round < 30; round++) await told.after(minuteMs);
    expect(receiver.received.slice(count).map(({ body }) => body)).toEqual([]);
    // The next one comes on Monday.
    await told.after(3 * dayMs);
    expect(receiver.received).toHaveLength(count + 1);
  },
);

test("a clock of 1970 has nothing noticed, however long it goes", async () => {
  await told.subscribe("reports", { ...report, webhook: { url: receiver.url } });
  told.server.clock.set(0);
  for (let day = 0; day < 20; day++) await told.after(dayMs);
  expect(receiver.received).toEqual([]);
});

test("a message that was due by it is given up, and the next one comes", async () => {
  receiver.answer = () => new Response(null, { status: 503 });
  await told.subscribe("reports", { ...report, webhook: { url: receiver.url } });
  told.server.clock.set(noonMs + 7 * dayMs);
  await told.messenger.look();
  await told.after(dayMs);
  const listed = async () => ((await told.ask("GET", "reports")).value as unknown as object[])[0];
  expect(await listed()).toMatchObject({ waiting: true });
  told.server.clock.set(noonMs);
  await told.after(minuteMs);
  expect(await listed()).not.toHaveProperty("waiting");
  receiver.answer = () => new Response("fine");
  await told.after(mondayMs - noonMs);
  expect(JSON.parse(receiver.received.at(-1)?.body ?? "{}")).toMatchObject({
    from: "2026-03-09",
    to: "2026-03-15",
  });
  expect(await listed()).toHaveProperty("last_sent");
});

test("whoever has not confirmed yet is forgotten by no clock that is a week ahead for a moment, or since the start", async () => {
  const { clock } = told.server;
  const listed = async () => ((await told.ask("GET", "reports")).value as unknown as object[]).length;
  await told.ask("POST", "reports", { ...report, email: "ada@example.com" });
  await told.after(dayMs);
  clock.set(noonMs + 9 * dayMs);
  await told.after(hourMs / 2);
  await told.restart();
  await told.after(hourMs / 2);
  clock.set(noonMs + dayMs + hourMs);
  await told.after(2 * hourMs);
  expect(await listed()).toBe(1);
  // Once the week is over it is, and an hour after a start.
  clock.advance(7 * dayMs);
  await told.restart();
  await told.messenger.look();
  expect(await listed()).toBe(1);
  await told.after(hourMs);
  expect(await listed()).toBe(0);
});
