/**
 * Sends mails by way of the server of the settings. Of nodemailer only the parts are loaded that write a mail and
 * speak SMTP, when the first one is sent. A mail is for one
 * address, has no remote content, and says by which links its reader leaves (RFC 8058).
 */
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { MailServer } from "../settings.ts";
import { SendError } from "./webhook-target.ts";

const connectMs = 10_000;

/** How long the server has, in milliseconds. It may be silent for as long. */
export interface Patience {
  /** From the connection until it wants the content of a mail. */
  readonly askMs: number;
  /**
   * From then until it has taken the mail. Some look into the content before they answer: whoever does not wait for that sends
   * the mail again, although it was taken.
   */
  readonly takeMs: number;
}

/** RFC 5321 says ten minutes for the second. */
const usualPatience: Patience = { askMs: 60_000, takeMs: 10 * 60_000 };

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for every attempt to send one message: mail servers and programs know a repetition by it. */
  readonly id: string;
  /** The address by which one leaves. */
  readonly leaveUrl: string;
}

interface Written {
  readonly envelope: { readonly from: string | false; readonly to: string[] };
  readonly bytes: Uint8Array;
}

/** An attempt that failed before the server was ready for a mail: now it takes no other either. */
export class MailServerDown extends SendError {
  override name = "MailServerDown";
}

/** An attempt that failed after the server got the mail, and before it said whether it took it. */
export class MailMayBeTaken extends SendError {
  override name = "MailMayBeTaken";
}

export const noMail = new SendError("this server sends no mail: its owner sets FOOTFALL_SMTP", false);

/** Sends mails over one connection, which is opened for the first one and after a failure. */
export class Mailer {
  private connection: SMTPConnection | undefined;
  private readonly host: string;

  /** `url`: the public address of this server. `ca`: certificates to trust besides the system's, in tests. */
  constructor(
    private readonly server: MailServer,
    url: string,
    private readonly ca?: string,
    private readonly patience = usualPatience,
  ) {
    this.host = new URL(url).hostname;
  }

  /**
   * Resolves when the server has taken the mail. A server may close the connection after each mail, or after some: then
   * another one is opened. Throws SendError, and of that MailServerDown for any other mail.
   */
  async send(mail: Mail, nowMs: number): Promise<void> {
    const written = await this.written(mail, nowMs);
    const late = Promise.withResolvers<never>();
    let timer: Timer | undefined;
    const bound = (ms: number) => {
      clearTimeout(timer);
      const why = `the mail server took longer than ${ms / 1_000} seconds for a mail`;
      timer = setTimeout(() => late.reject(new SendError(why, false)), ms);
    };
    bound(this.patience.askMs);
    try {
      await this.attempt(written, late.promise, () => bound(this.patience.takeMs));
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.connection?.quit();
    this.connection = undefined;
  }

  /** `onAsked` is called when the server wants the content: before that the mail cannot have been taken. */
  private async attempt(written: Written, late: Promise<never>, onAsked: () => void): Promise<void> {
    const kept = this.connection;
    const { Readable } = await import("node:stream");
    let [isReady, isAsked] = [kept !== undefined, false];
    const content = Readable.from(
      (function* () {
        isAsked = true;
        onAsked();
        yield written.bytes;
      })(),
    );
    const take = async () => {
      const connection = kept ?? (await this.connected());
      isReady = true;
      // The library keeps what the server answers in the envelope that it gets.
      await called((done) => connection.send({ ...written.envelope }, content, done), connection);
    };
    try {
      await Promise.race([take(), late]);
    } catch (error) {
      this.connection?.close();
      this.connection = undefined;
      const failure = error as MailFailure;
      const isLate = error instanceof SendError;
      if (isAsked && failure.responseCode === undefined) throw new MailMayBeTaken(textOf(failure), false);
      if (kept === undefined || isAsked || isLate || !isClosed(failure)) throw sendError(failure, isReady);
      await this.attempt(written, late, onAsked);
    }
  }

  private async connected(): Promise<SMTPConnection> {
    const { default: Connection } = await import("nodemailer/lib/smtp-connection");
    const { host, port, secure, requireTls: requireTLS, login } = this.server;
    const connection = new Connection({
      host,
      port,
      secure,
      requireTLS,
      name: this.host,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      ...(this.ca !== undefined && { tls: { ca: this.ca } }),
    });
    // Without a listener an error between two mails would end the process; the next mail meets it, too.
    connection.on("error", () => {});
    // An attempt that fails closes it, also while it is being opened.
    this.connection = connection;
    await called((done) => connection.connect(done), connection);
    if (login !== undefined)
      await called((done) => connection.login({ user: login.user, pass: login.pass }, done), connection);
    return connection;
  }

  private async written({ to, subject, text, html, id, leaveUrl }: Mail, nowMs: number): Promise<Written> {
    const { default: MimeNode } = await import("nodemailer/lib/mime-node");
    const root = new MimeNode("multipart/alternative", { disableFileAccess: true, disableUrlAccess: true });
    root.setHeader({
      from: this.server.from,
      to: { name: "", address: to },
      subject,
      date: new Date(nowMs).toUTCString().replace(/GMT$/, "+0000"),
      "message-id": `<${id}@${this.host}>`,
      "list-unsubscribe": { prepared: true, value: `<${leaveUrl}>` },
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      "auto-submitted": "auto-generated",
    });
    root.createChild("text/plain; charset=utf-8").setContent(text);
    root.createChild("text/html; charset=utf-8").setContent(html);
    return { envelope: root.getEnvelope(), bytes: await root.build() };
  }
}

interface MailFailure extends Error {
  readonly code?: string;
  /** The command that was answered by `responseCode`. */
  readonly command?: string;
  readonly responseCode?: number;
  /** The answer as it came. */
  readonly response?: string;
}

/** Resolves when the library calls back, and rejects with its error, also with one that the connection says first. */
function called(
  act: (done: (error?: Error | null) => void) => void,
  connection: SMTPConnection,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const ended = () => reject(new Error("the mail server closed the connection"));
  connection.once("error", reject);
  connection.once("end", ended);
  act((error) => (error ? reject(error) : resolve()));
  return promise.finally(() => {
    connection.off("error", reject);
    connection.off("end", ended);
  });
}

/** Codes of the library for what the server answers about one mail: its sender, its address or its content. */
const ownCodes: readonly (string | undefined)[] = ["EENVELOPE", "EMESSAGE"];

/** Whether the connection has ended, or the server says that it ends it (421). */
function isClosed({ code, responseCode }: MailFailure): boolean {
  return !ownCodes.includes(code) || responseCode === 421;
}

/** Codes below this one say that a command has no place now, or that a login is missing (RFC 5321, RFC 4954). */
const refusedMin = 550;

/**
 * Matches answers to the address that are about something else: the server, the protocol, a policy, the sender, or how much
 * was sent (RFC 3463). Postfix says there, and not before, that the sender or the login may not send; Exim does so in words
 * alone, such as "Sender verify failed". An address that has the word is none of these.
 */
const notOfAddress = /^5\d\d[ -]5\.(?:[357]\.|1\.[78]\b|4\.5\b)|(?<![@.])\bsender\b(?![\w.-]*[@>])/i;

/** The mail server's own words may repeat the address; whoever added it reads them. Only a refused address is final. */
function sendError(failure: MailFailure, isReady: boolean): SendError {
  const { command, responseCode = 0, response = "" } = failure;
  const text = textOf(failure);
  if (!isReady) return new MailServerDown(text, false);
  const isRefused = command === "RCPT TO" && responseCode >= refusedMin;
  return new SendError(text, isRefused && !notOfAddress.test(response));
}

function textOf({ code, message }: MailFailure): string {
  return `${code === undefined ? "" : `${code}: `}${message}`;
}
