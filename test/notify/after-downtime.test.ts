/** A server that was off could not count: it tells of no silence of its own, and sends nothing that is long over. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { noonMs } from "../support/records.ts";
import { dayMs, hourMs, minuteMs, Told } from "../support/told.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

let told: Told;
let receiver: WebhookReceiver;
beforeEach(async () => {
  told = await Told.open();
  receiver = new WebhookReceiver();
  await told.visitors(5, noonMs - 2 * hourMs);
});
afterEach(() => Promise.all([told[Symbol.asyncDispose](), receiver.stop()]));

const kinds = () => receiver.received.map(({ body }) => (JSON.parse(body) as { kind: string }).kind);
const silence = () => ({ kind: "silence", hours: 24, webhook: { url: receiver.url } });

test("silence counts from the start, and is told once nobody comes to a server that is there", async () => {
  await told.subscribe("alerts", silence());
  await told.offFor(30 * hourMs);
  for (let round = 0; round < 23; round++) await told.after(hourMs);
  expect(kinds()).toEqual([]);
  for (let round = 0; round < 3; round++) await told.after(hourMs);
  expect(kinds()).toEqual(["silence"]);
});

test.each([
  ["has the time of the stop", () => -30 * hourMs],
  ["is at 1970", (nowMs: number) => 10_000 - nowMs],
  ["is years ahead", () => 3_000 * dayMs],
])("so it does from when the clock is set right that %s at the start", async (_, wrongBy) => {
  await told.subscribe("alerts", silence());
  const wrongMs = wrongBy(told.server.clock.nowMs() + 30 * hourMs);
  await told.offFor(30 * hourMs, wrongMs);
  const { clock } = told.server;
  await told.after(minuteMs);
  clock.set(clock.nowMs() - wrongMs);
  for (let round = 0; round < 23; round++) await told.after(hourMs);
  expect(kinds()).toEqual([]);
  for (let round = 0; round < 3; round++) await told.after(hourMs);
  expect(kinds()).toEqual(["silence"]);
});

test("and from when a machine goes on that was paused, with the server on it", async () => {
  await told.subscribe("alerts", silence());
  await told.after(minuteMs);
  const { clock } = told.server;
  clock.set(clock.nowMs() + 30 * hourMs);
  for (let round = 0; round < 23; round++) await told.after(hourMs);
  expect(kinds()).toEqual([]);
  for (let round = 0; round < 3; round++) await told.after(hourMs);
  expect(kinds()).toEqual(["silence"]);
});

test("a start after some minutes changes nothing of that", async () => {
  await told.subscribe("alerts", silence());
  for (let round = 0; round < 20; round++) await told.after(hourMs);
  await told.offFor(10 * minuteMs);
  for (let round = 0; round < 5; round++) await told.after(hourMs);
  expect(kinds()).toEqual(["silence"]);
});

test("an hour in which the server was off for a while is no drop, and the next one may be", async () => {
  for (const week of [1, 2, 3, 4])
    for (const hour of [0, 1, 2, 3]) await told.visitors(90, noonMs + hour * hourMs - week * 7 * dayMs);
  await told.subscribe("alerts", { kind: "drop", webhook: { url: receiver.url } });
  await told.offFor(90 * minuteMs);
  await told.after(35 * minuteMs);
  expect(kinds()).toEqual([]);
  await told.after(hourMs);
  expect(kinds()).toEqual(["drop"]);
});

test("a message that waited is given up where the server was off for longer than it would have tried", async () => {
  receiver.answer = () => new Response(null, { status: 503 });
  await told.subscribe("reports", { kind: "weekly", time_zone: "UTC", webhook: { url: receiver.url } });
  await told.subscribe("alerts", silence());
  for (let round = 0; round < 26; round++) await told.after(hourMs);
  expect(kinds()).toContain("silence");
  const count = receiver.received.length;
  receiver.answer = () => new Response("fine");
  await told.offFor(4 * dayMs);
  await told.after(minuteMs);
  expect(receiver.received.slice(count)).toEqual([]);
  const listed = async (list: string) => ((await told.ask("GET", list)).value as unknown as object[])[0];
  expect(await listed("alerts")).toMatchObject({ last_error: "it waited for too long" });
  expect(await listed("alerts")).not.toHaveProperty("waiting");
  await told.after(4 * dayMs);
  expect(
    kinds()
      .slice(count)
      .filter((kind) => kind === "weekly"),
  ).toHaveLength(1);
});
