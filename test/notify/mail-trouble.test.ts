/** Trouble with mail: an address or a server that does not take a mail costs no other mail more than a moment. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { subscriptionLines } from "../../src/cli/control/subscription-lines.ts";
import { accountOf } from "../support/members.ts";
import { noonMs } from "../support/records.ts";
import { dayMs, linkIn, minuteMs, Told } from "../support/told.ts";
import { until } from "../support/until.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** Monday, 2026-03-16, 08:00 in Berlin. */
const mondayMs = Date.UTC(2026, 2, 16, 7);
const [full, other] = ["full@example.com", "other@example.org"];
const report = { kind: "weekly", time_zone: "Europe/Berlin" };

let told: Told;
let cookie: string;
/** The answers about the first address from now on. */
let refused: { readonly rcpt?: string; readonly data?: string; readonly from?: string };
/** The answer to an address from now on. */
let onRecipient: (address: string) => string | undefined;
/** Answers to commands from now on. */
let onCommand: (verb: string) => string | undefined;
/** Done before a mail is answered. */
let meanwhile: (address: string, source: string) => Promise<unknown>;
beforeEach(async () => {
  refused = {};
  meanwhile = async () => {};
  onCommand = () => undefined;
  onRecipient = (address) => (address === full ? refused.rcpt : undefined);
  told = await Told.open({
    onRecipient: (address) => onRecipient(address),
    onData: async (address, source) => (
      await meanwhile(address, source),
      address === full ? refused.data : undefined
    ),
    onCommand: (verb) => (verb === "MAIL" ? refused.from : onCommand(verb)),
  });
  cookie = await accountOf(told.server, "other");
  await told.server.ask("POST", "/websites", { cookie, body: { hostname: "other.example" } });
});
afterEach(() => told[Symbol.asyncDispose]());

/** Subscribes the address of another account, whose website comes after the first one. */
const subscribeOther = (email = other) =>
  told.server.ask("POST", "/website/other.example/reports", { cookie, body: { ...report, email } });
const listOfOther = async () =>
  (await told.server.ask("GET", "/website/other.example/reports", { cookie })).json() as Promise<object[]>;
const recipients = () => told.smtp.mails.map(({ to }) => to);

/** Adds an address and removes it once its owner was asked. */
async function askAndRemove(email: string): Promise<void> {
  const { value } = await told.ask("POST", "reports", { ...report, email });
  await told.messenger.look();
  await told.ask("DELETE", `reports/${(value as unknown as { id: number }).id}`);
}

async function subscribeBoth(): Promise<void> {
  await told.subscribe("reports", { ...report, email: full });
  await subscribeOther();
  await told.messenger.look();
  await told.post(linkIn(told.smtp.mails.at(-1)!, "confirm"));
  expect(recipients()).toEqual([full, other]);
}

/** Expects that a mail about which the server is silent goes behind all others once the messenger starts again. */
async function expectLastAfterRestart(look: () => Promise<unknown>): Promise<void> {
  const contents: string[] = [];
  meanwhile = async (address) => {
    contents.push(address);
    if (address === full) await new Promise(() => {});
  };
  const looks = [look()];
  await until(() => contents.length === 1, "the server is silent");
  await told.restart();
  looks.push(told.messenger.look());
  await until(() => contents.length === 3, "both are sent");
  expect(contents).toEqual([full, other, full]);
  await told.restart();
  await Promise.all(looks);
}

describe("the mail of another account", () => {
  test.each([
    ["whose mailbox is full", { rcpt: "452 4.2.2 mailbox full" }],
    ["whose server takes no such content", { data: "554 5.7.1 message content rejected" }],
    ["that is refused for good", { rcpt: "550 5.1.1 nobody" }],
  ])("comes at once, whoever was told before it: an address %s", async (_, answers) => {
    await subscribeBoth();
    refused = answers;
    await told.after(mondayMs - noonMs + minuteMs);
    expect(recipients()).toEqual([full, other, other]);
    const [own] = await listOfOther();
    expect(own).toHaveProperty("last_sent");
    expect(own).not.toHaveProperty("last_error");
  });

  test("comes first after a restart, where the server was silent about one until then", async () => {
    await subscribeBoth();
    await expectLastAfterRestart(() => told.after(mondayMs - noonMs + minuteMs));
  });

  test("asks first after a restart, too, where the server was silent about a question of another account", async () => {
    await told.ask("POST", "reports", { ...report, email: full });
    await subscribeOther();
    await expectLastAfterRestart(() => told.messenger.look());
  });

  test("asks to confirm an address, also where another one that was not asked yet is refused each time", async () => {
    refused = { rcpt: "450 4.1.2 no such domain" };
    await told.ask("POST", "reports", { ...report, email: full });
    await subscribeOther();
    await told.messenger.look();
    expect(recipients()).toEqual([other]);
  });

  test("comes at once where the connection ended with the mail before, and fails of nothing itself", async () => {
    await subscribeBoth();
    refused = { rcpt: "" };
    await told.after(mondayMs - noonMs + minuteMs);
    expect(recipients()).toEqual([full, other, other]);
    const [own] = await listOfOther();
    expect(own).toHaveProperty("last_sent");
    expect(own).not.toHaveProperty("last_error");
  });

  test("waits for one mail at most, in every round, while the server is slow about all of another account", async () => {
    await subscribeBoth();
    const ends: (() => void)[] = [];
    meanwhile = (address) =>
      address.endsWith("@example.org") ? Promise.resolve() : new Promise<void>((end) => ends.push(end));
    const slow = Array.from({ length: 5 }, (_, at) => `slow${at}@example.com`);
    for (const email of slow) await told.ask("POST", "reports", { ...report, email });
    const looks = [told.after(mondayMs - noonMs + minuteMs)];
    await until(() => ends.length === 1, "the server is slow");
    await subscribeOther("second@example.org");
    looks.push(told.after(30_000));
    ends.pop()?.();
    await until(() => ends.length === 1, "the server is slow again");
    expect(recipients().slice(2).toSorted()).toEqual([other, "second@example.org", slow[0]!].toSorted());
    meanwhile = async () => {};
    ends.pop()?.();
    await Promise.all(looks);
    expect(recipients().slice(2).toSorted()).toEqual([full, other, "second@example.org", ...slow].toSorted());
  });
});

test("a question to confirm that is not taken is said, with its error, of all that goes to the address, until it is", async () => {
  const { engine } = told.server;
  const listOf = async (list: string) => (await told.ask("GET", list)).value as unknown as object[];
  const lines = () => subscriptionLines(engine.registry.websites.get(1)!);
  refused = { from: "535 5.7.8 wrong password" };
  await told.ask("POST", "reports", { ...report, email: full });
  expect(lines()).toEqual([["weekly", full, "not confirmed"]]);
  await told.messenger.look();
  const why = { confirmed: false, last_error: expect.stringContaining("wrong password") as unknown };
  expect(await listOf("reports")).toMatchObject([why]);
  expect(lines()[0]?.[2]).toMatch(/^not confirmed: its owner could not be asked: .*wrong password/);
  expect(await told.ask("POST", "reports/1/test")).toMatchObject({
    status: 400,
    value: {
      error: {
        message: expect.stringMatching(
          /^email: its owner could not be asked to confirm it: ".*wrong password"$/,
        ),
      },
    },
  });
  // The same error is logged once, and again for what is added later.
  const { records } = engine.health();
  for (let round = 0; round < 5; round++) await told.after(minuteMs);
  expect(engine.health().records).toBe(records);
  await told.ask("POST", "alerts", { kind: "drop", email: full });
  expect((await listOf("alerts"))[0]).not.toHaveProperty("last_error");
  await told.after(60 * minuteMs);
  expect(await listOf("alerts")).toMatchObject([why]);
  refused = {};
  await told.after(60 * minuteMs);
  expect(recipients()).toEqual([full]);
  for (const list of ["reports", "alerts"]) expect((await listOf(list))[0]).not.toHaveProperty("last_error");
  expect(await told.ask("POST", "reports/1/test")).toMatchObject({
    value: { error: { message: "email: its owner has not confirmed it yet" } },
  });
});

test("an address that is refused for good is asked once a day, and is one of those that its website asks", async () => {
  let asked: string[] = [];
  onRecipient = (address) => (asked.push(address), "550 5.1.1 nobody");
  await told.ask("POST", "reports", { ...report, email: full });
  for (let hour = 0; hour < 47; hour++) await told.after(60 * minuteMs);
  expect(asked).toEqual([full, full]);
  const [own] = (await told.ask("GET", "reports")).value as unknown as object[];
  expect(own).toHaveProperty("last_error", expect.stringContaining("nobody"));
  asked = [];
  for (let number = 0; number < 30; number++) await askAndRemove(`a${number}@example.com`);
  expect(asked).toHaveLength(19);
});

test("a message that was taken is not sent again while the log cannot be written, and is logged once it can", async () => {
  const receiver = new WebhookReceiver();
  await told.subscribe("reports", { ...report, webhook: { url: receiver.url } });
  await told.subscribe("reports", { ...report, email: full });
  // Both are due before the disk is full, and wait for somebody who takes them.
  refused = { rcpt: "451 4.3.0 later" };
  receiver.answer = () => new Response(null, { status: 503 });
  await told.after(mondayMs - noonMs + minuteMs);
  refused = {};
  receiver.answer = () => new Response("fine");
  expect([recipients(), receiver.received.length]).toEqual([[full], 1]);
  told.disk.failAt({ call: 1, forGood: true, code: "ENOSPC" });
  for (let round = 0; round < 30; round++) await told.after(minuteMs);
  expect([recipients(), receiver.received.length]).toEqual([[full, full], 2]);
  told.disk.failAt(undefined);
  for (let round = 0; round < 30; round++) await told.after(minuteMs);
  expect([recipients(), receiver.received.length]).toEqual([[full, full], 2]);
  for (const own of (await told.ask("GET", "reports")).value as unknown as object[]) {
    expect(own).toHaveProperty("last_sent");
    expect(own).not.toHaveProperty("waiting");
  }
  await receiver.stop();
});

test("a link to confirm that was sent while the log cannot be written works once it can, and is not sent again", async () => {
  await told.ask("POST", "reports", { ...report, email: full });
  told.disk.failAt({ call: 1, forGood: true, code: "ENOSPC" });
  for (let round = 0; round < 3; round++) await told.after(minuteMs);
  expect(recipients()).toEqual([full]);
  told.disk.failAt(undefined);
  for (let round = 0; round < 30; round++) await told.after(minuteMs);
  await told.post(linkIn(told.smtp.mails[0]!, "confirm"));
  expect((await told.ask("GET", "reports")).value as unknown).toMatchObject([{ confirmed: true }]);
  await told.after(dayMs);
  expect(told.smtp.mails.filter((mail) => linkIn(mail, "confirm") !== "")).toHaveLength(1);
});

test("a question that is logged late counts once among those of its website", async () => {
  await told.ask("POST", "reports", { ...report, email: full });
  told.disk.failAt({ call: 1, forGood: true, code: "ENOSPC" });
  for (let round = 0; round < 3; round++) await told.after(minuteMs);
  told.disk.failAt(undefined);
  for (let round = 0; round < 30; round++) await told.after(minuteMs);
  for (let number = 0; number < 25; number++) await askAndRemove(`a${number}@example.com`);
  expect(told.smtp.mails).toHaveLength(20);
});

test("a question that is logged days later has its seven days from then", async () => {
  await told.ask("POST", "reports", { ...report, email: full });
  told.disk.failAt({ call: 1, forGood: true, code: "ENOSPC" });
  for (let hour = 0; hour < 6 * 24; hour++) await told.after(60 * minuteMs);
  told.disk.failAt(undefined);
  for (let hour = 0; hour < 2 * 24; hour++) await told.after(60 * minuteMs);
  expect(recipients()).toEqual([full]);
  await told.post(linkIn(told.smtp.mails[0]!, "confirm"));
  expect((await told.ask("GET", "reports")).value as unknown).toMatchObject([{ confirmed: true }]);
});

test("a question that comes again after a restart, with another link, is another mail", async () => {
  const sources: string[] = [];
  meanwhile = async (_, source) => void sources.push(source);
  await told.ask("POST", "reports", { ...report, email: full });
  told.disk.failAt({ call: 1, forGood: true, code: "ENOSPC" });
  await told.messenger.look();
  told.disk.failAt(undefined);
  await told.restart();
  for (let round = 0; round < 30; round++) await told.after(minuteMs);
  const ids = sources.map((source) => /^Message-ID: (<.+>)/m.exec(source)?.[1]);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(2);
});

describe("an address that waits to be asked while another one is", () => {
  test.each([
    ["it is removed", "DELETE", "/website/example.com/reports/2"],
    ["its website is removed", "DELETE", "/websites/example.com"],
  ])("is not asked once %s", async (_, method, path) => {
    for (const email of [full, other]) await told.ask("POST", "reports", { ...report, email });
    meanwhile = () => told.server.ask(method, path, { cookie: told.cookie });
    await told.messenger.look();
    await told.after(minuteMs);
    expect(recipients()).toEqual([full]);
  });
});

test("a mail server that is down is not asked for each mail, and each says why it waits", async () => {
  let logins = 0;
  await subscribeBoth();
  for (const email of ["a@example.com", "b@example.com", "c@example.com"])
    await told.ask("POST", "alerts", { kind: "drop", email });
  onCommand = (verb) => (verb === "EHLO" && ++logins ? "421 4.7.0 wrong password" : undefined);
  await told.after(mondayMs - noonMs + minuteMs);
  const why = { last_error: expect.stringContaining("wrong password") as unknown };
  expect(await listOfOther()).toMatchObject([{ ...why, waiting: true }]);
  expect((await told.ask("GET", "alerts")).value as unknown).toMatchObject([why, why, why]);
  for (let round = 0; round < 11; round++) await told.after(5_000);
  expect(logins).toBe(1);
  for (let round = 0; round < 12; round++) await told.after(5_000);
  expect(logins).toBe(2);
  onCommand = () => undefined;
  await told.after(2 * minuteMs);
  expect(recipients().slice(2).toSorted()).toEqual(
    [full, other, "a@example.com", "b@example.com", "c@example.com"].toSorted(),
  );
});

test("a mail comes once more and then once a day where the server takes it each time and never says so", async () => {
  await subscribeBoth();
  const contents: string[] = [];
  meanwhile = async (address) => void contents.push(address);
  refused = { data: "" };
  await told.after(mondayMs - noonMs + minuteMs);
  for (let hour = 0; hour < 75; hour++) await told.after(60 * minuteMs);
  expect(contents).toEqual([full, other, full, full, full]);
  const [own] = (await told.ask("GET", "reports")).value as unknown as object[];
  expect(own).toMatchObject({ last_error: "it waited for too long" });
});

test("an alert comes at once, whatever became of the one before, which the server may have taken twice", async () => {
  const alert = { kind: "silence", hours: 1 };
  await told.visitors(1, noonMs);
  await told.subscribe("alerts", { ...alert, email: full });
  const contents: string[] = [];
  meanwhile = async () => void contents.push(full);
  refused = { data: "" };
  for (let hour = 0; hour < 27; hour++) await told.after(60 * minuteMs);
  expect(contents).toHaveLength(2);
  const [own] = (await told.ask("GET", "alerts")).value as unknown as object[];
  expect(own).toMatchObject({ last_error: "it waited for too long" });
  refused = {};
  await told.visitors(1, told.server.engine.nowMs());
  for (let hour = 0; hour < 3; hour++) await told.after(60 * minuteMs);
  expect(contents).toHaveLength(3);
});

test("a question that a server takes without saying so is asked once, and its link works", async () => {
  const sources: string[] = [];
  meanwhile = async (_, source) => void sources.push(source);
  refused = { data: "" };
  await told.ask("POST", "reports", { ...report, email: full });
  for (let hour = 0; hour < 30; hour++) await told.after(60 * minuteMs);
  expect(sources).toHaveLength(1);
  const listed = async () => (await told.ask("GET", "reports")).value as unknown as object[];
  expect(await listed()).toMatchObject([{ confirmed: false, last_error: expect.stringContaining("closed") }]);
  await told.post(linkIn({ source: sources[0]! }, "confirm"));
  expect(await listed()).toMatchObject([{ confirmed: true }]);
});

const notOwned = "553 5.7.1 sender rejected: not owned by this user";
test.each([
  ["at once", { from: notOwned }],
  ["with the address, as Postfix does", { rcpt: notOwned }],
])("a report waits while the mail server refuses the sender, also with 5xx, %s", async (_, answers) => {
  await subscribeBoth();
  refused = answers;
  await told.after(mondayMs - noonMs + minuteMs);
  const [own] = (await told.ask("GET", "reports")).value as unknown as object[];
  expect(own).toMatchObject({ waiting: true, last_error: expect.stringContaining("sender rejected") });
  refused = {};
  await told.after(minuteMs);
  expect(recipients().toSorted()).toEqual([full, full, other, other]);
});

test("tests of one account keep no more than one connection, and those of another go at once", async () => {
  await subscribeBoth();
  for (const kind of ["spike", "drop", "silence"]) await told.ask("POST", "alerts", { kind, email: full });
  const ends: (() => void)[] = [];
  meanwhile = (address) =>
    address === full ? new Promise<void>((end) => ends.push(end)) : Promise.resolve();
  const paths = ["reports/1", "alerts/2", "alerts/3", "alerts/4"];
  const tests = paths.map((path) => told.ask("POST", `${path}/test`));
  await until(() => ends.length > 0, "the first one waits for the server");
  const ofOther = await told.server.ask("POST", "/website/other.example/reports/1/test", { cookie });
  expect([ofOther.status, ends.length]).toEqual([204, 1]);
  for (let at = 0; at < paths.length; at++) {
    await until(() => ends.length > at, "the next one waits for the server");
    ends[at]!();
  }
  expect((await Promise.all(tests)).map(({ status }) => status)).toEqual(paths.map(() => 204));
});
