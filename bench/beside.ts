/**
 * Measures Footfall beside other servers of its kind over HTTP: each takes the same page views from as many connections,
 * is killed with SIGKILL right after the last answer, starts again, and is asked how many page views it has, and for a
 * list. `--medama FILE` and `--goatcounter FILE` name their executables, which whoever measures builds: they are no part
 * of this project. All files are on the same disk, all settings are those of a first start, but for the limits of hits
 * from one address, because all hits come from this machine.
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quietPort } from "../test/support/quiet-port.ts";
import { sendAll } from "./client.ts";
import { median, mediansOf, table } from "./measure.ts";
import { cpuSeconds, memoryOf } from "./memory.ts";

const host = "bench.example";
const askedTimes = 21;

interface Product {
  readonly name: string;
  readonly executable: string;
  /** Runs once in the empty folder, before the first start. */
  prepare?(folder: string): void;
  command(folder: string, port: number): readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Logs in and returns the cookie; adds the website where `isNew`. Undefined: its figures are not asked over HTTP. */
  login?(base: string, isNew: boolean): Promise<string>;
  /** The path of a list of pages, and of totals. */
  readonly asked?: { readonly pages: string; readonly summary: string };
  hit(at: number): string;
  /** Page views that it knows. */
  pageviews(folder: string, ask: (path: string) => Promise<unknown>): Promise<number>;
}

interface Beside {
  readonly name: string;
  readonly executableBytes: number;
  readonly hitsPerSecond: number;
  readonly p50Ms: number;
  readonly cpuMicrosecondsPerHit: number;
  readonly kept: number;
  readonly ownMb: number;
  /** Undefined where nothing was kept. */
  readonly diskBytesPerHit: number | undefined;
  readonly pagesMs: number | undefined;
}

const agent = (at: number) =>
  `Mozilla/5.0 (X11; Linux x86_64; rv:${100 + (at % 50)}.0) Gecko/20100101 Firefox/${100 + (at % 50)}.0`;
const headers = (at: number) => `Host: ${host}\r\nUser-Agent: ${agent(at)}\r\nAccept-Language: en-GB\r\n`;

function post(path: string, at: number, body: object): string {
  const text = JSON.stringify(body);
  return `POST ${path} HTTP/1.1\r\n${headers(at)}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

function load(at: number): object {
  return {
    b: `b${at}`,
    u: `https://${host}/page-${at % 500}`,
    p: at % 3 === 0,
    q: at % 2 === 0,
    r: at % 4 === 0 ? "https://news.ycombinator.com/" : "",
    t: "Europe/London",
  };
}

async function loggedIn(base: string, isNew: boolean, username: string, password: string): Promise<string> {
  const json = (body: object, cookie = "") => ({
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify(body),
  });
  const login = await fetch(`${base}/auth/login`, json({ username, password }));
  const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  if (isNew) await fetch(`${base}/websites`, json({ hostname: host }, cookie));
  return cookie;
}

const pageviewsOf = async (summary: Promise<unknown>) =>
  ((await summary) as { current: { pageviews: number } }).current.pageviews;

const footfall = (executable: string): Product => ({
  name: "Footfall",
  executable,
  environment: {
    FOOTFALL_ADMIN_USERNAME: "bench",
    FOOTFALL_ADMIN_PASSWORD: "bench-password",
    FOOTFALL_LOADS_PER_NETWORK: "1000000",
  },
  command: (folder, port) => ["--host", "127.0.0.1", "--port", String(port), "--data", join(folder, "data")],
  login: (base, isNew) => loggedIn(base, isNew, "bench", "bench-password"),
  asked: { pages: `/website/${host}/pages`, summary: `/website/${host}/summary` },
  hit: (at) => post("/event/hit", at, load(at)),
  pageviews: (_, ask) => pageviewsOf(ask(`/website/${host}/summary`)),
});

const medama = (executable: string): Product => ({
  name: "Medama",
  executable,
  command: (_, port) => ["start", "-port", String(port), "-level", "error"],
  login: (base, isNew) => loggedIn(`${base}/api`, isNew, "admin", "CHANGE_ME_ON_FIRST_LOGIN"),
  asked: { pages: `/api/website/${host}/pages`, summary: `/api/website/${host}/summary` },
  hit: (at) => post("/api/event/hit", at, { e: "load", ...load(at) }),
  pageviews: (_, ask) => pageviewsOf(ask(`/api/website/${host}/summary`)),
});

const goatcounter = (executable: string): Product => ({
  name: "GoatCounter",
  executable,
  prepare: (folder) => {
    const made = ["-vhost", host, "-user.email", "me@bench.example", "-user.password", "bench-password"];
    Bun.spawnSync([executable, "db", "create", "site", "-createdb", ...made], { cwd: folder });
  },
  command: (_, port) => [
    "serve",
    "-listen",
    `127.0.0.1:${port}`,
    "-tls",
    "http",
    "-ratelimit",
    "count:1000000/1",
  ],
  hit: (at) =>
    `GET /count?p=/page-${at % 500}&r=${at % 4 === 0 ? "https%3A%2F%2Fnews.ycombinator.com%2F" : ""}&rnd=${at} HTTP/1.1\r\n` +
    `${headers(at)}\r\n`,
  // It stores page views every ten seconds.
  pageviews: async (folder) => {
    const database = new Database(join(folder, "goatcounter-data", "db.sqlite3"), { readonly: true });
    return (database.query("select count(*) as n from hits").get() as { n: number }).n;
  },
});

/** Starts it; the promise ends when it answers. */
async function started(product: Product, folder: string) {
  const port = quietPort();
  const child = Bun.spawn([product.executable, ...product.command(folder, port)], {
    cwd: folder,
    env: { ...process.env, ...product.environment },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const base = `http://127.0.0.1:${port}`;
  await answered(base);
  return { child, port, base };
}

async function measured(product: Product, hits: number, connections: number): Promise<Beside> {
  const folder = mkdtempSync(join(tmpdir(), "footfall-beside-"));
  product.prepare?.(folder);
  let server = await started(product, folder);
  try {
    await product.login?.(server.base, true);
    const before = cpuSeconds(server.child.pid);
    let taken = 0;
    const result = await sendAll(server.port, hits, connections, product.hit, (_, answer) => {
      if (answer.startsWith("HTTP/1.1 2")) taken++;
    });
    if (taken < hits) throw new Error(`${product.name} took ${taken} of ${hits} hits`);
    const cpu = cpuSeconds(server.child.pid) - before;
    const ownMb = memoryOf(server.child.pid).anonymousMb;
    server.child.kill("SIGKILL");
    await server.child.exited;
    server = await started(product, folder);
    const cookie = (await product.login?.(server.base, false)) ?? "";
    const ask = async (path: string) =>
      (await fetch(`${server.base}${path}`, { headers: { cookie } })).json() as Promise<unknown>;
    const kept = await product.pageviews(folder, ask);
    const times: number[] = [];
    for (let at = 0; product.asked !== undefined && at < askedTimes; at++) {
      const startMs = performance.now();
      await ask(product.asked.pages);
      times.push(performance.now() - startMs);
    }
    return {
      name: product.name,
      executableBytes: Bun.file(product.executable).size,
      hitsPerSecond: hits / result.seconds,
      p50Ms: median([...result.latenciesMs]),
      cpuMicrosecondsPerHit: (cpu / hits) * 1e6,
      kept,
      ownMb,
      diskBytesPerHit: kept > 0 ? bytesIn(folder) / kept : undefined,
      pagesMs: times.length > 0 ? median(times) : undefined,
    };
  } finally {
    server.child.kill("SIGKILL");
    await server.child.exited;
    rmSync(folder, { recursive: true });
  }
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

export interface BesideOptions {
  readonly footfall: string;
  readonly medama: string | undefined;
  readonly goatcounter: string | undefined;
  readonly hits: number;
  readonly connections: number;
  readonly rounds: number;
}

/** Medians of each, measured in turn. */
export async function benchBeside(options: BesideOptions): Promise<Beside[]> {
  const { hits, connections, rounds } = options;
  const products = [
    footfall(options.footfall),
    ...(options.medama === undefined ? [] : [medama(options.medama)]),
    ...(options.goatcounter === undefined ? [] : [goatcounter(options.goatcounter)]),
  ];
  const results = products.map((): Beside[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, product] of products.entries())
      results[at]?.push(await measured(product, hits, connections));
  return results.map(mediansOf);
}

export function besideTable(results: readonly Beside[], hits: number): string {
  return table(
    [
      "server",
      "executable, MB",
      "hits/s",
      "half answered within, ms",
      "CPU a hit, µs",
      "own memory after, MB",
      `of ${hits.toLocaleString("en")} page views, there after kill -9`,
      "disk a page view, bytes",
      "list of pages, ms",
    ],
    results.map((result) => [
      result.name,
      result.executableBytes / 1e6,
      Math.round(result.hitsPerSecond),
      result.p50Ms,
      result.cpuMicrosecondsPerHit,
      result.ownMb,
      result.kept.toLocaleString("en"),
      result.diskBytesPerHit ?? "–",
      result.pagesMs ?? "not asked",
    ]),
  );
}

async function answered(url: string): Promise<void> {
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
