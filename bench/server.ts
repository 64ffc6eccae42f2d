/** A real server in a process of its own, by default from source, on a new folder and a free port. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fromSource } from "../test/support/server.ts";

export interface BenchServer {
  readonly port: number;
  readonly pid: number;
  logBytes(): number;
  stop(): Promise<void>;
}

export async function startServer(
  folder: string,
  command: readonly string[] = fromSource,
  website: object = {},
): Promise<BenchServer> {
  const port = freePort();
  const child = Bun.spawn([...command, "--port", String(port), "--host", "127.0.0.1", "--data", folder], {
    env: {
      ...process.env,
      FOOTFALL_ADMIN_USERNAME: "bench",
      FOOTFALL_ADMIN_PASSWORD: "bench-password",
      // All hits come from this machine.
      FOOTFALL_LOADS_PER_NETWORK: "1000000",
    },
    stdout: "ignore",
    stderr: "inherit",
  });
  const base = `http://127.0.0.1:${port}`;
  await answered(`${base}/healthz`);
  const login = await fetch(
    `${base}/auth/login`,
    jsonBody({ username: "bench", password: "bench-password" }),
  );
  const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] as string;
  const added = await fetch(`${base}/websites`, jsonBody({ hostname: "bench.example", ...website }, cookie));
  if (added.status !== 201)
    throw new Error(`the website was not added: ${added.status} ${await added.text()}`);
  const wal = join(folder, "wal");
  return {
    port,
    pid: child.pid,
    logBytes: () => readdirSync(wal).reduce((sum, name) => sum + statSync(join(wal, name)).size, 0),
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

function jsonBody(body: unknown, cookie = ""): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify(body),
  };
}

export function freePort(): number {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = probe;
  void probe.stop(true);
  return port as number;
}

export async function answered(url: string): Promise<void> {
  for (let attempt = 0; attempt < 2_400; attempt++) {
    try {
      await fetch(url);
      return;
    } catch {
      await Bun.sleep(25);
    }
  }
  throw new Error(`${url} did not answer within a minute`);
}
