/** A node of a cluster: the executable on a machine, which is killed, paused and started again with its folder. */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "../support/nats.ts";
import { account, browser } from "../support/server.ts";
import { until } from "../support/until.ts";

/** An answer that takes longer is none. */
const answerMs = 15_000;

export interface NodeOptions {
  readonly name: string;
  readonly machine: Machine;
  /** The command that runs the executable; a later start may have another. */
  readonly command: readonly string[];
  /** It has the data folder, and the file `output` with everything that it prints. */
  readonly folder: string;
  /** Flags besides address and folder. */
  readonly args: readonly string[];
}

export class ClusterNode {
  private child: Bun.Subprocess | undefined;
  port = 0;
  cookie = "";
  command: readonly string[];

  constructor(private readonly options: NodeOptions) {
    this.command = options.command;
    mkdirSync(options.folder, { recursive: true });
  }

  get name(): string {
    return this.options.name;
  }

  get folder(): string {
    return this.options.folder;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts it. Resolves when it listens, which a node does only with the stream; rejects if it ends before. */
  async start(): Promise<void> {
    const { machine, folder, args } = this.options;
    const own = ["--host", machine.clientAddress, "--port", "0", "--data", "data"];
    const child = (this.child = Bun.spawn([...machine.command, ...this.command, ...own, ...args], {
      cwd: folder,
      env: { FOOTFALL_ADMIN_USERNAME: account.username, FOOTFALL_ADMIN_PASSWORD: account.password },
      stdio: ["ignore", "pipe", "pipe"],
    }));
    const listens = Promise.withResolvers<number>();
    for (const stream of [child.stdout, child.stderr]) void this.keep(stream, listens.resolve);
    void child.exited.then(() => listens.reject(new Error(`${this.name} ended; ${folder}/output says why`)));
    this.port = await listens.promise;
  }

  /** Starts it as often as it takes: a server manager does so. */
  startAgain(): Promise<void> {
    return until(
      async () => {
        await this.start();
        return true;
      },
      () => `${this.name} starts; ${this.folder}/output says why not`,
    );
  }

  /** The exit code, or 128 and the signal. */
  async end(signal: NodeJS.Signals): Promise<number> {
    this.child?.kill(signal);
    return this.child?.exited ?? 0;
  }

  pause(): void {
    this.child?.kill("SIGSTOP");
  }

  resume(): void {
    this.child?.kill("SIGCONT");
  }

  ask(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`http://${this.options.machine.clientAddress}:${this.port}${path}`, {
      signal: AbortSignal.timeout(answerMs),
      ...init,
      headers: { cookie: this.cookie, ...(init.headers as Record<string, string>) },
    });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  }

  /** A page load of a new visitor. */
  hit(url: string, beacon: string, userAgent = browser): Promise<Response> {
    return this.post("/event/hit", { b: beacon, u: url, p: true, q: false }, { "user-agent": userAgent });
  }

  /** One of its figures, as its control socket says it. */
  async figure(name: string): Promise<number> {
    const unix = join(this.folder, "data", "control.sock");
    const answer = await fetch("http://localhost/metrics", { unix, signal: AbortSignal.timeout(answerMs) });
    const [, value] = new RegExp(`^${name} (.*)$`, "m").exec(await answer.text()) ?? [];
    return Number(value);
  }

  /** Returns the cookie of a new session. */
  async logIn(): Promise<string> {
    const answer = await this.post("/auth/login", account);
    if (answer.status !== 200) throw new Error(`login answered ${answer.status}: ${await answer.text()}`);
    return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  }

  /** The text of an answer with the status 200. */
  async text(path: string): Promise<string> {
    const answer = await this.ask(path);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} at ${this.name}: ${text}`);
    return text;
  }

  private async keep(stream: ReadableStream<Uint8Array>, found: (port: number) => void): Promise<void> {
    let text = "";
    for await (const piece of stream) {
      appendFileSync(join(this.folder, "output"), piece);
      text = (text + new TextDecoder().decode(piece)).slice(-4_096);
      const [, port] = /listens on http:\/\/[\d.]+:(\d+)/.exec(text) ?? [];
      if (port !== undefined) found(Number(port));
    }
  }
}
