/** Alerts whose questions take long: they delay no delivery, and the alerts of other accounts by a turn at most. */
import { expect, test } from "bun:test";
import { accountOf } from "../support/members.ts";
import { minuteMs, Told } from "../support/told.ts";
import { until } from "../support/until.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const alertsOfFirst = 6;

/** Ada has goal alerts for example.com, and another account has one for other.example. `onAsk` hears each of their questions. */
async function withAlerts(told: Told, onAsk: (websiteId: number) => void | Promise<void>) {
  const { server, cookie } = told;
  const { engine } = server;
  const receiver = new WebhookReceiver();
  const other = await accountOf(server, "other");
  await server.ask("POST", "/websites", { cookie: other, body: { hostname: "other.example" } });
  const addAlerts = async (hostname: string, cookie: string, count: number) => {
    for (let number = 0; number < count; number++) {
      const goal = { name: `${number}`, page: { eq: `/${number}` } };
      const added = await server.ask("POST", `/website/${hostname}/goals`, { cookie, body: goal });
      const { id } = (await added.json()) as { id: number };
      const body = { kind: "goal", goal_id: id, time_zone: "UTC", webhook: { url: receiver.url } };
      expect((await server.ask("POST", `/website/${hostname}/alerts`, { cookie, body })).status).toBe(201);
    }
  };
  await addAlerts("example.com", cookie, alertsOfFirst);
  await addAlerts("other.example", other, 1);
  // Nothing is looked for before the clock has gone right for so long.
  server.clock.advance(10 * minuteMs);
  const ask = engine.ask.bind(engine);
  engine.ask = async (...asked) => {
    await onAsk(asked[0]);
    return ask(...asked);
  };
  return { receiver, other };
}

test("a mail of another account does not wait for them", async () => {
  await using told = await Told.open();
  const { promise, resolve: release } = Promise.withResolvers<void>();
  let questions = 0;
  const { receiver, other } = await withAlerts(told, () => (questions++, promise));
  const body = { kind: "weekly", email: "grace@example.org", time_zone: "UTC" };
  await told.server.ask("POST", "/website/other.example/reports", { cookie: other, body });
  const looked = told.messenger.look();
  await until(() => questions === 1 && told.smtp.mails.length === 1, "the mail comes");
  release();
  await looked;
  expect(questions).toBe(alertsOfFirst + 1);
  await receiver.stop();
});

test("another account has its turn after a second of them, and then they go on", async () => {
  await using told = await Told.open();
  const asked: number[] = [];
  const { receiver } = await withAlerts(told, (websiteId) => {
    asked.push(websiteId);
    told.server.clock.advance(600);
  });
  await told.messenger.look();
  expect(asked).toEqual([1, 1, 2, 1, 1, 1, 1]);
  await receiver.stop();
});
