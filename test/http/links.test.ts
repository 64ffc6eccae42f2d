/** Links through the API: who makes them, what opens them, what they show, and what they never show. */
import { beforeEach, describe, expect, test } from "bun:test";
import { filterNames } from "../../src/core/questions/dimension.ts";
import { visitValuesOf } from "../../src/core/questions/stored-dimension.ts";
import { linksMax } from "../../src/core/website/link.ts";
import { freeFailures } from "../../src/accounts/login/throttle.ts";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { apiRoutes } from "../../src/http/routes.ts";
import { messageOf, TestServer } from "../support/http.ts";
import { makeLink } from "../support/links.ts";
import { event, load, valuesOf } from "../support/records.ts";
import { makeToken } from "../support/tokens.ts";

let server: TestServer;
let cookie: string;
beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

type Headers = Readonly<Record<string, string>>;

async function ask(method: string, path: string, more: object = {}) {
  const answer = await server.answer(method, path, more);
  return { ...answer, message: messageOf(answer) };
}

const make = (body: object) => ask("POST", "/website/example.com/links", { cookie, body });
const read = (headers: Headers, path = "pages") => ask("GET", `/website/example.com/${path}`, { headers });

/** A visit from Germany that goes from the blog to the prices, and one from France that only sees the prices. */
async function someVisits(): Promise<void> {
  const timeMs = server.clock.nowMs();
  const view = (visit: number, path: string, country: string, source: string) => {
    const values = valuesOf(path).with(2, source).with(8, country);
    const ofVisit = { visit, visitValues: visitValuesOf(valuesOf("/blog/a").with(2, "news"), false) };
    return server.engine.commit(load(`${visit}${path}`, { timeMs, values, websiteId: 1, ...ofVisit }));
  };
  await view(1, "/blog/a", "DE", "news");
  await view(1, "/pricing", "DE", "");
  await view(2, "/pricing", "FR", "shop");
  await server.engine.commit(
    event("2/pricing", { timeMs, websiteId: 0, values: null, properties: [["plan", "pro"]], numbers: [] }),
  );
}

describe("a link", () => {
  test("is made with a token that is said once and kept as a hash", async () => {
    const { status, value } = await make({ name: " Client " });
    expect(status).toBe(201);
    const { token, id, ...rest } = value as { token: string; id: string };
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(rest).toMatchObject({
      name: "Client",
      public: false,
      password: false,
      filters: [],
      frame_ancestors: [],
    });
    const list = await ask("GET", "/website/example.com/links", { cookie });
    expect(list.value).toEqual([{ id, ...rest }]);
    expect(JSON.stringify(server.engine.registry.save())).not.toContain(token);
  });

  test("opens the statistics of its website with the token, and nothing without it", async () => {
    const { id, headers } = await makeLink(server, cookie);
    expect((await read(headers)).status).toBe(200);
    expect((await read(headers, "shared")).value).toEqual({
      hostname: "example.com",
      visits: true,
      filters: [],
    });
    const { userId } = server.engine.registry.userByName("ada") as { userId: number };
    await addWebsite(server.engine, { userId, sessionId: "" }, { hostname: "own.example" });
    const elsewhere = ["own.example", "none.example", "a_b"].map((host) => `/website/${host}/pages`);
    for (const path of elsewhere) expect((await ask("GET", path, { headers })).status).toBe(404);
    const wrong = ["", id, `${id}.`, `${id}.${"A".repeat(43)}`, `x${headers["footfall-link"]}`, "__proto__"];
    for (const secret of wrong)
      expect([secret, (await read({ "footfall-link": secret })).status]).toEqual([secret, 404]);
  });

  test("is revoked at once, also where a stream is open", async () => {
    const { id, headers } = await makeLink(server, cookie);
    const live = await server.ask("GET", "/website/example.com/live", { headers });
    const reader = (live.body as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: {"visitors":0}\n\n');
    expect((await ask("DELETE", `/website/example.com/links/${id}`, { cookie })).status).toBe(204);
    expect(await read(headers)).toMatchObject({ status: 404, message: expect.stringContaining("revoked") });
    expect((await reader.read()).done).toBe(true);
    expect((await ask("DELETE", `/website/example.com/links/${id}`, { cookie })).status).toBe(404);
  });

  test("has its own rights whatever cookie comes with it", async () => {
    const { headers } = await makeLink(server, cookie, {
      filters: [{ name: "path", operator: "eq", operands: ["/none"] }],
    });
    await someVisits();
    const both = await ask("GET", "/website/example.com/pages", { headers, cookie });
    expect(both.value).toEqual([]);
    expect((await ask("PATCH", "/user", { headers, cookie, body: {} })).status).toBe(403);
  });

  test("does not say what its owner calls it", async () => {
    const { headers } = await makeLink(server, cookie, { name: "Not for the competition" });
    for (const path of ["shared", "summary", "goals", "funnels"]) {
      const answer = await read(headers, path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(JSON.stringify(answer)).not.toContain("competition");
    }
  });

  test("is not looked at beside an API token, and is beside what else browsers and proxies send", async () => {
    const filters = [{ name: "path", operator: "eq", operands: ["/none"] }];
    const { headers } = await makeLink(server, cookie, { filters });
    await someVisits();
    const { value: byAccount } = await ask("GET", "/website/example.com/pages", { cookie });
    expect(byAccount).not.toEqual([]);
    const { token, headers: bearer } = await makeToken(server, cookie, "read");
    for (const link of [headers["footfall-link"] ?? "", token, "", "none.none"])
      expect(await read({ ...bearer, "footfall-link": link })).toMatchObject({
        status: 200,
        value: byAccount,
      });
    expect((await read({ ...headers, authorization: `${bearer["authorization"]}x` })).status).toBe(401);
    const { headers: sending } = await makeToken(server, cookie, "send");
    expect((await read({ ...headers, ...sending })).status).toBe(403);
    for (const authorization of ["Basic YWRhOmFkYQ==", "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x", "Bearer "])
      expect(await read({ ...headers, authorization })).toMatchObject({ status: 200, value: [] });
  });

  test("goes with its website, and follows it to another name", async () => {
    const { headers } = await makeLink(server, cookie);
    await ask("PATCH", "/websites/example.com", { cookie, body: { hostname: "new.example" } });
    expect((await ask("GET", "/website/new.example/pages", { headers })).status).toBe(200);
    await ask("DELETE", "/websites/new.example", { cookie });
    expect((await ask("GET", "/website/new.example/pages", { headers })).status).toBe(404);
  });

  test.each([
    [{}, "name: expected a string, got nothing"],
    [{ name: " " }, 'name: expected 1 to 100 characters, got ""'],
    [{ name: "Our Site", public: true }, "name: expected lower-case letters, digits and hyphens"],
    [{ name: "a", public: "yes" }, "public: expected a boolean"],
    [{ name: "a", password: "short" }, "password: expected 8 to 128 characters, got 5"],
    [{ name: "a", password: "long enough", frame_ancestors: ["a.example"] }, "password: expected none"],
    [{ name: "a", frame_ancestors: ["a.example; script-src *"] }, "frame_ancestors: expected a host"],
    [{ name: "a", frame_ancestors: ["*"] }, "frame_ancestors: expected a host"],
    [{ name: "a", frame_ancestors: ["a.example/x"] }, "frame_ancestors: expected a host"],
    [{ name: "a", frame_ancestors: [1] }, "frame_ancestors: expected a host"],
    [{ name: "a", frame_ancestors: Array(21).fill("a.example") }, "frame_ancestors: expected at most 20"],
    [{ name: "a", filters: {} }, "filters: expected an array"],
    [{ name: "a", filters: ["x"] }, "filters: expected an object"],
    [
      { name: "a", filters: [{ name: "paths", operator: "eq", operands: ["/"] }] },
      "filters.name: expected path",
    ],
    [{ name: "a", filters: [{ name: "path", operator: "is", operands: ["/"] }] }, "filters.operator: expec"],
    [{ name: "a", filters: [{ name: "path", operator: "eq" }] }, "filters.operands: expected one text"],
    [{ name: "a", filters: [{ name: "path", operator: "eq", operands: ["a", "b"] }] }, "filters.operands: "],
    [{ name: "a", filters: [{ name: "path", operator: "in", operands: [1] }] }, "filters.operands: expected"],
    [
      { name: "a", filters: Array(21).fill({ name: "path", operator: "eq", operands: ["/"] }) },
      "filters: expected at most 20",
    ],
  ])("that is %j is refused", async (body, message) => {
    const answer = await make(body);
    expect([answer.status, answer.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test("is one of a bounded number, and a public name is taken once", async () => {
    expect((await make({ name: "all", public: true })).status).toBe(201);
    expect((await make({ name: "all", public: true })).status).toBe(409);
    for (let count = 1; count < linksMax; count++) await makeLink(server, cookie);
    expect(await make({ name: "more" })).toMatchObject({
      status: 400,
      message: `links: expected at most ${linksMax} of a website: revoke one first`,
    });
  });
});

describe("a public link", () => {
  test("opens by its name, and says no token", async () => {
    const { value } = await make({ name: "our-figures", public: true });
    expect(value).toMatchObject({ id: "our-figures", public: true });
    expect(value).not.toHaveProperty("token");
    expect((await read({ "footfall-link": "our-figures" })).status).toBe(200);
    expect((await read({ "footfall-link": "our-figure" })).status).toBe(404);
  });
});

describe("a password", () => {
  const unlock = (headers: Headers, password: unknown) =>
    ask("POST", "/website/example.com/shared", { headers, body: { password } });

  test("opens a link for twelve hours, and no other one", async () => {
    const { headers } = await makeLink(server, cookie, { password: "open sesame" });
    const other = await makeLink(server, cookie, { password: "open sesame" });
    expect(await read(headers)).toMatchObject({ status: 401, message: "this link needs its password" });
    expect((await unlock(headers, "wrong")).status).toBe(401);
    const { status, value } = await unlock(headers, "open sesame");
    const { grant } = value as { grant: string };
    expect(status).toBe(200);
    const granted = { ...headers, "footfall-grant": grant };
    expect((await read(granted)).status).toBe(200);
    expect((await read({ ...other.headers, "footfall-grant": grant })).status).toBe(401);
    expect((await read({ ...headers, "footfall-grant": `9${grant}` })).status).toBe(401);
    server.clock.advance(11.9 * 3_600_000);
    expect((await read(granted)).status).toBe(200);
    server.clock.advance(0.2 * 3_600_000);
    expect((await read(granted)).status).toBe(401);
    expect(JSON.stringify(server.engine.registry.save())).not.toContain("open sesame");
  });

  test("is asked only of whoever has the link, and guessed as slowly as that of a login", async () => {
    const { id, headers } = await makeLink(server, cookie, { password: "open sesame" });
    expect((await unlock({ "footfall-link": id }, "open sesame")).status).toBe(404);
    expect((await unlock({}, "open sesame")).status).toBe(404);
    expect((await unlock(headers, 1)).status).toBe(400);
    for (let count = 0; count < freeFailures; count++) await unlock(headers, "wrong");
    const response = await server.ask("POST", "/website/example.com/shared", {
      headers,
      body: { password: "open sesame" },
    });
    expect([response.status, response.headers.get("retry-after")]).toEqual([401, "2"]);
    const plain = await makeLink(server, cookie);
    expect((await unlock(plain.headers, "any")).status).toBe(401);
  });
});

function withoutTargets(rows: unknown): unknown {
  return (rows as Record<string, unknown>[]).map(({ page: _page, event: _event, ...row }) => row);
}

describe("the filters of a link", () => {
  const held = (name: string, operator: string, operand: string) => [{ name, operator, operands: [operand] }];
  const viewsOf = async (headers: Headers, more = "") => {
    const { value } = await read(headers, `summary?metrics=pageviews${more}`);
    return (value as { current: { pageviews: number } }).current.pageviews;
  };

  test("on sources are those of visits, whether the reader asks by visit or not", async () => {
    await someVisits();
    const { headers } = await makeLink(server, cookie, { filters: held("utm_source", "neq", "news") });
    // Both views of the visit from Germany are of a visit from news, although the second says nothing itself.
    expect([await viewsOf(headers), await viewsOf(headers, "&by=visit")]).toEqual([0, 0]);
  });

  test("on pages hold for entry pages too, which would tell where else visits began", async () => {
    await someVisits();
    const { headers } = await makeLink(server, cookie, { filters: held("path", "eq", "/pricing") });
    expect([await viewsOf(headers), await viewsOf(headers, "&entry[eq]=/blog/a")]).toEqual([2, 0]);
  });

  test("that a visit's entry page may not pass do not say where visits began", async () => {
    await someVisits();
    const asked = "&entry[starts_with]=/";
    const seen = async (...filters: object[]) => {
      const { headers } = await makeLink(server, cookie, { filters });
      expect((await read(headers, `entries?by=visit`)).status).toBe(200);
      for (const list of ["pages?by=visit", "goals?by=visit", "export.zip?by=visit"])
        expect((await server.ask("GET", `/website/example.com/${list}${asked}`, { headers })).status).toBe(
          403,
        );
      return read(headers, `summary?${asked}`);
    };
    const message = "entry: a link that is held to a country or a property does not say where visits began";
    for (const name of ["prop_name", "prop_value", "country"])
      for (const operator of ["eq", "neq"])
        expect(await seen(...held(name, operator, "plan"))).toMatchObject({ status: 403, message });
    expect(await seen(...held("path", "eq", "/pricing"), ...held("prop_name", "eq", "plan"))).toMatchObject({
      status: 403,
      message,
    });
    // All that a visit has one value of says so, and so do a link without filters and an account.
    const others = filterNames.filter((name) => !["prop_name", "prop_value", "country"].includes(name));
    for (const name of others) {
      const { headers } = await makeLink(server, cookie, { filters: held(name, "neq", "none") });
      expect([name, await viewsOf(headers, asked)]).toEqual([name, 3]);
    }
    const { headers } = await makeLink(server, cookie);
    expect(await viewsOf(headers, asked)).toBe(3);
  });

  test("on a property show no goals that are events, and refuse them", async () => {
    await someVisits();
    const { headers } = await makeLink(server, cookie, { filters: held("prop_name", "eq", "plan") });
    const add = async (body: object) => {
      const { value } = await ask("POST", "/website/example.com/goals", { cookie, body });
      return (value as { id: number }).id;
    };
    const page = await add({ name: "Read", page: { eq: "/pricing" } });
    const event = await add({ name: "Paid", event: { prop_name: "salary", amount: "salary" } });
    const { value } = await read(headers, "goals");
    expect((value as object[]).map((row) => Object.keys(row).slice(0, 2))).toEqual([["id", "name"]]);
    expect(JSON.stringify(value)).not.toMatch(/salary|pricing|Paid/);
    expect((await read(headers, `pages?goal=${event}`)).status).toBe(403);
    expect((await read(headers, `pages?goal=${page}`)).status).toBe(200);
  });

  test("on a property refuse steps of a funnel that are events", async () => {
    const { headers } = await makeLink(server, cookie, { filters: held("prop_name", "eq", "plan") });
    expect((await read(headers, "funnel?step=page:/&step=event:secret=yes")).status).toBe(403);
    expect((await read(headers, "funnel?step=page:/&step=page:/pricing")).status).toBe(200);
  });

  const german = { name: "country", operator: "in", operands: ["Germany"] };
  const blog = { name: "path", operator: "starts_with", operands: ["/blog/"] };

  test("hold in every endpoint, whatever is asked besides", async () => {
    await someVisits();
    const { headers } = await makeLink(server, cookie, { filters: [german, blog] });
    await ask("POST", "/website/example.com/goals", {
      cookie,
      body: { name: "All", page: { contains: "/" } },
    });
    const own = "country[in]=Germany&path[starts_with]=/blog/";
    const queries: Readonly<Record<string, string>> = {
      funnel: "step=page:/blog/a&step=page:/pricing",
      drivers: "start=2026-03-01T00:00:00Z&end=2026-03-31T00:00:00Z",
      summary: "interval=hour&previous=false&end=2099-01-01T00:00:00Z&start=2098-12-31T00:00:00Z",
    };
    // The archive of all of them has a test of its own.
    const lists = apiRoutes.filter(
      ({ access, statistics, media }) => access === "reader" && statistics !== undefined && !media,
    );
    expect(lists.length).toBeGreaterThan(15);
    for (const { path } of lists) {
      const list = path.split("/").at(-1) ?? "";
      if (list === "journeys") continue;
      for (const by of ["", "&by=visit"])
        for (const more of ["", "&country[in]=France", "&path[eq]=/pricing", "&prop_name[eq]=plan"]) {
          const query = `${queries[list] ?? ""}${by}${more}`;
          const asked = await ask("GET", `/website/example.com/${list}?${query}`, { headers });
          // The owner asks for both in other operators, for a repeated list would be one longer list.
          const narrower = more.replace("country[in]", "country[eq]");
          // Under a link with filters, goals and steps are no others than those of the rows that it shows.
          const ofRows = list === "goals" || list === "funnel" ? "" : by;
          const expected = await ask(
            "GET",
            `/website/example.com/${list}?${own}&${queries[list] ?? ""}${ofRows}${narrower}`,
            { cookie },
          );
          // A link with filters does not say by what a goal is reached.
          const value = list === "goals" ? withoutTargets(expected.value) : expected.value;
          expect([list, query, asked]).toEqual([list, query, { ...expected, value }]);
          expect([list, asked.status]).toEqual([list, 200]);
          expect(JSON.stringify(asked.value)).not.toContain("France");
        }
    }
  });

  test("are not told by how many rows were read for an answer", async () => {
    await someVisits();
    const { headers } = await makeLink(server, cookie, {
      filters: [{ name: "path", operator: "eq", operands: ["/none"] }],
    });
    const rowsRead = async (who: object) =>
      (await server.ask("GET", "/website/example.com/pages", who)).headers.get("server-timing");
    expect(await rowsRead({ cookie })).toMatch(/ rows read/);
    expect(await rowsRead({ headers: (await makeLink(server, cookie)).headers })).toMatch(/ rows read/);
    expect(await rowsRead({ headers })).toBeNull();
  });

  test("hold for goals and steps of the visits that a reader chooses", async () => {
    await someVisits();
    const { headers } = await makeLink(server, cookie, { filters: [german] });
    for (const name of ["/blog/a", "/pricing"])
      await ask("POST", "/website/example.com/goals", { cookie, body: { name, page: { eq: name } } });
    const steps = "step=page:/blog/a&step=page:/pricing";
    const visitsOf = async (headers: Headers, path: string) =>
      ((await read(headers, path)).value as { visits: number }[]).map(({ visits }) => visits);
    // The one visit from Germany that saw the blog went on to the prices.
    expect(await visitsOf(headers, "goals?by=visit&path[eq]=/blog/a")).toEqual([1, 1]);
    expect(await visitsOf(headers, `funnel?by=visit&path[eq]=/blog/a&${steps}`)).toEqual([1, 1]);
    expect(await visitsOf(headers, "goals?path[eq]=/blog/a")).toEqual([1, 0]);
    // A link that is held to the blog says nothing of the prices.
    const { headers: ofBlog } = await makeLink(server, cookie, { filters: [blog] });
    for (const more of ["", "&country[eq]=Germany"]) {
      expect(await visitsOf(ofBlog, `goals?by=visit${more}`)).toEqual([1, 0]);
      expect(await visitsOf(ofBlog, `funnel?by=visit&${steps}${more}`)).toEqual([1, 0]);
    }
  });

  test("hold for the amounts of the visits that they select", async () => {
    await someVisits();
    const timeMs = server.clock.nowMs();
    const sale = {
      timeMs,
      websiteId: 0,
      values: null,
      properties: [["price", "9.5"] as const],
      numbers: [9.5],
    };
    await server.engine.commit(event("1/pricing", sale));
    const body = { name: "Sales", event: { prop_name: "price", amount: "price" } };
    await ask("POST", "/website/example.com/goals", { cookie, body });
    const asked = "by=visit&goal=1&metrics=conversions,amount";
    const { headers } = await makeLink(server, cookie, { filters: [german] });
    expect((await read(headers, `pages?${asked}`)).value).toEqual([
      { path: "/blog/a", conversions: 1, amount: 9.5 },
      { path: "/pricing", conversions: 1, amount: 9.5 },
    ]);
    expect((await read(headers, `summary?${asked}`)).value).toEqual({
      current: { conversions: 1, amount: 9.5 },
    });
    // The price was said on a page that a link to the blog does not show.
    const { headers: ofBlog } = await makeLink(server, cookie, { filters: [blog] });
    for (const list of ["pages", "entries"])
      expect((await read(ofBlog, `${list}?${asked}`)).value).toEqual([{ path: "/blog/a", conversions: 1 }]);
    expect((await read(ofBlog, `summary?${asked}`)).value).toEqual({ current: { conversions: 1 } });
  });

  test("leave out the amounts of no visit, as other filters do", async () => {
    await someVisits();
    const sale = { timeMs: server.clock.nowMs(), websiteId: 1, values: valuesOf("/pricing") };
    const priced = { properties: [["price", "9.5"] as const], numbers: [9.5] };
    await server.engine.commit(event("", { ...sale, ...priced }));
    const body = { name: "Sales", event: { prop_name: "price", amount: "price" } };
    await ask("POST", "/website/example.com/goals", { cookie, body });
    const path = { name: "path", operator: "eq", operands: ["/pricing"] };
    const { headers: all } = await makeLink(server, cookie);
    const { headers: held } = await makeLink(server, cookie, { filters: [path] });
    const figures = async (headers: Headers, more = "") => {
      const [goal] = (await read(headers, `goals?by=visit${more}`)).value as { amount: number }[];
      const asked = `summary?by=visit&goal=1&metrics=amount${more}`;
      const { current } = (await read(headers, asked)).value as { current: { amount: number } };
      return [goal!.amount, current.amount];
    };
    expect(await figures(all)).toEqual([9.5, 9.5]);
    expect(await figures(all, "&path[eq]=/pricing")).toEqual([0, 0]);
    expect(await figures(held)).toEqual([0, 0]);
  });

  test("hold in the stream, which counts what they select", async () => {
    await someVisits();
    const now = async (headers: Headers) => {
      const response = await server.ask("GET", "/website/example.com/live", { headers });
      const stream = (response.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await stream.read();
      await stream.cancel();
      return new TextDecoder().decode(value);
    };
    const all = await makeLink(server, cookie);
    const some = await makeLink(server, cookie, { filters: [german] });
    expect(await now(all.headers)).toBe('data: {"visitors":2}\n\n');
    expect(await now(some.headers)).toBe('data: {"visitors":1}\n\n');
    await ask("PATCH", "/websites/example.com", { cookie, body: { visits: false } });
    expect(await now(some.headers)).toBe('data: {"visitors":2}\n\n');
  });

  test("hide journeys, which name pages that they do not select", async () => {
    await someVisits();
    const { headers } = await makeLink(server, cookie, { filters: [blog] });
    expect((await read(headers, "journeys?path=/blog/a")).status).toBe(403);
    const all = await makeLink(server, cookie);
    expect((await read(all.headers, "journeys?path=/blog/a")).status).toBe(200);
  });
});

describe("the page of a link", () => {
  const policyOf = (response: Response) =>
    /frame-ancestors ([^;]*)/.exec(response.headers.get("content-security-policy") ?? "")?.[1];

  test("is for no search engine, and in frames of the link's hosts only", async () => {
    const framed = await makeLink(server, cookie, {
      frame_ancestors: ["Partner.example", "https://www.partner.example:8443", "partner.example"],
    });
    const plain = await makeLink(server, cookie);
    const hosts = "partner.example https://www.partner.example:8443";
    const expected: [string, string | undefined, string][] = [
      [`/share/example.com/${framed.id}`, hosts, "cross-origin"],
      [`/share/example.com/${plain.id}`, "'none'", "same-origin"],
      ["/share/example.com/none", "'none'", "same-origin"],
      [`/share/none.example/${framed.id}`, "'none'", "same-origin"],
    ];
    for (const [path, ancestors, policy] of expected) {
      const response = await server.ask("GET", path);
      expect([path, response.status, policyOf(response)]).toEqual([path, 200, ancestors]);
      expect(response.headers.get("x-robots-tag")).toBe("noindex");
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
      expect(response.headers.get("cross-origin-resource-policy")).toBe(policy);
    }
    expect(policyOf(await server.ask("GET", "/dashboard"))).toBe("'none'");
  });
});

test("a link from before a rename opens while hits of the old name count for the website, and never another's", async () => {
  const { id, headers } = await makeLink(server, cookie, { frame_ancestors: ["partner.example"] });
  await someVisits();
  const change = (body: object) => server.ask("PATCH", "/websites/new.example", { cookie, body });
  await server.ask("PATCH", "/websites/example.com", { cookie, body: { hostname: "new.example" } });
  const policy = async () =>
    (await server.ask("GET", `/share/example.com/${id}`)).headers.get("content-security-policy");
  expect((await read(headers)).status).toBe(404);
  expect(await policy()).toContain("frame-ancestors 'none'");
  await change({ aliases: ["example.com"] });
  expect(await read(headers, "shared")).toMatchObject({ status: 200, value: { hostname: "new.example" } });
  expect((await read(headers)).value).toHaveLength(2);
  expect(await policy()).toContain("frame-ancestors partner.example");
  await change({ aliases: [] });
  // Its hits count for the name with www., and no owner can enter it among the others then.
  await change({ hostname: "www.example.com" });
  expect(await read(headers, "shared")).toMatchObject({
    status: 200,
    value: { hostname: "www.example.com" },
  });
  expect(await policy()).toContain("frame-ancestors partner.example");
  await server.ask("POST", "/websites", { cookie, body: { hostname: "example.com" } });
  expect((await read(headers)).status).toBe(404);
});

describe("another account", () => {
  test("makes, sees and revokes no link of a website that is not its own", async () => {
    const { id } = await makeLink(server, cookie);
    const grace = { username: "grace", password: "long enough" };
    await addUser(server.engine, grace);
    const other = await server.logIn(grace);
    const path = "/website/example.com/links";
    expect((await ask("GET", path, { cookie: other })).status).toBe(404);
    expect((await ask("POST", path, { cookie: other, body: { name: "a" } })).status).toBe(404);
    expect((await ask("DELETE", `${path}/${id}`, { cookie: other })).status).toBe(404);
  });
});
