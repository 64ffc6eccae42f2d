/**
 * The attack of ever new names: hits from very many networks, each with a path, a referrer, a campaign and a property
 * that nobody has seen, as long as they may be, while honest visitors look at a hundred pages. The server has little
 * memory, and the kernel kills it when it takes more.
 */
import { sendAll } from "../../bench/client.ts";
import { cpuSeconds, memoryOf, type Memory } from "../../bench/memory.ts";
import { withFolder } from "../support/folder.ts";
import { account, browser, ServerProcess } from "../support/server.ts";
import { atMost, exactly, none, siegeHostname as hostname, told, type Check } from "./attack.ts";
import { memoryLimit } from "./limited.ts";

const honestFirst = 1_000;
const honestEvery = 10;
const honestPages = 100;

export interface NamesOptions {
  readonly hits: number;
  /** The bound of the server's control group. */
  readonly limitMb: number;
  /** Characters of each name. */
  readonly long: number;
  /** That are open at a time, each with one hit on its way. */
  readonly connections: number;
}

const memoryMbMax = 400;
const listMsMax = 100;
const lists = ["pages", "referrers", "campaigns", "sources", "properties", "summary"];

export function siegeNames(command: readonly string[], options: NamesOptions): Promise<Check[]> {
  return withFolder(async (folder) => {
    const { hits, limitMb, long, connections } = options;
    const limit = memoryLimit(limitMb * 1024 * 1024);
    const limited = limit?.wrap(command) ?? command;
    try {
      const server = await start(limited, folder, limitMb);
      await server.post("/websites", { hostname });
      const memory = new MemoryWatch(server);
      const sent = await sendAll(server.port, hits, connections, (at) => requestOf(at, long));
      const cpu = cpuSeconds(server.pid);
      const [before, honest, times] = [
        await totalsOf(server),
        await wrongOfHonest(server, hits),
        await listsMs(server),
      ];
      const most = memory.end();
      await server.end("SIGKILL");
      const again = await start(limited, folder, limitMb);
      const [after, honestAgain] = [await totalsOf(again), await wrongOfHonest(again, hits)];
      const restarted = memoryOf(again.pid);
      await again.end("SIGTERM");
      return [
        told("hits", hits),
        told("characters of a name", long),
        told("limit, MB", limit === undefined ? "none can be set here" : limitMb),
        told("minutes", sent.seconds / 60),
        told("processor µs a hit", (cpu / hits) * 1e6),
        exactly("hits accepted", sent.accepted, hits),
        atMost("most of its own, MB", most.anonymousMb, memoryMbMax),
        told("with pages of files, which the kernel takes back", most.residentMb),
        atMost("resident after a kill and a start, MB", restarted.residentMb, memoryMbMax),
        told("of them its own", restarted.anonymousMb),
        exactly("page views", before, hits),
        exactly("page views after the start", after, hits),
        none("honest pages that are not first, or not exact", honest),
        none("the same after the start", honestAgain),
        told("ms of each list", times.map(([list, ms]) => `${list} ${Math.round(ms)}`).join(", ")),
        atMost("slowest list, ms", times[0]![1], listMsMax),
      ];
    } finally {
      limit?.remove();
    }
  });
}

async function start(command: readonly string[], folder: string, limitMb: number): Promise<ServerProcess> {
  const server = await ServerProcess.start(command, folder, [], {
    FOOTFALL_ADMIN_USERNAME: account.username,
    FOOTFALL_ADMIN_PASSWORD: account.password,
    FOOTFALL_MEMORY: `${limitMb / 2}MB`,
    FOOTFALL_NAMES: `${limitMb / 16}MB`,
  });
  await server.logIn();
  return server;
}

/** The kernel takes back pages of files, but nothing of the server's own: past the limit by that it kills the server. */
class MemoryWatch {
  private most: Memory = { residentMb: 0, anonymousMb: 0 };
  private readonly timer: Timer;

  constructor(server: ServerProcess) {
    this.timer = setInterval(() => {
      const { residentMb, anonymousMb } = memoryOf(server.pid);
      this.most = {
        residentMb: Math.max(this.most.residentMb, residentMb),
        anonymousMb: Math.max(this.most.anonymousMb, anonymousMb),
      };
    }, 200);
  }

  end(): Memory {
    clearInterval(this.timer);
    return this.most;
  }
}

/** The website was there before the attack: the first hits are honest, and every tenth after them. */
function isHonest(at: number): boolean {
  return at < honestFirst || at % honestEvery === 0;
}

/** Honest pages are seen the oftener the lower their number. */
function honestPage(at: number): number {
  return Math.floor(honestPages * ((at * 0.754_877_666) % 1) ** 2);
}

function requestOf(at: number, long: number): string {
  const junk = `${at.toString(36)}-${"x".repeat(long)}`;
  const body = JSON.stringify(
    isHonest(at)
      ? { b: `h${at}`, u: `https://${hostname}/page-${honestPage(at)}`, p: true }
      : {
          b: `j${at}`,
          u: `https://${hostname}/${junk}?utm_source=${junk.slice(0, 200)}&utm_campaign=${junk.slice(0, 200)}`,
          r: `https://${at.toString(36)}.example/${junk}`,
          p: true,
          d: { [`n${at}`]: junk },
        },
  );
  const address = `${1 + (at % 200)}.${(at >> 3) & 255}.${(at >> 11) & 255}.9`;
  return (
    "POST /event/hit HTTP/1.1\r\nhost: siege\r\nuser-agent: " +
    `${browser}\r\nx-forwarded-for: ${address}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

async function totalsOf(server: ServerProcess): Promise<number> {
  const answer = await server.get(`/website/${hostname}/summary`);
  if (answer.status !== 200)
    throw new Error(`the totals were answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { current: { pageviews: number } }).current.pageviews;
}

/** The honest pages that are not among the first of the list as often as they were seen. */
async function wrongOfHonest(server: ServerProcess, hits: number): Promise<string[]> {
  const seen = new Array<number>(honestPages).fill(0);
  for (let at = 0; at < hits; at++) if (isHonest(at)) seen[honestPage(at)]!++;
  const rows = await server.rows(hostname, `pages?limit=${honestPages}`);
  const counted = new Map(rows.map(({ path, pageviews }) => [path, pageviews]));
  return seen.flatMap((count, page) => {
    const found = counted.get(`/page-${page}`);
    return (found ?? 0) === count ? [] : [`/page-${page}: ${count} were sent, ${found ?? "none"} are shown`];
  });
}

/** The milliseconds of each list, the slowest first. */
async function listsMs(server: ServerProcess): Promise<[list: string, ms: number][]> {
  const times: [string, number][] = [];
  for (const list of lists) {
    const asked = async () => {
      const startMs = performance.now();
      await server.rows(hostname, `${list}?limit=100`);
      return performance.now() - startMs;
    };
    // The first time a question waits for its thread to start.
    await asked();
    times.push([list, await asked()]);
  }
  return times.toSorted(([, a], [, b]) => b - a);
}
