/**
 * The attack of ever new names: hits from very many networks, each with a path, a referrer, a campaign and a property
 * that nobody has seen, as long as they may be, while honest visitors look at a hundred pages. The server has little
 * memory, and the kernel kills it when it takes more.
 */
import { sendAll } from "../../bench/client.ts";
import { memoryOf } from "../../bench/memory.ts";
import { account, browser, ServerProcess } from "../support/server.ts";
import { memoryLimit } from "./limited.ts";

const hostname = "siege.example";
/** Every tenth hit is honest. */
const honestEvery = 10;
const honestPages = 100;

export interface NamesReport {
  readonly hits: number;
  readonly accepted: number;
  /** Undefined: without a limit, for none can be set here. */
  readonly limitMb: number | undefined;
  readonly residentMbMax: number;
  readonly restartedMb: number;
  /** Page views that the totals say, before and after the restart. */
  readonly pageviews: readonly [number, number];
  /** Whether the list begins with the honest pages, each as often as it was seen. */
  readonly honestFirst: boolean;
  readonly slowestListMs: number;
}

/** `command` runs the server; its data is in `folder`. */
export async function siegeNames(
  command: readonly string[],
  folder: string,
  hits: number,
  limitMb: number,
  long: number,
): Promise<NamesReport> {
  const limit = memoryLimit(limitMb * 1024 * 1024);
  const limited = limit?.wrap(command) ?? command;
  const environment = {
    FOOTFALL_ADMIN_USERNAME: account.username,
    FOOTFALL_ADMIN_PASSWORD: account.password,
    FOOTFALL_MEMORY: `${limitMb / 2}MB`,
    FOOTFALL_NAMES: `${limitMb / 16}MB`,
  };
  try {
    const server = await ServerProcess.start(limited, folder, [], environment);
    await server.logIn();
    await server.post("/websites", { hostname });
    let residentMbMax = 0;
    const watch = setInterval(() => {
      residentMbMax = Math.max(residentMbMax, memoryOf(server.pid).residentMb);
    }, 200);
    const sent = await sendAll(server.port, hits, 64, (at) => requestOf(at, long));
    const before = await totalsOf(server);
    const first = await checkOf(server, hits);
    clearInterval(watch);
    await server.end("SIGKILL");
    const again = await ServerProcess.start(limited, folder, [], environment);
    await again.logIn();
    const after = await totalsOf(again);
    const restartedMb = memoryOf(again.pid).residentMb;
    await again.end("SIGTERM");
    return {
      hits,
      accepted: sent.accepted,
      limitMb: limit === undefined ? undefined : limitMb,
      residentMbMax,
      restartedMb,
      pageviews: [before, after],
      ...first,
    };
  } finally {
    limit?.remove();
  }
}

/** Honest pages are seen the oftener the lower their number. */
function honestPage(at: number): number {
  return Math.floor(honestPages * ((at * 0.754_877_666) % 1) ** 2);
}

function requestOf(at: number, long: number): string {
  const isHonest = at % honestEvery === 0;
  const junk = `${at.toString(36)}-${"x".repeat(long)}`;
  const body = JSON.stringify(
    isHonest
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

async function checkOf(
  server: ServerProcess,
  hits: number,
): Promise<Pick<NamesReport, "honestFirst" | "slowestListMs">> {
  const seen = new Array<number>(honestPages).fill(0);
  for (let at = 0; at < hits; at += honestEvery) seen[honestPage(at)]!++;
  let slowestListMs = 0;
  for (const list of ["pages", "referrers", "campaigns", "sources", "properties", "summary"])
    for (let turn = 0; turn < 2; turn++) {
      const startMs = performance.now();
      const answer = await server.get(`/website/${hostname}/${list}?limit=100`);
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${list} was answered ${answer.status}`);
      // The first time a question waits for its thread to start.
      if (turn > 0) slowestListMs = Math.max(slowestListMs, performance.now() - startMs);
    }
  const answer = await server.get(`/website/${hostname}/pages?path[starts_with]=/page-&limit=${honestPages}`);
  const rows = (await answer.json()) as { path: string; pageviews: number }[];
  const counted = new Map(rows.map(({ path, pageviews }) => [path, pageviews]));
  const honestFirst = seen.every((count, page) => (counted.get(`/page-${page}`) ?? 0) === count);
  return { honestFirst, slowestListMs };
}
