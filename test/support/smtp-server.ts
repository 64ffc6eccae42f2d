/**
 * A mail server on a port of its own, which speaks as much SMTP as a sender needs: STARTTLS, authentication, refused
 * addresses. It is the other side of the wire, and keeps what it took.
 */
import { createServer, type Server, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { quietPort } from "./quiet-port.ts";

export interface TakenMail {
  readonly from: string;
  readonly to: string;
  /** Whether it came by TLS, and who had logged in. */
  readonly isTls: boolean;
  readonly user: string | undefined;
  /** As it came: headers and body, with CRLF. */
  readonly source: string;
}

export interface SmtpOptions {
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Without it no login is offered. */
  readonly login?: { readonly user: string; readonly pass: string };
  /**
   * Answers to `RCPT TO` and to the end of `DATA` instead of 250, if any. At "" the connection ends instead. The answer to a
   * mail may take time.
   */
  readonly onRecipient?: (address: string) => string | undefined;
  readonly onData?: (address: string, source: string) => string | undefined | Promise<string | undefined>;
  /** An answer to a command, by its first word in capitals, instead of what it is for. */
  readonly onCommand?: (verb: string) => string | undefined;
  /** Whether each connection ends after its first mail. */
  readonly isForOneMail?: boolean;
}

export class SmtpServer {
  readonly mails: TakenMail[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    options: SmtpOptions,
  ) {
    server.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
      new Session(socket, false, options, (mail) => this.mails.push(mail)).greet();
    });
  }

  static open(options: SmtpOptions = {}): Promise<SmtpServer> {
    const server = createServer();
    const { promise, resolve, reject } = Promise.withResolvers<SmtpServer>();
    server.on("error", reject);
    server.listen(options.port ?? quietPort(), "127.0.0.1", () => resolve(new SmtpServer(server, options)));
    return promise;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.server.close(() => resolve());
    for (const socket of this.sockets) socket.destroy();
    return promise;
  }
}

/** One connection. */
class Session {
  private buffer = "";
  private from = "";
  private to = "";
  private user: string | undefined;
  private isData = false;

  constructor(
    private readonly socket: Socket,
    private readonly isTls: boolean,
    private readonly options: SmtpOptions,
    private readonly onMail: (mail: TakenMail) => void,
  ) {
    socket.on("data", (bytes) => this.take(bytes.toString("utf8")));
    socket.on("error", () => {});
  }

  greet(): void {
    this.say("220 test ESMTP");
  }

  private say(line: string): void {
    if (line === "") this.socket.destroy();
    else this.socket.write(`${line}\r\n`);
  }

  private take(text: string): void {
    this.buffer += text;
    for (;;) {
      const ending = this.isData ? "\r\n.\r\n" : "\r\n";
      const end = this.buffer.indexOf(ending);
      if (end < 0) return;
      const piece = this.buffer.slice(0, end);
      this.buffer = this.buffer.slice(end + ending.length);
      if (this.isData) void this.endData(piece);
      else this.command(piece);
    }
  }

  private command(line: string): void {
    const { tls, login, onRecipient, onCommand } = this.options;
    const [verb = "", ...rest] = line.split(" ");
    const address = /<(.*?)>/.exec(line)?.[1] ?? "";
    const refused = onCommand?.(verb.toUpperCase());
    if (refused !== undefined) return this.say(refused);
    switch (verb.toUpperCase()) {
      case "EHLO":
        this.say("250-test");
        if (tls !== undefined && !this.isTls) this.say("250-STARTTLS");
        if (login !== undefined) this.say("250-AUTH PLAIN");
        return this.say("250 8BITMIME");
      case "STARTTLS":
        return this.startTls();
      case "AUTH": {
        const [, user = "", pass] = Buffer.from(rest[1] ?? "", "base64")
          .toString()
          .split("\0");
        if (login === undefined || user !== login.user || pass !== login.pass)
          return this.say("535 5.7.8 wrong user or password");
        this.user = user;
        return this.say("235 2.7.0 welcome");
      }
      case "MAIL":
        if (login !== undefined && this.user === undefined) return this.say("530 5.7.0 log in first");
        this.from = address;
        return this.say("250 2.1.0 fine");
      case "RCPT":
        this.to = address;
        return this.say(onRecipient?.(address) ?? "250 2.1.5 fine");
      case "DATA":
        this.isData = true;
        return this.say("354 go on");
      case "QUIT":
        this.say("221 bye");
        return void this.socket.end();
      default:
        return this.say("250 fine");
    }
  }

  private startTls(): void {
    this.say("220 go on");
    this.socket.removeAllListeners("data");
    const secured = new TLSSocket(this.socket, { isServer: true, ...this.options.tls });
    new Session(secured, true, this.options, this.onMail);
  }

  private async endData(source: string): Promise<void> {
    this.isData = false;
    const { from, to, isTls, user } = this;
    const refused = await this.options.onData?.(to, source);
    if (refused !== undefined) return this.say(refused);
    this.onMail({ from, to, isTls, user, source: source.replaceAll("\r\n..", "\r\n.") });
    this.say("250 2.0.0 taken");
    if (this.options.isForOneMail) this.socket.end();
  }
}
