/**
 * Which token may do what: each route of the table has one decision here, and is asked with a token of each scope, of all
 * websites and of one. A route without a decision fails.
 */
import { expect, test } from "bun:test";
import { tokenScopes, type TokenScope } from "../../src/core/api-token.ts";
import type { Route } from "../../src/http/transport/route.ts";
import { apiRoutes } from "../../src/http/routes.ts";
import { TestServer } from "../support/http.ts";
import { makeToken } from "../support/tokens.ts";

/**
 * The scopes that may. A route that anybody may ask looks at no token; one that only a login may has none. `whole`: only a
 * token of all websites of the account.
 */
const read = ["read", "admin"] as const;
const admin = ["admin"] as const;
const whole = ["admin", "whole"] as const;
const send = ["send"] as const;
const login = [] as const;

const decisions: Readonly<Record<string, readonly (TokenScope | "whole")[] | "anybody">> = {
  "POST /event/hit": "anybody",
  "POST /event/batch": send,
  "GET /event/ping": "anybody",
  "GET /event/pixel.gif": "anybody",
  "GET /script.js": "anybody",
  "POST /auth/login": "anybody",
  "POST /auth/logout": login,
  "GET /setup": "anybody",
  "POST /setup": "anybody",
  "GET /user": whole,
  "PATCH /user": login,
  "POST /user/second-factor/offer": login,
  "POST /user/second-factor": login,
  "POST /user/second-factor/remove": login,
  "DELETE /user": login,
  "GET /user/sessions": login,
  "DELETE /user/sessions/:id": login,
  "GET /user/tokens": login,
  "POST /user/tokens": login,
  "DELETE /user/tokens/:id": login,
  "GET /websites": read,
  "POST /websites": whole,
  "GET /websites/:hostname": read,
  "PATCH /websites/:hostname": admin,
  "DELETE /websites/:hostname": admin,
  "DELETE /website/:hostname/imported-sums": admin,
  "GET /website/:hostname/rules": admin,
  "PATCH /website/:hostname/rules": admin,
  "GET /website/:hostname/rejections": admin,
  "POST /website/:hostname/purge": admin,
  "GET /website/:hostname/links": admin,
  "POST /website/:hostname/links": admin,
  "DELETE /website/:hostname/links/:id": admin,
  "GET /website/:hostname/members": login,
  "PATCH /website/:hostname/members/:username": login,
  "DELETE /website/:hostname/members/:username": login,
  "POST /website/:hostname/invitations": login,
  "DELETE /website/:hostname/invitations/:id": login,
  "POST /invitations/accept": login,
  "GET /website/:hostname/shared": read,
  "POST /website/:hostname/shared": "anybody",
  "GET /website/:hostname/pages": read,
  "GET /website/:hostname/referrers": read,
  "GET /website/:hostname/sources": read,
  "GET /website/:hostname/mediums": read,
  "GET /website/:hostname/campaigns": read,
  "GET /website/:hostname/browsers": read,
  "GET /website/:hostname/os": read,
  "GET /website/:hostname/devices": read,
  "GET /website/:hostname/countries": read,
  "GET /website/:hostname/languages": read,
  "GET /website/:hostname/contents": read,
  "GET /website/:hostname/terms": read,
  "GET /website/:hostname/channels": read,
  "GET /website/:hostname/entries": read,
  "GET /website/:hostname/exits": read,
  "GET /website/:hostname/time": read,
  "GET /website/:hostname/properties": read,
  "GET /website/:hostname/summary": read,
  "GET /website/:hostname/goals": read,
  "POST /website/:hostname/goals": admin,
  "DELETE /website/:hostname/goals/:id": admin,
  "GET /website/:hostname/notes": read,
  "POST /website/:hostname/notes": admin,
  "PATCH /website/:hostname/notes/:id": admin,
  "DELETE /website/:hostname/notes/:id": admin,
  "GET /website/:hostname/segments": read,
  "POST /website/:hostname/segments": admin,
  "DELETE /website/:hostname/segments/:id": admin,
  "GET /website/:hostname/funnels": read,
  "POST /website/:hostname/funnels": admin,
  "DELETE /website/:hostname/funnels/:id": admin,
  "GET /website/:hostname/reports": admin,
  "POST /website/:hostname/reports": admin,
  "DELETE /website/:hostname/reports/:id": admin,
  "GET /website/:hostname/alerts": admin,
  "POST /website/:hostname/alerts": admin,
  "DELETE /website/:hostname/alerts/:id": admin,
  "POST /website/:hostname/alerts/:id/test": admin,
  "POST /website/:hostname/reports/:id/test": admin,
  "GET /website/:hostname/export": admin,
  "POST /website/:hostname/import": admin,
  "GET /mail/confirm/:token": "anybody",
  "POST /mail/confirm/:token": "anybody",
  "GET /mail/unsubscribe/:token": "anybody",
  "POST /mail/unsubscribe/:token": "anybody",
  "GET /website/:hostname/drivers": read,
  "GET /website/:hostname/export.zip": read,
  "GET /website/:hostname/funnel": read,
  "GET /website/:hostname/journeys": read,
  "GET /website/:hostname/live": read,
  "GET /website/:hostname/recent": read,
  "GET /healthz": "anybody",
  "GET /readyz": "anybody",
  "GET /metrics": whole,
  "GET /openapi.json": "anybody",
};

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

test("every route has a decision, and no other has one", () => {
  expect(Object.keys(decisions).toSorted()).toEqual(apiRoutes.map(nameOf).toSorted());
});

test("a token may what its scope and its website say, and nothing else, whatever cookie comes with it", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  for (const route of apiRoutes) {
    const may = decisions[nameOf(route)] as (typeof decisions)[string];
    if (may === "anybody") continue;
    for (const scope of tokenScopes) {
      for (const hostname of [undefined, "example.com", "gone.example"]) {
        // Some routes end what they are about: everything is there anew.
        await server.ask("POST", "/websites", { cookie, body: { hostname: "example.com" } });
        await server.ask("POST", "/websites", { cookie, body: { hostname: "gone.example" } });
        const { headers, id } = await makeToken(server, cookie, scope, hostname);
        const path = route.path
          .replace(":hostname", "example.com")
          .replace(":id", id)
          .replace(":username", "Ada");
        const body = route.body === undefined ? {} : { body: {} };
        const response = await server.ask(route.method, path, { headers, cookie, ...body });
        await response.body?.cancel();
        const { status } = response;
        const isRefused = !may.includes(scope) || (may.includes("whole") && hostname !== undefined);
        const isOther = hostname === "gone.example" && route.path.includes("/:hostname");
        const expected = isRefused ? 403 : isOther ? 404 : [401, 403].includes(status) ? "it may" : status;
        const what = [nameOf(route), scope, hostname];
        expect([...what, status]).toEqual([...what, expected]);
        await server.ask("DELETE", `/user/tokens/${id}`, { cookie });
      }
    }
  }
  const { registry } = server.engine;
  expect([registry.users.size, registry.sessions.size, registry.tokens.rows.size]).toEqual([1, 1, 0]);
});

/** A client that knows one secret sends it for every way in that the document names. */
test("a token that is sent as a link, too, may what it may without that", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const { token, headers } = await makeToken(server, cookie, "read");
  for (const route of apiRoutes.filter(({ access }) => access !== "public" && access !== "visitor")) {
    const path = route.path
      .replace(":hostname", "example.com")
      .replace(":id", "1")
      .replace(":username", "Ada");
    const statusWith = async (more: Readonly<Record<string, string>>) => {
      const body = route.body === undefined ? {} : { body: {} };
      const response = await server.ask(route.method, path, { headers: { ...headers, ...more }, ...body });
      await response.body?.cancel();
      return response.status;
    };
    const [own, both] = [await statusWith({}), await statusWith({ "footfall-link": token })];
    expect([nameOf(route), both]).toEqual([nameOf(route), own]);
  }
});
