/** Webhooks that never answer: what they delay is others of their account, and nothing else. */
import { describe, expect, test } from "bun:test";
import { Places, type Room } from "../../src/notify/sending/places.ts";
import { TestClock } from "../support/clock.ts";
import { accountOf } from "../support/members.ts";
import { noonMs } from "../support/records.ts";
import { hourMs, linkIn, Told } from "../support/told.ts";
import { until } from "../support/until.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

describe("a place", () => {
  /** Adds calls that end when they are told to. Returns their owners as they began. */
  function begun(owners: readonly number[], room: Room = { all: 16, ofOne: 4 }, clock = new TestClock()) {
    const places = new Places(room, clock);
    const calls: { readonly userId: number; readonly end: () => void }[] = [];
    for (const [at, userId] of owners.entries()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const act = () => (calls.push({ userId, end: resolve }), promise);
      places.add({ key: `${at}`, userId, act });
      places.add({ key: `${at}`, userId, act });
    }
    return { places, calls, owners: () => calls.map(({ userId }) => userId) };
  }

  test("is one of four of an account and of sixteen, and is given to whoever has the fewest", async () => {
    const { places, calls, owners } = begun([1, 2, 3, 4, 5].flatMap((userId) => Array(6).fill(userId)));
    expect(owners()).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4]);
    for (const end of [3, 7]) {
      const before = calls.length;
      calls[end]!.end();
      await until(() => calls.length > before, "the next one begins");
    }
    expect(owners().slice(16)).toEqual([5, 5]);
    let ended = 0;
    const idle = places.idle();
    while (ended < calls.length) {
      calls[ended++]!.end();
      await Bun.sleep(0);
    }
    await idle;
    expect(ended).toBe(30);
  });

  test("is given in turns to those who have as few", async () => {
    const all = Array.from({ length: 17 }, (_, at) => at);
    const { calls, owners } = begun([...all, ...all]);
    expect(owners()).toEqual(all.slice(0, 16));
    for (const end of [0, 16]) {
      const before = calls.length;
      calls[end]!.end();
      await until(() => calls.length > before, "the next one begins");
    }
    expect(owners().slice(16)).toEqual([16, 0]);
  });

  test("is given to whoever had least of the time", async () => {
    const clock = new TestClock();
    const { calls, owners } = begun([1, 1, 1, 2, 2, 2, 2, 3], { all: 1, ofOne: 1 }, clock);
    const takesMs = [0, 60_000, 1_000, 2_000];
    for (let at = 0; at < 8; at++) {
      await until(() => calls.length > at, "the next one begins");
      clock.advance(takesMs[calls[at]!.userId]!);
      calls[at]!.end();
    }
    expect(owners()).toEqual([1, 2, 3, 2, 2, 2, 1, 1]);
  });
});

test("the mails, alerts and webhooks of another account come at once, in every round", async () => {
  await using told = await Told.open();
  const { server, cookie } = told;
  const [dead, alive] = [new WebhookReceiver(), new WebhookReceiver()];
  const { promise, resolve: release } = Promise.withResolvers<void>();
  dead.answer = () => promise.then(() => new Response()) as never;
  const alert = (hours: number, more: object) => ({ kind: "silence", hours, time_zone: "UTC", ...more });
  await server.ask("POST", "/websites", { cookie, body: { hostname: "second.example" } });
  for (const hostname of ["example.com", "second.example"])
    for (let number = 0; number < 10; number++) {
      const body = alert(1, { webhook: { url: `${dead.url}/${number}` } });
      expect((await server.ask("POST", `/website/${hostname}/alerts`, { cookie, body })).status).toBe(201);
    }
  const other = await accountOf(server, "other");
  await server.ask("POST", "/websites", { cookie: other, body: { hostname: "other.example" } });
  const email = "grace@example.org";
  for (const body of [
    alert(1, { webhook: { url: alive.url } }),
    alert(1, { email }),
    alert(4, { webhook: { url: `${alive.url}/4` } }),
  ])
    await server.ask("POST", "/website/other.example/alerts", { cookie: other, body });
  await told.messenger.look();
  await told.post(linkIn(told.smtp.mails[0]!, "confirm"));
  for (const websiteId of [1, 2, 3]) await told.visitors(1, noonMs - hourMs, "/", "", websiteId);
  const looks = [told.after(2 * hourMs)];
  await until(() => told.smtp.mails.length === 2 && alive.received.length === 1, "the other account is told");
  // Four, on a machine that is not so busy that some of them have had their ten seconds.
  expect(dead.received.length).toBeLessThan(16);
  looks.push(told.after(2 * hourMs));
  await until(() => alive.received.length === 2, "it is told of something else");
  expect(dead.received.length).toBeLessThan(16);
  release();
  await Promise.all(looks);
  expect(dead.received).toHaveLength(20);
  await Promise.all([dead.stop(), alive.stop()]);
});
