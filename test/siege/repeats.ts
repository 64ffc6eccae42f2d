/** The attack by repetition: no hit may cost more processor time because many of its kind came before it. */
import { sendAll } from "../../bench/client.ts";
import { cpuSeconds } from "../../bench/memory.ts";
import { atMost, exactly, siegeHostname, told, withServer, type Check } from "./attack.ts";

export interface RepeatsOptions {
  /** How many of each kind are sent; at least a thousand. */
  readonly hits: number;
}

/** The last hits may cost so many times what early ones do: the machine has other work, and tables grow. */
const dearerMax = 2;
const connections = 32;
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const crawler = "Mozilla/5.0 (compatible; Googlebot/2.1)";

interface SentHit {
  readonly body: object;
  readonly agent?: string;
  readonly address?: string;
}

/** The most page views of one beacon, and those that were under way when it had them. */
const pagesMax = 1_000 + connections;

const site = (path = "/", hostname: string = siegeHostname) => `https://${hostname}${path}`;

/** By kind: the hit with a number. */
const kinds: Readonly<Record<string, (at: number) => SentHit>> = {
  "page views of visitors": (at) => ({
    body: { b: `v${at}`, u: site(`/${at % 50}`), p: true },
    address: `198.51.${(at >> 8) % 256}.${at % 256}`,
  }),
  "pages under one beacon": (at) => ({ body: { e: "load", b: "one", u: site(`/${at % 2}`), p: at === 0 } }),
  "events of one page view": (at) => ({
    body: at === 0 ? { b: "one", u: site() } : { b: "one", u: site(), d: { plan: `${at % 9}` } },
  }),
  "times of one page view": (at) => ({ body: at === 0 ? { b: "one", u: site() } : { b: "one", m: at } }),
  "events before their page view": () => ({ body: { b: "never", d: { plan: "1" } } }),
  "events before many page views": (at) => ({ body: { b: `never${at}`, d: { plan: "1" } } }),
  "page views of crawlers": (at) => ({ body: { b: `c${at}`, u: site() }, agent: crawler }),
  "page views with new names": (at) => ({
    body: { b: `n${at}`, u: site(`/new-${at}`), r: `https://${at}.example/` },
  }),
  "page views with new user agents": (at) => ({
    body: { b: `a${at}`, u: site() },
    agent: `${firefox} Own/${at}`,
  }),
  "hits for unknown hostnames": (at) => ({ body: { b: `h${at}`, u: site("/", `h${at}.example`) } }),
};

/** The kinds of which it is known how many count. */
const counted: Readonly<Record<string, (hits: number) => number>> = {
  "page views of visitors": (hits) => hits,
  "page views of crawlers": () => 0,
  "page views with new names": (hits) => hits,
  "page views with new user agents": (hits) => hits,
  "hits for unknown hostnames": () => 0,
};

export async function siegeRepeats(command: readonly string[], { hits }: RepeatsOptions): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [kind, hitOf] of Object.entries(kinds)) {
    const { early, late, accepted } = await costs(command, hits, hitOf);
    const expected = counted[kind]?.(hits);
    if (kind === "pages under one beacon") checks.push(atMost(`${kind}: accepted`, accepted, pagesMax));
    if (expected !== undefined) checks.push(exactly(`${kind}: accepted`, accepted, expected));
    checks.push(
      told(`${kind}: µs of processor a hit, early ones`, early),
      atMost(`${kind}: µs of processor a hit, the last ones`, late, dearerMax * early),
    );
  }
  return checks;
}

/** Returns the processor time of all threads of the server for a hit of the second tenth, and for one of the last. */
function costs(
  command: readonly string[],
  hits: number,
  hitOf: (at: number) => SentHit,
): Promise<{ readonly early: number; readonly late: number; readonly accepted: number }> {
  return withServer(command, async ({ port, pid }) => {
    const tenth = Math.floor(hits / 10);
    let accepted = 0;
    const sent = async (from: number, count: number) => {
      const before = cpuSeconds(pid);
      const result = await sendAll(port, count, connections, (at) => requestOf(hitOf(from + at)));
      accepted += result.accepted;
      return ((cpuSeconds(pid) - before) / count) * 1e6;
    };
    await sent(0, tenth);
    const early = await sent(tenth, tenth);
    await sent(2 * tenth, 7 * tenth);
    const late = await sent(9 * tenth, tenth);
    return { early, late, accepted };
  });
}

function requestOf({ body, agent = firefox, address = "198.51.100.7" }: SentHit): string {
  const text = JSON.stringify(body);
  return `POST /event/hit HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: ${address}\r\nuser-agent: ${agent}\r\naccept-language: de\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}
