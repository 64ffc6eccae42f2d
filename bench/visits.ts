/**
 * Measures what a dashboard asks of visits on a real server: about all twelve months and about the last 30 days, with
 * and without a filter. Milliseconds of the answer according to `Server-Timing`.
 */
import { dayMs } from "../src/core/hit.ts";
import type { ServerProcess } from "../test/support/server.ts";
import { endMs, lastMonth, startMs } from "./data.ts";
import { hostname, withServerOf } from "./folder.ts";
import { median, table } from "./measure.ts";
import { workOf } from "./server-timing.ts";

interface VisitsResult {
  readonly name: string;
  readonly firstMs: number;
  readonly againMs: number;
  readonly monthMs: number;
  readonly filteredMs: number;
}

const totals = "metrics=visitors,visits,pageviews,views_per_visit,bounce_percentage,time_median";
const questions = {
  summary: `summary?by=visit&${totals}`,
  "chart by day": `summary?by=visit&${totals}&interval=day&previous=true`,
  entries: "entries?limit=10",
  exits: "exits?limit=10",
  "sources by visit": "sources?by=visit&summary=true&limit=10",
  "referrers by visit, bounce rate": "referrers?by=visit&metrics=visitors,bounce_percentage&limit=10",
  "pages with visits": "pages?metrics=visitors,visits&limit=10",
  goals: "goals?by=visit",
  "pages with conversions": "pages?metrics=visits,conversion_percentage&goal=1&limit=10",
  "a funnel of four steps":
    "funnel?step=page:/&step=page[contains]:/p&step=page[contains]:/a&step=event:plan",
  "where visits went from a page": "journeys?path=/&limit=10",
} as const;

/** Asked about the last day instead of all months, and compared with twice as long before: half of everything is gone. */
const ofDay = {
  "drivers of the last day": "drivers?by=visit",
  "drivers of the last day, by visits": "drivers?by=visit&metric=visits",
  "drivers of the last day, by page views": "drivers?metric=pageviews",
} as const;
const dayStartMs = endMs + 1 - dayMs;

const goals = [
  { name: "A page", page: { starts_with: "/a" } },
  { name: "An event", event: { prop_name: "plan", amount: "plan" } },
];

/** `command` starts the server; undefined: from source. */
export function benchVisits(
  rows: number,
  runs: number,
  command?: readonly string[],
): Promise<VisitsResult[]> {
  return withServerOf(
    rows,
    async (server) => {
      await untilFactsAre(server);
      const results: VisitsResult[] = [];
      for (const goal of goals) await server.post(`/website/${hostname}/goals`, goal);
      for (const [name, question] of Object.entries(questions))
        results.push(await measured(server, name, question, startMs, runs));
      const compare = `compare_start=${instant(dayStartMs - 2 * dayMs)}&compare_end=${instant(dayStartMs - 1)}`;
      for (const [name, question] of Object.entries(ofDay))
        results.push(await measured(server, name, `${question}&${compare}`, dayStartMs, runs));
      return results;
    },
    command,
  );
}

/** `longMs`: the start of the longer period; the shorter one is the last month. */
async function measured(
  server: ServerProcess,
  name: string,
  question: string,
  longMs: number,
  runs: number,
): Promise<VisitsResult> {
  const long = `${question}&${period(longMs)}`;
  const month = `${question}&${period(lastMonth.startMs)}`;
  const firstMs = await ask(server, long);
  const filter = (run: number) => `&country[eq]=Germany&browser[neq]=run-${run}`;
  const times = { again: [] as number[], month: [] as number[], filtered: [] as number[] };
  for (let run = 0; run < runs; run++) {
    times.again.push(await ask(server, long));
    times.month.push(await ask(server, month));
    times.filtered.push(await ask(server, `${long}${filter(run)}`));
  }
  const [againMs = 0, monthMs = 0, filteredMs = 0] = [times.again, times.month, times.filtered].map(median);
  return { name, firstMs, againMs, monthMs, filteredMs };
}

/** Waits until no row is read for the page views of all months: the server has made its facts. */
async function untilFactsAre(server: ServerProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    // Each time another question: the answer to the same one is kept.
    const path = `/website/${hostname}/browsers?${period(startMs)}&limit=${tries + 1}`;
    if ((await workOf(server, path)).rowsRead === 0) return;
    await Bun.sleep(500);
  }
  throw new Error("the server has not made its facts");
}

function period(fromMs: number): string {
  return `start=${instant(fromMs)}&end=${instant(endMs)}`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

async function ask(server: ServerProcess, path: string): Promise<number> {
  return (await workOf(server, `/website/${hostname}/${path}`)).ms;
}

export function visitsTable(results: readonly VisitsResult[]): string {
  return table(
    ["Question by visit", "first ms", "again ms", "30 days ms", "with new filters ms"],
    results.map(({ name, firstMs, againMs, monthMs, filteredMs }) => [
      name,
      firstMs,
      againMs,
      monthMs,
      filteredMs,
    ]),
  );
}
