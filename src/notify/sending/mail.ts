/**
 * Sends mails by way of the server of the settings. Of nodemailer only the parts are loaded that write a mail and
 * speak SMTP, when the first one is sent. A mail is for one
 * address, has no remote content, and says by which links its reader leaves (RFC 8058).
 */
import type { Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { MailServer } from "../settings.ts";
import { SendError } from "./webhook-target.ts";

const connectMs = 10_000;
const silenceMs = 30_000;
/** A mail gets so long from the connection to the last answer: a server that says something now and then is never silent. */
const wholeMs = 60_000;

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

/** An attempt that failed before the server said anything about this mail: now it takes no other either. */
export class MailServerDown extends SendError {
  override name = "MailServerDown";
}

export const noMail = new SendError("this server sends no mail: its owner sets FOOTFALL_SMTP", false);

/** Sends mails over one connection, which is opened for the first one and after a failure. */
export class Mailer {
  private connection: SMTPConnection | undefined;
  private readonly host: string;

  /**
   * `url`: the public address of this server. `ca`: certificates to trust besides the system's, in tests. `mailMs`: how long
   * a mail may take, less in tests.
   */
  constructor(
    private readonly server: MailServer,
    url: string,
    private readonly ca?: string,
    private readonly mailMs = wholeMs,
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
    const why = `the mail server took longer than ${this.mailMs / 1_000} seconds for a mail`;
    const timer = setTimeout(() => late.reject(new MailServerDown(why, false)), this.mailMs);
    try {
      await this.attempt(written, late.promise);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.connection?.quit();
    this.connection = undefined;
  }

  private async attempt(written: Written, late: Promise<never>): Promise<void> {
    const isKept = this.connection !== undefined;
    const { Readable } = await import("node:stream");
    let isAsked = false;
    // It is read once the server wants the content: before that the mail cannot have been taken.
    const content = Readable.from(
      (function* () {
        isAsked = true;
        yield written.bytes;
      })(),
    );
    try {
      await Promise.race([this.taken(written.envelope, content), late]);
    } catch (error) {
      this.connection?.close();
      this.connection = undefined;
      if (error instanceof SendError) throw error;
      const failure = error as MailFailure;
      if (!isKept || isAsked || !isClosed(failure)) throw sendError(failure);
      await this.attempt(written, late);
    }
  }

  private async taken(envelope: Written["envelope"], content: Readable): Promise<void> {
    const connection = this.connection ?? (await this.connected());
    // The library keeps what the server answers in the envelope that it gets.
    await called((done) => connection.send({ ...envelope }, content, done), connection);
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
      socketTimeout: silenceMs,
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

/** The mail server's own words may repeat the address; whoever added it reads them. Only a refused address is final. */
function sendError({ code, command, responseCode = 0, message }: MailFailure): SendError {
  const text = `${code === undefined ? "" : `${code}: `}${message}`;
  if (!ownCodes.includes(code)) return new MailServerDown(text, false);
  return new SendError(text, command === "RCPT TO" && responseCode >= 500);
}
