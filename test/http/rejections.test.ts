import { beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/http.ts";

const path = "/website/example.com/rejections";

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

interface Answer {
  readonly days: readonly Readonly<Record<string, string | number>>[];
  readonly unknown?: readonly { readonly hostname: string; readonly hits: number }[];
  readonly hiding_proxy?: { readonly address?: string };
}

const answer = () => server.get<Answer>(path, cookie);

describe("GET /website/{hostname}/rejections", () => {
  test("is empty where everything was counted", async () => {
    expect(await answer()).toEqual({ days: [], unknown: [] });
    expect((await server.ask("GET", path)).status).toBe(401);
    expect((await server.ask("GET", path.replace("example", "none"), { cookie })).status).toBe(404);
  });

  test("counts by reason, at once, and names hostnames that nobody registered", async () => {
    const u = "https://example.com/";
    await server.hit({ b: "1", u, p: true });
    for (let time = 0; time < 3; time++) await server.hit({ b: "1", u, p: true });
    await server.hit({ b: "2", u }, { "user-agent": "Googlebot/2.1" });
    await server.hit({ b: "3", u, r: "https://semalt.com/" });
    await server.hit({ b: "4", u, p: "yes" });
    for (const host of ["a.example", "b.example", "a.example"])
      await server.hit({ b: "5", u: `https://${host}/` });
    const { days, unknown } = await answer();
    expect(days).toHaveLength(1);
    expect(days[0]).toMatchObject({ duplicate: 3, crawler: 1, referrer_spam: 1, malformed: 1, flood: 0 });
    expect(unknown).toEqual([
      { hostname: "a.example", hits: 2 },
      { hostname: "b.example", hits: 1 },
    ]);
  });
});

test("a proxy that hides visitors is said, with its address to the owner of the server only", async () => {
  server = await TestServer.open({ trustProxy: "192.0.2.1", peer: "10.1.2.3" });
  cookie = await server.prepare();
  await server.hit({ b: "1", u: "https://example.com/", p: true });
  expect(await answer()).not.toHaveProperty("hiding_proxy");
  const forwarded = { "x-forwarded-for": "198.51.100.4" };
  await server.hit({ b: "2", u: "https://example.com/", p: true }, forwarded);
  expect((await answer()).hiding_proxy).toEqual({ address: "10.1.2.3" });
  await server.ask("PATCH", "/websites/example.com", { cookie, body: { visits: false } });
  expect(await answer()).not.toHaveProperty("hiding_proxy");
});

test("Cloudflare, whose address a proxy passes on in place of the visitor's, is a proxy that hides visitors", async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  const load = (b: string, said: string) => {
    const headers = { "x-forwarded-for": "198.51.100.4", "cf-connecting-ip": said };
    return server.hit({ b, u: "https://example.com/?gclid=x", p: true }, headers);
  };
  await load("1", "198.51.100.4");
  expect(await answer()).not.toHaveProperty("hiding_proxy");
  await load("2", "203.0.113.1");
  expect((await answer()).hiding_proxy).toEqual({});
  const figures = "/website/example.com/summary?metrics=pageviews,visits";
  expect(await server.get(figures, cookie)).toEqual({ current: { pageviews: 2, visits: 1 } });
});
