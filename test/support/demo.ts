/**
 * A server on a free port of this machine whose website has had believable visitors for weeks, up to this moment: the
 * real engine on a disk in memory. Hits are sent with a clock that is first moved through the past and then runs
 * freely.
 */
import { listen, type Listening } from "../../src/http/serve.ts";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { systemClock, type Clock } from "../../src/lib/clock.ts";
import { seededRandom } from "./clock.ts";
import { appOf } from "./http.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { openInMemory } from "./memory-engine.ts";
import { untilDayLasts } from "./midnight.ts";
import { randomFrom } from "./random.ts";
import { browser } from "./server.ts";

export const demoAccount = { username: "ada", password: "correct horse" };
export const demoHost = "example.com";

const dayMs = 86_400_000;
const paths = [
  "/",
  "/pricing",
  "/blog",
  "/docs/start",
  "/blog/leaving-google-analytics",
  "/docs/install",
  "/about",
  "/blog/how-we-count",
  "/docs/filters",
  "/changelog",
  "/contact",
  "/docs/properties",
  "/blog/one-executable",
  "/privacy",
];
const referrers = [
  "",
  "https://www.google.com/",
  "https://news.ycombinator.com/item",
  "https://duckduckgo.com/",
  "https://www.reddit.com/r/selfhosted/comments/1",
  "https://github.com/awesome/list",
  "https://www.bing.com/search",
  "https://old.reddit.com/r/privacy/",
  "https://bsky.app/profile/somebody",
  "https://blog.example.org/tools",
];
const campaigns = ["", "", "", "", "", "?utm_source=newsletter&utm_medium=email&utm_campaign=november"];
const places = [
  ["Europe/Berlin", "de-DE"],
  ["America/New_York", "en-US"],
  ["Europe/London", "en-GB"],
  ["Europe/Paris", "fr-FR"],
  ["Asia/Kolkata", "en-IN"],
  ["America/Sao_Paulo", "pt-BR"],
  ["Asia/Tokyo", "ja-JP"],
  ["Europe/Amsterdam", "nl-NL"],
  ["Australia/Sydney", "en-AU"],
  ["Europe/Madrid", "es-ES"],
  ["Asia/Singapore", "en-SG"],
] as const;
const agents = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
];

/** Stands where it is put until it is let go, then runs with the system's. */
class StagedClock implements Clock {
  stagedMs: number | undefined;

  nowMs(): number {
    return this.stagedMs ?? systemClock.nowMs();
  }

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }
}

export interface Demo extends Listening {
  readonly engine: RunningEngine;
  readonly pageviews: number;
  /** Adds an account without websites. */
  addAccount(username: string): Promise<typeof demoAccount>;
  /** Ends the server. */
  end(): Promise<void>;
}

interface Sender {
  readonly address?: string;
  readonly userAgent?: string;
}

/** Sends a hit as a browser does, and returns the answer. Throws unless the server takes the request. */
export async function sendHit(
  { url }: Pick<Demo, "url">,
  hit: object,
  { address, userAgent = browser }: Sender = {},
): Promise<unknown> {
  const headers = { "user-agent": userAgent, ...(address !== undefined && { "x-forwarded-for": address }) };
  const answer = await fetch(`${url}event/hit`, { method: "POST", headers, body: JSON.stringify(hit) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/**
 * `days` days with about `perDay` page views each, the same ones for the same seed but for the time of day. `demo`: whether
 * the server is in demo mode.
 */
export async function startDemo({
  days = 45,
  perDay = 300,
  seed = 7,
  base = "",
  demo = false,
} = {}): Promise<Demo> {
  await untilDayLasts();
  const clock = new StagedClock();
  const endMs = systemClock.nowMs();
  clock.stagedMs = endMs - days * dayMs;
  const engine = await openInMemory(new MemoryDisk(), { clock, random: seededRandom(seed), demo });
  const { userId } = await addUser(engine, demoAccount);
  for (const hostname of [demoHost, "shop.example.com", "new.example.org"])
    await addWebsite(engine, { userId, sessionId: "" }, { hostname });
  const app = appOf(engine, { commit: "demo", base });
  const send = async (hit: object, { agent, language, address }: DemoView) => {
    const headers = { "user-agent": agent, "accept-language": language, "x-forwarded-for": address };
    const init = { method: "POST", headers, body: JSON.stringify(hit) };
    await app.fetch(new Request(`http://localhost${base}/event/hit`, init));
  };
  for (const view of viewsOf(clock.stagedMs, endMs, days * perDay, seed)) {
    const { timeMs, hit, visibleMs, event } = view;
    clock.stagedMs = timeMs;
    await send(hit, view);
    if (visibleMs !== undefined) await send({ b: hit.b, m: visibleMs }, view);
    if (event !== undefined) await send({ b: hit.b, d: event }, view);
  }
  clock.stagedMs = undefined;
  const listening = listen(app, "127.0.0.1", 0);
  const end = async () => {
    await listening.stop(1_000);
    await engine.stop();
  };
  const addAccount = async (username: string) => {
    const account = { ...demoAccount, username };
    await addUser(engine, account);
    return account;
  };
  return { ...listening, engine, pageviews: days * perDay, addAccount, end };
}

interface DemoView {
  readonly timeMs: number;
  readonly hit: { readonly b: string } & Readonly<Record<string, unknown>>;
  readonly visibleMs: number | undefined;
  readonly event: object | undefined;
  readonly agent: string;
  readonly language: string;
  /** The address of the visitor, as a proxy says it. */
  readonly address: string;
}

/** Page views in the order of their time: of visits that are busier by day and in the week than by night and at its end. */
function viewsOf(startMs: number, endMs: number, count: number, seed: number): DemoView[] {
  // When visits come depends on the time of day. Chances of their own leave them the same whenever they come.
  const [random, ofVisits] = [randomFrom(seed), randomFrom(seed + 1)];
  const views: DemoView[] = [];
  for (let ago = 1; ago <= 9; ago++) views.push(...visitAt(endMs - ago * 25_000, 1, views.length, ofVisits));
  while (views.length < count) {
    const share = random();
    const timeMs = Math.floor(startMs + share * (endMs - startMs));
    const date = new Date(timeMs);
    const day = 0.55 + 0.45 * Math.sin(((date.getUTCHours() - 9) / 24) * 2 * Math.PI);
    const week = date.getUTCDay() % 6 === 0 ? 0.6 : 1;
    if (random() >= day * week * (0.6 + 0.4 * share)) continue;
    const pages = Math.min(count - views.length, 1 + Math.floor(-1.6 * Math.log(1 - ofVisits())));
    const visit = visitAt(timeMs, pages, views.length, ofVisits);
    views.push(...visit.filter((view) => view.timeMs <= endMs));
  }
  return views.toSorted((a, b) => a.timeMs - b.timeMs);
}

/** The page views of one visit. `number`: no other visit has it, so that each has an address of its own. */
function* visitAt(startMs: number, pages: number, number: number, random: () => number): Generator<DemoView> {
  const skewed = <T>(choices: readonly T[]) => choices[Math.floor((choices.length + 1) ** random()) - 1] as T;
  const host = random() < 0.85 ? demoHost : "shop.example.com";
  const [t, language] = skewed(places);
  const agent = skewed(agents);
  const source = { r: skewed(referrers), campaign: skewed(campaigns) };
  const isNew = random() < 0.75;
  const seen = new Set<string>();
  let timeMs = startMs;
  for (let page = 0; page < pages; page++) {
    const path = skewed(paths);
    const first = page === 0;
    const visible = Math.floor(1_500 * 120 ** random());
    const hit = {
      b: `visit-${number}-${page}`,
      u: `https://${host}${path}${first ? source.campaign : ""}`,
      r: first ? source.r : `https://${host}/`,
      t,
      p: isNew && first,
      q: !(isNew && first) && seen.has(path),
    };
    const event =
      random() < (path === "/pricing" ? 0.15 : 0.02)
        ? { plan: skewed(["free", "pro", "team"]), from: skewed(["shop", "blog"]) }
        : undefined;
    const address = `2001:db8:${Math.floor(number / 65_536).toString(16)}:${(number % 65_536).toString(16)}::1`;
    const visibleMs = random() < 0.8 ? visible : undefined;
    yield { timeMs, hit, visibleMs, event, agent, language, address };
    seen.add(path);
    timeMs += visible + Math.floor(60_000 * random());
  }
}
