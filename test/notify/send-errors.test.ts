/** Errors of messages: what cannot be sent, for whatever reason, is tried less and less often and given up in the end. */
import { expect, test } from "bun:test";
import { Refusal } from "../../src/core/refusal.ts";
import { createLogger } from "../../src/lib/log.ts";
import { subscriptionAdded } from "../support/account-records.ts";
import { noonMs } from "../support/records.ts";
import { hourMs, minuteMs, Told } from "../support/told.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const silence = (url: string) => ({ kind: "silence", hours: 1, webhook: { url, format: "ntfy" } });
const due = { kind: "messageDue", websiteId: 1, subscriptionId: 1, value: 0, expected: 0 } as const;

test("an ntfy URL is that of a topic, or it is refused when it is given", async () => {
  await using told = await Told.open();
  for (const path of ["/100%", "/", "", "/a/b", "/topic/", "/%E2%82", "/two%20words", `/${"a".repeat(65)}`])
    expect([path, await told.ask("POST", "alerts", silence(`https://ntfy.sh${path}`))]).toEqual([
      path,
      {
        status: 400,
        value: { error: expect.objectContaining({ message: expect.stringContaining("webhook.url: ") }) },
      },
    ] as never);
  expect(await told.ask("POST", "alerts", silence("https://ntfy.sh/My_topic-1"))).toMatchObject({
    status: 201,
  });
});

test("a message to an ntfy URL without a topic, from before it was refused, is given up", async () => {
  await using told = await Told.open();
  const { engine } = told.server;
  const receiver = new WebhookReceiver();
  const own = {
    subscribed: "silence",
    threshold: 1,
    target: `${receiver.url}/100%`,
    format: "ntfy",
  } as const;
  await engine.commit(subscriptionAdded(1, 1, own));
  await engine.commit({ ...due, timeMs: noonMs, forMs: noonMs - hourMs });
  await told.messenger.look();
  const [listed] = (await told.ask("GET", "alerts")).value as unknown as object[];
  expect(listed).toMatchObject({ last_error: "its path is no topic of ntfy" });
  expect(listed).not.toHaveProperty("waiting");
  expect(receiver.received).toEqual([]);
  await receiver.stop();
});

function logTo(lines: string[]) {
  const write = (line: string) => lines.push(line);
  return createLogger({ level: "warn", format: "text", nowMs: () => noonMs, write });
}

test("an address whose question cannot be stored keeps no other report waiting, and one line an hour says so", async () => {
  const lines: string[] = [];
  await using told = await Told.open({}, { logger: logTo(lines) });
  const { engine } = told.server;
  // As a cluster does that has nodes of an earlier version.
  const commit = engine.commit.bind(engine);
  let keys: unknown[] = [];
  let isMixed = true;
  engine.commit = async (record) => {
    if (record.kind === "confirmationSent") keys.push(record.leavingKey);
    if (isMixed && record.kind === "confirmationSent" && record.leavingKey !== undefined)
      throw new Refusal(500, "a node of the cluster is of an earlier version", 5);
    return commit(record);
  };
  const receiver = new WebhookReceiver();
  const report = { kind: "weekly", time_zone: "UTC" };
  await told.ask("POST", "reports", { ...report, email: "ada@example.com" });
  await told.ask("POST", "reports", { ...report, webhook: { url: receiver.url } });
  // Monday at eight comes.
  for (let hours = 0; hours < 24; hours += 4) await told.after(4 * hourMs);
  expect(receiver.received).toHaveLength(1);
  for (let round = 0; round < 30; round++) await told.after(minuteMs);
  expect(lines.filter((line) => line.includes("new addresses could not be looked at"))).toHaveLength(6);
  expect(lines.join("")).not.toContain("reports and alerts could not be looked at");
  isMixed = false;
  keys = [];
  await told.ask("POST", "reports", { ...report, email: "grace@example.com" });
  await told.after(minuteMs);
  await told.after(minuteMs);
  // The website has its key from the first record on.
  expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}$/), undefined]);
  await receiver.stop();
});

test("an alert whose question fails keeps none that was added later from being noticed, and the log says why", async () => {
  const lines: string[] = [];
  await using told = await Told.open({}, { logger: logTo(lines) });
  const receiver = new WebhookReceiver();
  // This system does not know the time zone any more.
  const own = { subscribed: "goal", threshold: 1, goalId: 1, timezone: "Mars/Base" } as const;
  await told.server.engine.commit(subscriptionAdded(1, 1, { ...own, target: receiver.url, format: "json" }));
  await told.ask("POST", "alerts", silence(`${receiver.url}/topic`));
  await told.visitors(1, noonMs - hourMs);
  await told.after(2 * hourMs);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/error reports and alerts could not be looked at .*RangeError.*Mars\/Base/);
  expect(receiver.received).toHaveLength(1);
  await receiver.stop();
});

test("a message that an error of the server keeps from being made has the same patience, and the log says why", async () => {
  const lines: string[] = [];
  await using told = await Told.open({}, { logger: logTo(lines) });
  const { engine } = told.server;
  // This system does not know the time zone any more.
  const own = { target: "https://hooks.example.com/", format: "json", timezone: "Mars/Base" } as const;
  await engine.commit(subscriptionAdded(1, 1, own));
  await engine.commit({ ...due, timeMs: noonMs, forMs: noonMs - hourMs });
  const listed = async () => ((await told.ask("GET", "reports")).value as unknown as object[])[0];
  await told.messenger.look();
  for (let round = 1; round < 720; round++) await told.after(5_000);
  // At once, and after 1, 3, 7, 15 and 31 minutes.
  expect(lines).toHaveLength(6);
  for (const line of lines)
    expect(line).toMatch(/error a message could not be sent .*RangeError.*Mars\/Base/);
  expect(await listed()).toMatchObject({
    waiting: true,
    last_error: "the server has an error, which its log names",
  });
  for (let hour = 0; hour < 3 * 24; hour++) await told.after(hourMs);
  await told.after(minuteMs);
  expect(await listed()).not.toHaveProperty("waiting");
});
