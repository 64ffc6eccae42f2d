/** The rules of a website through the API, and what becomes of hits under them. */
import { beforeEach, describe, expect, test } from "bun:test";
import { countryByZone } from "../../src/collect/visitor/zones.ts";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { messageOf, TestServer } from "../support/http.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

const path = "/website/example.com/rules";
const none = {
  blocked_networks: [],
  blocked_countries: [],
  blocked_paths: [],
  blocked_referrers: [],
  count_crawlers: false,
  count_referrer_spam: false,
  ignored_referrers: [],
};

let server: TestServer;
let cookie: string;
beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

const ask = (method: string, body?: unknown, at = path) => server.answer(method, at, { cookie, body });

const accepted = { accepted: true };
const refused = (reason: string) => ({ accepted: false, reason });
let beacon = 0;

async function hit(more: object = {}, headers: Record<string, string> = {}): Promise<unknown> {
  const body = { b: `b${beacon++}`, u: "https://example.com/", p: true, ...more };
  return (await server.hit(body, headers)).json();
}

describe("the rules", () => {
  test("are none at first, and change field by field", async () => {
    expect(await ask("GET")).toEqual({ status: 200, value: none });
    const blocked_networks = ["192.0.2.7", "10.0.0.0/8", "2001:db8::/32"];
    expect(await ask("PATCH", { blocked_networks })).toEqual({
      status: 200,
      value: { ...none, blocked_networks },
    });
    const { value } = await ask("PATCH", {
      blocked_countries: ["de", "FRANCE", "Unknown", "Germany"],
      blocked_paths: ["/Über/", "/shop/*", " /a "],
      blocked_referrers: ["www.Spam.example", "spam.example", "bücher.example", "www.com"],
      count_crawlers: true,
      count_referrer_spam: null,
      ignored_referrers: [" www.Pay.example", "pay.example", "klarna.com"],
    });
    const rules = {
      blocked_networks,
      blocked_countries: ["Germany", "France", "Unknown"],
      blocked_paths: ["/%C3%9Cber", "/shop/*", "/a"],
      blocked_referrers: ["spam.example", "xn--bcher-kva.example", "www.com"],
      count_crawlers: true,
      count_referrer_spam: false,
      ignored_referrers: ["pay.example", "klarna.com"],
    };
    expect(value).toEqual(rules);
    expect((await ask("PATCH", rules)).value).toEqual(rules);
    expect((await ask("GET")).value).toEqual(rules);
    expect((await ask("PATCH", {})).value).toEqual(rules);
    expect((await ask("PATCH", none)).value).toEqual(none);
    const website = await ask("GET", undefined, "/websites/example.com");
    expect(website.value).toEqual({
      hostname: "example.com",
      visits: true,
      role: "owner",
      summary: { visitors: 0 },
    });
  });

  test("take back every country that they show", async () => {
    const codes = [...new Set(countryByZone().values())];
    for (let at = 0; at < codes.length; at += 100) {
      const { value } = await ask("PATCH", { blocked_countries: codes.slice(at, at + 100) });
      const { blocked_countries } = value as typeof none;
      expect(new Set(blocked_countries).size).toBe(Math.min(100, codes.length - at));
      expect((await ask("PATCH", { blocked_countries })).value).toEqual(value);
    }
  });

  test.each([
    ["blocked_networks", ["192.0.2"]],
    ["blocked_networks", ["10.0.0.0/33"]],
    ["blocked_networks", "10.0.0.0/8"],
    ["blocked_networks", [7]],
    ["blocked_countries", ["Atlantis"]],
    ["blocked_countries", [""]],
    ["blocked_paths", ["admin"]],
    ["blocked_paths", ["*"]],
    ["blocked_paths", ["/a*b"]],
    ["blocked_paths", ["/a?b=1"]],
    ["blocked_paths", [`/${"a".repeat(2_048)}`]],
    ["blocked_paths", new Array(101).fill("/")],
    ["blocked_referrers", ["https://spam.example/"]],
    ["blocked_referrers", [""]],
    ["ignored_referrers", ["https://pay.example/"]],
    ["ignored_referrers", ["*.pay.example"]],
    ["ignored_referrers", new Array(101).fill("pay.example")],
    ["count_crawlers", 1],
    ["count_referrer_spam", "true"],
  ])("are not changed by a bad %s", async (field, value) => {
    const refused = await ask("PATCH", { [field]: value });
    expect(refused.status).toBe(400);
    expect(messageOf(refused)).toStartWith(`${field}: expected `);
    expect((await ask("GET")).value).toEqual(none);
  });

  test("are the owner's own, and stay as they are in a demo", async () => {
    expect((await server.ask("GET", path)).status).toBe(401);
    const { userId } = await addUser(server.engine, { username: "bob", password: "a good password" });
    await addWebsite(server.engine, { userId, sessionId: "" }, { hostname: "bob.example" });
    for (const host of ["bob.example", "none.example"])
      for (const [method, body] of [["GET"], ["PATCH", {}]] as const)
        expect((await ask(method, body, `/website/${host}/rules`)).status).toBe(404);
    const demo = await TestServer.open({ demo: true });
    cookie = await demo.prepare();
    const asked = { cookie, body: { count_crawlers: true } };
    expect((await demo.ask("PATCH", path, asked)).status).toBe(403);
  });
});

describe("a hit", () => {
  test.each([
    [{ blocked_networks: ["198.51.100.0/24"] }, {}, { "x-forwarded-for": "198.51.100.4" }],
    [{ blocked_networks: ["2001:db8::/32"] }, {}, { "x-forwarded-for": "2001:db8::1" }],
    [{ blocked_countries: ["Austria"] }, { t: "Europe/Vienna" }, {}],
    [{ blocked_paths: ["/admin/*"] }, { u: "https://example.com/admin/" }, {}],
    [{ blocked_paths: ["/Über"] }, { u: "https://example.com/über?x" }, {}],
    [{ blocked_referrers: ["bad.example"] }, { r: "https://www.bad.example/page" }, {}],
    [{ blocked_paths: ["/admin"] }, { u: "https://example.com/admin", p: null, d: { plan: "pro" } }, {}],
  ])("under %p is blocked, and others are not", async (rules, more, headers) => {
    expect(await hit(more, headers)).toEqual(accepted);
    await ask("PATCH", rules);
    expect(await hit(more, headers)).toEqual(refused("blocked"));
    expect(await hit()).toEqual(accepted);
    await ask("PATCH", none);
    expect(await hit(more, headers)).toEqual(accepted);
    const { days } = (await ask("GET", undefined, "/website/example.com/rejections")).value as {
      days: readonly object[];
    };
    expect(days).toMatchObject([{ blocked: 1 }]);
  });

  test("of a crawler or of referrer spam counts where the website says so", async () => {
    const crawler = { "user-agent": "Googlebot/2.1" };
    const spam = { r: "https://semalt.com/" };
    await ask("PATCH", { blocked_paths: ["/private"] });
    const blocked = { u: "https://example.com/private" };
    expect(await hit({ ...spam, ...blocked }, crawler)).toEqual(refused("crawler"));
    await ask("PATCH", { count_crawlers: true });
    expect(await hit({}, crawler)).toEqual(accepted);
    expect(await hit({ ...spam, ...blocked }, crawler)).toEqual(refused("referrer_spam"));
    await ask("PATCH", { count_referrer_spam: true });
    expect(await hit(spam, crawler)).toEqual(accepted);
    expect(await hit({ ...spam, ...blocked }, crawler)).toEqual(refused("blocked"));
  });

  test("of a page view that counts is never blocked", async () => {
    expect(await hit({ b: "known" })).toEqual(accepted);
    await ask("PATCH", { blocked_networks: ["0.0.0.0/0"] });
    const { u, p } = { u: null, p: null };
    expect(await hit({ b: "known", u, p, m: 5 })).toEqual(accepted);
    expect(await hit({ b: "known", u, p, d: { plan: "pro" } })).toEqual(accepted);
    expect(await hit({ b: "another" })).toEqual(refused("blocked"));
  });
});

describe("a buyer who comes back from a payment provider", () => {
  const order = (b: string) => hit({ b, u: null, p: null, d: { order: "paid" } });
  const thanks = "https://example.com/thanks";
  const pay = "https://checkout.pay.example/return?order=7";

  /** The sources that an owner sees: of visits, of those with an order, and of hits. */
  async function sources(asked = server) {
    const question = async (query: string) => {
      const rows = await asked.get<Record<string, unknown>[]>(`/website/example.com/${query}`, cookie);
      return rows.map(({ referrer, source, visits, pageviews }) => [referrer ?? source, visits ?? pageviews]);
    };
    return {
      visits: await question("referrers?by=visit&metrics=visits&grouped=false"),
      campaigns: await question("sources?by=visit&metrics=visits"),
      orders: await question("referrers?by=visit&metrics=visits&prop_name[eq]=order"),
      hits: await question("referrers?metrics=pageviews&grouped=false"),
    };
  }

  async function buys(after: number, more: object = {}): Promise<void> {
    await hit({ b: "cart", u: "https://example.com/?utm_source=letter", r: "https://news.example/" });
    server.clock.advance(after * 60_000);
    expect(await hit({ b: "thanks", u: thanks, r: pay, p: false, q: false, ...more })).toEqual(accepted);
    expect(await order("thanks")).toEqual(accepted);
  }

  const later = { campaigns: [["letter", 1]], orders: [["", 1]] };

  test("begins a visit with that source, unless it is not a source: the visit is direct then", async () => {
    await buys(40);
    expect(await sources()).toMatchObject({ orders: [["checkout.pay.example", 1]] });
    server.clock.advance(24 * 3_600_000);
    await ask("PATCH", { ignored_referrers: ["pay.example"] });
    await buys(40);
    const { visits, hits } = await sources();
    const expected = [
      ["news.example", 2],
      ["", 1],
      ["checkout.pay.example/return", 1],
    ];
    expect([visits, hits].map((rows) => rows.toSorted())).toEqual(
      [expected, expected].map((rows) => rows.toSorted()),
    );
  });

  test("goes on with the visit while it lasts, also where the day's first page view is that one", async () => {
    await ask("PATCH", { ignored_referrers: ["pay.example"] });
    await buys(20, { p: true, q: false });
    expect(await sources()).toEqual({
      visits: [["news.example", 1]],
      campaigns: [["letter", 1]],
      orders: [["news.example", 1]],
      hits: [
        ["", 1],
        ["news.example", 1],
      ],
    });
  });

  test("counts although the host is blocked and known for spam, and its utm values stay", async () => {
    await ask("PATCH", { blocked_referrers: ["example"] });
    expect(await hit({ b: "lost", u: thanks, r: pay })).toEqual(refused("blocked"));
    expect(await order("lost")).toEqual(refused("blocked"));
    await ask("PATCH", { ignored_referrers: ["pay.example", "semalt.com"] });
    expect(await hit({ u: `${thanks}?utm_source=receipt`, r: pay })).toEqual(accepted);
    expect(await hit({ r: "https://semalt.com/" })).toEqual(accepted);
    expect(await hit({ r: "https://other.example/" })).toEqual(refused("blocked"));
    expect(await sources()).toMatchObject({ campaigns: [["receipt", 1]], orders: [] });
  });

  test("has the same source after a replay, whatever the rules are by then", async () => {
    const disk = new MemoryDisk();
    server = await TestServer.open({ disk });
    cookie = await server.prepare();
    await ask("PATCH", { ignored_referrers: ["pay.example"] });
    await buys(40);
    const before = await sources();
    expect(before).toMatchObject(later);
    await ask("PATCH", { ignored_referrers: [] });
    const { clock } = server;
    // As it is on the disk, without a clean stop: all comes from the log.
    const again = await TestServer.open({ disk: disk.clone(), clock });
    expect(await sources(again)).toEqual(before);
  });
});

describe("the later hits of a page view that was refused", () => {
  const crawler = { "user-agent": "Googlebot/2.1" };
  const unload = (b: string) => hit({ b, u: null, p: null, m: 5_000 });
  const event = (b: string, more: object = {}) => hit({ b, u: null, p: null, d: { plan: "pro" }, ...more });
  const counts = async () =>
    ((await ask("GET", undefined, "/website/example.com/rejections")).value as { days: object[] }).days[0];

  test("repeat the reason for ten minutes after the last of them, and only the page view is among what is not counted", async () => {
    await hit({ b: "refused" }, crawler);
    expect(await unload("refused")).toEqual(refused("crawler"));
    server.clock.advance(599_000);
    expect(await event("refused")).toEqual(refused("crawler"));
    expect(await event("refused", { u: "https://example.com/" })).toEqual(refused("crawler"));
    server.clock.advance(599_000);
    expect(await unload("refused")).toEqual(refused("crawler"));
    expect(await counts()).toMatchObject({ crawler: 1, early: 0 });
    // A load that is sent again was refused by itself.
    expect(await hit({ b: "refused" }, crawler)).toEqual(refused("crawler"));
    expect(await counts()).toMatchObject({ crawler: 2, early: 0 });
    server.clock.advance(600_000);
    expect(await unload("refused")).toEqual(accepted);
    expect(await unload("never seen")).toEqual(accepted);
  });

  test("count if the page view counts after all", async () => {
    await ask("PATCH", { blocked_networks: ["0.0.0.0/0"] });
    expect(await hit({ b: "again" })).toEqual(refused("blocked"));
    await ask("PATCH", none);
    expect(await hit({ b: "again" })).toEqual(accepted);
    expect(await unload("again")).toEqual(accepted);
    expect(await hit({ b: "again" }, crawler)).toEqual(refused("crawler"));
    expect(await unload("again")).toEqual(accepted);
  });
});
