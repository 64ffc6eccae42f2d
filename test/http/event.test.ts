import { beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/http.ts";

let server: TestServer;
let beacons = 0;
beforeAll(async () => {
  server = await TestServer.open();
  await server.prepare();
});

function hit(body: unknown, more: Record<string, string> = {}): Promise<Response> {
  return server.hit(body, { "content-type": "text/plain;charset=UTF-8", ...more });
}

function load(more: object = {}) {
  return { b: `beacon-${beacons++}`, u: "https://example.com/blog", p: true, ...more };
}

describe("POST /event/hit", () => {
  test("counts a load, its end and an event, whatever the content type", async () => {
    const page = load();
    for (const type of ["text/plain", "application/json", "nonsense"])
      expect(await (await hit(load(), { "content-type": type })).json()).toEqual({ accepted: true });
    for (const body of [page, { b: page.b, m: 1_000 }, { b: page.b, d: { plan: "pro" } }]) {
      const response = await hit(body);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(await response.json()).toEqual({ accepted: true });
    }
  });

  test("says why a hit is not counted", async () => {
    const page = load();
    await hit(page);
    expect(await (await hit(page)).json()).toEqual({ accepted: false, reason: "duplicate" });
    const crawler = await hit(load(), { "user-agent": "Googlebot/2.1" });
    expect(crawler.status).toBe(200);
    expect(await crawler.json()).toEqual({ accepted: false, reason: "crawler" });
  });

  test("takes no event without a value for the load of its beacon, which comes after it", async () => {
    const page = load({ q: false, r: "https://source.example/" });
    const refused = await hit({ b: page.b, u: page.u, t: "UTC", d: { search: null } });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { message: "d: expected at least one property that is not null, got 0" },
    });
    expect(await (await hit(page)).json()).toEqual({ accepted: true });
  });

  test("counts an event once that has an id, also of a page that was reloaded", async () => {
    const [page, reloaded] = [load(), load({ p: false })];
    const order = ({ b, u }: typeof page) => ({ b, u, i: "order-1", d: { order: "paid", amount: 1_000 } });
    await hit(page);
    expect(await (await hit(order(page))).json()).toEqual({ accepted: true });
    await hit(reloaded);
    expect(await (await hit(order(reloaded))).json()).toEqual({ accepted: false, reason: "duplicate" });
  });

  test("judges size, JSON and shape before the website, and that before the reasons", async () => {
    const elsewhere = "https://unknown.example/";
    const crawler = { "user-agent": "Googlebot/2.1" };
    const statusOf = async (body: unknown) => (await hit(body, crawler)).status;
    expect(await statusOf(`{"u":"${elsewhere}","b":"${"x".repeat(70_000)}"`)).toBe(400);
    expect(await statusOf("{")).toBe(400);
    expect(await statusOf(load({ u: elsewhere, p: "yes" }))).toBe(400);
    expect(await statusOf(load({ u: elsewhere }))).toBe(404);
    expect(await statusOf(load())).toBe(200);
  });

  test("errors reach the page of another origin too, and name the field", async () => {
    const response = await hit({ u: 5 });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.json()).toEqual({
      error: { code: 400, message: "u: expected a string, got 5" },
    });
  });

  test("reads and sends no cookie", async () => {
    const response = await hit(load(), { cookie: "_me_sess=%zz; {" });
    expect(response.status).toBe(200);
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  test("takes names of properties that are names of the language", async () => {
    const body = '{"b":"proto","u":"https://example.com/","d":{"__proto__":"a","constructor":"b"}}';
    expect(await (await hit(body)).json()).toEqual({ accepted: true });
  });

  test("allows the preflight of any origin", async () => {
    for (const path of ["/event/hit", "/event/ping", "/api/event/hit"]) {
      const { status, headers } = await server.ask("OPTIONS", path, {
        headers: { origin: "https://a.example" },
      });
      expect(status).toBe(204);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-methods")).toBe("GET, POST");
      expect(headers.get("access-control-allow-headers")).toBe("content-type");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
    }
  });
});

describe("GET /event/ping", () => {
  // The clock of the server stands at 2026-03-15T12:00:00Z.
  const utcDay = "Sun, 15 Mar 2026 00:00:00 GMT";

  async function ping(query: string, since?: string) {
    const headers: Record<string, string> = since === undefined ? {} : { "if-modified-since": since };
    const response = await server.ask("GET", `/event/ping${query}`, { headers });
    const { status } = response;
    return { status, text: await response.text(), headers: response.headers };
  }

  test("0 for a browser that knows nothing, with the day to remember", async () => {
    const { status, text, headers } = await ping("?h=example.com");
    expect([status, text]).toEqual([200, "0"]);
    expect(headers.get("content-type")).toBe("text/plain");
    expect(headers.get("last-modified")).toBe(utcDay);
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("cdn-cache-control")).toBe("no-store");
    expect(headers.get("surrogate-control")).toBe("no-store");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("set-cookie")).toBeNull();
  });

  test("1 for a browser that was here today, never 304", async () => {
    expect(await ping("", utcDay)).toMatchObject({ status: 200, text: "1" });
    expect(await ping("", "Sun, 15 Mar 2026 11:00:00 GMT")).toMatchObject({ status: 200, text: "1" });
    expect(await ping("", "Sat, 14 Mar 2026 23:59:59 GMT")).toMatchObject({ status: 200, text: "0" });
  });

  test("the day is that of the visitor's zone, else of UTC", async () => {
    const day = async (zone: string) =>
      (await ping(`?u=example.com/a&t=${zone}`)).headers.get("last-modified");
    expect(await day("Europe/Berlin")).toBe("Sat, 14 Mar 2026 23:00:00 GMT");
    expect(await day("America%2FNew_York")).toBe("Sun, 15 Mar 2026 04:00:00 GMT");
    expect(await day("Mars/Olympus")).toBe(utcDay);
    expect(await day("")).toBe(utcDay);
  });

  test("refuses a malformed date, without telling the browser a day", async () => {
    const { status, text, headers } = await ping("", "yesterday");
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toBe('If-Modified-Since: expected an HTTP date, got "yesterday"');
    expect(headers.get("last-modified")).toBeNull();
  });
});
