/** A server without a socket: the app over the real engine on a disk in memory. */
import type { Messages } from "../../src/http/transport/messages.ts";
import { parseNetworks } from "../../src/http/callers/client-address.ts";
import { importUpload } from "../../src/cli/import/upload.ts";
import { createApp, type App, type AppOptions, type PeerSource } from "../../src/http/app.ts";
import { sharedThreads } from "../../src/accounts/login/hasher.ts";
import { hashBy } from "../../src/accounts/login/password.ts";
import { hashOf, newToken } from "../../src/accounts/token.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { SetUp } from "../../src/engine/admin/account/set-up.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { EngineIo } from "../../src/engine/checkpoint/io.ts";
import { silentLogger, type Logger } from "../../src/lib/log.ts";
import { sessionStarted, userAdded } from "./account-records.ts";
import { TestClock } from "./clock.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { openInMemory } from "./memory-engine.ts";
import { memoryIo } from "./memory-io.ts";
import { quickHash, quickHasher } from "./people.ts";
import { browser } from "./server.ts";

export const commit = "0123456789abcdef0123456789abcdef01234567";
export const credentials = { username: "Ada", password: "correct horse" };

export interface TestServerOptions {
  readonly demo?: boolean;
  readonly trustProxy?: string;
  readonly base?: string;
  readonly logger?: Logger;
  readonly peer?: string;
  readonly metricsToken?: string;
  /** Page loads a second that a network may send; without it any number. */
  readonly loadsPerNetwork?: number;
  readonly sendsMail?: boolean;
  readonly messages?: Messages;
  readonly clock?: TestClock;
  /** With the folder of a server that has stopped; an empty one by default. */
  readonly disk?: MemoryDisk;
  /** Websites with more rows are asked in the Worker, whose port this opens. */
  readonly smallRows?: number;
  readonly openQuestionPort?: EngineIo["openQuestionPort"];
  /** Passwords that are set take the usual time to hash, and then to check. */
  readonly hashesSlowly?: boolean;
  /** Further options of its engine. */
  readonly engine?: Partial<OpenOptions>;
}

export interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string | undefined;
}

export interface Answered<T = unknown> {
  readonly status: number;
  readonly value: T;
}

let knownHash: Promise<string> | undefined;

export class TestServer {
  private constructor(
    readonly engine: Engine,
    readonly clock: TestClock,
    readonly setUp: SetUp,
    readonly app: App,
    private readonly peer: PeerSource,
  ) {}

  static async open(options: TestServerOptions = {}): Promise<TestServer> {
    const { clock = new TestClock(), disk = new MemoryDisk() } = options;
    // Each server says so, because the files of tests that share a process share the hasher too.
    hashBy(options.hashesSlowly ? sharedThreads : quickHasher);
    const engine = await openInMemory(disk, {
      clock,
      logger: options.logger ?? silentLogger,
      demo: options.demo ?? false,
      io: {
        ...memoryIo(disk),
        ...(options.openQuestionPort && { openQuestionPort: options.openQuestionPort }),
      },
      ...(options.loadsPerNetwork !== undefined && { loadsPerNetwork: options.loadsPerNetwork }),
      ...(options.smallRows !== undefined && { smallRows: options.smallRows }),
      ...options.engine,
    });
    const setUp = new SetUp(engine);
    const peer = { requestIP: () => ({ address: options.peer ?? "127.0.0.1" }), timeout: () => {} };
    return new TestServer(
      engine,
      clock,
      setUp,
      appOf(engine, {
        setUp,
        trustProxy: parseNetworks(options.trustProxy ?? "loopback", "test"),
        scriptName: "stats.js",
        metricsToken: options.metricsToken,
        sendsMail: options.sendsMail ?? false,
        ...(options.messages && { messages: options.messages }),
        base: options.base ?? "",
      }),
      peer,
    );
  }

  async fetch(request: Request): Promise<Response> {
    return this.app.fetch(request, this.peer);
  }

  ask(method: string, path: string, { body, headers = {}, cookie }: Asked = {}): Promise<Response> {
    return this.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(cookie !== undefined && { cookie: `_me_sess=${cookie}` }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
  }

  /** The status of an answer in JSON, and its value; undefined if it has none. */
  async answer<T>(method: string, path: string, asked?: Asked): Promise<Answered<T>> {
    const response = await this.ask(method, path, asked);
    const text = await response.text();
    return { status: response.status, value: (text === "" ? undefined : JSON.parse(text)) as T };
  }

  /** The value that stands at a path. Throws unless the answer is 200. */
  async get<T>(path: string, cookie?: string): Promise<T> {
    const { status, value } = await this.answer<T>("GET", path, { cookie });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(value)}`);
    return value;
  }

  /** A hit as a browser sends it. */
  hit(body: unknown, headers: Asked["headers"] = {}): Promise<Response> {
    return this.ask("POST", "/event/hit", { body, headers: { "user-agent": browser, ...headers } });
  }

  /** The token of a new session. */
  async logIn(body: unknown = credentials): Promise<string> {
    return tokenOf(await this.ask("POST", "/auth/login", { body }));
  }

  /**
   * An account with the website example.com, and the token of its session. Its password is hashed once a process, and
   * nothing is compared with it: a hundred tests of what a login leads to need not wait for as many.
   */
  async prepare(): Promise<string> {
    const { engine } = this;
    const timeMs = engine.nowMs();
    const userId = engine.registry.nextUserId;
    const passwordHash = await (knownHash ??= quickHash(credentials.password));
    await engine.commit(userAdded(userId, credentials.username, { timeMs, passwordHash }));
    await addWebsite(engine, { userId, sessionId: "" }, { hostname: "example.com" });
    const token = newToken(engine.random);
    const client = { browser: "Unknown", os: "Unknown" };
    const sessionId = engine.random.bytes(16).toHex();
    await engine.commit(sessionStarted(sessionId, { timeMs, userId, tokenHash: hashOf(token), ...client }));
    return token;
  }
}

/** The message of an error; empty if there is none. */
export function messageOf({ value }: Answered): string {
  const { error } = (value ?? {}) as { error?: { message: string } };
  return error?.message ?? "";
}

export async function messageIn(response: Response): Promise<string> {
  return messageOf({ status: response.status, value: await response.json() });
}

/** The app over an engine, behind a proxy of this machine unless `more` says otherwise. */
export function appOf(engine: Engine, more: Partial<AppOptions> = {}): App {
  const [setUp, trustProxy] = [new SetUp(engine), parseNetworks("loopback", "test")];
  return createApp(engine, { commit, setUp, trustProxy, importFile: importUpload, ...more });
}

export function tokenOf(response: Response): string {
  return /^_me_sess=([^;]+)/.exec(response.headers.get("set-cookie") ?? "")?.[1] ?? "";
}
