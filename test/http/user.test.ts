import { beforeEach, describe, expect, test } from "bun:test";
import { credentials, TestServer } from "../support/http.ts";
import { noonMs } from "../support/records.ts";

let server: TestServer;
let cookie: string;
beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

describe("the account", () => {
  test("is shown with its settings and dates in Unix seconds", async () => {
    expect(await server.get<object>("/user", cookie)).toEqual({
      username: "Ada",
      settings: { language: "en", script_type: ["default"] },
      dateCreated: noonMs / 1_000,
      dateUpdated: noonMs / 1_000,
    });
  });

  test("is changed field by field", async () => {
    server.clock.advance(5_000);
    const body = {
      username: "Grace",
      settings: { script_type: ["outbound-links", "hash-routes"] },
      extra: 1,
    };
    const response = await server.ask("PATCH", "/user", { cookie, body });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      username: "Grace",
      settings: { language: "en", script_type: ["outbound-links", "hash-routes"] },
      dateCreated: noonMs / 1_000,
      dateUpdated: noonMs / 1_000 + 5,
    });
  });

  test("a new password needs the current one and ends the other sessions", async () => {
    const other = await server.logIn();
    const password = "a new password";
    const change = (body: object) => server.ask("PATCH", "/user", { cookie, body });
    expect((await change({ password })).status).toBe(400);
    expect((await change({ password, current_password: "wrong horse" })).status).toBe(400);
    expect((await change({ password, current_password: credentials.password })).status).toBe(200);
    expect((await server.ask("GET", "/user", { cookie })).status).toBe(200);
    expect((await server.ask("GET", "/user", { cookie: other })).status).toBe(401);
    expect(await server.logIn()).toBe("");
    expect(await server.logIn({ ...credentials, password })).not.toBe("");
  });

  test("whose name is from before a rule for names logs in and keeps it, and gets no other such name", async () => {
    const change = (body: object) => server.ask("PATCH", "/user", { cookie, body });
    expect((await change({ username: "Ada\u3164" })).status).toBe(400);
    const nothing = { passwordHash: null, keepSessionId: "", language: null, scriptType: null };
    const username = "Ada\u3164";
    const renamed = { kind: "userChanged", timeMs: noonMs, userId: 1, username, ...nothing } as const;
    expect(await server.engine.commit(renamed)).toBe("done");
    expect(await server.logIn({ ...credentials, username })).not.toBe("");
    expect(await server.logIn()).toBe("");
    const { status } = await change({ username, settings: { script_type: ["hash-routes"] } });
    expect(status).toBe(200);
    expect((await change({ username: "Ada\u3164\u3164" })).status).toBe(400);
    expect(await server.get<object>("/user", cookie)).toMatchObject({
      username,
      settings: { script_type: ["hash-routes"] },
    });
  });

  test("is deleted with its sessions and websites, and its cookie cleared", async () => {
    const response = await server.ask("DELETE", "/user", { cookie });
    expect(response.status).toBe(204);
    expect(response.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await server.ask("GET", "/user", { cookie })).status).toBe(401);
    expect(server.engine.registry.websites.size).toBe(0);
  });
});

test("its sessions are listed, each by its id, and ended one by one", async () => {
  const other = await server.logIn();
  const list = () =>
    server.get<{ id: string; current: boolean; [field: string]: unknown }[]>("/user/sessions", cookie);
  const sessions = await list();
  expect(sessions).toHaveLength(2);
  expect(sessions.filter(({ current }) => current)).toHaveLength(1);
  expect(sessions[0]).toEqual({
    id: expect.any(String),
    browser: "Unknown",
    os: "Unknown",
    dateCreated: noonMs / 1_000,
    dateUpdated: noonMs / 1_000,
    current: expect.any(Boolean),
  });
  const { id } = sessions.find(({ current }) => !current) as { id: string };
  expect((await server.ask("DELETE", "/user/sessions/none", { cookie })).status).toBe(404);
  expect((await server.ask("DELETE", "/user/sessions/%zz", { cookie })).status).toBe(404);
  expect((await server.ask("DELETE", `/user/sessions/${id}`, { cookie })).status).toBe(204);
  expect((await server.ask("GET", "/user", { cookie: other })).status).toBe(401);
  expect(await list()).toHaveLength(1);
});

test("a demo refuses every change, but not login and logout", async () => {
  const demo = await TestServer.open({ demo: true });
  const cookie = await demo.prepare();
  const changes = [
    ["PATCH", "/user", { settings: { language: "en" } }],
    ["DELETE", "/user", undefined],
    ["DELETE", "/user/sessions/none", undefined],
    ["POST", "/websites", { hostname: "new.example" }],
    ["PATCH", "/websites/example.com", { hostname: "new.example" }],
    ["DELETE", "/websites/example.com", undefined],
    ["POST", "/setup", { token: demo.setUp.token, ...credentials }],
  ] as const;
  for (const [method, path, body] of changes) {
    const response = await demo.ask(method, path, { cookie, body });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: 403 } });
  }
  expect((await demo.ask("POST", "/auth/logout", { cookie })).status).toBe(204);
});
