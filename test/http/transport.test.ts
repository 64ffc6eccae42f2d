/** Tests of what holds for every answer, whatever the resource. */
import { beforeAll, describe, expect, test } from "bun:test";
import { routesByPath } from "../../src/http/routes.ts";
import type { LogFields } from "../../src/lib/log.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { commit, messageOf, TestServer } from "../support/http.ts";

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

const table = routesByPath("stats.js");
const concrete = (path: string) =>
  path.replace(":hostname", "example.com").replace(":id", "none").replace("*", "x/y");
const paths = [...table.keys()].map(concrete);

describe("every path of the table", () => {
  test("answers OPTIONS without a session, with its methods", async () => {
    for (const [path, routes] of table) {
      const response = await server.ask("OPTIONS", concrete(path));
      const methods = routes.map(({ method }) => method as string);
      expect(response.status).toBe(204);
      expect(response.headers.get("x-api-commit")).toBe(commit);
      expect(response.headers.get("allow")?.split(", ").toSorted()).toEqual(
        [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted(),
      );
      expect(await response.text()).toBe("");
    }
  });

  test("is 404 for every method that it does not have, with and without a session", async () => {
    for (const [path, routes] of table) {
      const methods = routes.map(({ method }) => method as string);
      const wrong = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].filter(
        (method) => !methods.includes(method) && !(method === "HEAD" && methods.includes("GET")),
      );
      for (const method of wrong)
        for (const asked of [{ cookie }, {}]) {
          const response = await server.ask(method, concrete(path), asked);
          expect(response.status).toBe(404);
          expect(response.headers.get("content-type")).toBe("application/json");
        }
    }
  });

  test("wants a session first, whatever else is wrong, where it wants one", async () => {
    const bad = { body: "{", headers: { "content-type": "text/plain" } };
    for (const [path, routes] of table)
      for (const { method, access } of routes) {
        if (access !== "session") continue;
        const asked = method === "GET" ? {} : bad;
        const response = await server.ask(method, `${path.replace(":hostname", "%zz")}?limit=x`, asked);
        expect(response.status).toBe(401);
        expect(await response.json()).toEqual({
          error: { code: 401, message: "log in first: this request has no valid session" },
        });
      }
  });

  test("answers under /api as at the root", async () => {
    for (const path of paths.filter((path) => path.startsWith("/api/") && !path.endsWith("/live"))) {
      const [under, root] = [
        await server.ask("GET", path, { cookie }),
        await server.ask("GET", path.slice(4), { cookie }),
      ];
      expect(under.status).toBe(root.status);
      // Metrics count these requests too.
      const [text, same] = [await under.text(), await root.text()];
      if (under.ok && !path.endsWith("/metrics")) expect(text).toBe(same);
    }
  });

  test("answers HEAD as GET, without a body but with its length where one is known", async () => {
    const isStream = /\/(live|export|export\.zip)$/;
    for (const path of paths) {
      const head = await server.ask("HEAD", path, { cookie });
      const get = await server.ask("GET", path, { cookie });
      expect(head.status).toBe(get.status);
      expect(head.headers.get("x-api-commit")).toBe(commit);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect(await head.text()).toBe("");
      const isUnmeasured = get.ok && isStream.test(path);
      expect([path, head.headers.get("transfer-encoding")]).toEqual([path, isUnmeasured ? "chunked" : null]);
      const length = isUnmeasured ? null : String((await get.bytes()).byteLength);
      expect([path, head.headers.get("content-length")]).toEqual([path, length]);
      if (isUnmeasured) await get.body?.cancel();
    }
  });

  test("is for this origin's pages, but for what trackers load, and says nothing of itself to others", async () => {
    const forTrackers = /^(\/api)?\/(event\/(?!batch$)[\w.]+|script\.js|stats\.js)$/;
    for (const [path, routes] of table)
      for (const { method } of routes) {
        const { headers, body } = await server.ask(method, concrete(path), { headers: { origin: "null" } });
        await body?.cancel();
        expect([path, headers.get("cross-origin-resource-policy")]).toEqual([
          path,
          forTrackers.test(path) ? "cross-origin" : "same-origin",
        ]);
        expect(headers.get("referrer-policy")).toBe("no-referrer");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
      }
  });

  test("says what its body is, and in which encoding where that is not fixed", async () => {
    const types = new Set<string>();
    for (const [path, routes] of table)
      for (const { method } of routes)
        for (const asked of [{}, { cookie }]) {
          if (method === "DELETE" || path.endsWith("logout")) continue;
          const { headers, body } = await server.ask(method, concrete(path), asked);
          expect([path, headers.get("content-type")]).toEqual([path, expect.any(String)]);
          types.add(headers.get("content-type") ?? "");
          await body?.cancel();
        }
    // JSON and event streams are UTF-8 whatever else is said; the text is one digit; the name of a file says what it is.
    expect([...types].toSorted()).toEqual([
      "application/json",
      "application/octet-stream",
      "application/zip",
      "text/event-stream",
      "text/html; charset=utf-8",
      "text/javascript; charset=utf-8",
      "text/plain",
      "text/plain; version=0.0.4; charset=utf-8",
    ]);
  });

  test("is kept by no cache where it is private: answers and errors alike", async () => {
    for (const [path, routes] of table)
      for (const { method, access } of routes) {
        const endsSession = path.endsWith("logout") || (method === "DELETE" && path.endsWith("/user"));
        if (access !== "session" || endsSession) continue;
        for (const asked of [{}, { cookie }, { cookie, body: "{" }]) {
          if (method === "GET" && "body" in asked) continue;
          const { headers, body } = await server.ask(
            method,
            path.replace(":hostname", "none.example"),
            asked,
          );
          await body?.cancel();
          expect([path, headers.get("cache-control")]).toEqual([path, "no-store"]);
        }
        if (method !== "GET") continue;
        const { headers, body } = await server.ask(method, concrete(path), { cookie });
        await body?.cancel();
        expect([path, headers.get("cache-control")]).toEqual([path, "no-store"]);
      }
  });

  test("sends a CORS header only if a tracker asks it", async () => {
    for (const path of paths) {
      const response = await server.ask("GET", path, { cookie, headers: { origin: "https://evil.example" } });
      const isTracker = /^(\/api)?\/event\/ping$/.test(path);
      expect(response.headers.get("access-control-allow-origin")).toBe(isTracker ? "*" : null);
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      await response.body?.cancel();
    }
  });
});

describe("an unknown path", () => {
  test.each([
    "/nope",
    "/user/",
    "/User",
    "/api",
    "/api/",
    "/api/api/user",
    "/websites/a/b",
    "/%zz",
    "//user",
    "/.git/HEAD",
    "/package.json",
    "/main.ts",
  ])("%s is a JSON 404 for every method", async (path) => {
    for (const method of ["GET", "POST", "OPTIONS", "PROPFIND"])
      for (const asked of [{}, { cookie }]) {
        const response = await server.ask(method, path, asked);
        expect(response.status).toBe(404);
        expect(response.headers.get("x-api-commit")).toBe(commit);
        expect(response.headers.get("content-type")).toBe("application/json");
        expect(await response.json()).toEqual({ error: { code: 404, message: expect.any(String) } });
      }
  });
});

test("a failure of the server tells the operator everything and the client nothing", async () => {
  const logged: LogFields[] = [];
  const failing = await TestServer.open({
    logger: { ...silentLogger, error: (_, fields = {}) => logged.push(fields) },
  });
  failing.engine.hits.take = () => Promise.reject(new Error("secret internals"));
  const body = { b: "b", u: "https://example.com/", p: true };
  const response = await failing.ask("POST", "/event/hit?secret", { body });
  expect(response.status).toBe(500);
  expect(response.headers.get("x-api-commit")).toBe(commit);
  expect(await response.json()).toEqual({
    error: { code: 500, message: "something went wrong in the server" },
  });
  expect(logged).toEqual([
    { method: "POST", path: "/event/hit", error: expect.stringContaining("secret internals") },
  ]);
});

describe("a body", () => {
  test.each([
    ["text/plain", "{}", "content-type: expected application/json"],
    ["application/json", "{", "body: expected JSON"],
    ["application/json", "", "body: expected JSON, got nothing"],
    ["application/json", "[]", "body: expected an object, got an array"],
    ["application/json", `"${"x".repeat(70_000)}"`, "body: expected at most 65536 bytes"],
  ])("%s %p is 400 wherever there is one", async (type, body, message) => {
    for (const [path, routes] of table)
      for (const { method, body: schema, access } of routes) {
        // Only an API token opens what servers ask (batch.test.ts).
        if (schema === undefined || access === "visitor" || access === "server") continue;
        if (path.endsWith("/setup")) continue;
        const asked = { body, cookie, headers: { "content-type": type } };
        const answer = await server.answer(method, concrete(path), asked);
        expect(answer.status).toBe(400);
        expect(messageOf(answer)).toStartWith(message);
      }
  });
});
