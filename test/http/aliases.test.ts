/** The other hostnames of a website: who may have which, and that a visit goes on from one to the other. */
import { beforeEach, describe, expect, test } from "bun:test";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { messageOf, TestServer } from "../support/http.ts";

const path = "/websites/example.com";

let server: TestServer;
let cookie: string;
beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

const ask = (method: string, at: string, body?: unknown, as = cookie) =>
  server.answer(method, at, { cookie: as, body });

/** Answers a PATCH of the other hostnames with those that the website has then, or with the error. */
async function change(aliases: unknown, at = path, as = cookie) {
  const answer = await ask("PATCH", at, { aliases }, as);
  const { aliases: changed } = answer.value as { aliases?: string[] };
  return { status: answer.status, aliases: changed, message: messageOf(answer) };
}

async function hit(body: object): Promise<unknown> {
  return (await server.hit(body)).json();
}

const rowsOf = async (list: string) => (await ask("GET", `/website/example.com/${list}`)).value;

describe("the other hostnames", () => {
  test("are none at first, without www., each once, and leave as a whole", async () => {
    expect((await ask("GET", path)).value).not.toHaveProperty("aliases");
    const given = ["Shop.Example.com", " www.shop.example.com ", "bücher.example", "shop.example.com"];
    const aliases = ["shop.example.com", "xn--bcher-kva.example"];
    expect(await change(given)).toMatchObject({ status: 200, aliases });
    expect((await ask("GET", path)).value).toMatchObject({ hostname: "example.com", aliases, visits: true });
    expect(await change(aliases)).toMatchObject({ status: 200, aliases });
    expect((await ask("PATCH", path, { visits: true })).value).toMatchObject({ aliases });
    expect(await change([])).toMatchObject({ status: 200, aliases: undefined });
  });

  test.each([
    ["shop", "an array"],
    [[7], "a hostname like shop.example.com"],
    [["https://shop.example.com"], "a hostname like shop.example.com"],
    [Array.from({ length: 21 }, (_, at) => `s${at}.example`), "at most 20 hostnames"],
    [["www.example.com"], "a hostname that no website has, with or without www."],
    [["own.example"], 'hits of "own.example" count for "own.example": rename or remove that website'],
    [["www.shop.own.example"], 'hits of "shop.own.example" count for "own.example"'],
    [["www.www.hers.example"], "a hostname that no website has, with or without www."],
    [["fine.example", "help.other.example"], "a hostname that no website has, with or without www."],
  ])("are not %p: %s", async (aliases, message) => {
    const { userId } = server.engine.registry.userByName("ada")!;
    const other = await addUser(server.engine, { username: "bob", password: "another good password" });
    const bob = { userId: other.userId, sessionId: "" };
    await addWebsite(server.engine, { userId, sessionId: "" }, { hostname: "own.example" });
    await change(["shop.own.example"], "/websites/own.example");
    for (const hostname of ["www.hers.example", "other.example"])
      await addWebsite(server.engine, bob, { hostname });
    await server.engine.commit({
      kind: "websiteAliases",
      timeMs: server.clock.nowMs(),
      websiteId: server.engine.registry.websiteByHost("other.example")!.websiteId,
      aliases: ["help.other.example"],
    });
    const refused = await change(aliases);
    expect(refused.status).toBe(400);
    expect(refused.message).toStartWith("aliases: ");
    expect(refused.message).toContain(message);
    expect((await ask("PATCH", path, { hostname: "www.www.example.com", aliases })).status).toBe(400);
    expect((await ask("GET", path)).status).toBe(200);
    expect((await ask("GET", path)).value).not.toHaveProperty("aliases");
  });

  test("are no names of websites, and keep others from having them", async () => {
    await change(["shop.example.com"]);
    expect((await ask("GET", "/websites/shop.example.com")).status).toBe(404);
    for (const hostname of ["shop.example.com", "www.shop.example.com"]) {
      const added = await ask("POST", "/websites", { hostname });
      expect(added).toMatchObject({
        status: 409,
        value: { error: { message: `hostname: "${hostname}" is taken: its hits count for "example.com"` } },
      });
      expect((await ask("POST", "/websites", { hostname: `x${hostname}` })).status).toBe(201);
      expect((await ask("PATCH", `/websites/x${hostname}`, { hostname })).status).toBe(400);
    }
    await change([]);
    expect((await ask("POST", "/websites", { hostname: "shop.example.com" })).status).toBe(201);
  });

  test("have one that becomes the website's name no longer", async () => {
    await change(["shop.example.com", "example.net"]);
    const renamed = await ask("PATCH", path, { hostname: "www.example.net" });
    expect(renamed.value).toMatchObject({ hostname: "www.example.net", aliases: ["shop.example.com"] });
    const both = { hostname: "example.net", aliases: ["example.com"] };
    expect((await ask("PATCH", "/websites/www.example.net", both)).value).toMatchObject(both);
  });

  test("are told of to nobody whose token is for another website of the account", async () => {
    await ask("POST", "/websites", { hostname: "secret.example" });
    await change(["shop.secret.example"], "/websites/secret.example");
    const asked = { name: "n", scope: "admin", hostname: "example.com" };
    const { token } = (await ask("POST", "/user/tokens", asked)).value as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    const messageFor = async (alias: string) => {
      const answer = await server.answer("PATCH", path, { headers, body: { aliases: [alias] } });
      return [answer.status, messageOf(answer)];
    };
    const none = "aliases: expected a hostname that no website has, with or without www., got";
    for (const alias of ["secret.example", "shop.secret.example"])
      expect(await messageFor(alias)).toEqual([400, `${none} "${alias}"`]);
    expect(await change(["shop.secret.example"])).toMatchObject({
      message: expect.stringContaining('hits of "shop.secret.example" count for "secret.example"'),
    });
  });

  test("are changed by owners alone", async () => {
    const bob = await addUser(server.engine, { username: "bob", password: "another good password" });
    const timeMs = server.clock.nowMs();
    await server.engine.commit({
      kind: "invitationAdded",
      timeMs,
      websiteId: 1,
      invitationId: "i",
      role: "editor",
      tokenHash: "x",
      madeBy: 0,
    });
    await server.engine.commit({
      kind: "invitationAccepted",
      timeMs,
      websiteId: 1,
      invitationId: "i",
      userId: bob.userId,
    });
    const hers = await server.logIn({ username: "bob", password: "another good password" });
    expect((await change(["shop.example.com"], path, hers)).status).toBe(403);
    expect((await ask("GET", path, undefined, hers)).value).not.toHaveProperty("aliases");
  });
});

describe("hits of another hostname", () => {
  const shop = "https://www.shop.example.com";

  beforeEach(async () => {
    await change(["shop.example.com", "pay.example.net"]);
  });

  test("go on with the visit, whose campaign has the order, and are one visitor", async () => {
    await ask("POST", "/website/example.com/goals", {
      name: "Order",
      event: { prop_name: "order", amount: "total" },
    });
    const first = {
      b: "1",
      u: "https://example.com/?utm_campaign=spring",
      p: true,
      r: "https://news.example/",
    };
    const hits = [
      first,
      { b: "2", u: `${shop}/cart/`, p: false, r: "https://example.com/" },
      // Another site: the browser knows nothing there.
      { b: "3", u: "https://pay.example.net/", p: true, q: false, r: `${shop}/` },
      { b: "4", u: `${shop}/thanks`, p: false, r: "https://pay.example.net/" },
      { b: "4", u: `${shop}/thanks`, d: { order: true, total: 58 } },
    ];
    for (const body of hits) expect(await hit(body)).toEqual({ accepted: true });
    const figures = "metrics=visitors,visits,pageviews,conversions,amount&goal=1&by=visit";
    expect(await rowsOf(`campaigns?${figures}`)).toEqual([
      { campaign: "spring", visitors: 1, visits: 1, pageviews: 4, conversions: 1, amount: 58 },
    ]);
    expect(await rowsOf("referrers?metrics=pageviews&by=visit")).toEqual([
      { referrer: "news.example", pageviews: 4 },
    ]);
    expect(await rowsOf("pages?metrics=pageviews")).toEqual([
      { path: "/", pageviews: 1 },
      { path: "//pay.example.net/", pageviews: 1 },
      { path: "//shop.example.com/cart", pageviews: 1 },
      { path: "//shop.example.com/thanks", pageviews: 1 },
    ]);
    expect(await rowsOf("pages?metrics=pageviews&path[starts_with]=//shop.example.com/")).toHaveLength(2);
    expect(
      await rowsOf("funnel?step=page:/&step=page://shop.example.com/thanks&step=event:order"),
    ).toMatchObject([{ visits: 1 }, { visits: 1 }, { visits: 1 }]);
  });

  test("are no new visitors while a visit goes on, whatever led there, and then by what the browser says", async () => {
    const visitors = async () =>
      ((await rowsOf("summary?by=visit&metrics=visitors,visits")) as { current: object }).current;
    await hit({ b: "1", u: "https://example.com/", p: true, r: "https://news.example/" });
    await hit({ b: "2", u: `${shop}/thanks`, p: true, r: "https://provider.example/" });
    await hit({ b: "3", u: `${shop}/`, p: true });
    await hit({ b: "4", u: "https://example.com/", p: true, r: `${shop}/` });
    expect(await visitors()).toEqual({ visitors: 1, visits: 1 });
    server.clock.advance(31 * 60_000);
    await hit({ b: "5", u: `${shop}/`, p: true, r: "https://example.com/" });
    expect(await visitors()).toEqual({ visitors: 2, visits: 2 });
  });

  test("are new visitors of a website without visits unless a link led from one to the other", async () => {
    await ask("PATCH", path, { visits: false });
    await hit({ b: "1", u: "https://example.com/", p: true });
    await hit({ b: "2", u: `${shop}/`, p: true, r: "https://example.com/" });
    expect(await rowsOf("summary")).toMatchObject({ current: { visitors: 1 } });
    await hit({ b: "3", u: `${shop}/`, p: true, r: `${shop}/before` });
    await hit({ b: "4", u: `${shop}/`, p: true, r: "https://elsewhere.example/" });
    expect(await rowsOf("summary")).toMatchObject({ current: { visitors: 3 } });
  });

  test("are blocked by their paths", async () => {
    await ask("PATCH", "/website/example.com/rules", { blocked_paths: ["//shop.example.com/admin*"] });
    expect(await hit({ b: "1", u: `${shop}/admin/1`, p: true })).toEqual({
      accepted: false,
      reason: "blocked",
    });
    expect(await hit({ b: "2", u: "https://example.com/admin/1", p: true })).toEqual({ accepted: true });
    const { value } = await ask("PATCH", "/website/example.com/rules", {
      blocked_paths: ["//shop.example.com/", "//a/b/"],
    });
    expect(value).toMatchObject({ blocked_paths: ["//shop.example.com/", "//a/b"] });
    expect(await hit({ b: "3", u: `${shop}/`, p: true })).toEqual({ accepted: false, reason: "blocked" });
    expect(await hit({ b: "4", u: `${shop}/a`, p: true })).toEqual({ accepted: true });
  });

  test("are no longer shown as those of a hostname that nobody registered", async () => {
    const unknown = async () =>
      ((await rowsOf("rejections")) as { unknown: { hostname: string }[] }).unknown.map(
        ({ hostname }) => hostname,
      );
    for (const u of ["https://blog.example.com/", "https://other.example.com/"])
      await server.hit({ b: u, u, p: true });
    expect(await unknown()).toEqual(["other.example.com", "blog.example.com"]);
    await change(["blog.example.com"]);
    expect(await unknown()).toEqual(["other.example.com"]);
  });

  test("are unknown once it is one of the website no more; what came before stays", async () => {
    await hit({ b: "1", u: `${shop}/`, p: true });
    await change([]);
    const { status } = await server.hit({ b: "2", u: `${shop}/`, p: true });
    expect(status).toBe(404);
    expect(await rowsOf("pages?metrics=pageviews")).toEqual([{ path: "//shop.example.com/", pageviews: 1 }]);
  });
});
