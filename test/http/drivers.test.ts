/** The values that made a day unlike others, over HTTP: a Tuesday on which many come from one site to one page. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Drivers } from "../../src/core/questions/answer.ts";
import { dayMs } from "../../src/core/hit.ts";
import { messageOf, TestServer } from "../support/http.ts";

const post = {
  u: "https://example.com/blog/post",
  r: "https://news.ycombinator.com/",
  t: "America/New_York",
};

let server: TestServer;
let cookie: string;
/** The start of the last day, UTC. */
let todayMs: number;
let hits = 0;

async function visit(address: number, page: object): Promise<void> {
  const body = { b: `b${++hits}`, u: "https://example.com/", t: "Europe/Berlin", p: true, ...page };
  const answer = await server.hit(body, { "x-forwarded-for": `203.0.113.${address}` });
  expect(await answer.json()).toEqual({ accepted: true });
}

const dayOf = (ms: number, days = 1) =>
  ["start", "end"]
    .map((name, at) => `${name}=${new Date(ms + at * (days * dayMs - 1)).toISOString()}`)
    .join("&");

const ask = (query: string) =>
  server.answer<Drivers>("GET", `/website/example.com/drivers?${query}`, { cookie });

async function refusal(query: string): Promise<string> {
  const answer = await ask(query);
  expect([query, answer.status]).toEqual([query, 400]);
  return messageOf(answer);
}

beforeAll(async () => {
  server = await TestServer.open();
  await server.prepare();
  // The first hit is earlier than the first Tuesday.
  await visit(1, {});
  for (let week = 0; week < 5; week++) {
    server.clock.advance(7 * dayMs);
    if (week === 0) todayMs = Math.floor(server.clock.nowMs() / dayMs) * dayMs;
    for (let address = 1; address <= 5; address++) await visit(address, {});
  }
  for (let address = 6; address <= 25; address++) await visit(address, post);
  todayMs += 4 * 7 * dayMs;
  cookie = await server.logIn();
});
afterAll(() => server.engine.stop());

test("names what came, to which page and from where, each once", async () => {
  const { status, value } = await ask(`${dayOf(todayMs)}&by=visit`);
  expect(status).toBe(200);
  expect(value).toMatchObject({ current: 25, base: 5, difference: 20, stands_out: true });
  expect(value.base_periods).toHaveLength(4);
  const figures = { current: 20, base: 0, difference: 20, difference_percentage: 100 };
  expect(value.drivers).toEqual([
    { dimension: "referrer", value: "Hacker News", ...figures },
    { dimension: "path", value: "/blog/post", ...figures, of_first_percentage: 100 },
    { dimension: "country", value: "United States", ...figures, of_first_percentage: 100 },
  ]);
});

test("counts visits and page views as well, and obeys filters", async () => {
  for (const metric of ["visits", "pageviews"])
    expect((await ask(`${dayOf(todayMs)}&metric=${metric}`)).value).toMatchObject({ current: 25, base: 5 });
  const { value } = await ask(`${dayOf(todayMs)}&country[eq]=Germany`);
  expect(value).toMatchObject({ current: 5, base: 5, difference: 0, stands_out: false, drivers: [] });
});

test("compares with a period of one's choice", async () => {
  const before = dayOf(todayMs - 7 * dayMs)
    .replace("start", "compare_start")
    .replace("end=", "compare_end=");
  const { value } = await ask(`${dayOf(todayMs)}&${before}`);
  expect(value).toMatchObject({ current: 25, base: 5, difference: 20 });
  expect(value.base_periods).toEqual([
    {
      start: new Date(todayMs - 7 * dayMs).toISOString(),
      end: new Date(todayMs - 6 * dayMs - 1).toISOString(),
    },
  ]);
  // The two the other way round: 20 fewer.
  const swapped = `${dayOf(todayMs - 7 * dayMs)}&${dayOf(todayMs).replace("start", "compare_start").replace("end=", "compare_end=")}`;
  const fewer = (await ask(swapped)).value;
  expect(fewer).toMatchObject({
    difference: -20,
    drivers: [{ value: "Hacker News", difference: -20 }, {}, {}],
  });
});

test("has no base before the first hit, and none of the future", async () => {
  const first = await ask(dayOf(todayMs - 28 * dayMs));
  expect(first.value).toEqual({ current: 5, stands_out: false, base_periods: [], drivers: [] });
  const tomorrow = await ask(dayOf(todayMs + 7 * dayMs));
  expect(tomorrow.value).toEqual({ current: 0, stands_out: false, base_periods: [], drivers: [] });
});

test("refuses what it cannot compare, and names it", async () => {
  const today = dayOf(todayMs);
  expect(await refusal("")).toStartWith("start: ");
  expect(await refusal("start=2026-01-01T00:00:00Z")).toStartWith("end: ");
  expect(await refusal(`${today}&compare_start=2026-01-01T00:00:00Z`)).toStartWith("compare_end: ");
  expect(await refusal(`${today}&compare_end=2026-01-01T00:00:00Z`)).toStartWith("compare_start: ");
  const reversed = "compare_start=2026-01-02T00:00:00Z&compare_end=2026-01-01T00:00:00Z";
  expect(await refusal(`${today}&${reversed}`)).toStartWith("compare_start: ");
  expect(await refusal(`${today}&metric=bounces`)).toBe(
    'metric: expected visitors, visits, pageviews, got "bounces"',
  );
  // Lists have several, and this would answer for visitors.
  for (const metrics of ["pageviews", "visits,pageviews", ""])
    expect(await refusal(`${today}&metrics=${metrics}`)).toBe(
      `metrics: expected metric=visitors, metric=visits, metric=pageviews, got "${metrics}"`,
    );
  await server.ask("PATCH", "/websites/example.com", { cookie, body: { visits: false } });
  expect(await refusal(`${today}&metric=visits`)).toContain("visits");
  expect(await refusal(`${today}&by=visit`)).toStartWith("by: ");
  expect((await ask(today)).value).toMatchObject({ current: 25 });
});

test("has what was acknowledged in the second of the question", async () => {
  server.clock.advance(1_000 - (server.clock.nowMs() % 1_000) + 500);
  await visit(26, {});
  expect((await ask(dayOf(todayMs))).value.current).toBe(26);
  const path = "/website/example.com/summary?interval=day";
  const { interval } = await server.get<{ interval: { pageviews: number }[] }>(path, cookie);
  expect(interval.reduce((sum, { pageviews }) => sum + pageviews, 0)).toBe(hits);
});
