/**
 * Who may do what: each route of the table has one decision here, and is asked by everybody. A route without a decision
 * fails.
 */
import { expect, test } from "bun:test";
import { includesRole, type Role } from "../../src/core/website/role.ts";
import type { Route } from "../../src/http/transport/route.ts";
import { apiRoutes } from "../../src/http/routes.ts";
import { TestServer, type Asked } from "../support/http.ts";
import { makeLink } from "../support/links.ts";
import { accountOf, joinAs } from "../support/members.ts";

/**
 * The least that one has to be. `anybody` needs nothing, an `account` is about itself, the `oldest account` is the server's
 * owner, a `token` is one to send hits, a `link` opens what its website shows; the others are roles on the website in the path.
 */
type Least = "anybody" | "token" | "account" | "oldest account" | "link" | Role;

const decisions: Readonly<Record<string, Least>> = {
  "POST /event/hit": "anybody",
  "POST /event/batch": "token",
  "GET /event/ping": "anybody",
  "GET /event/pixel.gif": "anybody",
  "GET /script.js": "anybody",
  "POST /auth/login": "anybody",
  "POST /auth/logout": "account",
  "GET /setup": "anybody",
  "POST /setup": "anybody",
  "GET /user": "account",
  "PATCH /user": "account",
  "POST /user/second-factor/offer": "account",
  "POST /user/second-factor": "account",
  "POST /user/second-factor/remove": "account",
  "DELETE /user": "account",
  "GET /user/tokens": "account",
  "POST /user/tokens": "account",
  "DELETE /user/tokens/:id": "account",
  "GET /user/sessions": "account",
  "DELETE /user/sessions/:id": "account",
  "GET /websites": "account",
  "POST /websites": "account",
  "GET /websites/:hostname": "viewer",
  "PATCH /websites/:hostname": "editor",
  "DELETE /websites/:hostname": "owner",
  "DELETE /website/:hostname/imported-sums": "owner",
  "GET /website/:hostname/rules": "editor",
  "PATCH /website/:hostname/rules": "editor",
  "GET /website/:hostname/rejections": "editor",
  "POST /website/:hostname/import": "owner",
  "POST /website/:hostname/purge": "owner",
  "GET /website/:hostname/export": "editor",
  "GET /website/:hostname/links": "owner",
  "POST /website/:hostname/links": "owner",
  "DELETE /website/:hostname/links/:id": "owner",
  "GET /website/:hostname/members": "owner",
  "PATCH /website/:hostname/members/:username": "owner",
  "DELETE /website/:hostname/members/:username": "owner",
  "POST /website/:hostname/invitations": "owner",
  "DELETE /website/:hostname/invitations/:id": "owner",
  "POST /invitations/accept": "account",
  "GET /website/:hostname/shared": "link",
  "POST /website/:hostname/shared": "anybody",
  "GET /website/:hostname/pages": "link",
  "GET /website/:hostname/referrers": "link",
  "GET /website/:hostname/sources": "link",
  "GET /website/:hostname/mediums": "link",
  "GET /website/:hostname/campaigns": "link",
  "GET /website/:hostname/browsers": "link",
  "GET /website/:hostname/os": "link",
  "GET /website/:hostname/devices": "link",
  "GET /website/:hostname/countries": "link",
  "GET /website/:hostname/languages": "link",
  "GET /website/:hostname/contents": "link",
  "GET /website/:hostname/terms": "link",
  "GET /website/:hostname/channels": "link",
  "GET /website/:hostname/entries": "link",
  "GET /website/:hostname/exits": "link",
  "GET /website/:hostname/time": "link",
  "GET /website/:hostname/properties": "link",
  "GET /website/:hostname/summary": "link",
  "GET /website/:hostname/goals": "link",
  "POST /website/:hostname/goals": "editor",
  "DELETE /website/:hostname/goals/:id": "editor",
  "GET /website/:hostname/notes": "viewer",
  "POST /website/:hostname/notes": "editor",
  "PATCH /website/:hostname/notes/:id": "editor",
  "DELETE /website/:hostname/notes/:id": "editor",
  "GET /website/:hostname/segments": "viewer",
  "POST /website/:hostname/segments": "editor",
  "DELETE /website/:hostname/segments/:id": "editor",
  "GET /website/:hostname/funnels": "link",
  "POST /website/:hostname/funnels": "editor",
  "DELETE /website/:hostname/funnels/:id": "editor",
  "GET /website/:hostname/reports": "editor",
  "POST /website/:hostname/reports": "editor",
  "DELETE /website/:hostname/reports/:id": "editor",
  "GET /website/:hostname/alerts": "editor",
  "POST /website/:hostname/alerts": "editor",
  "DELETE /website/:hostname/alerts/:id": "editor",
  "POST /website/:hostname/alerts/:id/test": "editor",
  "POST /website/:hostname/reports/:id/test": "editor",
  "GET /mail/confirm/:token": "anybody",
  "POST /mail/confirm/:token": "anybody",
  "GET /mail/unsubscribe/:token": "anybody",
  "POST /mail/unsubscribe/:token": "anybody",
  "GET /website/:hostname/drivers": "link",
  "GET /website/:hostname/export.zip": "link",
  "GET /website/:hostname/funnel": "link",
  "GET /website/:hostname/journeys": "link",
  "GET /website/:hostname/live": "link",
  "GET /website/:hostname/recent": "viewer",
  "GET /healthz": "anybody",
  "GET /readyz": "anybody",
  "GET /metrics": "oldest account",
  "GET /openapi.json": "anybody",
};

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

const people = ["nobody", "a link", "another account", "a viewer", "an editor"] as const;

/** Returns the refusals of `people`, in their order; undefined for who may. */
function refusalsOf(route: Route): (number | undefined)[] {
  const least = decisions[nameOf(route)] as Least;
  if (least === "anybody") return people.map(() => undefined);
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
    const path = route.path
      .replace(":hostname", "example.com")
      .replace(":id", "1")
      .replace(":username", "Ada");
    for (const [index, code] of refusalsOf(route).entries()) {
      // A public route answers everybody alike, and what changes something is tested elsewhere.
      if (code === undefined && (decisions[nameOf(route)] === "anybody" || route.method !== "GET")) continue;
      const body = route.body === undefined ? {} : { body: {} };
      const response = await server.ask(route.method, path, { ...others[index], ...body });
      const { status } = response;
      await response.body?.cancel();
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
