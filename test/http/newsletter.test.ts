/** The figures that an owner asks for first: what brought the signups, and whose visits Hacker News sent. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestServer } from "../support/http.ts";

const website = "https://example.com";

let server: TestServer;
let cookie: string;
let beacons = 0;

/** Somebody opens the pages one after the other; `arrival`: how they came to the first. Returns the last beacon. */
async function read(address: string, pages: readonly string[], arrival: { utm?: string; r?: string } = {}) {
  let referrer = arrival.r ?? "";
  for (const [at, path] of pages.entries()) {
    const u = website + path + (at === 0 ? (arrival.utm ?? "") : "");
    await send(address, { b: `b${++beacons}`, u, r: referrer, p: at === 0, q: false });
    referrer = website + path;
  }
  return `b${beacons}`;
}

async function send(address: string, hit: object): Promise<void> {
  const answer = await server.hit(hit, { "x-forwarded-for": address });
  expect(await answer.json()).toEqual({ accepted: true });
}

const get = <T = readonly Record<string, unknown>[]>(list: string, query = "") =>
  server.get<T>(`/website/example.com/${list}?${query}`, cookie);

beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  const signsUp = ["/", "/features", "/pricing", "/signup"];
  for (let at = 1; at <= 4; at++) {
    const last = await read(`203.0.113.${at}`, signsUp, { utm: "?utm_medium=email&utm_campaign=may" });
    await send(`203.0.113.${at}`, { b: last, d: { signup: "pro" } });
  }
  for (let at = 1; at <= 7; at++)
    await read(`198.51.100.${at}`, ["/pricing"], { r: "https://news.ycombinator.com/item?id=1" });
  for (let at = 1; at <= 2; at++) await read(`192.0.2.${at}`, ["/", "/pricing"]);
});
afterAll(() => server.engine.stop());

test("the newsletter brought the signups, and nothing else did", async () => {
  const signups = "by=visit&summary=true&prop_name[eq]=signup";
  const all = { visitors: 4, visitors_percentage: 100 };
  expect(await get("campaigns", signups)).toEqual([{ campaign: "may", ...all }]);
  expect(await get("channels", signups)).toEqual([{ channel: "Email", ...all }]);
  // By what each hit said, nobody knows: the page of the signup came from the website itself.
  expect(await get("campaigns", "summary=true&prop_name[eq]=signup")).toEqual([]);
});

test("Hacker News has its visits on /pricing, and direct has only what was direct", async () => {
  const rows = await get("channels", "by=visit&summary=true&path[eq]=/pricing");
  expect(rows.map(({ channel, visitors }) => [channel, visitors])).toEqual([
    ["Social", 7],
    ["Email", 4],
    ["Direct", 2],
  ]);
  const referrers = await get("referrers", "by=visit&summary=true&path[eq]=/pricing&utm_campaign[eq]=");
  expect(referrers.map(({ referrer, visitors }) => [referrer, visitors])).toEqual([
    ["Hacker News", 7],
    ["", 2],
  ]);
});

test("visits are as long as they were, and begin and end where they did", async () => {
  const metrics = "metrics=visitors,visits,pageviews,views_per_visit,bounce_percentage,time_per_visit";
  // Nobody's visit is over yet, and no time is known: both are missing.
  expect(await get<object>("summary", `by=visit&${metrics}`)).toEqual({
    current: { visitors: 13, visits: 13, pageviews: 27, views_per_visit: 2.08 },
  });
  const places = async (list: string) => (await get(list)).map(({ path, visits }) => [path, visits]);
  expect(await places("entries")).toEqual([
    ["/pricing", 7],
    ["/", 6],
  ]);
  expect(await places("exits")).toEqual([
    ["/pricing", 9],
    ["/signup", 4],
  ]);
});

test("where visits are off, what needs them is refused", async () => {
  const body = { hostname: "quiet.example", visits: false };
  expect((await server.ask("POST", "/websites", { cookie, body })).status).toBe(201);
  for (const path of ["pages?by=visit", "pages?metrics=visits", "entries", "exits", "pages?entry[eq]=/"]) {
    const answer = await server.ask("GET", `/website/quiet.example/${path}`, { cookie });
    expect([path, answer.status]).toEqual([path, 400]);
    expect(await answer.text()).toContain("visits");
  }
  const plain = await server.ask("GET", "/website/quiet.example/pages?metrics=visitors", { cookie });
  expect(plain.status).toBe(200);
});
