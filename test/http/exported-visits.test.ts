/** The lines of visits whose hits came out of order, against the lines of their page views and the figures of the website. */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import { TestServer } from "../support/http.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { makeToken } from "../support/tokens.ts";

const minuteMs = 60_000;

interface Hit {
  readonly timeMs: number;
  readonly path: string;
  readonly address: string;
  readonly isEvent?: boolean;
}

/** A website whose hits come in one request each, so that the server does not bring them into the order of time. */
async function opened() {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  // At the turn of a month: visits have rows in two chunks.
  server.clock.set(Date.UTC(2026, 3, 1, 4));
  const { headers } = await makeToken(server, cookie, "send");
  let beacons = 0;
  const send = async ({ timeMs, path, address, isEvent = false }: Hit) => {
    const own = isEvent ? { d: { a: "b" } } : { b: `b${beacons++}`, p: false, q: true };
    const hits = [{ ...own, u: `https://example.com${path}`, time: new Date(timeMs).toISOString(), address }];
    const answer = await server.ask("POST", "/event/batch", { headers, body: { hits } });
    expect(await answer.json()).toMatchObject({ hits: [{ accepted: true }] });
  };
  const get = (path: string, method = "GET") =>
    server.ask(method, `/website/example.com/${path}`, { cookie });
  const lines = async (query: string) =>
    (await (await get(`export?${query}`)).text())
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return { server, send, get, lines };
}

test("a page view that came later and was earlier is in the line of its visit", async () => {
  const { server, send, lines } = await opened();
  const address = "203.0.113.1";
  const nowMs = server.clock.nowMs();
  for (const [path, minutes] of [
    ["/second", 20],
    ["/third", 10],
    ["/first", 30],
  ] as const)
    await send({ timeMs: nowMs - minutes * minuteMs, path, address });
  const at = (minutes: number) => new Date(nowMs - minutes * minuteMs).toISOString();
  expect(await lines("of=visits")).toMatchObject([
    { start: at(20), end: at(10), page_views: 3, entry: "/second", exit: "/first", is_bounce: false },
  ]);
});

test("a visit whose exit was removed has its latest page view as exit", async () => {
  const { server, send, lines, get } = await opened();
  const nowMs = server.clock.nowMs();
  for (const [path, minutes] of [
    ["/first", 20],
    ["/second", 10],
    ["/third", 5],
  ] as const)
    await send({ timeMs: nowMs - minutes * minuteMs, path, address: "203.0.113.1" });
  expect(await lines("of=visits")).toMatchObject([{ page_views: 3, exit: "/third" }]);
  await get("purge?path[eq]=/third&dry_run=false", "POST");
  expect(await lines("of=visits")).toMatchObject([{ page_views: 2, exit: "/second" }]);
});

test("lines of visits have what their page views have, and add up to the figures of the website", async () => {
  const random = randomBySeed();
  const pick = (count: number) => Math.floor(random() * count);
  const { server, send, get, lines } = await opened();
  for (let hit = rounds(400, 100); hit > 0; hit--) {
    server.clock.advance(pick(3) * minuteMs);
    const timeMs = server.clock.nowMs() - pick(2) * 0.4 * dayMs - pick(60) * minuteMs;
    await send({ timeMs, path: `/${pick(5)}`, address: `203.0.113.${pick(6)}`, isEvent: pick(4) === 0 });
  }
  const rows = (await lines("of=page-views")).filter(({ visit }) => visit !== null);
  const views = rows.filter(({ kind }) => kind === "page_view");
  const expected = views
    .filter((view) => view["is_entry"])
    .map(({ visit, time, path, is_bounce }) => {
      const own = views.filter((view) => view["visit"] === visit);
      const times = rows.filter((row) => row["visit"] === visit).map((row) => String(row["time"]));
      const exit = own.find((view) => view["is_exit"])?.["path"];
      const end = times.toSorted().at(-1);
      return { visit, start: time, end, page_views: own.length, is_bounce, entry: path, exit };
    });
  const visits = await lines("of=visits");
  expect(
    visits.map(({ visit, start, end, page_views, is_bounce, entry, exit }) => {
      return { visit, start, end, page_views, is_bounce, entry, exit };
    }),
  ).toEqual(expected);

  const sum = (name: string) => visits.reduce((all, line) => all + Number(line[name]), 0);
  const answer = await (await get("summary?metrics=visits,pageviews&by=visit")).json();
  expect((answer as { current: object }).current).toMatchObject({ pageviews: sum("page_views") });
  const exits = (await (await get("exits?metrics=visits")).json()) as { path: string; visits: number }[];
  for (const { path, visits: count } of exits)
    expect([path, visits.filter(({ exit }) => exit === path).length]).toEqual([path, count]);
  const startOf = new Map(visits.map(({ visit, start }) => [visit, String(start)]));
  expect(views.some(({ visit, time }) => String(time) < startOf.get(visit)!)).toBeTrue();
});
