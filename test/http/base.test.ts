/** A server whose paths all begin with a base. */
import { beforeAll, expect, test } from "bun:test";
import { credentials, TestServer } from "../support/http.ts";

const base = "/stats";
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open({ base });
  await server.prepare();
});

test("everything is below the base, and nothing beside it", async () => {
  for (const path of [
    "",
    "/",
    "/dashboard",
    "/share/example.com/id",
    "/healthz",
    "/api/healthz",
    "/stats.js",
  ])
    for (const method of ["GET", "HEAD"]) {
      expect((await server.ask(method, base + path)).status).toBe(200);
      expect((await server.ask(method, path)).status).toBe(404);
    }
  expect((await server.ask("GET", `${base}x/healthz`)).status).toBe(404);
  const body = { b: "b1", u: "https://example.com/", p: true };
  const agent = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
  const hit = await server.ask("POST", `${base}/event/hit`, { body, headers: agent });
  expect(await hit.json()).toEqual({ accepted: true });
});

test("the cookies of a login are sent below it only", async () => {
  const login = await server.ask("POST", `${base}/auth/login`, { body: credentials });
  expect(login.status).toBe(200);
  for (const cookie of login.headers.getSetCookie()) expect(cookie).toContain(`; Path=${base};`);
});

test("the page and the OpenAPI document say it", async () => {
  const page = await (await server.ask("GET", `${base}/`)).text();
  expect(page).toContain(`<html lang="en" data-script="stats.js" data-base="${base}" `);
  expect(page).toContain(`described at ${base}/openapi.json`);
  const { servers } = await server.get<{ servers: object[] }>(`${base}/openapi.json`);
  expect(servers).toEqual([{ url: base }, { url: `${base}/api` }]);
});
