/** Reports and alerts from the API to a mail server and a webhook: sent once, tried again, and left by a click. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { signatureOf } from "../../src/accounts/token.ts";
import { alertKinds, reportKinds } from "../../src/core/website/subscription.ts";
import { addSubscription, removeSubscription } from "../../src/engine/admin/website/subscriptions.ts";
import { TestServer } from "../support/http.ts";
import { SmtpServer } from "../support/smtp-server.ts";
import { accountOf, joinAs } from "../support/members.ts";
import { noonMs } from "../support/records.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { signatureFor } from "../../src/notify/sending/webhook.ts";
import { dayMs, headerOf, hourMs, linkIn, minuteMs, partOf, publicUrl, Told } from "../support/told.ts";
import { until } from "../support/until.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** Monday, 2026-03-16, 08:00 in Berlin. */
const mondayMs = Date.UTC(2026, 2, 16, 7);
const email = "ada@example.com";

let told: Told;
let refusal: string | undefined;
beforeEach(async () => {
  refusal = undefined;
  told = await Told.open({ onRecipient: () => refusal, onData: () => refusal });
});
afterEach(() => told[Symbol.asyncDispose]());

const subjects = () => told.smtp.mails.map((mail) => headerOf(mail, "subject"));
const firstOf = async (list: string) =>
  ((await told.ask("GET", list)).value as unknown as Record<string, unknown>[])[0];

describe("a report", () => {
  test("comes on Monday at eight, with the week and the one before, once", async () => {
    await told.visitors(20, noonMs - 3 * dayMs, "/prices", "news.example/a");
    await told.visitors(10, noonMs - 10 * dayMs);
    await told.visitors(1, noonMs - 20 * dayMs);
    await told.subscribe("reports", { kind: "weekly", email });
    expect(subjects()).toEqual(["Do you want reports about example.com?"]);
    expect(await firstOf("reports")).toMatchObject({ email, confirmed: true, kind: "weekly" });
    await told.after(mondayMs - 1 - noonMs);
    expect(told.smtp.mails).toHaveLength(1);
    for (let round = 0; round < 3; round++) await told.after(5 * minuteMs);
    expect(told.smtp.mails).toHaveLength(2);
    expect(subjects()[1]).toMatch(/your_week.*March_9/);
    const mail = told.smtp.mails[1]!;
    expect(mail.to).toBe(email);
    const text = partOf(mail, "plain");
    expect(text).toContain("example.com: your week");
    expect(text).toMatch(/20 {2}Visitors {2}\(\+100%\)/);
    expect(text).toMatch(/20 {2}\/prices/);
    expect(text).toMatch(/20 {2}news\.\u200cexample/);
    const week = "period=2026-03-09..2026-03-15&timezone=Europe%2FBerlin";
    expect(text).toContain(`${publicUrl}/dashboard/websites/example.com?${week}\r\n`);
    expect(partOf(mail, "html")).toContain("/prices");
    await told.restart();
    await told.after(5 * minuteMs);
    expect(told.smtp.mails).toHaveLength(2);
    expect(await firstOf("reports")).toMatchObject({
      last_sent: Math.floor((mondayMs - 1 + 5 * minuteMs) / 1_000),
    });
    await told.after(7 * dayMs);
    expect(told.smtp.mails).toHaveLength(3);
  });

  test("of a kind goes to an address once, however it is written, until it is removed", async () => {
    const add = (list: string, body: object) => told.ask("POST", list, { time_zone: "UTC", ...body });
    const added = await add("reports", { kind: "weekly", email });
    expect(added.status).toBe(201);
    expect(
      await add("reports", { kind: "weekly", email: ` ${email}`, time_zone: "Asia/Tokyo" }),
    ).toMatchObject({
      status: 409,
      value: {
        error: { message: "email: this is sent there already: remove it first to change it" },
      },
    });
    expect((await add("reports", { kind: "monthly", email })).status).toBe(201);
    expect((await add("reports", { kind: "weekly", email: "grace@example.com" })).status).toBe(201);
    const ids: number[] = [];
    for (const eq of ["/a", "/b"]) {
      const { value } = await told.ask("POST", "goals", { name: eq, page: { eq } });
      ids.push((value as unknown as { id: number }).id);
    }
    const alert = (id = 0) => add("alerts", { kind: "goal", goal_id: id, email });
    expect([await alert(ids[0]), await alert(ids[1]), await alert(ids[0])]).toMatchObject([
      { status: 201 },
      { status: 201 },
      { status: 409 },
    ]);
    await told.ask("DELETE", `reports/${(added.value as unknown as { id: number }).id}`);
    expect((await add("reports", { kind: "weekly", email })).status).toBe(201);
  });

  test("waits for a server that is down, says why, and is sent once it is back, also after a restart", async () => {
    await told.subscribe("reports", { kind: "weekly", email });
    const { port } = told.smtp;
    await told.smtp.close();
    await told.restart(port);
    await told.after(mondayMs - noonMs + 5 * minuteMs);
    expect(await firstOf("reports")).toMatchObject({
      waiting: true,
      last_error: expect.stringContaining("ECONNREFUSED"),
    });
    const before = told.server.engine.health().records;
    for (let round = 0; round < 30; round++) await told.after(minuteMs);
    // The same error is logged once.
    expect(told.server.engine.health().records).toBe(before);
    const back = await SmtpServer.open({ port });
    await told.after(hourMs);
    expect(back.mails).toHaveLength(1);
    expect(await firstOf("reports")).not.toHaveProperty("last_error");
    await told.restart(port);
    for (let round = 0; round < 3; round++) await told.after(hourMs);
    expect(back.mails).toHaveLength(1);
    await back.close();
  });

  test("is given up after three days, and if the address is refused", async () => {
    await told.subscribe("reports", { kind: "weekly", email });
    refusal = "451 4.7.1 later";
    await told.after(mondayMs - noonMs + minuteMs);
    expect(await firstOf("reports")).toMatchObject({ waiting: true });
    await told.after(3 * dayMs);
    expect(await firstOf("reports")).not.toHaveProperty("waiting");
    refusal = "550 5.1.1 nobody here";
    await told.after(4 * dayMs);
    expect(await firstOf("reports")).not.toHaveProperty("waiting");
    expect(await firstOf("reports")).toMatchObject({ last_error: expect.stringContaining("nobody here") });
    refusal = undefined;
    await told.after(hourMs);
    expect(told.smtp.mails).toHaveLength(1);
  });

  test("goes to no address that nobody confirmed; that is asked once, and forgotten after a week", async () => {
    await told.ask("POST", "reports", { kind: "weekly", email });
    await told.messenger.look();
    await told.after(2 * dayMs);
    await told.after(3 * dayMs);
    expect(told.smtp.mails).toHaveLength(1);
    await told.after(2 * dayMs);
    expect((await told.ask("GET", "reports")).value as unknown).toEqual([]);
    expect(told.smtp.mails).toHaveLength(1);
    expect(await told.post(linkIn(told.smtp.mails[0]!, "confirm"))).toContain("does nothing any more");
  });
});

test("questions to two addresses that were added in the same millisecond have two ids", async () => {
  for (const other of ["ada@example.org", "bob@example.org"])
    await told.ask("POST", "reports", { kind: "weekly", email: other });
  await told.messenger.look();
  const ids = told.smtp.mails.map(({ source }) => /^Message-ID: (<.+>)/m.exec(source)?.[1]);
  expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
});

test("a report is in the language of whoever added it", async () => {
  const { server, cookie } = told;
  await server.ask("PATCH", "/user", { cookie, body: { settings: { language: "de" } } });
  await told.visitors(1_500, noonMs - 3 * dayMs);
  await told.subscribe("reports", { kind: "monthly", email });
  await told.after(Date.UTC(2026, 3, 1, 6, 1) - noonMs);
  const [asked, report] = told.smtp.mails;
  expect(partOf(asked!, "plain")).toContain("Möchten Sie Berichte über example.com?");
  const text = partOf(report!, "plain");
  expect(text).toContain("1. bis 31. März 2026".replace(" bis ", "–"));
  expect(text).toMatch(/1\.500 {2}Besucher/);
  expect(text).toContain("Deutschland");
  expect(partOf(report!, "html")).toContain('<html lang="de">');
});

describe("an address", () => {
  test("is asked once a day, however often it is added, and a website asks twenty", async () => {
    const add = async (address: string) => {
      await told.ask("POST", "reports", { kind: "weekly", email: address });
      await told.messenger.look();
      const list = (await told.ask("GET", "reports")).value as unknown as { id: number }[];
      await told.ask("DELETE", `reports/${list[0]?.id}`);
    };
    for (let round = 0; round < 3; round++) await add(email);
    await add("ADA@Example.com");
    expect(told.smtp.mails).toHaveLength(1);
    for (let number = 0; number < 25; number++) await add(`a${number}@example.com`);
    expect(told.smtp.mails).toHaveLength(20);
    await told.after(dayMs);
    await add(email);
    expect(told.smtp.mails).toHaveLength(21);
  });

  test("has seven days from when it was asked, however late that was, and is told why that is", async () => {
    const { server, cookie } = told;
    await told.ask("POST", "reports", { kind: "weekly", email });
    await told.messenger.look();
    await server.ask("POST", "/websites", { cookie, body: { hostname: "other.example" } });
    const body = { kind: "weekly", time_zone: "UTC", email };
    await server.ask("POST", "/website/other.example/reports", { cookie, body });
    const ofOther = async () =>
      (await server.ask("GET", "/website/other.example/reports", { cookie })).json() as Promise<object[]>;
    await told.after(minuteMs);
    expect(await ofOther()).toMatchObject([{ last_error: expect.stringMatching(/asked tomorrow$/) }]);
    await told.after(dayMs);
    expect(told.smtp.mails).toHaveLength(2);
    expect((await ofOther())[0]).not.toHaveProperty("last_error");
    await told.after(6 * dayMs + hourMs);
    await told.after(hourMs);
    expect((await told.ask("GET", "reports")).value as unknown).toEqual([]);
    expect(await told.post(linkIn(told.smtp.mails[1]!, "confirm"))).toContain("is confirmed");
  });

  test("that has confirmed is asked at once by the other websites of that owner, once a day by each", async () => {
    const { server, cookie } = told;
    const stranger = await accountOf(server, "other");
    const add = async (hostname: string, by = cookie) => {
      await server.ask("POST", "/websites", { cookie: by, body: { hostname } });
      const body = { kind: "weekly", time_zone: "UTC", email };
      const added = await server.ask("POST", `/website/${hostname}/reports`, { cookie: by, body });
      await told.messenger.look();
      const { id } = (await added.json()) as { id: number };
      return () => server.ask("DELETE", `/website/${hostname}/reports/${id}`, { cookie: by });
    };
    await told.ask("POST", "reports", { kind: "weekly", email });
    await told.messenger.look();
    await add("a.example");
    expect(subjects()).toEqual(["Do you want reports about example.com?"]);
    await told.post(linkIn(told.smtp.mails[0]!, "confirm"));
    await told.messenger.look();
    const remove = await add("b.example");
    await told.restart();
    await remove();
    await add("b.example");
    await add("c.example", stranger);
    const asked = ["example.com", "a.example", "b.example"];
    expect(subjects()).toEqual(asked.map((hostname) => `Do you want reports about ${hostname}?`));
  });

  test("is asked while the websites of its owner have asked fewer than forty, however many they are", async () => {
    const { server, cookie } = told;
    const add = async (hostname: string, address: string, by = cookie) => {
      const body = { kind: "weekly", time_zone: "UTC", email: address };
      await server.ask("POST", `/website/${hostname}/reports`, { cookie: by, body });
    };
    for (let site = 0; site < 6; site++) {
      await server.ask("POST", "/websites", { cookie, body: { hostname: `w${site}.example` } });
      for (let number = 0; number < 10; number++)
        await add(`w${site}.example`, `a${site}-${number}@example.com`);
    }
    await told.messenger.look();
    await told.restart();
    await told.messenger.look();
    expect(told.smtp.mails).toHaveLength(40);
    const other = await accountOf(server, "other");
    await server.ask("POST", "/websites", { cookie: other, body: { hostname: "other.example" } });
    await add("other.example", "somebody@example.com", other);
    await told.messenger.look();
    expect(told.smtp.mails.slice(40).map(({ to }) => to)).toEqual(["somebody@example.com"]);
    // The others are asked tomorrow.
    await told.after(dayMs);
    expect(told.smtp.mails).toHaveLength(61);
  });

  test("is confirmed and leaves by a POST without a cookie, never by a GET; then it is nowhere", async () => {
    await told.ask("POST", "reports", { kind: "weekly", email, time_zone: "Europe/Berlin" });
    await told.ask("POST", "alerts", { kind: "drop", email });
    await told.messenger.look();
    expect(told.smtp.mails).toHaveLength(1);
    const confirm = linkIn(told.smtp.mails[0]!, "confirm");
    const page = await told.server.ask("GET", confirm);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).toContain('<form method="post">');
    expect(await firstOf("reports")).toMatchObject({ confirmed: false });
    await told.post(confirm);
    expect(await firstOf("reports")).toMatchObject({ confirmed: true });
    expect(await firstOf("alerts")).toMatchObject({ confirmed: true });
    await told.after(mondayMs - noonMs + minuteMs);
    const report = told.smtp.mails[1]!;
    expect(headerOf(report, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const [, oneClick = ""] =
      new RegExp(`^<${publicUrl}(.*)>$`).exec(headerOf(report, "list-unsubscribe")) ?? [];
    expect(oneClick).toBe(linkIn(report, "unsubscribe"));
    await told.server.ask("GET", oneClick);
    await told.post(oneClick.slice(0, -1));
    expect(await firstOf("reports")).toBeDefined();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const left = await told.server.ask("POST", oneClick, { headers, body: "List-Unsubscribe=One-Click" });
    expect(left.status).toBe(200);
    expect((await told.ask("GET", "reports")).value as unknown).toEqual([]);
    expect((await told.ask("GET", "alerts")).value as unknown).toEqual([]);
    expect(await left.text()).toContain("You have unsubscribed");
    const again = await told.server.ask("POST", oneClick);
    expect(again.status).toBe(200);
    expect(await again.text()).toContain("This link does nothing any more");
  });

  test("leaves by each mail that it ever got, also once it was removed, added again and confirmed", async () => {
    await told.subscribe("reports", { kind: "weekly", email });
    await told.subscribe("reports", { kind: "weekly", email: "grace@example.com" });
    await told.after(mondayMs - noonMs + minuteMs);
    const old = told.smtp.mails.filter(({ to }) => to === email);
    expect(old).toHaveLength(2);
    const added = await firstOf("reports");
    await told.ask("DELETE", `reports/${String(added?.["id"])}`);
    for (const mail of old) {
      await told.subscribe("reports", { kind: "weekly", email });
      await told.restart();
      await told.after(dayMs);
      await told.post(linkIn(told.smtp.mails.at(-1)!, "confirm"));
      const emails = async () =>
        ((await told.ask("GET", "reports")).value as unknown as { email: string; confirmed: boolean }[]).map(
          ({ email: address, confirmed }) => [address, confirmed],
        );
      const grace = ["grace@example.com", true];
      expect(await emails()).toEqual([grace, [email, true]]);
      const oneClick = new RegExp(`^<${publicUrl}(.*)>$`).exec(headerOf(mail, "list-unsubscribe"))?.[1] ?? "";
      expect(await told.post(oneClick)).toContain("You have unsubscribed");
      expect(await emails()).toEqual([grace]);
    }
  });

  test("leaves by a mail from before its website had a key, also once it has one", async () => {
    await told.ask("POST", "reports", { kind: "weekly", email, time_zone: "Europe/Berlin" });
    const { engine } = told.server;
    const ofAddress = { timeMs: engine.nowMs(), websiteId: 1, recipient: email };
    const tokenHash = "0".repeat(64);
    await engine.commit({ kind: "confirmationSent", ...ofAddress, tokenHash });
    await engine.commit({ kind: "addressConfirmed", ...ofAddress });
    const link = `/mail/unsubscribe/1.${signatureOf(`footfall unsubscribe ${email}`, tokenHash)}`;
    await told.after(mondayMs - noonMs + minuteMs);
    expect(linkIn(told.smtp.mails.at(-1)!, "unsubscribe")).toBe(link);
    await told.subscribe("reports", { kind: "weekly", email: "grace@example.com" });
    await told.after(7 * dayMs);
    const links = told.smtp.mails.slice(-2).map((mail) => linkIn(mail, "unsubscribe"));
    expect(links).not.toContain(link);
    expect(await told.post(link)).toContain("You have unsubscribed");
  });

  describe("goes with its last subscription", () => {
    const others = "grace@example.com";
    const inFiles = (text: string, { files } = told.disk) =>
      [...files.values()].some((file) => Buffer.from(file).includes(text));
    const added = async (list: string, kind: string, to = email) => {
      const { value } = await told.ask("POST", list, { kind, email: to });
      return `${list}/${(value as unknown as { id: number }).id}`;
    };

    test("from every file, also where two are removed at once", async () => {
      const [report, alert] = [await added("reports", "weekly"), await added("alerts", "drop")];
      await added("reports", "weekly", others);
      const removed = await Promise.all([report, alert].map((path) => told.ask("DELETE", path)));
      expect(removed.map(({ status }) => status)).toEqual([204, 204]);
      expect([email, others].map((each) => inFiles(each))).toEqual([false, true]);
    });

    test("and stays for one that is added at the same time", async () => {
      const [, id = ""] = (await added("reports", "weekly")).split("/");
      const { engine } = told.server;
      const body = { kind: "drop", email };
      const caller = { userId: 1, sessionId: "" };
      const how = { kinds: alertKinds, sendsMail: true, isTimeZone: () => true };
      // Both are logged in one batch, in this order.
      await Promise.all([
        addSubscription({ engine, caller, hostname: "example.com" }, body, how),
        removeSubscription({ engine, caller, hostname: "example.com" }, id, reportKinds),
      ]);
      expect((await told.ask("GET", "reports")).value as unknown).toEqual([]);
      expect(await firstOf("alerts")).toMatchObject(body);
    });

    test("also where the power goes before the files are written", async () => {
      const report = await added("reports", "weekly");
      const engine = told.server.engine as RunningEngine;
      const power = Promise.withResolvers<void>();
      void engine["checkpointer"].between(() => power.promise);
      const removed = told.ask("DELETE", report);
      await until(() => engine.registry.websites.get(1)?.subscriptions.list.length === 0, "it is removed");
      const disk = told.disk.clone();
      power.resolve();
      expect((await removed).status).toBe(204);
      expect(inFiles(email, disk)).toBeTrue();
      const again = await TestServer.open({ disk });
      await until(() => !inFiles(email, disk), "it is in no file");
      await (again.engine as RunningEngine).stop();
    });
  });

  test("is one of ten of a website, and needs a mail server", async () => {
    const add = (number: number) =>
      told.ask("POST", "reports", { kind: "weekly", email: `a${number}@example.com` });
    for (let number = 0; number < 9; number++) expect(await add(number)).toMatchObject({ status: 201 });
    const before = told.server.engine.health().records;
    const both = await Promise.all([add(9), add(10)]);
    expect(both).toMatchObject([
      { status: 201 },
      {
        status: 400,
        value: { error: { message: "email: expected at most 10 addresses of a website: remove one first" } },
      },
    ]);
    // One was refused by its record, and was not logged again.
    expect(told.server.engine.health().records).toBe(before + 2);
    expect(await told.ask("POST", "alerts", { kind: "drop", email })).toMatchObject({ status: 400 });
    expect(await told.ask("POST", "alerts", { kind: "drop", email: "a3@example.com" })).toMatchObject({
      status: 201,
    });
    for (const bad of [
      "",
      "ada",
      "a b@example.com",
      "a@b@",
      "<a@example.com>",
      "a@example.com\r\nBcc: x@example.com",
      ".a@example.com",
    ])
      expect([bad, (await told.ask("POST", "reports", { kind: "weekly", email: bad })).status]).toEqual([
        bad,
        400,
      ]);
  });
});

describe("an alert", () => {
  const webhook = (url: string) => ({ url: `${url}/hook?a=1`, format: "json" });

  test("about a spike goes to a webhook, signed, as soon as the hour stands out, and once a day", async () => {
    const receiver = new WebhookReceiver();
    const spike = { kind: "spike", time_zone: "Asia/Tokyo", webhook: webhook(receiver.url) };
    const { value } = await told.ask("POST", "alerts", spike);
    const { secret } = value as unknown as { secret: string };
    for (const week of [1, 2, 3]) await told.visitors(20 * week, noonMs - week * 7 * dayMs);
    await told.visitors(119, noonMs);
    await told.after(5 * minuteMs);
    expect(receiver.received).toHaveLength(0);
    await told.visitors(1, noonMs + minuteMs);
    await told.after(5 * minuteMs);
    for (let round = 0; round < 20; round++) await told.after(hourMs);
    expect(receiver.received).toHaveLength(1);
    const { path, headers, body } = receiver.received[0]!;
    expect(path).toBe("/hook?a=1");
    const sent = JSON.parse(body) as object;
    expect(sent).toMatchObject({
      type: "alert",
      kind: "spike",
      website: "example.com",
      value: 120,
      expected: 40,
      text: expect.stringMatching(
        /^120 visitors between Mar 15, 2026, 9:00\sPM and 10:00\sPM GMT\+9\. At this time .* usually 40\.$/,
      ),
      link: `${publicUrl}/dashboard/websites/example.com?period=2026-03-15&timezone=Asia%2FTokyo`,
    });
    const signed = headers.get("footfall-signature") ?? "";
    const seconds = Number(/^t=(\d+),/.exec(signed)?.[1]);
    expect(Math.abs(seconds * 1_000 - noonMs)).toBeLessThan(hourMs);
    expect(signed).toBe(signatureFor(body, secret, seconds * 1_000));
    await receiver.stop();
  });

  test("about a spike comes again 24 hours after the hour of the last one began, whenever that was noticed", async () => {
    const receiver = new WebhookReceiver();
    await told.ask("POST", "alerts", { kind: "spike", webhook: webhook(receiver.url) });
    const tomorrowMs = noonMs + dayMs;
    for (const timeMs of [noonMs, tomorrowMs])
      for (const week of [1, 2]) await told.visitors(20, timeMs - week * 7 * dayMs);
    await told.visitors(120, noonMs);
    await told.after(58 * minuteMs);
    expect(receiver.received).toHaveLength(1);
    await told.visitors(120, tomorrowMs - hourMs);
    await told.after(tomorrowMs - 1 - told.server.engine.nowMs());
    expect(receiver.received).toHaveLength(1);
    await told.visitors(120, tomorrowMs);
    await told.after(5 * minuteMs);
    expect(receiver.received).toHaveLength(2);
    await receiver.stop();
  });

  test("needs two weeks to compare with, and visitors enough", async () => {
    const receiver = new WebhookReceiver();
    for (const kind of ["spike", "drop"])
      await told.ask("POST", "alerts", { kind, webhook: webhook(receiver.url) });
    await told.visitors(60, noonMs - 7 * dayMs);
    await told.visitors(200, noonMs);
    await told.after(hourMs);
    expect(receiver.received).toHaveLength(0);
    await receiver.stop();
  });

  test("about a drop comes after the hour, about silence once until the next page view, about a goal once a day", async () => {
    const receiver = new WebhookReceiver();
    await told.ask("POST", "goals", { name: "Sign-up", page: { eq: "/thanks" } });
    await told.ask("POST", "alerts", { kind: "drop", webhook: webhook(receiver.url) });
    const silence = { kind: "silence", hours: 6, time_zone: "Asia/Tokyo" };
    await told.ask("POST", "alerts", { ...silence, webhook: webhook(receiver.url) });
    await told.ask("POST", "alerts", { kind: "goal", goal_id: 1, times: 3, webhook: webhook(receiver.url) });
    const kinds = () => receiver.received.map(({ body }) => (JSON.parse(body) as { kind: string }).kind);
    for (const week of [1, 2, 3, 4]) await told.visitors(90, noonMs - week * 7 * dayMs);
    await told.visitors(30, noonMs);
    await told.after(hourMs);
    expect(kinds()).toEqual(["drop"]);
    for (let round = 0; round < 8; round++) await told.after(hourMs);
    expect(kinds()).toEqual(["drop", "silence"]);
    const { text, link } = JSON.parse(receiver.received[1]!.body) as { text: string; link: string };
    expect(link).toBe(`${publicUrl}/dashboard/websites/example.com`);
    expect(text).toMatch(/^There was none for 6 hours, since Mar 15, 2026, 10:00\sPM GMT\+9\./);
    await told.visitors(1, told.server.engine.nowMs());
    for (let round = 0; round < 7; round++) await told.after(hourMs);
    expect(kinds()).toEqual(["drop", "silence", "silence"]);
    await told.visitors(2, told.server.engine.nowMs(), "/thanks");
    await told.after(minuteMs * 6);
    expect(kinds()).toHaveLength(3);
    await told.visitors(1, told.server.engine.nowMs(), "/thanks");
    for (let round = 0; round < 3; round++) await told.after(minuteMs * 6);
    expect(kinds()).toEqual(["drop", "silence", "silence", "goal"]);
    await receiver.stop();
  });

  test("about a goal that is reached in the last minutes of a day comes on the next, for whoever had asked by then", async () => {
    const receivers = [new WebhookReceiver(), new WebhookReceiver()] as const;
    const goal = { kind: "goal", goal_id: 1, times: 2, time_zone: "Europe/Berlin" };
    const add = ({ url }: WebhookReceiver) => told.ask("POST", "alerts", { ...goal, webhook: webhook(url) });
    const [asked, late] = receivers;
    const sentTo = ({ received }: WebhookReceiver) => received.map(({ body }) => JSON.parse(body) as object);
    await told.ask("POST", "goals", { name: "Sign-up", page: { eq: "/thanks" } });
    await add(asked);
    const startMs = noonMs + 11 * hourMs;
    await told.after(startMs - 3 * minuteMs - noonMs);
    await told.visitors(2, startMs - 2 * minuteMs, "/thanks");
    await told.after(4 * minuteMs);
    await add(late);
    for (let round = 0; round < 3; round++) await told.after(5 * minuteMs);
    const yesterday = {
      time: "2026-03-14T23:00:00.000Z",
      value: 2,
      text: expect.stringMatching(/2 times on Mar 15, 2026\.$/),
    };
    expect(sentTo(asked)).toMatchObject([yesterday]);
    expect(sentTo(late)).toEqual([]);
    await told.visitors(3, startMs + 10 * minuteMs, "/thanks");
    for (let round = 0; round < 3; round++) await told.after(5 * minuteMs);
    const today = {
      time: "2026-03-15T23:00:00.000Z",
      value: 3,
      text: expect.stringMatching(/3 times on Mar 16, 2026\.$/),
    };
    expect(sentTo(asked)).toMatchObject([yesterday, today]);
    expect(sentTo(late)).toMatchObject([today]);
    for (const receiver of receivers) await receiver.stop();
  });

  test("about the disk is for the oldest account; it comes once a day while less than a tenth is free", async () => {
    const receiver = new WebhookReceiver();
    const editor = await joinAs(told.server, told.cookie, "editor");
    const disk = { kind: "disk", webhook: webhook(receiver.url) };
    expect((await told.ask("POST", "alerts", disk, editor)).status).toBe(403);
    await told.ask("POST", "alerts", disk);
    await told.messenger.look();
    [told.disk.total, told.disk.free] = [100e9, 11e9];
    await told.after(hourMs);
    expect(receiver.received).toHaveLength(0);
    told.disk.free = 9e9;
    for (let round = 0; round < 25; round++) await told.after(hourMs);
    expect(receiver.received.map(({ body }) => (JSON.parse(body) as { text: string }).text)).toEqual([
      "9 GB of 100 GB are free. When it is full, hits are refused.",
      "9 GB of 100 GB are free. When it is full, hits are refused.",
    ]);
    await receiver.stop();
  });

  test("is sent ten times a minute for an owner, also of entries that are removed and added again", async () => {
    const receiver = new WebhookReceiver();
    const statuses: number[] = [];
    for (let round = 0; round < 12; round++) {
      await told.ask("POST", "alerts", { kind: "silence", hours: 24, webhook: { url: receiver.url } });
      const id = (await firstOf("alerts"))?.["id"];
      statuses.push((await told.ask("POST", `alerts/${id}/test`)).status);
      await told.ask("DELETE", `alerts/${id}`);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 204), 400, 400]);
    expect(receiver.received).toHaveLength(10);
    await receiver.stop();
  });

  test("is tried with a test message, once a minute, which says what went wrong", async () => {
    const receiver = new WebhookReceiver();
    await told.ask("POST", "alerts", { kind: "silence", hours: 1, webhook: webhook(receiver.url) });
    const path = `alerts/${(await firstOf("alerts"))?.["id"]}/test`;
    expect((await told.ask("POST", path)).status).toBe(204);
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
      type: "test",
      title: "example.com: a test message",
    });
    expect(await told.ask("POST", path)).toMatchObject({
      status: 400,
      value: { error: { message: "a test message was sent a moment ago: try again in a minute" } },
    });
    await told.after(minuteMs);
    receiver.answer = () => new Response(null, { status: 404 });
    expect(await told.ask("POST", path)).toMatchObject({
      status: 400,
      value: { error: { message: "it answered 404" } },
    });
    expect((await told.ask("POST", "alerts/99/test")).status).toBe(404);
    expect(await firstOf("alerts")).not.toHaveProperty("last_error");
    await receiver.stop();
    await told.ask("POST", "reports", { kind: "weekly", email });
    const report = `reports/${(await firstOf("reports"))?.["id"]}/test`;
    expect((await told.ask("POST", report)).status).toBe(400);
    await told.messenger.look();
    await told.post(linkIn(told.smtp.mails.at(-1)!, "confirm"));
    expect((await told.ask("POST", report)).status).toBe(204);
    expect(subjects().at(-1)).toMatch(/Test.*example.*your_week/);
  });

  test("lets the server do what else came before the next one is looked for", async () => {
    const count = 30;
    for (let number = 0; number < count; number++)
      await told.ask("POST", "alerts", { kind: "drop", webhook: webhook(`https://1.1.1.1/${number}`) });
    let [turns, isOver] = [0, false];
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    turn();
    await told.after(10 * minuteMs);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(count);
  });

  test("to a webhook that does not answer delays no other", async () => {
    const [dead, alive] = [new WebhookReceiver(), new WebhookReceiver()];
    let answer = () => {};
    dead.answer = () =>
      new Promise<void>((resolve) => (answer = resolve)).then(() => new Response()) as never;
    for (const { url } of [dead, alive])
      await told.ask("POST", "alerts", { kind: "silence", hours: 1, webhook: webhook(url) });
    await told.visitors(1, noonMs - hourMs);
    const looked = told.after(2 * hourMs);
    await until(() => dead.received.length === 1 && alive.received.length === 1, "both were called");
    answer();
    await looked;
    await Promise.all([dead.stop(), alive.stop()]);
  });

  test.each([
    ["https://10.0.0.1/hook", "it has an address of a private network"],
    ["https://[::ffff:192.168.1.1]/hook", "it has an address of a private network"],
    ["http://1.1.1.1/hook", "it has to begin with https://"],
  ])("has no webhook %s: it is refused when it is given", async (url, message) => {
    expect(await told.ask("POST", "alerts", { kind: "silence", hours: 1, webhook: { url } })).toMatchObject({
      status: 400,
      value: { error: { message: expect.stringContaining(`webhook.url: ${message}`) } },
    });
  });

  test("that a webhook does not take is tried again, unless the answer is final", async () => {
    const receiver = new WebhookReceiver();
    await told.ask("POST", "alerts", { kind: "silence", hours: 1, webhook: webhook(receiver.url) });
    await told.visitors(1, noonMs - hourMs);
    receiver.answer = () => new Response(null, { status: 503 });
    await told.after(2 * hourMs);
    expect(await firstOf("alerts")).toMatchObject({ waiting: true, last_error: "it answered 503" });
    await told.after(30_000);
    expect(receiver.received).toHaveLength(1);
    receiver.answer = () => new Response(null, { status: 302, headers: { location: "/other" } });
    await told.after(minuteMs);
    const { received } = receiver;
    expect(received.map(({ path }) => path)).toEqual(["/hook?a=1", "/hook?a=1"]);
    expect(received[0]?.headers.get("footfall-id")).toBe(received[1]?.headers.get("footfall-id") as string);
    expect(await firstOf("alerts")).toMatchObject({
      last_error: "it answered 302: redirects are not followed",
    });
    expect(await firstOf("alerts")).not.toHaveProperty("waiting");
    await receiver.stop();
  });
});
