/** Page loads of distinct paths over real sockets, and which of them a server acknowledged. */
import { ServerProcess } from "../support/server.ts";

export const hostname = "example.com";
/** Every server of the torture is started with them: one sender is one network. */
export const serverArguments: readonly string[] = ["--data", "data", "--loads-per-network", "1000000"];

export interface Sent {
  /** Their paths, with the moment of the answer by the monotonic clock. */
  readonly acknowledged: Map<string, number>;
  /** How many were sent, answered or not. */
  count: number;
  /** The milliseconds to each answer. */
  readonly latenciesMs: number[];
  /** The status of each answer but 200, and how often it came. */
  readonly refused: Map<number, number>;
}

export class Sender {
  readonly sent: Sent = { acknowledged: new Map(), count: 0, latenciesMs: [], refused: new Map() };
  /** Resolves at the first answer. */
  readonly first: Promise<void>;
  private readonly answered = Promise.withResolvers<void>();
  private readonly working: Promise<void>;
  private isStopped = false;

  /** `prefix` begins every path. `rate`: hits a second; by default as many as `atOnce` senders can. */
  constructor(
    private readonly server: ServerProcess,
    private readonly prefix: string,
    private readonly atOnce = 16,
    private readonly rate = Infinity,
    private readonly host = hostname,
  ) {
    this.first = this.answered.promise;
    this.working = Promise.all(Array.from({ length: atOnce }, (_, at) => this.send(at))).then(() => {});
  }

  /** Ends when all answers are there; those of a killed server never come. */
  async stop(): Promise<Sent> {
    this.isStopped = true;
    await this.working;
    return this.sent;
  }

  private async send(at: number): Promise<void> {
    const startMs = performance.now();
    for (let turn = 0; !this.isStopped; turn++) {
      const dueMs = startMs + ((turn * this.atOnce + at) / this.rate) * 1_000;
      if (dueMs > performance.now()) await Bun.sleep(dueMs - performance.now());
      const sentMs = Math.max(dueMs, startMs);
      if (
        !(await this.one(
          `${this.prefix}${this.sent.count++}`,
          this.rate === Infinity ? performance.now() : sentMs,
        ))
      )
        return;
    }
  }

  /** Returns whether the server is still there. */
  private async one(path: string, sentMs: number): Promise<boolean> {
    const { acknowledged, latenciesMs, refused } = this.sent;
    try {
      const answer = await this.server.hit(`https://${this.host}${path}`, path);
      const isTaken = (await answer.text()) === '{"accepted":true}';
      if (answer.status !== 200) refused.set(answer.status, (refused.get(answer.status) ?? 0) + 1);
      else if (isTaken) acknowledged.set(path, performance.now());
      latenciesMs.push(performance.now() - sentMs);
      return true;
    } catch {
      return false;
    } finally {
      this.answered.resolve();
    }
  }
}

const running = new Set<ServerProcess>();

export async function startServer(
  command: readonly string[],
  folder: string,
  cookie = "",
): Promise<ServerProcess> {
  const server = await ServerProcess.start(command, folder, serverArguments);
  running.add(server);
  server.cookie = cookie;
  return server;
}

/** Starts a server in `folder` with an account and the website, and its cookie. */
export async function startFresh(command: readonly string[], folder: string): Promise<ServerProcess> {
  const server = await startServer(command, folder);
  await server.logIn();
  await server.post("/websites", { hostname });
  return server;
}

/** Ends all that still run: a torture that failed leaves its own. */
export async function endServers(): Promise<void> {
  await Promise.all([...running].map((server) => server.end("SIGKILL")));
  running.clear();
}

/** The page views by path of the lines of a dump. Throws for one that is counted twice. */
export function viewsIn(lines: Iterable<string>, prefix: string): Set<string> {
  const found = new Set<string>();
  for (const line of lines) {
    if (!line.includes('"kind":"pageview"')) continue;
    const { path } = JSON.parse(line) as { path: string };
    if (!path.startsWith(prefix)) continue;
    if (found.has(path)) throw new Error(`${path} is counted twice`);
    found.add(path);
  }
  return found;
}

/** Throws if an acknowledged hit is not there. */
export function expectAll(acknowledged: Iterable<string>, found: ReadonlySet<string>, when: string): void {
  const lost = [...acknowledged].filter((path) => !found.has(path));
  if (lost.length > 0) throw new Error(`${lost.length} lost ${when}, such as ${lost[0]}`);
}
