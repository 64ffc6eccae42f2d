/**
 * A body may be sent slowly: whoever was logged out or lost a role while it came changes nothing, at any route that reads
 * one.
 */
import { beforeEach, describe, expect, test } from "bun:test";
import { changeWebsite } from "../../src/engine/admin/websites.ts";
import { endSession } from "../../src/engine/admin/account/sessions.ts";
import { hashOf } from "../../src/accounts/token.ts";
import { apiRoutes } from "../../src/http/routes.ts";
import type { Route } from "../../src/http/transport/route.ts";
import { credentials, TestServer } from "../support/http.ts";
import { joinAs } from "../support/members.ts";
import { makeToken } from "../support/tokens.ts";

let server: TestServer;
let owner: string;

beforeEach(async () => {
  server = await TestServer.open();
  owner = await server.prepare();
});

interface Slowly {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Runs once the server waits for the body. */
  readonly meanwhile: () => Promise<unknown>;
}

async function answerOf({ method, path, headers, body = {}, meanwhile }: Slowly): Promise<number> {
  const stream = new ReadableStream(
    {
      pull: async (controller) => {
        await meanwhile();
        controller.enqueue(Buffer.from(JSON.stringify(body)));
        controller.close();
      },
    },
    // Nothing is asked of it before somebody reads.
    { highWaterMark: 0 },
  );
  const sent = { method, headers: { ...headers, "content-type": "application/json" }, body: stream };
  const response = await server.fetch(new Request(`http://localhost${path}`, sent));
  await response.body?.cancel();
  return response.status;
}

const cookieOf = (token: string) => ({ cookie: `_me_sess=${token}` });
const takesBody = ({ body, access }: Route) =>
  body !== undefined && access !== "visitor" && access !== "public";
const pathOf = ({ path }: Route) =>
  path.replace(":hostname", "example.com").replace(":id", "1").replace(":username", "Ada");

describe("a login that ends while the body comes is a 401", () => {
  test("at every route that takes one from a session", async () => {
    const routes = apiRoutes.filter((route) => takesBody(route) && route.access !== "server");
    expect(routes.length).toBeGreaterThan(10);
    for (const route of routes) {
      const token = await server.logIn();
      const { userId, sessionId } = server.engine.registry.sessionByTokenHash(
        hashOf(token),
        server.engine.nowMs(),
      )!;
      const status = await answerOf({
        method: route.method,
        path: pathOf(route),
        headers: cookieOf(token),
        meanwhile: () => endSession(server.engine, { userId, sessionId }, sessionId),
      });
      expect([route.method, route.path, status]).toEqual([route.method, route.path, 401]);
    }
  });

  test("at every route that takes one from an API token", async () => {
    const routes = apiRoutes.filter((route) => takesBody(route) && route.access !== "login");
    for (const route of routes) {
      const scope = route.access === "server" ? "send" : "admin";
      const { id, headers } = await makeToken(server, owner, scope);
      const status = await answerOf({
        method: route.method,
        path: pathOf(route),
        headers,
        meanwhile: () => server.ask("DELETE", `/user/tokens/${id}`, { cookie: owner }),
      });
      expect([route.method, route.path, status]).toEqual([route.method, route.path, 401]);
    }
  });

  test("and a stranger whom a new password ends gets no token and no invitation", async () => {
    const changes = [
      { path: "/user/tokens", body: { name: "Till", scope: "admin" } },
      { path: "/website/example.com/invitations", body: { role: "owner" } },
    ];
    const passwords = [credentials.password, "another horse", "a third horse"];
    for (const [at, change] of changes.entries()) {
      const [current_password, password] = passwords.slice(at);
      const stranger = await server.logIn({ ...credentials, password: current_password });
      const meanwhile = async () => {
        const asked = { cookie: owner, body: { current_password, password } };
        expect((await server.ask("PATCH", "/user", asked)).status).toBe(200);
      };
      const sent = { method: "POST", headers: cookieOf(stranger), meanwhile, ...change };
      expect([change.path, await answerOf(sent)]).toEqual([change.path, 401]);
    }
    expect(server.engine.registry.tokens.rows.size).toBe(0);
    expect(server.engine.registry.websiteByHost("example.com")?.invitations).toEqual([]);
  });
});

test("a role that is taken while the body comes is gone, at every route of a website", async () => {
  const routes = apiRoutes.filter((route) => takesBody(route) && route.path.includes("/:hostname"));
  for (const route of routes) {
    const name = `mary${routes.indexOf(route)}`;
    const mary = await joinAs(server, owner, "owner", name);
    const status = await answerOf({
      method: route.method,
      path: pathOf(route),
      headers: cookieOf(mary),
      meanwhile: () => server.ask("DELETE", `/website/example.com/members/${name}`, { cookie: owner }),
    });
    expect([route.method, route.path, status]).toEqual([route.method, route.path, 404]);
  }
});

test("a webhook whose name is looked up slowly is added by nobody who was logged out meanwhile", async () => {
  let meanwhile: () => Promise<unknown> = async () => {};
  const messages = { expectTarget: async () => void (await meanwhile()), test: async () => {} };
  server = await TestServer.open({ messages });
  owner = await server.prepare();
  const webhook = { url: "https://hooks.example.com/a" };
  const body = { kind: "weekly", webhook };
  const add = (cookie: string) => server.ask("POST", "/website/example.com/reports", { cookie, body });
  const mary = await joinAs(server, owner, "editor", "mary");
  meanwhile = () => server.ask("DELETE", "/website/example.com/members/mary", { cookie: owner });
  expect((await add(mary)).status).toBe(404);
  const other = await server.logIn();
  meanwhile = () => server.ask("POST", "/auth/logout", { cookie: other });
  expect((await add(other)).status).toBe(401);
  meanwhile = async () => {};
  expect((await add(owner)).status).toBe(201);
});

test("a webhook of a website that is renamed in the same moment is added, and its secret is said", async () => {
  let renamed: Promise<unknown> | undefined;
  const rename = () =>
    changeWebsite(
      { engine: server.engine, caller: { userId: 1, sessionId: "" }, hostname: "example.com" },
      { hostname: "new.example" },
    );
  // Both are in one batch.
  const messages = { expectTarget: async () => void (renamed = rename()), test: async () => {} };
  server = await TestServer.open({ messages });
  owner = await server.prepare();
  const body = { kind: "weekly", webhook: { url: "https://hooks.example.com/a" } };
  const added = await server.ask("POST", "/website/example.com/reports", { cookie: owner, body });
  await renamed;
  expect(server.engine.registry.websiteByHost("new.example")).toBeDefined();
  expect([added.status, await added.json()]).toMatchObject([
    201,
    { secret: expect.stringMatching(/^whsec_/) },
  ]);
});
