/**
 * Measures the cost of a durable hit: a server in its own process on a new folder takes hits from 500 user agents, and
 * answers after the log is synced. It measures a mix of 50 loads, 45 unloads and 5 events and, in turn, page views
 * alone, which are the most expensive of the three; each on a website with visits and on one without. Nearly every page
 * view begins a visit. CPU is that of all threads of the server, read from the system; the load generator shares the
 * machine's cores.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { TDigest } from "tdigest";
import { randomFrom } from "../test/support/random.ts";
import { sendAll } from "./client.ts";
import { withNewServer } from "./folder.ts";
import { mediansOf, table } from "./measure.ts";
import { cpuSeconds } from "./memory.ts";

export interface IngestOptions {
  /** How often each server is measured. */
  readonly hits: number;
  /**
   * Before them: enough that what compiles the program has hardly anything left to do, and below what makes a checkpoint
   * due, because they tell what a hit takes in the log.
   */
  readonly warmUp: number;
  readonly connections: number;
  /** Servers for each kind of hits. */
  readonly rounds: number;
  /** Starts a server; undefined: from source. */
  readonly command?: readonly string[];
}

export interface IngestResult {
  readonly what: string;
  readonly hits: number;
  readonly hitsPerSecond: number;
  readonly cpuMicrosecondsPerHit: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytesPerHit: number;
}

/** Numbers of a hundred hits; the others are events. */
interface Mix {
  readonly loads: number;
  readonly unloads: number;
}

const halfLoads: Mix = { loads: 50, unloads: 45 };
const loadsAlone: Mix = { loads: 100, unloads: 0 };
const kinds: readonly (readonly [what: string, mix: Mix, visits: boolean])[] = [
  ["50 loads, 45 unloads, 5 events of a hundred", halfLoads, true],
  ["the same without visits", halfLoads, false],
  ["page views alone", loadsAlone, true],
  ["page views alone without visits", loadsAlone, false],
];

/** Medians of each kind. */
export async function benchIngest(options: IngestOptions): Promise<IngestResult[]> {
  const results = kinds.map((): IngestResult[] => []);
  for (let round = 0; round < options.rounds; round++)
    for (const [at, [what, mix, visits]] of kinds.entries())
      results[at]?.push({ what, ...(await measured(options, mix, visits)) });
  return results.map(mediansOf);
}

function measured(options: IngestOptions, mix: Mix, visits: boolean): Promise<Omit<IngestResult, "what">> {
  const { hits, warmUp, connections, command } = options;
  return withNewServer(
    async (server, folder) => {
      const request = hitMix(hits + warmUp, "", mix);
      await sendAll(server.port, warmUp, connections, request);
      // Before a checkpoint lets go of any of it.
      const bytesPerHit = logBytes(folder) / warmUp;
      const before = cpuSeconds(server.pid);
      const result = await sendAll(server.port, hits, connections, (at) => request(at + warmUp));
      const cpu = cpuSeconds(server.pid) - before;
      if (result.failed > 0) throw new Error(`${result.failed} of ${hits} hits were not accepted`);
      const latency = new TDigest();
      for (const ms of result.latenciesMs) latency.push(ms);
      return {
        hits,
        hitsPerSecond: hits / result.seconds,
        cpuMicrosecondsPerHit: (cpu / hits) * 1e6,
        p50Ms: latency.percentile(0.5),
        p99Ms: latency.percentile(0.99),
        bytesPerHit,
      };
    },
    command,
    { visits },
  );
}

function logBytes(folder: string): number {
  const wal = join(folder, "snapshots", "wal");
  return readdirSync(wal).reduce((sum, name) => sum + statSync(join(wal, name)).size, 0);
}

export function ingestTable(results: readonly IngestResult[]): string {
  return table(
    ["hits", "number", "hits/s", "CPU µs/hit", "p50 ms", "p99 ms", "log bytes/hit"],
    results.map(({ what, hits, hitsPerSecond, cpuMicrosecondsPerHit, p50Ms, p99Ms, bytesPerHit }) => [
      what,
      `${hits}`,
      hitsPerSecond,
      cpuMicrosecondsPerHit,
      p50Ms,
      p99Ms,
      bytesPerHit,
    ]),
  );
}

/** Requests of `count` hits; with another `suffix` they are those of other page views. */
export function hitMix(count: number, suffix = "", { loads, unloads } = halfLoads): (at: number) => string {
  const random = randomFrom(3);
  const agents = Array.from({ length: 500 }, (_, at) => userAgent(at));
  const bodies: string[] = [];
  for (let at = 0; at < count; at++) {
    const kind = random() * 100;
    const page = Math.floor(5_000 ** random());
    const u = `https://bench.example/docs/page-${page}`;
    const beacon = (of: number) => `${of.toString(36)}-beacon${suffix}`;
    const earlier = beacon(Math.max(0, at - 1 - Math.floor(random() * 500)));
    if (kind < loads || at < 10)
      bodies.push(
        JSON.stringify({
          b: beacon(at),
          u,
          p: random() < 0.3,
          q: random() < 0.5,
          r: "https://news.example/list",
          t: "Europe/Berlin",
        }),
      );
    else if (kind < loads + unloads)
      bodies.push(JSON.stringify({ b: earlier, u, m: Math.floor(random() * 60_000) }));
    else bodies.push(JSON.stringify({ b: earlier, u, d: { plan: `plan-${Math.floor(random() * 9)}` } }));
  }
  return (at) => {
    const body = bodies[at] as string;
    // As through a proxy: hits that all come from one private address would have no visits.
    const address = `198.51.${at % 50}.${at % 61}`;
    return `POST /event/hit HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: ${address}\r\nuser-agent: ${agents[at % 500]}\r\naccept-language: de-DE,de;q=0.9,en;q=0.8\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
}

function userAgent(at: number): string {
  const version = 100 + (at % 50);
  const systems = [
    "Windows NT 10.0; Win64; x64",
    "Macintosh; Intel Mac OS X 10_15_7",
    "X11; Linux x86_64",
    "Linux; Android 14; Pixel 8",
  ];
  const system = systems[at % systems.length];
  if (at % 5 === 0)
    return `Mozilla/5.0 (${system}; rv:${version}.0) Gecko/20100101 Firefox/${version}.${Math.floor(at / 50)}`;
  return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.${at}.0 Safari/537.36`;
}
