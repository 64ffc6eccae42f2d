import { beforeAll, describe, expect, test } from "bun:test";
import { FormatRegistry, TypeRegistry, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { codeAt } from "../../src/accounts/login/totp.ts";
import { definitions } from "../../src/core/definition.ts";
import { filterNames } from "../../src/core/questions/dimension.ts";
import { parseHostname } from "../../src/core/addresses/hostname.ts";
import { fieldOf, metricOf, rowMetrics } from "../../src/core/questions/metric.ts";
import { operators } from "../../src/core/questions/operator.ts";
import { parseDateTime } from "../../src/core/date-time.ts";
import { errorSchema } from "../../src/http/answers/errors.ts";
import { errorCodes } from "../../src/http/openapi.ts";
import type { Route } from "../../src/http/transport/route.ts";
import { apiRoutes } from "../../src/http/routes.ts";
import { dayOfDate } from "../../src/core/calendar/date.ts";
import {
  funnelAdded,
  goalAdded,
  noteAdded,
  secondFactorChanged,
  segmentAdded,
  subscriptionAdded,
} from "../support/account-records.ts";
import { TestServer } from "../support/http.ts";
import { makeLink } from "../support/links.ts";
import { makeToken } from "../support/tokens.ts";
import { accountOf, joinAs } from "../support/members.ts";
import { plausibleZip } from "../support/plausible-export.ts";

FormatRegistry.Set("hostname", (text) => parseHostname(text) === text);
FormatRegistry.Set("date-time", (text) => parseDateTime(text) !== undefined);
FormatRegistry.Set("date", (text) => dayOfDate(text) !== undefined);
FormatRegistry.Set("int32", () => true);
FormatRegistry.Set("binary", () => true);
FormatRegistry.Set("uri", (text) => URL.canParse(text));
// wordsSchema makes schemas of this kind.
TypeRegistry.Set<{ enum: readonly unknown[] }>("Unsafe", (schema, value) => schema.enum.includes(value));

interface Document {
  openapi: string;
  info: { version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Record<string, unknown>>>;
}
interface Operation {
  operationId: string;
  tags: string[];
  security?: readonly object[];
  parameters: { $ref?: string; name?: string }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<
    string,
    { $ref?: string; headers?: object; content?: Record<string, { schema: Record<string, unknown> }> }
  >;
}

let server: TestServer;
let cookie: string;
let document: Document;
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  document = await server.get<Document>("/openapi.json");
});

const name = ({ method, path }: Route) => `${method} ${path}`;

function operationOf({ method, path }: Route): Operation {
  return document.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()] as Operation;
}

describe("the document", () => {
  test("has every route of the table and no other", () => {
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "0.5.0" } });
    const count = Object.values(document.paths).reduce((sum, path) => sum + Object.keys(path).length, 0);
    expect(count).toBe(apiRoutes.length);
    for (const route of apiRoutes) {
      const { security, responses, operationId } = operationOf(route);
      const session = { session: [] };
      const scope = "scope" in route ? route.scope : "";
      const ways = {
        reader: [session, { link: [] }, { token: ["read"] }],
        session: [session, { token: [scope] }],
        login: [session],
        server: [{ token: [scope] }],
        public: [],
        visitor: [],
      };
      // These ask for something themselves.
      const own: Readonly<Record<string, object[]>> = {
        "GET /metrics": [session, { token: ["admin"] }, { monitoring: [] }],
        "POST /website/:hostname/shared": [{ link: [] }],
      };
      expect(security).toEqual(own[name(route)] ?? ways[route.access]);
      expect(Object.keys(responses).map(Number)).toEqual([route.status ?? 200, ...errorCodes(route)]);
      expect(operationId).toMatch(/^[a-z]+(-[a-z]+)*$/);
    }
    const ids = apiRoutes.map((route) => operationOf(route).operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("names its licence and its groups, and each operation is in one of them", () => {
    expect(document.info).toMatchObject({ license: { name: "MIT", identifier: "MIT" } });
    const tags = document.tags.map(({ name }) => name);
    expect(new Set(apiRoutes.flatMap((route) => operationOf(route).tags))).toEqual(new Set(tags));
    for (const { description } of document.tags) expect(description).not.toBe("");
    for (const route of apiRoutes) expect(operationOf(route).tags).toHaveLength(1);
  });

  test("names its schemas: whatever is asked and answered as JSON is one of them, or a list of one", () => {
    const schemas = document.components["schemas"] as Record<string, object>;
    for (const name of [
      "User",
      "Website",
      "Session",
      "Rules",
      "SummaryAnswer",
      "Totals",
      "PageRow",
      "CountryRow",
    ])
      expect(schemas).toHaveProperty(name);
    const bare = apiRoutes.flatMap((route) => {
      const { requestBody, responses } = operationOf(route);
      const answer = responses[route.status ?? 200]?.content?.["application/json"]?.schema;
      const asked = requestBody?.content["application/json"]?.schema;
      const one = answer?.["type"] === "array" ? (answer["items"] as Record<string, unknown>) : answer;
      return [asked, one].filter((schema) => schema !== undefined && schema["$ref"] === undefined);
    });
    // The document does not describe itself.
    expect(bare).toEqual([expect.objectContaining({ required: ["openapi"] })]);
    expect(JSON.stringify(document)).not.toContain("$id");
  });

  test("names no two components alike, also as types are named: oapi-codegen makes no client in Go otherwise", () => {
    const keys = ["schemas", "parameters", "headers"].flatMap((kind) =>
      Object.keys(document.components[kind] ?? {}),
    );
    const types = keys.map((key) => key.replaceAll(/[-_]/g, "").toLowerCase());
    expect(types.filter((type, at) => types.indexOf(type) !== at)).toEqual([]);
  });

  test("has no truth of one value: of such openapi-generator makes Java that does not compile", () => {
    expect(JSON.stringify(document)).not.toMatch(/"const":(true|false)/);
    expect(document.components["schemas"]?.["PageRow"]).toMatchObject({
      properties: { other: { type: "boolean" } },
    });
  });

  test("gives every body a schema, or generators of clients leave the endpoint out", () => {
    const bodies = apiRoutes.flatMap((route) => {
      const content = Object.entries(operationOf(route).requestBody?.content ?? {});
      return content.map(([media, { schema }]) => ({
        operation: `${route.method} ${route.path}`,
        media,
        schema,
      }));
    });
    expect(bodies.filter(({ schema }) => schema === undefined)).toEqual([]);
    expect(bodies.filter(({ media }) => media === "application/octet-stream")).toEqual([
      expect.objectContaining({
        operation: "POST /website/:hostname/import",
        schema: { type: "string", format: "binary" },
      }),
    ]);
  });

  test("says of each answer that is no text that it is a file, or clients break its bytes", () => {
    const files = apiRoutes.flatMap((route) => {
      const content = Object.entries(operationOf(route).responses[route.status ?? 200]?.content ?? {});
      const others = content.filter(([media]) => !/^(application\/json$|text\/)/.test(media));
      return others.map(([media, { schema }]) => [name(route), media, schema] as const);
    });
    const file = { type: "string", format: "binary" };
    expect(files).toEqual([
      ["GET /event/pixel.gif", "image/gif", file],
      ["GET /website/:hostname/export", "application/octet-stream", file],
      ["GET /website/:hostname/export.zip", "application/zip", file],
    ] as never);
  });

  test("describes each figure by its definition, with its unit and bounds", () => {
    const propertiesOf = (name: string) =>
      document.components["schemas"]?.[name]?.["properties"] as Record<string, object>;
    for (const [row, kind] of [
      ["PageRow", "pages"],
      ["BrowserRow", "list"],
      ["TimeRow", "time"],
      ["PropertyRow", "properties"],
      ["Totals", "summary"],
    ] as const)
      for (const metric of rowMetrics[kind].all) {
        const { format } = metricOf(metric);
        const field = propertiesOf(row)[fieldOf(metric)] as { description: string };
        expect([row, field]).toEqual([row, expect.objectContaining({ minimum: 0 })]);
        expect(field.description).toContain(definitions[metric]);
        if (format === "duration") expect(field.description).toEndWith("In milliseconds.");
        if (format === "percentage") expect(field).toMatchObject({ type: "number", maximum: 100 });
        else expect(field).toMatchObject({ type: "integer" });
      }
  });

  test("lets a field that may be missing be null, and bounds what is bounded", () => {
    const { UserChange, WebsiteChange, User } = document.components["schemas"] as Record<
      string,
      Record<string, unknown>
    >;
    const username = { type: "string", minLength: 3, maxLength: 48 };
    const orNull = (schema: object) => ({ anyOf: [expect.objectContaining(schema), { type: "null" }] });
    expect(UserChange?.["properties"]).toMatchObject({
      username: orNull(username),
      password: orNull({ minLength: 8, maxLength: 128 }),
    });
    expect(UserChange?.["required"]).toBeUndefined();
    expect(WebsiteChange?.["properties"]).toMatchObject({ hostname: orNull({ maxLength: 253 }) });
    expect(User).toMatchObject({
      properties: { username, dateCreated: { minimum: 0 } },
      required: ["username", "settings", "dateCreated", "dateUpdated"],
    });
  });

  test("refers to nothing that it does not define", () => {
    for (const [, reference = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = reference
        .split("/")
        .reduce<unknown>((at, key) => (at as Document)?.[key as "paths"], document);
      expect([reference, typeof target]).toEqual([reference, "object"]);
    }
  });

  test("has the ways in, the header of the build, and filters as deep objects", () => {
    const { securitySchemes, parameters, headers, schemas } = document.components;
    expect(securitySchemes).toEqual({
      session: { type: "apiKey", in: "cookie", name: "_me_sess" },
      token: expect.objectContaining({ type: "http", scheme: "bearer" }),
      link: expect.objectContaining({ type: "apiKey", in: "header", name: "footfall-link" }),
      monitoring: expect.objectContaining({ type: "http", scheme: "bearer" }),
    });
    expect(parameters?.["footfall-grant"]).toMatchObject({ in: "header", name: "footfall-grant" });
    expect(parameters?.["footfall-grant"]).not.toHaveProperty("required");
    for (const route of apiRoutes) {
      const references = operationOf(route).parameters.map(({ $ref }) => $ref);
      const takesGrant = references.includes("#/components/parameters/footfall-grant");
      expect([name(route), takesGrant]).toEqual([name(route), route.access === "reader"]);
    }
    expect(headers).toHaveProperty("X-Api-Commit");
    for (const filter of filterNames)
      expect(parameters?.[filter]).toMatchObject({ in: "query", style: "deepObject", allowReserved: true });
    expect(Object.keys(schemas?.["Filter"]?.["properties"] as object)).toEqual(
      operators.map(({ name }) => name),
    );
    expect(parameters?.["limit"]).toMatchObject({ schema: { type: "integer", minimum: 1, maximum: 5_000 } });
  });

  test("offers a purge all filters but those of what is only looked up", () => {
    const filtersOf = (path: string, method: string) =>
      document.paths[path]?.[method]?.parameters
        .map(({ $ref }) => $ref?.replace("#/components/parameters/", "") ?? "")
        .filter((name) => filterNames.some((filter) => filter === name));
    expect(filtersOf("/website/{hostname}/pages", "get")).toEqual([...filterNames]);
    expect(filtersOf("/website/{hostname}/purge", "post")).toEqual(
      filterNames.filter((name) => name !== "channel"),
    );
  });

  test("offers each statistics endpoint what it takes, and no more", () => {
    const offered = (list: string) =>
      document.paths[`/website/{hostname}/${list}`]?.["get"]?.parameters
        .map(({ $ref, name }) => name ?? $ref?.replace("#/components/parameters/", ""))
        .filter((name) => name !== "footfall-grant" && !filterNames.some((filter) => filter === name));
    const compared = ["compare_start", "compare_end"];
    const page = ["hostname", "start", "end", "limit", "offset", ...compared];
    const ofVisits = ["by", "metrics", "goal"];
    expect(offered("pages")?.toSorted()).toEqual([...page, ...ofVisits, "summary"].toSorted());
    expect(offered("time")?.toSorted()).toEqual([...page, ...ofVisits, "summary"].toSorted());
    expect(offered("referrers")?.toSorted()).toEqual([...page, ...ofVisits, "summary", "grouped"].toSorted());
    expect(offered("entries")?.toSorted()).toEqual([...page, ...ofVisits, "summary"].toSorted());
    expect(offered("goals")).toEqual(["hostname", "start", "end", "by", ...compared]);
    expect(offered("funnel")).toEqual(["hostname", "step", "funnel", "start", "end", "by", ...compared]);
    expect(offered("drivers")).toEqual([
      ...["hostname", "start", "end", "by", "metric", "timezone", "compare_start", "compare_end"],
    ]);
    expect(offered("journeys")).toEqual(["hostname", "start", "end", "by", "direction", "limit"]);
    expect(offered("languages")?.toSorted()).toEqual([...page, ...ofVisits, "summary", "locale"].toSorted());
    expect(offered("properties")?.toSorted()).toEqual([...page, ...ofVisits].toSorted());
    expect(offered("summary")).toEqual([
      "hostname",
      "metrics",
      "start",
      "end",
      "previous",
      ...compared,
      "interval",
      "timezone",
      "week_start",
      "by",
      "goal",
    ]);
  });
});

const current_password = "correct horse";
/** That of a second factor. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** A request that succeeds, for the routes that need more than a session. */
const bodies: Readonly<Record<string, (server: TestServer) => unknown>> = {
  "POST /event/hit": () => ({ b: "b", u: "https://example.com/", d: { plan: "pro" }, p: true }),
  "POST /event/batch": () => ({ hits: [{ b: "b", u: "https://example.com/", n: true, p: false }] }),
  "POST /auth/login": () => ({ username: "Ada", password: "correct horse" }),
  "POST /setup": ({ setUp }) => ({ token: setUp.token, username: "Grace", password: "long enough" }),
  "PATCH /user": () => ({ settings: { script_type: ["default"] } }),
  "POST /user/second-factor/offer": () => ({ current_password }),
  "POST /user/second-factor": ({ engine }) => ({
    current_password,
    secret,
    code: codeAt(secret, engine.nowMs()),
  }),
  "POST /user/second-factor/remove": ({ engine }) => ({
    current_password,
    code: codeAt(secret, engine.nowMs()),
  }),
  "POST /user/tokens": () => ({ name: "Till", scope: "send", hostname: "example.com" }),
  "POST /websites": () => ({ hostname: "new.example" }),
  "PATCH /websites/:hostname": () => ({}),
  "PATCH /website/:hostname/rules": () => ({ blocked_countries: ["DE"] }),
  "POST /website/:hostname/import": () =>
    '203.0.113.7 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "Firefox"\n',
  "POST /website/:hostname/links": () => ({
    name: "Client",
    filters: [{ name: "country", operator: "in", operands: ["Germany"] }],
    frame_ancestors: ["partner.example"],
  }),
  "POST /website/:hostname/invitations": () => ({ role: "viewer" }),
  "PATCH /website/:hostname/members/:username": () => ({ role: "editor" }),
  "POST /website/:hostname/shared": () => ({ password: "open sesame" }),
  "POST /website/:hostname/goals": () => ({ name: "Signups", event: { prop_name: "signup" } }),
  "POST /website/:hostname/notes": () => ({ date: "2026-11-03", text: "Newsletter" }),
  "PATCH /website/:hostname/notes/:id": () => ({ text: "Newsletter 7" }),
  "POST /website/:hostname/reports": () => ({
    kind: "weekly",
    webhook: { url: "https://hooks.example.com/a" },
    time_zone: "Europe/Berlin",
  }),
  "POST /website/:hostname/alerts": () => ({
    kind: "silence",
    hours: 12,
    webhook: { url: "https://hooks.example.com/a", format: "slack" },
  }),
  "POST /website/:hostname/funnels": () => ({ name: "Checkout", steps: ["page:/cart", "event:order"] }),
  "POST /website/:hostname/segments": () => ({ name: "Germany", filters: "country[eq]=Germany" }),
};
/** The parameters without which a route answers 400. */
const required: Readonly<Record<string, string>> = {
  "GET /event/pixel.gif": "u=https://example.com/",
  "GET /website/:hostname/drivers": "start=2026-01-01T00:00:00Z&end=2026-01-02T00:00:00Z",
  "GET /website/:hostname/funnel": "step=page:/&step=event:plan",
  "GET /website/:hostname/journeys": "path=/",
};
const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };

async function call(server: TestServer, cookie: string, route: Route, query = ""): Promise<Response> {
  const [sessionId = ""] = server.engine.registry.sessions.keys();
  const id = await idFor(server, cookie, route, sessionId);
  if (route.path.endsWith("/second-factor/remove"))
    await server.engine.commit(secondFactorChanged(1, { secret, keepSessionId: sessionId }));
  if (route.path.endsWith("/imported-sums")) await importSums(server, cookie);
  if (route.path.endsWith("/:username")) await joinAs(server, cookie, "viewer", "mary");
  const link = name(route) === "POST /website/:hostname/shared" ? await linkWithPassword(server, cookie) : {};
  const more = required[name(route)];
  const all = more === undefined ? query : `${query === "" ? "?" : `${query}&`}${more}`;
  const path =
    route.path.replace(":hostname", "example.com").replace(":id", id).replace(":username", "mary") + all;
  const token = route.access === "server" ? (await makeToken(server, cookie, "send")).headers : {};
  const isJoining = name(route) === "POST /invitations/accept";
  const body = isJoining
    ? { token: (await invitation(server, cookie)).token }
    : bodies[name(route)]?.(server);
  const own = isJoining ? await accountOf(server, "mary") : cookie;
  const asked = { cookie: own, headers: { ...headers, ...link, ...token }, body };
  return server.ask(route.method, path, asked);
}

async function importSums(server: TestServer, cookie: string): Promise<void> {
  const request = { method: "POST", headers: { cookie: `_me_sess=${cookie}` }, body: plausibleZip() };
  await server.fetch(new Request("http://localhost/website/example.com/import?dry_run=false", request));
}

/** Returns the id of something that the route may be asked about, and makes it. */
async function idFor(
  server: TestServer,
  cookie: string,
  { path }: Route,
  sessionId: string,
): Promise<string> {
  if (path.endsWith("/invitations/:id")) return (await invitation(server, cookie)).id;
  if (path.endsWith("/links/:id")) return (await makeLink(server, cookie)).id;
  if (path.endsWith("/tokens/:id")) return (await makeToken(server, cookie, "read")).id;
  const list = /(\w+)\/:id(?:\/test)?$/.exec(path)?.[1] ?? "";
  const added = {
    goals: goalAdded,
    notes: noteAdded,
    segments: segmentAdded,
    funnels: funnelAdded,
    reports: subscriptionAdded,
    alerts: alertAdded,
  }[list];
  if (added === undefined) return sessionId;
  await server.engine.commit(added(1, 1));
  return "1";
}

function alertAdded(websiteId: number, id: number) {
  return subscriptionAdded(websiteId, id, { subscribed: "drop" });
}

async function invitation(server: TestServer, cookie: string): Promise<{ id: string; token: string }> {
  const asked = { cookie, body: { role: "viewer" } };
  const answer = await server.ask("POST", "/website/example.com/invitations", asked);
  return (await answer.json()) as { id: string; token: string };
}

async function linkWithPassword(server: TestServer, cookie: string): Promise<Record<string, string>> {
  return (await makeLink(server, cookie, { password: "open sesame" })).headers;
}

/** Also that there is nothing that the schema does not name. */
function expectShape(schema: TSchema, value: unknown, what: string) {
  expect([what, ...Value.Errors(schema, value)]).toEqual([what]);
  expect([what, Value.Clean(schema, structuredClone(value))]).toEqual([what, value]);
}

async function valueOf(response: Response, { media = "application/json" }: Route): Promise<unknown> {
  expect(response.headers.get("content-type")).toBe(media);
  if (media === "text/event-stream") {
    const { value } = (await response.body?.getReader().read()) as { value: Uint8Array };
    return new TextDecoder().decode(value);
  }
  return media === "application/json" ? response.json() : response.text();
}

describe("every route", () => {
  test("lets in whoever comes with nothing exactly where the document says that nothing is needed", async () => {
    for (const route of apiRoutes) {
      const { security = [] } = operationOf(route);
      const path = route.path.replace(":hostname", "example.com").replace(":id", "1");
      const asked = route.body === undefined ? {} : { body: { password: "open sesame" } };
      const { status } = await server.ask(route.method, path, asked);
      // Nobody has the link that is missing.
      const isRefused = status === (route.path.endsWith("/shared") && route.access === "public" ? 404 : 401);
      const what = [name(route), status];
      expect([...what, isRefused]).toEqual([...what, security.length > 0]);
    }
  });

  test("succeeds with what it says", async () => {
    for (const route of apiRoutes) {
      const messages = { expectTarget: async () => {}, test: async () => {} };
      const own = await TestServer.open({ messages });
      const ownCookie = route.path === "/setup" ? "" : await own.prepare();
      const response = await call(own, ownCookie, route);
      expect([name(route), response.status]).toEqual([name(route), route.status ?? 200]);
      if (route.answer === undefined) expect(await response.text()).toBe("");
      else if (route.path !== "/openapi.json")
        expectShape(route.answer, await valueOf(response, route), name(route));
    }
  });

  test("statistics have these shapes with every parameter", async () => {
    await call(server, cookie, apiRoutes.find((route) => name(route) === "POST /event/hit") as Route);
    await server.ask("POST", "/event/hit", { body: { b: "b", m: 3_000 } });
    const queries = ["?summary=true", "?grouped=false&locale=true", "?prop_name[eq]=plan", "?interval=hour"];
    for (const route of apiRoutes.filter(({ statistics, media }) => statistics && !media))
      for (const query of queries) {
        // A removal refuses parameters that lists have and it has not.
        if (route.path.endsWith("/purge") && !query.includes("[")) continue;
        const response = await call(server, cookie, route, query);
        expectShape(route.answer as TSchema, await response.json(), name(route) + query);
      }
  });

  test("errs in the one shape, with a code that it lists", async () => {
    for (const route of apiRoutes)
      for (const asked of [
        { cookie: "" },
        { cookie, body: "{" },
        { cookie, body: {} },
        { cookie, body: "[]", headers: { "content-type": "text/plain" } },
      ])
        for (const hostname of ["example.com", "none.example", "a_b"]) {
          if (route.method === "DELETE" || route.path === "/auth/logout") continue;
          const path = `${route.path.replace(":hostname", hostname)}?path=/&limit=x`;
          const response = await server.ask(
            route.method,
            path,
            route.method === "GET" ? { cookie: asked.cookie } : asked,
          );
          if (response.ok) {
            await response.body?.cancel();
            continue;
          }
          expect([name(route), errorCodes(route)]).toEqual([
            name(route),
            expect.arrayContaining([response.status]),
          ]);
          const value = await response.json();
          expectShape(errorSchema, value, name(route));
          expect(value).toMatchObject({ error: { code: response.status } });
        }
  });
});
