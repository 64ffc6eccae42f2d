/** Questions by visit over HTTP: every list, and the figures by name, about a campaign's visit that reads on. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definitionOf } from "../../src/core/definition.ts";
import { TestServer } from "../support/http.ts";

const website = "https://example.com";
const ofCampaign = "by=visit&utm_campaign[eq]=spring";

let server: TestServer;
let cookie: string;

async function send(address: string, hit: object): Promise<void> {
  const answer = await server.hit(hit, { "x-forwarded-for": address });
  expect(await answer.json()).toEqual({ accepted: true });
}

const get = <T = readonly Record<string, unknown>[]>(list: string, query: string) =>
  server.get<T>(`/website/example.com/${list}?${query}`, cookie);

beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  const reader = "203.0.113.1";
  await send(reader, { b: "a", u: `${website}/?utm_campaign=spring`, p: true, q: false });
  await send(reader, { b: "a", m: 2_000 });
  await send(reader, { b: "b", u: `${website}/pricing`, r: `${website}/`, p: false, q: false });
  await send(reader, { b: "b", m: 4_000 });
  await send(reader, { b: "b", d: { plan: "pro" } });
  // Another visitor, of whom no time is known.
  await send("203.0.113.2", { b: "c", u: `${website}/about`, p: true, q: false });
});
afterAll(() => server.engine.stop());

test("every list selects the pages that a campaign's visit read next", async () => {
  const column = async (list: string, field: string) =>
    (await get(list, ofCampaign)).map((row) => row[field]).sort();
  expect(await column("pages", "path")).toEqual(["/", "/pricing"]);
  expect(await column("time", "path")).toEqual(["/", "/pricing"]);
  expect(await column("properties", "name")).toEqual(["plan"]);
  expect(await column("entries", "path")).toEqual(["/"]);
  expect(await column("exits", "path")).toEqual(["/pricing"]);
  expect(await get("exits", "utm_campaign[eq]=spring")).toEqual([]);
  expect(await get("properties", "utm_campaign[eq]=spring")).toEqual([]);
});

test("properties share out all visits, and under a filter by property those that it selects", async () => {
  const metrics = "by=visit&metrics=visits,visits_percentage";
  expect(await get("properties", metrics)).toEqual([{ name: "plan", visits: 1, visits_percentage: 50 }]);
  expect(await get("properties", `${metrics}&browser[eq]=nobody`)).toEqual([]);
  expect(await get("properties", `${metrics}&prop_value[neq]=free`)).toEqual([
    { name: "plan", visits: 1, visits_percentage: 100 },
  ]);
});

test("a word other than visit is refused by every list", async () => {
  for (const list of ["pages", "time", "properties", "entries", "exits", "summary"]) {
    const answer = await server.ask("GET", `/website/example.com/${list}?by=person`, { cookie });
    expect([list, answer.status]).toEqual([list, 400]);
  }
});

test("the summary has the time of visits by name, also in its intervals; what nobody knows is missing", async () => {
  const metrics = "metrics=visits,pageviews,views_per_visit,time_total,time_per_visit";
  // The time of one of the two visits is known.
  const figures = { visits: 2, pageviews: 3, views_per_visit: 1.5, time_total: 6_000, time_per_visit: 6_000 };
  expect(await get<object>("summary", `by=visit&${metrics}`)).toEqual({ current: figures });
  const now = server.clock.nowMs();
  const period = `start=${new Date(now - 1_000).toISOString()}&end=${new Date(now + 1_000).toISOString()}`;
  const { current, interval } = await get<{ current: object; interval: object[] }>(
    "summary",
    `by=visit&${metrics}&${period}&interval=month`,
  );
  expect([current, ...interval]).toEqual([figures, { date: expect.any(String), ...figures }]);
  expect(await get<object>("summary", `by=visit&metrics=visits,time_per_visit&path[eq]=/about`)).toEqual({
    current: { visits: 1 },
  });
});

test("a visit that was under way when it was first seen is Unknown, in lists and as a filter", async () => {
  const internal = { b: "d", u: `${website}/docs`, r: `${website}/`, p: false, q: false };
  await send("203.0.113.3", internal);
  const named = async (list: string, field: string, query: string) =>
    (await get(list, `by=visit&path[in]=/docs,/about&${query}`)).map((row) => row[field]).sort();
  for (const grouped of [true, false]) {
    expect(await named("referrers", "referrer", `grouped=${grouped}`)).toEqual(["", "Unknown"]);
    const only = `grouped=${grouped}&referrer[eq]=unknown`;
    expect(await named("referrers", "referrer", only)).toEqual(["Unknown"]);
    expect(await named("referrers", "referrer", `grouped=${grouped}&referrer[neq]=Unknown`)).toEqual([""]);
  }
  expect(await named("channels", "channel", "")).toEqual(["Direct", "Unknown"]);
  expect(await named("pages", "path", "channel[eq]=Unknown")).toEqual(["/docs"]);
  expect(await named("pages", "path", "referrer[eq]=Unknown")).toEqual(["/docs"]);
  expect(await named("pages", "path", "referrer[eq]=?")).toEqual([]);
  // By hit, it came from the website itself.
  const hits = await get("referrers", "path[eq]=/docs");
  expect(hits).toMatchObject([{ referrer: "", visitors: 1 }]);
});

test("a link of the website itself is Unknown after a pause, as its explanation says", async () => {
  const reader = "203.0.113.5";
  await send(reader, { b: "f", u: `${website}/long`, r: "https://news.ycombinator.com/", p: true, q: false });
  server.clock.advance(31 * 60_000);
  await send(reader, { b: "g", u: `${website}/later`, r: `${website}/long`, p: false, q: false });
  expect(await get("channels", "by=visit&path[eq]=/later&metrics=visits")).toEqual([
    { channel: "Unknown", visits: 1 },
  ]);
  expect(definitionOf("visit_source")).toEndWith(
    "Unknown is the source without a visit, and of a visit that begins with a link of the website itself without campaign tags, as " +
      "after a pause of 30 minutes or a start of the server.",
  );
});

test("entries and exits share out the visits that begin or end with the selected page views", async () => {
  const asked = "by=visit&path[in]=/,/pricing&metrics=visits,visits_percentage";
  expect(await get("pages", asked)).toEqual([
    { path: "/", visits: 1, visits_percentage: 100 },
    { path: "/pricing", visits: 1, visits_percentage: 100 },
  ]);
  // All five visits of the website are not their base, nor the visits that only went on there.
  expect(await get("entries", asked)).toEqual([{ path: "/", visits: 1, visits_percentage: 100 }]);
  expect(await get("entries", asked.replace("/,", ""))).toEqual([]);
  expect(await get("exits", asked)).toEqual([{ path: "/pricing", visits: 1, visits_percentage: 100 }]);
  expect(definitionOf("visits_percentage")).toEndWith(
    "in entry and exit pages, of the visits that begin or end with these page views.",
  );
});

test("a visit that begins with a tagged page view has the campaign, though a page of the website forwarded to it", async () => {
  const tagged = `${website}/en?utm_source=letter&utm_medium=email`;
  await send("203.0.113.4", { b: "e", u: tagged, r: `${website}/`, p: true, q: false });
  const rowOf = async (list: string, field: string) =>
    (await get(list, "by=visit&path[eq]=/en")).map((row) => row[field]);
  expect(await rowOf("sources", "source")).toEqual(["letter"]);
  expect(await rowOf("channels", "channel")).toEqual(["Email"]);
  expect(await rowOf("referrers", "referrer")).toEqual([""]);
});

test("a visit that goes on with an event only is among all visits of the period", async () => {
  server.clock.advance(60_000);
  await send("203.0.113.6", { b: "h", u: `${website}/`, p: true, q: false });
  server.clock.advance(60_000);
  const start = new Date(server.clock.nowMs()).toISOString();
  await send("203.0.113.6", { b: "h", d: { order: "1" } });
  await send("203.0.113.7", { b: "i", u: `${website}/`, p: true, q: false });
  expect(await get("properties", `by=visit&metrics=visits,visits_percentage&start=${start}`)).toEqual([
    { name: "order", visits: 1, visits_percentage: 50 },
  ]);
});
