/** A server with its messenger, a mail server, and page views of the past: everything but the network is real. */
import type { RunningEngine } from "../../src/engine/running.ts";
import { Messenger } from "../../src/notify/messenger.ts";
import { parseNetworks } from "../../src/http/callers/client-address.ts";
import type { Messages } from "../../src/http/transport/messages.ts";
import { TestServer, type TestServerOptions } from "./http.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { imported, valuesOf } from "./records.ts";
import { SmtpServer, type SmtpOptions, type TakenMail } from "./smtp-server.ts";

export const publicUrl = "https://stats.example.org/stats";
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export class Told {
  private files = 0;

  private constructor(
    public server: TestServer,
    readonly cookie: string,
    readonly smtp: SmtpServer,
    public messenger: Messenger,
    readonly disk: MemoryDisk,
  ) {}

  static async open(smtp: SmtpOptions = {}, options: TestServerOptions = {}): Promise<Told> {
    const { disk = new MemoryDisk() } = options;
    const messages: Messages = {
      expectTarget: (...given) => told.messenger.expectTarget(...given),
      test: (...asked) => told.messenger.test(...asked),
    };
    const server = await TestServer.open({ sendsMail: true, messages, ...options, disk });
    const cookie = await server.prepare();
    const mailServer = await SmtpServer.open(smtp);
    const told = new Told(server, cookie, mailServer, messengerFor(server, mailServer.port), disk);
    return told;
  }

  /** Restarts the messenger, as a server that was started again has it: with the state of the log, and no memory. */
  async restart(port = this.smtp.port): Promise<void> {
    await this.messenger.stop();
    this.messenger = messengerFor(this.server, port);
  }

  /** The server is off for a while, and starts again, with a clock that is wrong by `wrongMs`. */
  async offFor(ms: number, wrongMs = 0): Promise<void> {
    const { clock, engine } = this.server;
    await this.messenger.stop();
    await (engine as RunningEngine).stop();
    clock.advance(ms);
    if (wrongMs !== 0) clock.set(clock.nowMs() + wrongMs);
    this.server = await TestServer.open({ sendsMail: true, clock, disk: this.disk });
    this.messenger = messengerFor(this.server, this.smtp.port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.messenger.stop();
    await this.smtp.close();
    await (this.server.engine as RunningEngine).stop();
  }

  /** Time passes, and the messenger looks. */
  async after(ms: number): Promise<void> {
    this.server.clock.advance(ms);
    await this.messenger.look();
  }

  async ask(method: string, path: string, body?: unknown, cookie = this.cookie) {
    const response = await this.server.ask(method, `/website/example.com/${path}`, { cookie, body });
    const text = await response.text();
    return { status: response.status, value: text === "" ? undefined : (JSON.parse(text) as never) };
  }

  /** Adds a subscription; one to a mail address is confirmed by the link of the mail. */
  async subscribe(list: "reports" | "alerts", body: Readonly<Record<string, unknown>>): Promise<void> {
    const { status } = await this.ask("POST", list, { time_zone: "Europe/Berlin", ...body });
    if (status !== 201) throw new Error(`refused with ${status}`);
    await this.messenger.look();
    const last = this.smtp.mails.at(-1);
    if (body["email"] !== undefined && last !== undefined) await this.post(linkIn(last, "confirm"));
  }

  /** Posts what the button of a page does, without a cookie. */
  async post(path: string): Promise<string> {
    return (await this.server.ask("POST", path)).text();
  }

  /** Sends `count` visitors within a minute from a time on, each with one page view of `path`. */
  async visitors(count: number, timeMs: number, path = "/", referrer = "", websiteId = 1): Promise<void> {
    const { engine } = this.server;
    const loads = Array.from({ length: count }, (_, at) => ({
      timeMs: timeMs + Math.floor((at * minuteMs) / count),
      unique: true,
      seen: false,
      values: valuesOf(path).with(1, referrer),
      visit: ++visits,
    }));
    const file = `log ${++this.files}`;
    await engine.commit({ ...imported([], { file }), websiteId, timeMs: engine.nowMs(), loads });
  }
}

let visits = 0;

function messengerFor({ engine }: TestServer, port: number): Messenger {
  return new Messenger({
    engine,
    settings: {
      url: publicUrl,
      mail: {
        host: "127.0.0.1",
        port,
        secure: false,
        requireTls: false,
        login: undefined,
        from: '"Statistics" <stats@example.org>',
      },
      webhookNetworks: parseNetworks("loopback", "test"),
    },
    resolve: async () => ["127.0.0.1"],
  });
}

/** Returns the part of a mail of that type, decoded. */
export function partOf({ source }: Pick<TakenMail, "source">, type: "plain" | "html"): string {
  const boundary = /boundary="(.*?)"/.exec(source)?.[1] ?? "";
  const part = source.split(`--${boundary}`).find((each) => each.includes(`text/${type}`)) ?? "";
  const [head = "", ...body] = part.trim().split("\r\n\r\n");
  const text = body.join("\r\n\r\n");
  if (/base64/i.test(head)) return Buffer.from(text, "base64").toString();
  if (!/quoted-printable/i.test(head)) return text;
  const bytes = text
    .replace(/=\r\n/g, "")
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

/** Returns the value of a header, unfolded. */
export function headerOf({ source }: TakenMail, name: string): string {
  const head = (source.split("\r\n\r\n")[0] ?? "").replace(/\r\n[ \t]/g, " ");
  return new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1] ?? "";
}

/** Returns the path of a link of a mail on this server, without what a proxy takes away. */
export function linkIn(mail: Pick<TakenMail, "source">, what: "confirm" | "unsubscribe"): string {
  return new RegExp(`${publicUrl}(/mail/${what}/[\\w.-]+)`).exec(partOf(mail, "plain"))?.[1] ?? "";
}
