/** Equal requests that come at once: of those that are done once, one is answered 201 and the others 409. */
import { beforeEach, describe, expect, test } from "bun:test";
import { apiRoutes } from "../../src/http/routes.ts";
import { accountOf } from "../support/members.ts";
import { TestServer } from "../support/http.ts";

const hook = { webhook: { url: "https://hooks.example.com/a" } };
const atOnce = 5;

/** Which are answered 409 the second time, by path; `body` of those that are 201 the first time. */
const once: Readonly<Record<string, readonly { readonly body: unknown; readonly path?: string }[]>> = {
  "/websites": [{ body: { hostname: "new.example" } }],
  "/website/:hostname/links": [{ body: { name: "open", public: true } }],
  "/website/:hostname/reports": [
    { body: { kind: "weekly", ...hook } },
    { body: { kind: "weekly", email: "ada@example.com" } },
  ],
  "/website/:hostname/alerts": [
    { body: { kind: "spike", ...hook } },
    { body: { kind: "silence", email: "ada@example.com", hours: 3 } },
    { body: { kind: "goal", goal_id: 1, ...hook } },
  ],
};
/**
 * The routes that have a test of their own below; imports and purges, of which one is under way, and those of a second factor,
 * which have a code that counts once (in their own tests).
 */
const others = [
  "/setup",
  "/invitations/accept",
  "/website/:hostname/import",
  "/website/:hostname/purge",
  "/user/second-factor",
  "/user/second-factor/offer",
  "/user/second-factor/remove",
];
/** Equal ones are kept apart: each is there then. */
const kept: Readonly<Record<string, unknown>> = {
  "/website/:hostname/goals": { name: "a", page: { eq: "/a" } },
  "/website/:hostname/notes": { date: "2026-01-01", text: "a" },
  "/website/:hostname/funnels": { name: "a", steps: ["page:/", "page:/a"] },
  "/website/:hostname/segments": { name: "a", filters: "browser[eq]=Firefox" },
  "/website/:hostname/links": { name: "a" },
  "/website/:hostname/invitations": { role: "viewer" },
  "/user/tokens": { name: "a", scope: "read" },
};

let server: TestServer;
let cookie: string;
beforeEach(async () => {
  server = await TestServer.open({ sendsMail: true });
  cookie = await server.prepare();
  const goal = { name: "a", page: { eq: "/a" } };
  expect((await server.ask("POST", "/website/example.com/goals", { body: goal, cookie })).status).toBe(201);
});

async function send(path: string, body: unknown, own = cookie) {
  const url = path.replace(":hostname", "example.com");
  const answers = await Promise.all(
    Array.from({ length: atOnce }, () => server.ask("POST", url, { body, cookie: own })),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  return { statuses, answers: await Promise.all(answers.map((answer) => answer.json())) };
}

const first = [201, ...Array.from({ length: atOnce - 1 }, () => 409)];

describe("five equal requests at once", () => {
  for (const [path, all] of Object.entries(once))
    test.each([...all])(`POST ${path} %j: one is 201`, async ({ body }) => {
      expect((await send(path, body)).statuses).toEqual(first);
      expect((await send(path, body)).statuses).toEqual(first.map(() => 409));
    });

  for (const [path, body] of Object.entries(kept))
    test(`POST ${path}: each has an id of its own`, async () => {
      const { statuses, answers } = await send(path, body);
      expect(statuses).toEqual(first.map(() => 201));
      expect(new Set(answers.map((answer) => (answer as { id: unknown }).id)).size).toBe(atOnce);
    });

  test("POST /invitations/accept: one is done", async () => {
    const invited = await server.ask("POST", "/website/example.com/invitations", {
      body: { role: "viewer" },
      cookie,
    });
    const { token } = (await invited.json()) as { token: string };
    const other = await accountOf(server, "grace");
    const { statuses } = await send("/invitations/accept", { token }, other);
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
  });

  test("POST /setup: one makes the first account", async () => {
    server = await TestServer.open();
    const token = server.setUp.token;
    const body = { token, username: "ada", password: "long enough" };
    const { statuses } = await send("/setup", body);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(server.engine.registry.users.size).toBe(1);
  });

  test("are asked of every route that answers 409", () => {
    const named = new Set([...Object.keys(once), ...others]);
    const all = apiRoutes.filter(
      (route) => route.method === "POST" && JSON.stringify(route.errors).includes("409"),
    );
    expect(new Set(all.map(({ path }) => path))).toEqual(named);
  });
});
