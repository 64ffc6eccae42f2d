/** Alerts of a website whose first months were imported as sums: such a day has all its visitors at 10:30 UTC. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Engine } from "../../src/engine/engine.ts";
import { noSums } from "../../src/facts/months/month-sums.ts";
import { noonMs } from "../support/records.ts";
import { dayMs, hourMs, minuteMs, Told } from "../support/told.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

let told: Told;
let receiver: WebhookReceiver;
beforeEach(async () => {
  told = await Told.open();
  receiver = new WebhookReceiver();
  for (const kind of ["spike", "drop"])
    await told.ask("POST", "alerts", { kind, time_zone: "UTC", webhook: { url: receiver.url } });
});
afterEach(() => Promise.all([told[Symbol.asyncDispose](), receiver.stop()]));

const toldOf = () => receiver.received.map(({ body }) => JSON.parse(body) as object);

/** Imports the sums of days of one month, each with 1,440 visitors. */
async function importDays(engine: Engine, firstMs: number, count: number): Promise<void> {
  const n = { ...noSums, pageviews: 2_000, visitors: 1_440, visits: 1_500, entries: 1_500, exits: 1_500 };
  const values = { path: [["/", n] as const], browser: [], os: [], device: [], country: [] };
  const one = { all: n, values, sources: [], events: [] };
  const days = Array.from({ length: count }, (_, at) => ({ day: firstMs / dayMs + at, ...one }));
  expect(await engine.monthImport.add(1, { monthMs: firstMs, days })).toBeUndefined();
}

test("they compare with tracked hours only, and come once two weeks have these", async () => {
  const { engine } = told.server;
  for (const hour of [0, 1]) await told.visitors(60, noonMs - 7 * dayMs + hour * hourMs);
  await importDays(engine, Date.UTC(2026, 1), 28);
  for (const hour of [0, 1]) {
    await told.visitors(60, noonMs + hour * hourMs);
    await told.after(hourMs);
  }
  expect(toldOf()).toEqual([]);
  await told.after(7 * dayMs - hourMs);
  expect(toldOf()).toMatchObject([{ kind: "drop", value: 0, expected: 60 }]);
});

test("hours of the first tracked day before its first page view are unknown, as without an import", async () => {
  const { engine } = told.server;
  const tomorrowMs = noonMs + dayMs - 4 * hourMs;
  await told.visitors(60, tomorrowMs - 14 * dayMs + 10 * hourMs);
  await told.visitors(60, tomorrowMs - 7 * dayMs);
  await importDays(engine, Date.UTC(2026, 2), 1);
  await told.after(tomorrowMs - noonMs);
  await told.visitors(100, tomorrowMs);
  await told.after(5 * minuteMs);
  expect(toldOf()).toEqual([]);
});
