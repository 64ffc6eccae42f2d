/**
 * What a person waits for: a website's page in a real Chromium, from the server with all its lists. First paint, all
 * figures there, and each change of period, filter and tab until the last list has answered and is drawn.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseNetworks } from "../src/http/client-address.ts";
import { createApp } from "../src/http/app.ts";
import { listen } from "../src/http/serve.ts";
import { addUser, addWebsite, SetUp } from "../src/engine/admin.ts";
import type { Engine } from "../src/engine/engine.ts";
import { openEngine } from "../src/engine/open.ts";
import { systemClock } from "../src/lib/clock.ts";
import { createLogger } from "../src/lib/log.ts";
import { systemRandom } from "../src/lib/random.ts";
import { Chromium, chromiumPath, type Tab } from "../test/support/chromium.ts";
import { fillSite, pageViews } from "./data.ts";
import { median, table } from "./measure.ts";

const account = { username: "bench", password: "bench-password" };
const hostname = "bench.example";
const page = `/dashboard/websites/${hostname}`;

/** Counts what is asked for and not answered yet. */
const watchRequests = `
  pending = 0;
  const original = fetch;
  fetch = async (...asked) => {
    pending++;
    try {
      const answer = await original(...asked);
      const json = answer.json.bind(answer);
      answer.json = () => json().finally(() => { pending--; });
      return answer;
    } catch (error) {
      pending--;
      throw error;
    }
  };
  settled = async () => {
    const turn = () => new Promise((resolve) => setTimeout(resolve));
    await turn();
    await turn();
    while (pending > 0) await turn();
    await new Promise(requestAnimationFrame);
    await turn();
    return performance.now();
  };`;

/** Changes of a page, one after the other, as what a person does. */
const changes = [
  ["period: last 7 days", key("w")],
  ["period: all time", key("a")],
  ["tab: time on page", click(`a[href*="tab.pages=time"]`)],
  ["filter: a page", click(".panel a.name")],
  ["filter: a browser too", click(`[aria-labelledby="panel-systems"] a.name`)],
  ["compare: all time to last 30 days, with those before", key("m") + key("p")],
] as const;

function key(name: string): string {
  return `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "${name}", bubbles: true }));`;
}

function click(selector: string): string {
  return `document.querySelector(${JSON.stringify(selector)}).click();`;
}

export interface PaintResult {
  readonly what: string;
  readonly ms: number;
  readonly reachMs: number;
}

/** Undefined where there is no browser. */
export async function benchPaint(rows: number, runs: number): Promise<PaintResult[] | undefined> {
  if (chromiumPath === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "footfall-bench-"));
  const engine = await serveRows(join(folder, "data"), rows);
  const setUp = new SetUp(engine);
  const app = createApp(engine, { commit: "bench", setUp, trustProxy: parseNetworks("loopback", "bench") });
  const server = listen(app, "127.0.0.1", 0);
  const browser = await Chromium.start(chromiumPath, join(folder, "profile"));
  try {
    const tab = await browser.open();
    await tab.call("Page.enable");
    await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: watchRequests });
    await tab.go(new URL("/healthz", server.url).href);
    const login = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(account),
    };
    await tab.evaluate(`fetch("/auth/login", ${JSON.stringify(login)}).then((answer) => answer.json())`);
    return await measured(tab, server.url, runs);
  } finally {
    await browser.stop();
    await server.stop(100);
    await engine.stop();
    rmSync(folder, { recursive: true });
  }
}

async function serveRows(folder: string, rows: number): Promise<Engine> {
  const logger = createLogger({ level: "error", format: "text", nowMs: () => Date.now() });
  const engine = await openEngine({ folder, clock: systemClock, random: systemRandom, logger, demo: false });
  const { userId } = await addUser(engine, account);
  await addWebsite(engine, { userId, sessionId: "" }, { hostname });
  const website = engine.registry.websiteForHit(hostname);
  const site = website && engine.site(website.websiteId);
  if (site === undefined) throw new Error("the website was not added");
  fillSite(site, pageViews(rows));
  return engine;
}

async function measured(tab: Tab, base: string, runs: number): Promise<PaintResult[]> {
  const times = new Map<string, number[]>();
  const note = (what: string, ms: number) => times.set(what, [...(times.get(what) ?? []), ms]);
  const first = new URL(`${page}?period=12mo`, base).href;
  for (let run = -1; run < runs; run++) {
    await tab.go(first);
    const completeMs = await tab.evaluate<number>("settled()");
    const paintMs = await tab.evaluate<number>(
      `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN`,
    );
    if (run >= 0) {
      note("first paint", paintMs);
      note("all figures", completeMs);
    }
    for (const [what, doing] of changes) {
      const ms = await tab.evaluate<number>(`(async () => {
        const startMs = performance.now();
        ${doing}
        return (await settled()) - startMs;
      })()`);
      if (run >= 0) note(what, ms);
    }
  }
  return [...times].map(([what, all]) => ({
    what,
    ms: median(all),
    reachMs: what === "first paint" || what === "all figures" ? 200 : 100,
  }));
}

export function paintTable(results: readonly PaintResult[]): string {
  return table(
    ["a website's page", "ms", "reach"],
    results.map(({ what, ms, reachMs }) => [what, ms, `${reachMs}`]),
  );
}
