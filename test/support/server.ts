/** The program as a process of its own, which tests reach as anybody would: over its socket and by signals. */
import { join } from "node:path";

export const account = { username: "ada", password: "a good password" };
export const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** The command that runs it from source, which takes over half a second of a processor before anything else: the executable takes 0.05. */
export const fromSource = [process.execPath, join(import.meta.dir, "..", "..", "src", "main.ts")];

/** Without the settings of whoever runs the tests. */
const environment = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };
export const accountEnvironment = {
  FOOTFALL_ADMIN_USERNAME: account.username,
  FOOTFALL_ADMIN_PASSWORD: account.password,
};

export interface Ended {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs it to its end in `folder`; `input` is its standard input. */
export async function runToEnd(
  command: readonly string[],
  folder: string,
  args: readonly string[],
  input = "",
): Promise<Ended> {
  const child = Bun.spawn([...command, ...args], {
    cwd: folder,
    env: environment,
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  const [output, errors, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { exitCode, output, errors };
}

/** A server on a free port of this machine, whose first account is `account`. */
export class ServerProcess {
  cookie = "";

  private constructor(
    private readonly child: Bun.Subprocess<"ignore", "pipe", "ignore">,
    /** Everything that it printed until it listened. */
    readonly greeting: string,
    readonly port: number,
  ) {}

  static async start(
    command: readonly string[],
    folder: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = accountEnvironment,
  ): Promise<ServerProcess> {
    const child = Bun.spawn([...command, "--host", "127.0.0.1", "--port", "0", ...args], {
      cwd: folder,
      env: { ...environment, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let greeting = "";
    const decoder = new TextDecoder();
    const reader = child.stdout.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the server ended before it listened: ${greeting}`);
      greeting += decoder.decode(value);
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(greeting) ?? [];
      if (port !== undefined) return new ServerProcess(child, greeting, Number(port));
    }
  }

  get pid(): number {
    return this.child.pid;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  get(path: string): Promise<Response> {
    return fetch(this.url(path), { headers: { cookie: this.cookie } });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.send("POST", path, body, headers);
  }

  patch(path: string, body: unknown): Promise<Response> {
    return this.send("PATCH", path, body);
  }

  delete(path: string): Promise<Response> {
    return fetch(this.url(path), { method: "DELETE", headers: { cookie: this.cookie } });
  }

  private send(method: string, path: string, body: unknown, more: Record<string, string> = {}) {
    const headers = { "content-type": "application/json", cookie: this.cookie, ...more };
    return fetch(this.url(path), { method, headers, body: JSON.stringify(body) });
  }

  /** A page load of a new visitor. */
  hit(url: string, beacon: string): Promise<Response> {
    return this.post("/event/hit", { b: beacon, u: url, p: true, q: false }, { "user-agent": browser });
  }

  async logIn(): Promise<void> {
    const answer = await this.post("/auth/login", account);
    if (answer.status !== 200) throw new Error(`login answered ${answer.status}: ${await answer.text()}`);
    this.cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  }

  /** The rows of a list or of `time`, `summary`, …. */
  async rows(hostname: string, list: string): Promise<Record<string, string | number>[]> {
    const answer = await this.get(`/website/${hostname}/${list}`);
    if (answer.status !== 200) throw new Error(`${list} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, string | number>[];
  }

  /** Resolves to the exit code once it has ended by itself. */
  get ended(): Promise<number> {
    return this.child.exited;
  }

  /** The exit code, or 128 and the signal. */
  async end(signal: NodeJS.Signals): Promise<number> {
    this.child.kill(signal);
    return this.child.exited;
  }
}
