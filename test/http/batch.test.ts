/** Hits that a server sends for its visitors: when they happened, of whom they are, and what becomes of each. */
import { beforeEach, describe, expect, test } from "bun:test";
import { batchBytesMax, batchHitsMax, dayMs } from "../../src/core/hit.ts";
import { TestServer } from "../support/http.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { joinAs } from "../support/members.ts";
import { type MadeToken, makeToken } from "../support/tokens.ts";

const minuteMs = 60_000;
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36";
const page = "https://example.com/";

let disk: MemoryDisk;
let server: TestServer;
let cookie: string;
let sender: MadeToken;

beforeEach(async () => {
  disk = new MemoryDisk();
  server = await TestServer.open({ disk });
  cookie = await server.prepare();
  sender = await makeToken(server, cookie, "send", "example.com");
});

/** A time so many milliseconds before now. */
function ago(ms: number): string {
  return new Date(server.engine.nowMs() - ms).toISOString();
}

/** Makes each look at the clock that measures time take so long. */
function takeEachLook(ms: number): void {
  const { clock } = server;
  const { monotonicMs } = clock;
  let looks = 0;
  clock.monotonicMs = () => monotonicMs.call(clock) + ms * looks++;
}

async function send(hits: unknown, headers: Readonly<Record<string, string>> = sender.headers) {
  const response = await server.ask("POST", "/event/batch", { headers, body: { hits } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Returns what became of each hit: "accepted", or the reason why not. */
async function outcomes(hits: readonly object[], headers = sender.headers): Promise<string[]> {
  const { status, body } = await send(hits, headers);
  expect(status).toBe(200);
  return (body["hits"] as { accepted: boolean; reason?: string }[]).map((hit) => hit.reason ?? "accepted");
}

const answer = <T>(path: string) => server.get<T>(`/website/example.com/${path}`, cookie);

async function summary(query = ""): Promise<Record<string, number>> {
  const metrics = "metrics=pageviews,visitors,visits,bounce_percentage,time_total";
  const { current } = await answer<{ current: Record<string, number> }>(
    `summary?${metrics}&by=visit${query}`,
  );
  return current;
}

describe("a hit of a batch", () => {
  test("counts when, and as what, it says; nothing of the request itself counts", async () => {
    const visitor = { user_agent: firefox, language: "de-AT", address: "203.0.113.9" };
    const hits = [
      { b: "1", u: `${page}a`, p: true, time: ago(3 * dayMs), t: "Europe/Vienna", ...visitor },
      { b: "1", m: 12_000, time: ago(3 * dayMs - 20_000) },
      { b: "1", d: { plan: "pro" }, time: ago(3 * dayMs - minuteMs) },
      { b: "2", u: `${page}b`, p: true, time: ago(7 * dayMs), address: "2001:db8::1" },
      { u: `${page}buy`, d: { order: "paid" }, ...visitor },
    ];
    expect(await outcomes(hits, { ...sender.headers, "user-agent": chrome })).toEqual(
      hits.map(() => "accepted"),
    );
    const period = `&start=${ago(3 * dayMs)}&end=${ago(3 * dayMs)}`;
    expect(await summary(period)).toEqual({
      pageviews: 1,
      visitors: 1,
      visits: 1,
      bounce_percentage: 0,
      time_total: 12_000,
    });
    expect(await answer<object[]>(`browsers?summary=true`)).toEqual([
      expect.objectContaining({ browser: "Firefox" }),
      expect.objectContaining({ browser: "Unknown" }),
    ]);
    expect(await answer<object[]>(`languages?locale=true&summary=true${period}`)).toEqual([
      expect.objectContaining({ language: "Austrian German" }),
    ]);
    expect(await answer<object[]>(`countries?summary=true${period}`)).toEqual([
      expect.objectContaining({ country: "Austria" }),
    ]);
    const at = (ms: number) => `properties?start=${ago(ms)}&end=${ago(ms)}`;
    expect(await answer<object[]>(at(3 * dayMs - minuteMs))).toHaveLength(1);
    expect(await answer<object[]>(at(0))).toEqual([expect.objectContaining({ name: "order" })]);
    expect((await summary(`&start=${ago(7 * dayMs)}&end=${ago(7 * dayMs)}`))["pageviews"]).toBe(1);
  });

  test("is judged as any other: crawlers, spam, rules by the given address, floods, names", async () => {
    await server.ask("PATCH", "/website/example.com/rules", {
      cookie,
      body: { blocked_networks: ["198.51.100.0/24"] },
    });
    const load = (b: string, more: object) => ({ b, u: page, p: true, user_agent: firefox, ...more });
    const hits = [
      load("1", { user_agent: "Googlebot/2.1" }),
      load("2", { r: "https://semalt.com/" }),
      load("3", { address: "198.51.100.7" }),
      load("4", { address: "198.51.101.7" }),
      load("4", { address: "198.51.101.7" }),
      // An app may have no user agent.
      load("5", { user_agent: undefined }),
    ];
    expect(await outcomes(hits)).toEqual([
      ...["crawler", "referrer_spam", "blocked", "accepted", "duplicate", "accepted"],
    ]);
    expect(await outcomes([{ b: "1", m: 5 }])).toEqual(["crawler"]);
  });

  test("is in the budget of its visitor's network, and without an address in none", async () => {
    server = await TestServer.open({ loadsPerNetwork: 1 });
    const { headers } = await makeToken(server, await server.prepare(), "send");
    const floods = async (name: string, more: object) => {
      const hits = Array.from({ length: 700 }, (_, at) => ({
        b: `${name}${at}`,
        u: page,
        p: false,
        ...more,
      }));
      return (await outcomes(hits, headers)).filter((outcome) => outcome === "flood").length;
    };
    expect(await floods("a", { address: "203.0.113.9" })).toBe(640);
    expect(await floods("b", { address: "203.0.114.9" })).toBe(640);
    expect(await floods("c", {})).toBe(0);
  });

  test("uses up nothing that visitors of its network may send", async () => {
    server = await TestServer.open({ loadsPerNetwork: 1 });
    const { headers } = await makeToken(server, await server.prepare(), "send");
    const visit = async (body: object) =>
      (await server.hit(body, { "x-forwarded-for": "198.18.55.7" })).json() as Promise<object>;
    const batchOf = async (hitOf: (at: number) => object) =>
      (
        await outcomes(
          Array.from({ length: 300 }, (_, at) => hitOf(at)),
          headers,
        )
      ).filter((outcome) => outcome === "flood").length;
    const address = "198.18.55.200";
    expect(await batchOf((at) => ({ b: `a${at}`, u: page, p: true, address }))).toBe(240);
    expect(await visit({ b: "real", u: page, p: true })).toEqual({ accepted: true });
    // All networks that it names are one where they wait for a page view. What has no beacon does not wait.
    const event = (at: number, more: object) => ({
      u: page,
      d: { a: "x" },
      address: `10.0.${at % 250}.1`,
      ...more,
    });
    expect(await batchOf((at) => event(at, { b: `e${at}` }))).toBeWithin(200, 220);
    expect(await batchOf((at) => event(at, {}))).toBe(0);
    expect(await visit({ b: "soon", u: page, d: { a: "x" } })).toEqual({ accepted: true });
  });

  test("needs a website of the token: others are refused one by one, and so is what names none", async () => {
    await server.ask("POST", "/websites", { cookie, body: { hostname: "other.example" } });
    const other = { b: "o", u: "https://other.example/", p: true };
    const all = await makeToken(server, cookie, "send");
    expect(await outcomes([other, { b: "n", u: "https://none.example/", p: true }])).toEqual([
      "unknown_website",
      "unknown_website",
    ]);
    expect(await outcomes([other, { b: "x", m: 5 }, { b: "o", m: 5 }], all.headers)).toEqual([
      ...["accepted", "unknown_website", "accepted"],
    ]);
    expect(
      await outcomes([
        { b: "o", m: 7 },
        { b: "e", u: `${page}www`, p: true },
      ]),
    ).toEqual(["unknown_website", "accepted"]);
    // An editor may send, and one who is a viewer from now on may not.
    const editor = await joinAs(server, cookie, "editor");
    const own = await makeToken(server, editor, "send");
    expect(await outcomes([{ b: "f", u: page, p: true }], own.headers)).toEqual(["accepted"]);
    await server.ask("PATCH", "/website/example.com/members/editor", { cookie, body: { role: "viewer" } });
    expect(await outcomes([{ b: "g", u: page, p: true }], own.headers)).toEqual(["unknown_website"]);
  });

  test("that is sent again is counted once, also days later and after restarts; events are counted again", async () => {
    const hits = [
      { b: "1", u: page, p: true, time: ago(6 * dayMs), address: "203.0.113.9" },
      { b: "1", m: 5_000, time: ago(6 * dayMs - minuteMs) },
      { u: page, d: { order: "paid" }, time: ago(6 * dayMs), address: "203.0.113.9" },
    ];
    expect(await outcomes(hits)).toEqual(["accepted", "accepted", "accepted"]);
    expect(await outcomes(hits)).toEqual(["duplicate", "accepted", "accepted"]);
    for (let days = 0; days < 2; days++) {
      const now = server.engine.nowMs();
      await server.engine.stop();
      server = await TestServer.open({ disk });
      server.clock.set(now + dayMs / 2 - 1);
      expect(await outcomes(hits.slice(0, 1))).toEqual(["duplicate"]);
    }
    expect(await summary()).toMatchObject({ pageviews: 1, visitors: 1, time_total: 5_000 });
  });

  test("that is sent again counts its events with an id once, whenever they happened", async () => {
    const order = (i: string, more: object = {}) => ({ u: page, i, d: { order: "paid" }, ...more });
    const hits = [order("1"), order("2", { time: ago(6 * dayMs) }), order("1")];
    expect(await outcomes(hits)).toEqual(["accepted", "accepted", "duplicate"]);
    expect(await outcomes(hits)).toEqual(["duplicate", "duplicate", "duplicate"]);
    const now = server.engine.nowMs();
    await server.engine.stop();
    server = await TestServer.open({ disk });
    server.clock.set(now + dayMs);
    expect(await outcomes(hits)).toEqual(["duplicate", "duplicate", "duplicate"]);
  });

  test("is in the visit of its visitor's address however that is written", async () => {
    const forms = ["203.0.113.9", "::ffff:203.0.113.9", "::FFFF:203.0.113.9", "0:0:0:0:0:ffff:cb00:7109"];
    // Node and .NET show IPv4 addresses in such forms where they listen on IPv6 too.
    const order = (address: string) => ({ u: page, d: { order: "paid" }, address });
    expect(await outcomes([{ b: "1", u: page, p: true, address: forms[0] }, ...forms.map(order)])).toEqual(
      new Array(5).fill("accepted"),
    );
    await outcomes([{ b: "2", u: page, p: true, address: "::ffff:203.0.113.10" }]);
    expect(await summary()).toMatchObject({ pageviews: 2, visits: 2 });
  });

  test("of a month that is over is counted there, and once; of one that is not kept any more it is late", async () => {
    server.clock.set(Date.UTC(2026, 3, 5));
    const old = { b: "1", u: page, p: true, time: ago(6 * dayMs), address: "203.0.113.9" };
    expect(await outcomes([old])).toEqual(["accepted"]);
    const now = server.engine.nowMs();
    await server.engine.stop();
    server = await TestServer.open({ disk });
    server.clock.set(now + minuteMs);
    // The checkpoint of the stop has sealed the chunk of March.
    expect(await outcomes([old])).toEqual(["duplicate"]);
    expect(
      await outcomes([
        { b: "2", u: page, p: false, time: old.time },
        { b: "1", m: 5 },
      ]),
    ).toEqual(["accepted", "late"]);
    expect(await summary("&end=2026-03-31T23:59:59Z")).toMatchObject({ pageviews: 2 });
  });
});

describe("a batch", () => {
  const good = { b: "1", u: page, p: true };

  test.each([
    [{ hits: [] }, "hits: "],
    [{}, "hits: "],
    [[good], "body: "],
    [{ hits: [good, 7] }, "hits[1]: expected an object, got a number"],
    [{ hits: [good, { b: "2", p: true }] }, "hits[1].u: "],
    [{ hits: [good, { b: "2", u: page, d: { order: null } }] }, "hits[1].d: expected at least one property"],
    [{ hits: [good, { ...good, time: 7 }] }, "hits[1].time: expected a string"],
    [{ hits: [good, { ...good, time: "yesterday" }] }, "hits[1].time: "],
    [{ hits: [good, { ...good, time: "2026-03-08T11:59:59.999Z" }] }, "hits[1].time: "],
    [{ hits: [good, { ...good, time: "2026-03-15T12:01:00.001Z" }] }, "hits[1].time: "],
    // These are the numbers of two orders. Read as JSON, they are one.
    [
      '{"hits":[{"u":"https://example.com/","d":{"a":1},"i":1234567890123456789}]}',
      "hits[0].i: expected a string, or",
    ],
    [
      '{"hits":[{"u":"https://example.com/","d":{"a":1},"i":1234567890123456790}]}',
      "hits[0].i: expected a string, or",
    ],
    [{ hits: [{ ...good, address: "203.0.113.256" }] }, "hits[0].address: expected an IP address"],
    [{ hits: new Array(batchHitsMax + 1).fill(good) }, "hits: "],
  ])(
    "that is not what it should be is a 400 that says where, and counts nothing: %#",
    async (body, message) => {
      const response = await server.ask("POST", "/event/batch", { headers: sender.headers, body });
      const { error } = (await response.json()) as { error: { code: number; message: string } };
      expect([response.status, error.code]).toEqual([400, 400]);
      expect(error.message).toStartWith(message);
      expect(error.message).not.toContain("203.0.113");
      expect((await summary())["pageviews"]).toBe(0);
    },
  );

  test("that is refused is told to the owner of the website, and in the metrics, as one malformed hit", async () => {
    const { status } = await send([good, { ...good, time: "yesterday" }, { ...good, time: 7 }]);
    expect(status).toBe(400);
    expect(await answer("rejections")).toMatchObject({ days: [{ malformed: 1 }] });
    const metrics = await (await server.ask("GET", "/metrics", { cookie })).text();
    expect(metrics).toContain('footfall_hits_total{outcome="malformed"} 1\n');
  });

  test("may be by a clock that is a minute ahead, and as large as its hits may be", async () => {
    expect(await outcomes([{ ...good, time: ago(-minuteMs) }])).toEqual(["accepted"]);
    expect((await summary(`&end=${ago(0)}`))["pageviews"]).toBe(1);
    const message = `hits[0].time: expected from ${ago(7 * dayMs)} to ${ago(-minuteMs)}, got "${ago(-minuteMs - 1)}"`;
    expect(await send([{ ...good, time: ago(-minuteMs - 1) }])).toMatchObject({
      body: { error: { message } },
    });
    const long = { p: false, user_agent: firefox, r: `https://example.org/${"r".repeat(1_900)}` };
    const hits = Array.from({ length: batchHitsMax }, (_, at) => ({
      b: `l${at}`,
      u: `${page}${"u".repeat(1_900)}`,
      ...long,
    }));
    expect(new Set(await outcomes(hits))).toEqual(new Set(["accepted"]));
    const large = JSON.stringify({ hits: [{ ...good, more: "x".repeat(batchBytesMax) }] });
    const response = await server.ask("POST", "/event/batch", { headers: sender.headers, body: large });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(`body: expected at most ${batchBytesMax} bytes`);
  });

  test("becomes durable in a few writes before its answer, and answers an error if it does not", async () => {
    const before = server.engine.health().records;
    const hits = Array.from({ length: batchHitsMax }, (_, at) => ({ b: `d${at}`, u: page, p: false }));
    let syncs = 0;
    const sync = disk.sync.bind(disk);
    disk.sync = (file) => (syncs++, sync(file));
    await outcomes(hits.slice(0, 1));
    syncs = 0;
    await outcomes(hits.slice(1));
    expect(syncs).toBeWithin(1, batchHitsMax / 100 + 1);
    expect(server.engine.health().records - before).toBe(batchHitsMax + 1);
    disk.failAt({ call: 1, code: "EIO" });
    expect((await send([good])).status).toBe(500);
    disk.failAt(undefined);
    expect(await outcomes([good])).toEqual(["accepted"]);
  });

  test("has few milliseconds of each turn, which it shares with others, for hits in the order of their times", async () => {
    takeEachLook(1);
    const turns: (number | null | undefined)[][] = [[]];
    const way = server.engine.hits;
    const count = way.take.bind(way);
    way.take = (hit, headers, sentFrom, sentBy) => {
      turns.at(-1)?.push(sentBy?.atMs);
      return count(hit, headers, sentFrom, sentBy);
    };
    const next = () => {
      turns.push([]);
      turn = setImmediate(next);
    };
    let turn = setImmediate(next);
    const hits = Array.from({ length: 30 }, (_, at) => ({ ...good, b: `${at}`, time: ago(30_000 - at) }));
    const others = (name: string) => Array.from({ length: 30 }, (_, at) => ({ ...good, b: `${name}${at}` }));
    const sent = [hits.toReversed(), others("a"), others("b")].map((batch) => outcomes(batch));
    expect(new Set((await Promise.all(sent)).flat())).toEqual(new Set(["accepted"]));
    clearImmediate(turn);
    expect(turns.flat().filter((atMs) => atMs !== null)).toEqual(hits.map(({ time }) => Date.parse(time)));
    expect(Math.max(...turns.map(({ length }) => length))).toBeWithin(1, 4);
  });

  test("that fails while hits are still to be counted answers an error, and is whole when it is sent again", async () => {
    takeEachLook(0.04);
    const hits = Array.from({ length: batchHitsMax }, (_, at) => ({ ...good, b: `f${at}` }));
    // The use of the token is on the disk then, too.
    await outcomes(hits.slice(0, 1));
    // A piece is written and synced, its segment looked for by its name, and the free space measured.
    for (const call of [1, 2, 3, 5, 6, 10]) {
      disk.failAt({ call, code: "EIO" });
      expect([call, (await send(hits)).status]).toEqual([call, 500]);
      disk.failAt(undefined);
    }
    expect((await send(hits)).status).toBe(200);
    expect((await summary())["pageviews"]).toBe(batchHitsMax);
  });

  test("of a token that is revoked while its body comes is refused", async () => {
    const body = new ReadableStream({
      pull: async (controller) => {
        await server.ask("DELETE", `/user/tokens/${sender.id}`, { cookie });
        controller.enqueue(Buffer.from(JSON.stringify({ hits: [good] })));
        controller.close();
      },
    });
    const headers = { ...sender.headers, "content-type": "application/json" };
    const request = new Request("http://localhost/event/batch", { method: "POST", headers, body });
    expect((await server.fetch(request)).status).toBe(401);
  });

  test("leaves nothing of an address or a user agent on the disk", async () => {
    const secret = { address: "203.0.113.77", user_agent: `${firefox} unit-4711`, language: "de-AT,xx-4711" };
    await outcomes([
      { ...good, ...secret },
      { b: "2", u: page, p: false, ...secret, time: ago(dayMs) },
    ]);
    await server.engine.stop();
    for (const [path, bytes] of disk.files) {
      const text = Buffer.from(bytes).toString("latin1");
      expect([path, text.includes("203.0.113.77"), text.includes("4711")]).toEqual([path, false, false]);
    }
  });
});
