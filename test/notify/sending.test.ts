/** Both ways out: SMTP with STARTTLS, TLS and login; webhooks that reach nothing but the internet, and only what was judged. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { parseAddress, type Address } from "../../src/core/addresses/address.ts";
import { parseNetworks } from "../../src/http/callers/client-address.ts";
import { Mailer, type Mail } from "../../src/notify/sending/mail.ts";
import type { MailServer } from "../../src/notify/settings.ts";
import { postWebhook } from "../../src/notify/sending/webhook.ts";
import { isPublic, targetOf, type SendError } from "../../src/notify/sending/webhook-target.ts";
import { useFolder } from "../support/folder.ts";
import { noonMs } from "../support/records.ts";
import { selfSigned } from "../support/self-signed.ts";
import { SmtpServer, type SmtpOptions } from "../support/smtp-server.ts";
import { until } from "../support/until.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const folder = useFolder();
const paths = selfSigned(join(folder, "tls"));
const tls = { cert: readFileSync(paths.cert, "utf8"), key: readFileSync(paths.key, "utf8") };
const loopback = parseNetworks("loopback", "test");

async function failureOf(promise: Promise<unknown>): Promise<SendError | undefined> {
  return promise.then(
    () => undefined,
    (error: SendError) => error,
  );
}

const mail: Mail = {
  to: "bob@example.com",
  subject: "Grüße",
  text: "1",
  html: "<p>1",
  id: "1-2-3",
  leaveUrl: "https://stats.example.org/u",
};

describe("a mail", () => {
  const login = { user: "ada", pass: "p@ss:wörd" };

  async function send(options: SmtpOptions, more: Partial<MailServer>, ca: string | undefined = tls.cert) {
    const smtp = await SmtpServer.open(options);
    const from = "stats@example.org";
    const usual = {
      host: "localhost",
      port: smtp.port,
      secure: false,
      requireTls: false,
      login: undefined,
      from,
    };
    const mailer = new Mailer({ ...usual, ...more }, "https://stats.example.org", ca);
    const failed = await failureOf(mailer.send(mail, noonMs));
    mailer.close();
    await smtp.close();
    return { failed, mails: smtp.mails };
  }

  test("goes by STARTTLS, with login", async () => {
    const { failed, mails } = await send({ tls, login }, { requireTls: true, login });
    expect(failed).toBeUndefined();
    expect(mails).toMatchObject([
      { isTls: true, user: "ada", from: "stats@example.org", to: "bob@example.com" },
    ]);
    expect(mails[0]?.source).toContain("Message-ID: <1-2-3@stats.example.org>");
    expect(mails[0]?.source).toContain("Date: Sun, 15 Mar 2026 12:00:00 +0000");
  });

  test("says no password to a server without STARTTLS, nor to one with somebody else's certificate", async () => {
    const bare = await send({ login }, { requireTls: true, login });
    expect(bare.failed?.isFinal).toBe(false);
    const other = await send({ tls, login }, { requireTls: true, login }, "");
    expect(other.failed?.message).toMatch(/certificate/);
    expect([...bare.mails, ...other.mails]).toEqual([]);
  });

  test("that a server does not take is tried again, unless the address is refused for good", async () => {
    const wrong = await send({ tls, login }, { requireTls: true, login: { ...login, pass: "wrong" } });
    expect(wrong.failed).toMatchObject({ isFinal: false, message: expect.stringContaining("EAUTH") });
    expect((await send({ onRecipient: () => "450 4.2.1 later" }, {})).failed?.isFinal).toBe(false);
    expect((await send({ onRecipient: () => "550 5.1.1 nobody" }, {})).failed?.isFinal).toBe(true);
    // With the address, Postfix and Exim say that somebody may not send, and Google that it is enough for today.
    for (const answer of [
      "554 5.7.1 <bob@example.com>: Relay access denied",
      "553 5.7.1 <stats@example.org>: Sender address rejected: not owned by user ada",
      "550-5.1.8 <stats@example.org>: Sender address rejected:\r\n550 5.1.8 Domain not found",
      "550-5.4.5 Daily user sending limit exceeded.\r\n550 5.4.5 For more, see the help",
      "530 SMTP authentication is required.",
      "550-Verification failed for <stats@example.org>\r\n550 Sender verify failed",
      "504 5.5.2 <stats>: Helo command rejected: need fully-qualified hostname",
    ])
      expect([answer, (await send({ onRecipient: () => answer }, {})).failed?.isFinal]).toEqual([
        answer,
        false,
      ]);
    // An address may have the word.
    for (const answer of [
      "550 no such user here",
      "550 <sender@example.com> unknown",
      "550 bob@sender.example: unknown",
    ])
      expect([answer, (await send({ onRecipient: () => answer }, {})).failed?.isFinal]).toEqual([
        answer,
        true,
      ]);
    expect((await send({ onData: () => "452 4.3.1 full" }, {})).failed?.isFinal).toBe(false);
    expect((await send({ onData: () => "554 5.7.1 not this" }, {})).failed?.isFinal).toBe(false);
    for (const refused of ["MAIL", "DATA"]) {
      const onCommand = (verb: string) => (verb === refused ? "550 5.7.1 not from you" : undefined);
      expect([refused, (await send({ onCommand }, {})).failed?.isFinal]).toEqual([refused, false]);
    }
  });
});

describe("the next mail", () => {
  /** Sends some mails by one mailer. Returns what became of each. */
  async function sendAll(count: number, options: SmtpOptions) {
    const smtp = await SmtpServer.open(options);
    const settings = { host: "127.0.0.1", port: smtp.port, secure: false, requireTls: false };
    const from = "stats@example.org";
    const mailer = new Mailer({ ...settings, login: undefined, from }, "https://stats.example.org");
    const results: (string | undefined)[] = [];
    for (let at = 0; at < count; at++)
      results.push((await failureOf(mailer.send({ ...mail, to: `a${at}@example.com` }, noonMs)))?.name);
    mailer.close();
    await smtp.close();
    return { results, recipients: smtp.mails.map(({ to }) => to) };
  }

  const everyOther = (answer: string) => {
    let senders = 0;
    return (verb: string) => (verb === "MAIL" && ++senders % 2 === 0 ? answer : undefined);
  };

  test.each([
    ["closes the connection after each mail", { isForOneMail: true }],
    ["closes it when a second one comes", { onCommand: everyOther("") }],
    ["says then that it closes it", { onCommand: everyOther("421 4.7.0 too many messages") }],
  ])("goes by another connection where the server %s", async (_, options) => {
    expect(await sendAll(3, options)).toEqual({
      results: [undefined, undefined, undefined],
      recipients: ["a0@example.com", "a1@example.com", "a2@example.com"],
    });
  });

  test("goes once only, also where the connection ends before the server says whether it took it", async () => {
    let contents = 0;
    const { results } = await sendAll(2, { onData: () => (++contents === 2 ? "" : undefined) });
    expect([results, contents]).toEqual([[undefined, "MailMayBeTaken"], 2]);
  });

  test("is not tried anew for what the server answers about it", async () => {
    let asked = 0;
    const onRecipient = () => (++asked === 2 ? "550 5.1.1 nobody" : undefined);
    expect([(await sendAll(2, { onRecipient })).results, asked]).toEqual([[undefined, "SendError"], 2]);
  });
});

describe("a mail server that says a line now and then but never answers", () => {
  test.each(["EHLO", "MAIL", "DATA", "."])("has so long for a whole mail: it drips at %s", async (at) => {
    let isDripping = at === "EHLO";
    const drips = new Set<Timer>();
    const server = createServer((socket) => {
      let content: string | undefined;
      socket.on("error", () => {});
      socket.write("220 drip\r\n");
      socket.on("data", (bytes) => {
        if (content !== undefined && !(content += bytes.toString()).endsWith("\r\n.\r\n")) return;
        const verb = content === undefined ? bytes.toString().trim().split(/\s/)[0] : ".";
        content = verb === "DATA" ? "\r\n" : undefined;
        if (!isDripping || verb !== at)
          return void socket.write(verb === "DATA" ? "354 go on\r\n" : "250 fine\r\n");
        const drip = setInterval(() => socket.write("250-wait\r\n"), 20);
        drips.add(drip);
        socket.on("close", () => clearInterval(drip) ?? drips.delete(drip));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const { port } = server.address() as { port: number };
    const settings = { host: "127.0.0.1", port, secure: false, requireTls: false, login: undefined };
    const patience = { askMs: 60_000, takeMs: 60_000 };
    const mailer = new Mailer(
      { ...settings, from: "stats@example.org" },
      "https://stats.example.org",
      undefined,
      patience,
    );
    // The connection stands before the time runs, which a busy machine may need for it alone.
    if (!isDripping) await mailer.send(mail, noonMs);
    isDripping = true;
    patience[at === "." ? "takeMs" : "askMs"] = 300;
    expect(await failureOf(mailer.send(mail, noonMs))).toMatchObject({
      // It may be slow about this mail only.
      name: at === "EHLO" ? "MailServerDown" : at === "." ? "MailMayBeTaken" : "SendError",
      isFinal: false,
      message: "the mail server took longer than 0.3 seconds for a mail",
    });
    server.close();
    // Nothing of it is left.
    await until(() => drips.size === 0, "the connection is closed");
  });
});

test("a server that looks into the content for long before it takes a mail gets it once", async () => {
  const patience = { askMs: 100, takeMs: 60_000 };
  const smtp = await SmtpServer.open({ onData: () => Bun.sleep(patience.askMs + 100).then(() => undefined) });
  const settings = { host: "127.0.0.1", port: smtp.port, secure: false, requireTls: false, login: undefined };
  const from = "stats@example.org";
  const mailer = new Mailer({ ...settings, from }, "https://stats.example.org", undefined, patience);
  for (const to of ["a@example.com", "b@example.com"]) {
    const sent = () => failureOf(mailer.send({ ...mail, to }, noonMs));
    let failure = await sent();
    // A busy machine may need longer until the server asks for the content.
    for (; failure !== undefined && failure.name !== "MailMayBeTaken"; failure = await sent())
      patience.askMs *= 2;
    expect(failure).toBeUndefined();
  }
  mailer.close();
  await smtp.close();
  expect(smtp.mails.map(({ to }) => to)).toEqual(["a@example.com", "b@example.com"]);
});

describe("a webhook", () => {
  const url = new URL("https://hooks.example.com/a");
  const resolving =
    (...addresses: string[]) =>
    async () =>
      addresses;

  test("reaches no address of a network of its own, in whatever form", async () => {
    const own =
      "0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1 172.31.255.1 192.0.0.192 " +
      "192.168.1.1 198.18.0.1 198.19.0.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe ::7f00:1 " +
      "64:ff9b::a9fe:a9fe 64:ff9b:1::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 2001:db8::1 2002:7f00:1:: 2001:0:7f00:1:: 100::1";
    for (const text of own.split(" ")) {
      expect([text, isPublic(parseAddress(text) as Address)]).toEqual([text, false]);
      expect([text, (await failureOf(targetOf(url, [], resolving(text))))?.isFinal]).toEqual([text, true]);
    }
    for (const text of ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001::200e"])
      expect([text, isPublic(parseAddress(text) as Address)]).toEqual([text, true]);
    for (const text of [
      "http://0x7f.1/",
      "https://2130706433/",
      "https://[::ffff:127.0.0.1]/",
      "https://127.1/",
      "https://017700000001/",
    ])
      expect([text, (await failureOf(targetOf(new URL(text), [], resolving("1.1.1.1"))))?.isFinal]).toEqual([
        text,
        true,
      ]);
  });

  test("is refused if one address of several is such a one, or if it has none", async () => {
    expect((await failureOf(targetOf(url, [], resolving("1.1.1.1", "10.0.0.1"))))?.isFinal).toBe(true);
    expect((await failureOf(targetOf(url, [], resolving())))?.isFinal).toBe(false);
    expect((await failureOf(targetOf(url, [], resolving("fe80::1%eth0"))))?.isFinal).toBe(true);
    const gone = () => Promise.reject(new Error("ENOTFOUND"));
    expect(await failureOf(targetOf(url, [], gone))).toMatchObject({ isFinal: false });
  });

  test("needs TLS on the internet; networks that the settings name are reached without", async () => {
    const plain = new URL("http://hooks.example.com/");
    expect((await failureOf(targetOf(plain, [], resolving("1.1.1.1"))))?.message).toContain("https://");
    const expected = { address: "127.0.0.1", port: 80, tlsName: undefined };
    expect(await targetOf(plain, loopback, resolving("127.0.0.1"))).toEqual(expected);
    const onInternet = { address: "1.1.1.1", port: 443, tlsName: "hooks.example.com" };
    expect(await targetOf(url, loopback, resolving("1.1.1.1"))).toEqual(onInternet);
  });

  const post = { secret: "s", id: "1", body: "{}" };

  test("connects to the address that was judged, whatever the name means a moment later", async () => {
    const receiver = new WebhookReceiver(tls);
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? [];
    const { port } = new URL(receiver.url);
    const options = { allowed: loopback, resolve, ca: tls.cert };
    await postWebhook({ ...post, url: `https://localhost:${port}/x` }, noonMs, options);
    expect([asked, receiver.received.length]).toEqual([1, 1]);
    expect(receiver.received[0]?.headers.get("host")).toBe(`localhost:${port}`);
    // Its certificate has to be that of the name, and not of the address.
    const other = postWebhook({ ...post, url: `https://other.example:${port}/x` }, noonMs, {
      ...options,
      resolve: resolving("127.0.0.1"),
    });
    expect(await failureOf(other)).toMatchObject({
      isFinal: false,
      message: 'its certificate is not valid: "ERR_TLS_CERT_ALTNAME_INVALID"',
    });
    expect(receiver.received).toHaveLength(1);
    await receiver.stop();
  });

  test("has so long for everything, also where nobody answers where its name is", async () => {
    const options = { allowed: [], resolve: () => new Promise<never>(() => {}), timeoutMs: 50 };
    const failed = failureOf(postWebhook({ ...post, url: url.href }, noonMs, options));
    expect(await failed).toMatchObject({ isFinal: false, message: "no answer within 0.05 seconds" });
  });

  test("says in words why there is no connection", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const { port } = server.address() as { port: number };
    await new Promise((closed) => server.close(closed));
    const options = { allowed: loopback, resolve: resolving("127.0.0.1") };
    const failed = failureOf(postWebhook({ ...post, url: `http://localhost:${port}/` }, noonMs, options));
    expect(await failed).toMatchObject({ isFinal: false, message: "it refuses connections" });
  });

  async function answered(bytes: string): Promise<SendError | undefined> {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(bytes));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const { port } = server.address() as { port: number };
    const options = { allowed: loopback, resolve: resolving("127.0.0.1") };
    const failed = await failureOf(
      postWebhook({ ...post, url: `http://localhost:${port}/` }, noonMs, options),
    );
    server.close();
    return failed;
  }

  test("reads no more of an answer than its status, and takes nothing else for one", async () => {
    expect(await answered("HTTP/1.1 204 No Content\r\n\r\n")).toBeUndefined();
    expect(
      await answered("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n"),
    ).toBeUndefined();
    expect(await answered("HTTP/1.1 410 Gone\r\n\r\n")).toMatchObject({ isFinal: true });
    expect(await answered("HTTP/1.1 429 Wait\r\n\r\n")).toMatchObject({ isFinal: false });
    expect(await answered("HTTP/1.1 307 There\r\nLocation: http://10.0.0.1/\r\n\r\n")).toMatchObject({
      isFinal: true,
    });
    expect(await answered("x".repeat(100_000))).toMatchObject({
      isFinal: false,
      message: "its answer is no HTTP",
    });
    expect(await answered("")).toMatchObject({ isFinal: false });
  });
});
