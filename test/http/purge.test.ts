import { beforeEach, describe, expect, test } from "bun:test";
import { addUser } from "../../src/engine/admin/account/users.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { TestServer } from "../support/http.ts";
import { joinAs } from "../support/members.ts";

const path = "/website/example.com/purge";

let server: TestServer;
let cookie: string;
beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  await fill();
});

async function fill(): Promise<void> {
  const pages = ["/", "/wp-login", "/wp-login/x", "/about"];
  for (const [at, page] of pages.entries())
    await server.hit({ b: `b${at}`, u: `https://example.com${page}`, p: at === 1, d: { plan: "free" } });
}

async function purge(query: string, own = cookie): Promise<[status: number, answer: unknown]> {
  const { status, value } = await server.answer("POST", `${path}?${query}`, { cookie: own });
  return [status, value];
}

async function pages(): Promise<string[]> {
  const rows = await server.get<{ path: string }[]>("/website/example.com/pages", cookie);
  return rows.map(({ path }) => path).sort();
}

describe("POST /website/{hostname}/purge", () => {
  test("says what would go, and removes it only when it is told to", async () => {
    const counts = { pageviews: 2, visitors: 1, events: 2 };
    for (const query of ["path[contains]=wp-login", "path[contains]=wp-login&dry_run=true"])
      expect(await purge(query)).toEqual([200, { ...counts, removed: false }]);
    expect(await pages()).toHaveLength(4);
    expect(await purge("path[contains]=wp-login&dry_run=false")).toEqual([200, { ...counts, removed: true }]);
    expect(await pages()).toEqual(["/", "/about"]);
    expect(await purge("path[contains]=wp-login&dry_run=false")).toEqual([
      200,
      { pageviews: 0, visitors: 0, events: 0, removed: true },
    ]);
  });

  test("takes away a page view that says it was seen for a day, which decides the mean and not the median", async () => {
    const send = (body: object) => server.hit(body);
    const times = async () => {
      const asked = "/website/example.com/summary?metrics=time_total,time_median";
      return (await server.get<{ current: object }>(asked, cookie)).current;
    };
    for (let at = 0; at < 4; at++) await send({ b: `b${at}`, m: 30_000 });
    expect(await times()).toEqual({ time_total: 120_000, time_median: 30_000 });
    await send({ b: "liar", u: "https://example.com/scam", p: true });
    await send({ b: "liar", m: 86_400_000 });
    expect(await times()).toEqual({ time_total: 86_520_000, time_median: 30_000 });
    await purge("path[eq]=/scam&dry_run=false");
    expect(await times()).toEqual({ time_total: 120_000, time_median: 30_000 });
  });

  test("takes a period as statistics do", async () => {
    const now = new Date(server.clock.nowMs()).toISOString();
    expect(await purge(`start=${now}&end=${now}`)).toMatchObject([200, { pageviews: 4 }]);
    expect(await purge("end=2020-01-01T00:00:00Z")).toMatchObject([200, { pageviews: 0 }]);
  });

  test("refuses what it does not understand, and to remove everything", async () => {
    for (const query of [
      "path[is]=/",
      "path=/",
      "start=yesterday",
      "dry_run=no",
      "channel[eq]=Direct",
      "until=2020-01-01",
    ])
      expect(await purge(query)).toMatchObject([400, { error: { code: 400 } }]);
    // Another version may look up another channel.
    const [, refused] = await purge("channel[eq]=Direct");
    expect(JSON.stringify(refused)).toContain("filters: expected a filter of path, ");
    expect(JSON.stringify(refused)).not.toMatch(/ channel|visit_/);
    const [, ofVisits] = await purge("channel[eq]=Direct&by=visit");
    expect(ofVisits).toEqual(refused);
    const [, ignored] = await purge("path[eq]=/&goal=1");
    expect(JSON.stringify(ignored)).toContain("expected start, end, dry_run, by and filters like path[eq]");
    const [status, answer] = await purge("dry_run=false");
    expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringContaining("remove the website")]);
    expect(await pages()).toHaveLength(4);
  });

  test("with by=visit takes what the statistics of visits show under the filters, with all pages of a visit", async () => {
    await server.hit({ b: "v1", u: "https://example.com/in", p: true, r: "https://ring.example/me@mail" });
    await server.hit({ b: "v2", u: "https://example.com/next", p: false, r: "https://example.com/in" });
    const filter = "referrer[contains]=ring.example&by=visit";
    const path = `/website/example.com/summary?metrics=pageviews&${filter}`;
    const shown = async () => (await server.get<{ current: { pageviews: number } }>(path, cookie)).current;
    expect(await shown()).toEqual({ pageviews: 2 });
    expect(await purge("referrer[contains]=ring.example")).toMatchObject([200, { pageviews: 1 }]);
    expect(await purge(filter)).toMatchObject([200, { pageviews: 2, removed: false }]);
    expect(await purge(`${filter}&dry_run=false`)).toMatchObject([200, { pageviews: 2, removed: true }]);
    expect(await shown()).toEqual({ pageviews: 0 });
    expect(await pages()).toHaveLength(4);
    const rows = await server.get("/website/example.com/referrers?by=visit&grouped=false", cookie);
    expect(JSON.stringify(rows)).not.toContain("ring.example");
    await server.ask("PATCH", "/websites/example.com", { cookie, body: { visits: false } });
    const [status, refused] = await purge(filter);
    expect([status, JSON.stringify(refused)]).toEqual([
      400,
      expect.stringContaining("by: expected a website with visits"),
    ]);
  });

  test("is for the owner alone", async () => {
    await addUser(server.engine, { username: "grace", password: "long enough" });
    const other = await server.logIn({ username: "grace", password: "long enough" });
    expect((await purge("path[eq]=/&dry_run=false", other))[0]).toBe(404);
    expect((await purge("path[eq]=/&dry_run=false", ""))[0]).toBe(401);
    expect(await pages()).toHaveLength(4);
  });

  test("removes nothing for an account that lost its role or its session while a checkpoint was awaited", async () => {
    const removedAfter = async (own: string, meanwhile: () => Promise<Response>) => {
      const checkpoint = Promise.withResolvers<void>();
      void (server.engine as RunningEngine)["checkpointer"].between(() => checkpoint.promise);
      const purged = purge("path[eq]=/&dry_run=false", own);
      expect((await meanwhile()).ok).toBeTrue();
      checkpoint.resolve();
      return (await purged)[0];
    };
    const member = "/website/example.com/members/grace";
    const grace = await joinAs(server, cookie, "owner", "grace");
    const becomes = (role: string) => () => server.ask("PATCH", member, { cookie, body: { role } });
    expect(await removedAfter(grace, becomes("editor"))).toBe(403);
    await becomes("owner")();
    expect(await removedAfter(grace, () => server.ask("POST", "/auth/logout", { cookie: grace }))).toBe(401);
    const lost = await server.logIn({ username: "grace", password: "long enough" });
    expect(await removedAfter(lost, () => server.ask("DELETE", member, { cookie }))).toBe(404);
    expect(await pages()).toHaveLength(4);
  });

  test("an account has one at a time, and others are not kept waiting by one that its client left", async () => {
    const both = await Promise.all([purge("path[eq]=/"), purge("path[eq]=/&dry_run=false")]);
    expect(both.map(([status]) => status)).toEqual([200, 409]);
    expect(JSON.stringify(both[1])).toContain("a removal is under way: try again when it is done");
    expect((await purge("path[is]=/"))[0]).toBe(400);
    const left = (query: string) => {
      const [method, headers] = ["POST", { cookie: `_me_sess=${cookie}` }];
      const signal = AbortSignal.abort();
      return server.fetch(new Request(`http://localhost${path}?${query}`, { method, headers, signal }));
    };
    const given = await left("path[eq]=/");
    expect([given.status, await given.text()]).toEqual([500, expect.stringContaining("cancelled")]);
    expect(await pages()).toHaveLength(4);
    expect((await left("path[eq]=/&dry_run=false")).status).toBe(200);
    expect(await pages()).toHaveLength(3);
  });

  test("in demo mode only counts", async () => {
    server = await TestServer.open({ demo: true });
    cookie = await server.prepare();
    await fill();
    expect((await purge("path[contains]=wp-login"))[0]).toBe(200);
    expect((await purge("path[contains]=wp-login&dry_run=false"))[0]).toBe(403);
    expect(await pages()).toHaveLength(4);
  });
});
