/**
 * Who may do what, and which token: each route of the table has one decision here, and is asked by everybody, and with a token
 * of each scope, of all websites and of one. A route without a decision fails.
 */
import { expect, test } from "bun:test";
import { tokenScopes, type TokenScope } from "../../src/core/api-token.ts";
import { includesRole, type Role } from "../../src/core/website/role.ts";
import type { Route } from "../../src/http/transport/route.ts";
import { apiRoutes } from "../../src/http/routes.ts";
import { TestServer, type Asked } from "../support/http.ts";
import { makeLink } from "../support/links.ts";
import { accountOf, joinAs } from "../support/members.ts";
import { makeToken } from "../support/tokens.ts";

/**
 * The least that one has to be. An `account` is about itself, the `oldest account` is the server's owner, a `token` is one to send
 * hits, a `link` opens what its website shows; the others are roles on the website in the path.
 */
type Least = "token" | "account" | "oldest account" | "link" | Role;

/** The scopes of tokens that may: none where only a login may. `whole`: only a token of all websites of the account. */
type Tokens = readonly (TokenScope | "whole")[];
const read = ["read", "admin"] as const;
const admin = ["admin"] as const;
const whole = ["admin", "whole"] as const;
const send = ["send"] as const;
const login = [] as const;

/** A route that anybody may ask looks at no session and at no token. */
const decisions: Readonly<Record<string, "anybody" | readonly [Least, Tokens]>> = {
  "POST /event/hit": "anybody",
  "POST /event/batch": ["token", send],
  "GET /event/ping": "anybody",
  "GET /event/pixel.gif": "anybody",
  "GET /script.js": "anybody",
  "POST /auth/login": "anybody",
  "POST /auth/logout": ["account", login],
  "GET /setup": "anybody",
  "POST /setup": "anybody",
  "GET /user": ["account", whole],
  "PATCH /user": ["account", login],
  "POST /user/second-factor/offer": ["account", login],
  "POST /user/second-factor": ["account", login],
  "POST /user/second-factor/remove": ["account", login],
  "DELETE /user": ["account", login],
  "GET /user/tokens": ["account", login],
  "POST /user/tokens": ["account", login],
  "DELETE /user/tokens/:id": ["account", login],
  "GET /user/sessions": ["account", login],
  "DELETE /user/sessions/:id": ["account", login],
  "GET /websites": ["account", read],
  "POST /websites": ["account", whole],
  "GET /websites/:hostname": ["viewer", read],
  "PATCH /websites/:hostname": ["editor", admin],
  "DELETE /websites/:hostname": ["owner", admin],
  "DELETE /website/:hostname/imported-sums": ["owner", admin],
  "GET /website/:hostname/rules": ["editor", admin],
  "PATCH /website/:hostname/rules": ["editor", admin],
  "GET /website/:hostname/rejections": ["editor", admin],
  "POST /website/:hostname/import": ["owner", admin],
  "POST /website/:hostname/purge": ["owner", admin],
  "GET /website/:hostname/export": ["editor", admin],
  "GET /website/:hostname/links": ["owner", admin],
  "POST /website/:hostname/links": ["owner", admin],
  "DELETE /website/:hostname/links/:id": ["owner", admin],
  "GET /website/:hostname/members": ["owner", login],
  "PATCH /website/:hostname/members/:username": ["owner", login],
  "DELETE /website/:hostname/members/:username": ["owner", login],
  "POST /website/:hostname/invitations": ["owner", login],
  "DELETE /website/:hostname/invitations/:id": ["owner", login],
  "POST /invitations/accept": ["account", login],
  "GET /website/:hostname/shared": ["link", read],
  "POST /website/:hostname/shared": "anybody",
  "GET /website/:hostname/pages": ["link", read],
  "GET /website/:hostname/referrers": ["link", read],
  "GET /website/:hostname/sources": ["link", read],
  "GET /website/:hostname/mediums": ["link", read],
  "GET /website/:hostname/campaigns": ["link", read],
  "GET /website/:hostname/browsers": ["link", read],
  "GET /website/:hostname/os": ["link", read],
  "GET /website/:hostname/devices": ["link", read],
  "GET /website/:hostname/countries": ["link", read],
  "GET /website/:hostname/languages": ["link", read],
  "GET /website/:hostname/contents": ["link", read],
  "GET /website/:hostname/terms": ["link", read],
  "GET /website/:hostname/channels": ["link", read],
  "GET /website/:hostname/entries": ["link", read],
  "GET /website/:hostname/exits": ["link", read],
  "GET /website/:hostname/time": ["link", read],
  "GET /website/:hostname/properties": ["link", read],
  "GET /website/:hostname/summary": ["link", read],
  "GET /website/:hostname/goals": ["link", read],
  "POST /website/:hostname/goals": ["editor", admin],
  "DELETE /website/:hostname/goals/:id": ["editor", admin],
  "GET /website/:hostname/notes": ["viewer", read],
  "POST /website/:hostname/notes": ["editor", admin],
  "PATCH /website/:hostname/notes/:id": ["editor", admin],
  "DELETE /website/:hostname/notes/:id": ["editor", admin],
  "GET /website/:hostname/segments": ["viewer", read],
  "POST /website/:hostname/segments": ["editor", admin],
  "DELETE /website/:hostname/segments/:id": ["editor", admin],
  "GET /website/:hostname/funnels": ["link", read],
  "POST /website/:hostname/funnels": ["editor", admin],
  "DELETE /website/:hostname/funnels/:id": ["editor", admin],
  "GET /website/:hostname/reports": ["editor", admin],
  "POST /website/:hostname/reports": ["editor", admin],
  "DELETE /website/:hostname/reports/:id": ["editor", admin],
  "GET /website/:hostname/alerts": ["editor", admin],
  "POST /website/:hostname/alerts": ["editor", admin],
  "DELETE /website/:hostname/alerts/:id": ["editor", admin],
  "POST /website/:hostname/alerts/:id/test": ["editor", admin],
  "POST /website/:hostname/reports/:id/test": ["editor", admin],
  "GET /mail/confirm/:token": "anybody",
  "POST /mail/confirm/:token": "anybody",
  "GET /mail/unsubscribe/:token": "anybody",
  "POST /mail/unsubscribe/:token": "anybody",
  "GET /website/:hostname/drivers": ["link", read],
  "GET /website/:hostname/export.zip": ["link", read],
  "GET /website/:hostname/funnel": ["link", read],
  "GET /website/:hostname/journeys": ["link", read],
  "GET /website/:hostname/live": ["link", read],
  "GET /website/:hostname/recent": ["viewer", read],
  "GET /healthz": "anybody",
  "GET /readyz": "anybody",
  "GET /metrics": ["oldest account", whole],
  "GET /openapi.json": "anybody",
};

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const decisionOf = (route: Route) => decisions[nameOf(route)]!;
const pathOf = ({ path }: Route, id = "1") =>
  path.replace(":hostname", "example.com").replace(":id", id).replace(":username", "Ada");

/** Asks a route, with a body where it takes one. Returns the status of the answer. */
async function statusOf(server: TestServer, route: Route, path: string, asked: Asked): Promise<number> {
  const body = route.body === undefined ? {} : { body: {} };
  const response = await server.ask(route.method, path, { ...asked, ...body });
  await response.body?.cancel();
  return response.status;
}

const people = ["nobody", "a link", "another account", "a viewer", "an editor"] as const;

/** Returns the refusals of `people`, in their order; undefined for who may. */
function refusalsOf(route: Route): (number | undefined)[] {
  const decision = decisionOf(route);
  if (decision === "anybody") return people.map(() => undefined);
  const [least] = decision;
  if (least === "token") return [401, 403, 401, 401, 401];
  if (least === "oldest account") return [401, 401, 403, 403, 403];
  const ofLink = least === "link" ? undefined : route.errors.includes(403) ? 403 : 401;
  if (least === "account") return [401, ofLink];
  const ofRole = (role: Role) => (least === "link" || includesRole(role, least) ? undefined : 403);
  return [401, ofLink, 404, ofRole("viewer"), ofRole("editor")];
}

test("every route has a decision, and no other has one", () => {
  expect(Object.keys(decisions).toSorted()).toEqual(apiRoutes.map(nameOf).toSorted());
});

test("whoever may not is refused, before anything else is looked at; the others are not", async () => {
  const server = await TestServer.open();
  const owner = await server.prepare();
  const link = await makeLink(server, owner);
  const others: Asked[] = [
    {},
    { headers: link.headers },
    { cookie: await accountOf(server, "grace") },
    { cookie: await joinAs(server, owner, "viewer") },
    { cookie: await joinAs(server, owner, "editor") },
  ];
  for (const route of apiRoutes) {
    for (const [index, code] of refusalsOf(route).entries()) {
      // A public route answers everybody alike, and what changes something is tested elsewhere.
      if (code === undefined && (decisionOf(route) === "anybody" || route.method !== "GET")) continue;
      const status = await statusOf(server, route, pathOf(route), others[index]!);
      const what = [nameOf(route), people[index]];
      if (code === undefined) expect([...what, [200, 400].includes(status)]).toEqual([...what, true]);
      else expect([...what, status]).toEqual([...what, code]);
    }
  }
  expect(server.engine.registry.websiteByHost("example.com")?.links).toHaveLength(1);
});

test("a link of another website is none of this one", async () => {
  const server = await TestServer.open();
  const owner = await server.prepare();
  const { headers } = await makeLink(server, owner);
  await server.ask("POST", "/websites", { cookie: owner, body: { hostname: "other.example" } });
  for (const route of apiRoutes.filter(({ access }) => access === "reader")) {
    const response = await server.ask("GET", route.path.replace(":hostname", "other.example"), { headers });
    expect([nameOf(route), response.status]).toEqual([nameOf(route), 404]);
  }
});

test("a token may what its scope and its website say, and nothing else, whatever cookie comes with it", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  for (const route of apiRoutes) {
    const decision = decisionOf(route);
    if (decision === "anybody") continue;
    const [, may] = decision;
    for (const scope of tokenScopes) {
      for (const hostname of [undefined, "example.com", "gone.example"]) {
        // Some routes end what they are about: everything is there anew.
        await server.ask("POST", "/websites", { cookie, body: { hostname: "example.com" } });
        await server.ask("POST", "/websites", { cookie, body: { hostname: "gone.example" } });
        const { headers, id } = await makeToken(server, cookie, scope, hostname);
        const status = await statusOf(server, route, pathOf(route, id), { headers, cookie });
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
    const own = await statusOf(server, route, pathOf(route), { headers });
    const asLink = { headers: { ...headers, "footfall-link": token } };
    const both = await statusOf(server, route, pathOf(route), asLink);
    expect([nameOf(route), both]).toEqual([nameOf(route), own]);
  }
});
