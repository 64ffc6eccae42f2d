/** Who may have a browser ask for a change: a page of this server, and what is no browser at all. */
import { beforeAll, describe, expect, test } from "bun:test";
import { apiRoutes } from "../../src/http/routes.ts";
import type { Route } from "../../src/http/transport/route.ts";
import { credentials, messageIn, TestServer } from "../support/http.ts";

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

const changes = apiRoutes.filter(
  ({ method, access }) => method !== "GET" && access !== "visitor" && access !== "server",
);
const concrete = (path: string) => path.replace(":hostname", "none.example").replace(":id", "none");
const ask = ({ method, path }: Route, headers: Readonly<Record<string, string>>) =>
  server.ask(method, concrete(path), { cookie, headers, body: {} });

const foreign = [
  { origin: "https://evil.example" },
  { origin: "http://localhost:8080" },
  { origin: "http://sub.localhost" },
  { origin: "null" },
  { origin: "" },
  { origin: "file://localhost" },
  { origin: "localhost" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "" },
  { origin: "http://localhost", "sec-fetch-site": "same-site" },
];

describe("whatever changes something", () => {
  test.each(foreign)("is refused from a page with %j, and nothing is changed", async (headers) => {
    const before = JSON.stringify(server.engine.registry.save());
    for (const route of changes) {
      const response = await ask(route, headers);
      const code = route.path === "/auth/login" ? 400 : 403;
      expect([route.path, response.status]).toEqual([route.path, code]);
      expect(await messageIn(response)).toMatch(/^(Origin|Sec-Fetch-Site): expected /);
      expect(response.headers.get("set-cookie")).toBeNull();
    }
    expect(JSON.stringify(server.engine.registry.save())).toBe(before);
  });

  test("wants a session first", async () => {
    for (const { method, path } of changes.filter(({ access }) => access === "session")) {
      const headers = { origin: "https://evil.example" };
      expect((await server.ask(method, concrete(path), { headers })).status).toBe(401);
    }
  });

  test.each([
    {},
    { origin: "http://localhost" },
    { origin: "http://LOCALHOST:80", "sec-fetch-site": "same-origin" },
    // Behind a proxy that passes on no host: the browser says that the page is ours.
    { origin: "https://stats.example", "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
    { host: "stats.example:443", origin: "https://stats.example" },
    { host: "stats.example", origin: "https://stats.example:443" },
    { host: "[::1]:8080", origin: "http://[::1]:8080" },
  ])("is taken with %j", async (headers) => {
    const body = { settings: { language: "en" } };
    expect((await server.ask("PATCH", "/user", { cookie, body, headers })).status).toBe(200);
  });

  test.each(["foreign.example", ""])("is refused with the host %j and our origin", async (host) => {
    const headers = { host, origin: "http://localhost" };
    expect((await server.ask("PATCH", "/user", { cookie, body: {}, headers })).status).toBe(403);
  });
});

test("a login from a page of this server is taken, and sets its cookie", async () => {
  const headers = { origin: "http://localhost", "sec-fetch-site": "same-origin" };
  const response = await server.ask("POST", "/auth/login", { body: credentials, headers });
  expect(response.status).toBe(200);
});

describe("behind a proxy that sends another Host", () => {
  const headers = {
    host: "127.0.0.1:8080",
    origin: "https://stats.example",
    "x-forwarded-host": "stats.example",
  };

  test.each([
    ["trusted", undefined, 200],
    ["not trusted", "203.0.113.9", 403],
  ])("X-Forwarded-Host of one that is %s", async (_, peer, status) => {
    const behind = await TestServer.open(peer === undefined ? {} : { peer });
    const own = await behind.prepare();
    const patch = (more: object) =>
      behind.ask("PATCH", "/user", { cookie: own, body: {}, headers: { ...headers, ...more } });
    expect((await patch({})).status).toBe(status);
    expect((await patch({ "x-forwarded-host": "cdn.example, stats.example" })).status).toBe(status);
    expect((await patch({ origin: "https://evil.example" })).status).toBe(403);
  });
});

test("hits come from everywhere", async () => {
  const headers = { origin: "https://example.com", "sec-fetch-site": "cross-site" };
  const body = { b: "b", u: "https://example.com/", p: true };
  expect((await server.ask("POST", "/event/hit", { body, headers })).status).toBe(200);
});

test("questions may be asked from anywhere: nobody else can read the answer", async () => {
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await server.ask("GET", "/user", { cookie, headers })).status).toBe(200);
});
