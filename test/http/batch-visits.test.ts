/** The visits of hits that say when they happened, against a list that is searched, through restarts and power cuts. */
import { expect, test } from "bun:test";
import { visitFlag } from "../../src/store/columns/row-flag.ts";
import { dayMs } from "../../src/core/hit.ts";
import { TestServer } from "../support/http.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { tidyPage } from "../support/readme.ts";
import { randomBySeed } from "../support/seed.ts";
import { makeToken } from "../support/tokens.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

interface Visit {
  readonly number: number;
  firstMs: number;
  lastMs: number;
  /** When its last hit came. */
  cameMs: number;
  readonly kinds: string[];
}

/** Visits as the documentation has them: of one address, in the order in which its hits come. */
class Model {
  readonly all: Visit[] = [];
  private current = new Map<string, Visit>();

  take(address: string, kind: string, timeMs: number, nowMs: number): void {
    const known = this.current.get(address);
    if (known !== undefined && this.goesOn(known, timeMs, nowMs)) {
      known.firstMs = Math.min(known.firstMs, timeMs);
      known.lastMs = Math.max(known.lastMs, timeMs);
      known.cameMs = nowMs;
      known.kinds.push(kind);
      return;
    }
    const begun = { firstMs: timeMs, lastMs: timeMs, cameMs: nowMs, kinds: [kind] };
    const visit = { number: this.all.length, ...begun };
    this.all.push(visit);
    this.current.set(address, visit);
  }

  restart(): void {
    this.current = new Map();
  }

  private goesOn({ firstMs, lastMs, cameMs }: Visit, timeMs: number, nowMs: number): boolean {
    const isNear = timeMs >= firstMs - 30 * minuteMs && timeMs <= lastMs + 30 * minuteMs;
    const spanMs = Math.max(lastMs, timeMs) - Math.min(firstMs, timeMs);
    return isNear && spanMs <= 12 * hourMs && nowMs - cameMs <= 30 * minuteMs;
  }
}

const questions = [
  "summary?metrics=pageviews,visitors,visits,bounce_percentage,views_per_visit&by=visit",
  "entries?by=visit&metrics=visits,bounce_percentage",
  "exits?by=visit&metrics=visits",
  "pages?by=visit&metrics=pageviews,visits",
  "properties",
];

async function answersOf(server: TestServer, cookie: string): Promise<string[]> {
  const asked = questions.map(async (question) =>
    (await server.ask("GET", `/website/example.com/${question}`, { cookie })).text(),
  );
  return Promise.all(asked);
}

/** Returns the rows of each visit as the store has them: how many entries and exits, and whether it is engaged. */
function visitsOf(server: TestServer) {
  const visits = new Map<number, { entries: number; exits: number; engaged: boolean; rows: number }>();
  for (const chunk of server.engine.site(1)?.chunks.values() ?? [])
    for (let row = 0; row < chunk.rows; row++) {
      const number = chunk.visit[row] as number;
      const flags = chunk.visitFlags[row] as number;
      const seen = visits.get(number) ?? { entries: 0, exits: 0, engaged: false, rows: 0 };
      visits.set(number, {
        entries: seen.entries + Number((flags & visitFlag.entry) > 0),
        exits: seen.exits + Number((flags & visitFlag.exit) > 0),
        engaged: seen.engaged || (flags & visitFlag.engaged) > 0,
        rows: seen.rows + 1,
      });
    }
  return [...visits].sort(([a], [b]) => a - b).map(([, visit]) => visit);
}

function expectedOf({ kinds }: Visit) {
  const views = kinds.filter((kind) => kind === "load").length;
  const has = views > 0 ? 1 : 0;
  return { entries: has, exits: has, engaged: views > 0 && kinds.length > 1, rows: kinds.length };
}

test("they are those of the model, and nothing changes by a restart or a power cut", async () => {
  const random = randomBySeed();
  const pick = (count: number) => Math.floor(random() * count);
  let disk = new MemoryDisk();
  let server = await TestServer.open({ disk });
  const cookie = await server.prepare();
  // At the turn of a month: visits have rows in two chunks.
  server.clock.set(Date.UTC(2026, 3, 2, 9));
  const { headers } = await makeToken(server, cookie, "send");
  const model = new Model();
  let beacons = 0;
  for (let round = 0; round < 60; round++) {
    server.clock.advance(pick(40) * minuteMs);
    const nowMs = server.engine.nowMs();
    const baseMs = nowMs - pick(3) * dayMs - pick(3) * 10 * hourMs;
    const hits = Array.from({ length: 1 + pick(30) }, () => ({
      kind: pick(4) === 0 ? "event" : "load",
      address: `203.0.113.${pick(4)}`,
      timeMs: Math.min(nowMs, baseMs + pick(120) * minuteMs),
    }));
    const body = {
      hits: hits.map(({ kind, address, timeMs }) => ({
        ...(kind === "load" ? { b: `b${beacons++}`, p: false, q: true } : { d: { a: "b" } }),
        u: `https://example.com/${beacons % 5}`,
        time: new Date(timeMs).toISOString(),
        address,
      })),
    };
    const response = await server.ask("POST", "/event/batch", { headers, body });
    const { hits: answers } = (await response.json()) as { hits: { accepted: boolean }[] };
    expect(answers.every(({ accepted }) => accepted)).toBe(true);
    for (const { kind, address, timeMs } of hits.toSorted((a, b) => a.timeMs - b.timeMs))
      model.take(address, kind, timeMs, nowMs);
    // The hits of now, which have no time: they are visits of their own.
    if (pick(3) === 0) {
      const own = {
        u: "https://example.com/now",
        address: "198.51.100.1",
        b: `n${round}`,
        p: false,
        q: true,
      };
      await server.ask("POST", "/event/batch", { headers, body: { hits: [own] } });
      model.take("now", "load", nowMs, nowMs);
    }
    expect(visitsOf(server)).toEqual(model.all.map(expectedOf));
    if (pick(5) > 0) continue;
    const before = await answersOf(server, cookie);
    const isClean = pick(2) === 0;
    if (isClean) await server.engine.stop();
    else disk = disk.crash(random);
    server = await TestServer.open({ disk });
    server.clock.set(nowMs);
    model.restart();
    expect(await answersOf(server, cookie)).toEqual(before);
  }
  expect(model.all.some(({ kinds }) => kinds.length > 3)).toBe(true);
});

test("hits of the past join no visit of now, and an event of a page view is in its visit whatever its address", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const { headers } = await makeToken(server, cookie, "send");
  const time = new Date(server.engine.nowMs() - minuteMs).toISOString();
  const visitor = { u: "https://example.com/", address: "203.0.113.1", q: true };
  const hits = [
    { b: "1", ...visitor },
    { b: "2", ...visitor, time },
    { b: "3", ...visitor, time },
    { b: "1", d: { a: "b" }, time, address: "203.0.113.2" },
    // Nobody can tell whose it is.
    { b: "4", u: "https://example.com/", q: true },
  ];
  for (const own of [hits.slice(0, 1), hits.slice(1)])
    await server.ask("POST", "/event/batch", { headers, body: { hits: own } });
  const [chunk] = server.engine.site(1)?.chunks.values() ?? [];
  expect([...(chunk?.visit.subarray(0, chunk.rows) ?? [])]).toEqual([1, 2, 2, 0]);
  expect(visitsOf(server).slice(1)).toEqual([
    { entries: 1, exits: 1, engaged: true, rows: 1 },
    { entries: 1, exits: 1, engaged: true, rows: 2 },
  ]);
});

test("who is new is decided by the visit where the server does not know it", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const { headers } = await makeToken(server, cookie, "send");
  const at = (minutes: number) => new Date(server.engine.nowMs() - minutes * minuteMs).toISOString();
  const hits = [10, 80, 70, 5].map((minutes) => ({
    b: `${minutes}`,
    u: "https://example.com/",
    n: true,
    p: false,
    address: "203.0.113.1",
    time: at(minutes),
  }));
  await server.ask("POST", "/event/batch", { headers, body: { hits } });
  const path = "/website/example.com/summary?metrics=visitors,visits,pageviews&by=visit";
  const { current } = await server.get<{ current: object }>(path, cookie);
  expect(current).toEqual({ visitors: 2, visits: 2, pageviews: 4 });
});

test("nobody is new who comes from the website itself or an ignored referrer, as the documents say", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const { headers } = await makeToken(server, cookie, "send");
  const rules = { cookie, body: { ignored_referrers: ["pay.example"] } };
  expect((await server.ask("PATCH", "/website/example.com/rules", rules)).status).toBe(200);
  const visitors = async () => {
    const path = "/website/example.com/summary?metrics=visitors,visits&by=visit";
    return (await server.get<{ current: object }>(path, cookie)).current;
  };
  const from = (address: string, r: string) => {
    const hits = [{ b: address, u: "https://example.com/a", n: true, p: false, r, address }];
    return server.ask("POST", "/event/batch", { headers, body: { hits } });
  };
  await from("203.0.113.1", "https://example.com/");
  await from("203.0.114.1", "https://pay.example/done");
  expect(await visitors()).toEqual({ visitors: 0, visits: 2 });
  await from("203.0.115.1", "https://news.example/");
  expect(await visitors()).toEqual({ visitors: 1, visits: 3 });
  const but = "unless it was reached from the website itself or from an ignored referrer";
  for (const path of ["docs/api.md", "docs/tokens.md"])
    expect([path, (await tidyPage(path)).replaceAll(/\s+/g, " ").includes(but)]).toEqual([path, true]);
  expect((await (await server.ask("GET", "/openapi.json")).text()).includes(but)).toBeTrue();
});
