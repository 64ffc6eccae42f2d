import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { FormatRegistry, TypeRegistry, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { filterNames } from "../../src/core/dimension.ts";
import { parseHostname } from "../../src/core/hostname.ts";
import { operators } from "../../src/core/operator.ts";
import { parseDateTime } from "../../src/http/transport/date-time.ts";
import { errorSchema } from "../../src/http/transport/errors.ts";
import { errorCodes } from "../../src/http/openapi.ts";
import type { Route } from "../../src/http/transport/route.ts";
import { apiRoutes } from "../../src/http/routes.ts";
import { TestServer } from "../support/http.ts";
import { testTimeoutMs } from "../support/timeout.ts";

setDefaultTimeout(testTimeoutMs);

FormatRegistry.Set("hostname", (text) => parseHostname(text) === text);
FormatRegistry.Set("date-time", (text) => parseDateTime(text) !== undefined);
FormatRegistry.Set("int32", () => true);
// Of wordsSchema.
TypeRegistry.Set<{ enum: readonly unknown[] }>("Unsafe", (schema, value) => schema.enum.includes(value));

interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Record<string, unknown>>>;
}
interface Operation {
  operationId: string;
  security?: unknown;
  parameters: { $ref?: string; name?: string }[];
  responses: Record<string, { $ref?: string; headers?: object }>;
}

let server: TestServer;
let cookie: string;
let document: Document;
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  document = (await (await server.ask("GET", "/openapi.json")).json()) as Document;
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
      expect(security).toEqual(route.access === "session" ? [{ session: [] }] : undefined);
      expect(Object.keys(responses).map(Number)).toEqual([route.status, ...errorCodes(route)]);
      expect(operationId).toMatch(/^[a-z]+(-[a-z]+)*$/);
    }
    const ids = apiRoutes.map((route) => operationOf(route).operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("refers to nothing that it does not define", () => {
    for (const [, reference = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = reference
        .split("/")
        .reduce<unknown>((at, key) => (at as Document)?.[key as "paths"], document);
      expect([reference, typeof target]).toEqual([reference, "object"]);
    }
  });

  test("has the session cookie, the header of the build, and filters as deep objects", () => {
    const { securitySchemes, parameters, headers, schemas } = document.components;
    expect(securitySchemes).toEqual({ session: { type: "apiKey", in: "cookie", name: "_me_sess" } });
    expect(headers).toHaveProperty("X-Api-Commit");
    for (const filter of filterNames)
      expect(parameters?.[filter]).toMatchObject({ in: "query", style: "deepObject", allowReserved: true });
    expect(Object.keys(schemas?.["Filter"]?.["properties"] as object)).toEqual(
      operators.map(({ name }) => name),
    );
    expect(parameters?.["limit"]).toMatchObject({ schema: { type: "integer", minimum: 1, maximum: 5_000 } });
  });

  test("offers each statistics endpoint what it takes, and no more", () => {
    const offered = (list: string) =>
      document.paths[`/website/{hostname}/${list}`]?.["get"]?.parameters
        .map(({ $ref, name }) => name ?? $ref?.replace("#/components/parameters/", ""))
        .filter((name) => !filterNames.some((filter) => filter === name));
    const page = ["hostname", "start", "end", "limit", "offset"];
    expect(offered("pages")?.toSorted()).toEqual([...page, "summary"].toSorted());
    expect(offered("time")?.toSorted()).toEqual([...page, "summary"].toSorted());
    expect(offered("referrers")?.toSorted()).toEqual([...page, "summary", "grouped"].toSorted());
    expect(offered("languages")?.toSorted()).toEqual([...page, "summary", "locale"].toSorted());
    expect(offered("properties")?.toSorted()).toEqual(page.toSorted());
    expect(offered("summary")).toEqual(["hostname", "start", "end", "previous", "interval", "timezone"]);
  });
});

/** A request that succeeds, for the routes that need more than a session. */
const bodies: Readonly<Record<string, (server: TestServer) => unknown>> = {
  "POST /event/hit": () => ({ b: "b", u: "https://example.com/", d: { plan: "pro" }, p: true }),
  "POST /auth/login": () => ({ username: "Ada", password: "correct horse" }),
  "POST /setup": ({ setUp }) => ({ token: setUp.token, username: "Grace", password: "long enough" }),
  "PATCH /user": () => ({ settings: { script_type: ["default"] } }),
  "POST /websites": () => ({ hostname: "new.example" }),
  "PATCH /websites/:hostname": () => ({}),
  "PATCH /website/:hostname/rules": () => ({ blocked_countries: ["DE"] }),
};
const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };

async function call(server: TestServer, cookie: string, route: Route, query = ""): Promise<Response> {
  const id = (server.engine.registry.sessions.keys().next().value as string | undefined) ?? "";
  const path = route.path.replace(":hostname", "example.com").replace(":id", id) + query;
  return server.ask(route.method, path, { cookie, headers, body: bodies[name(route)]?.(server) });
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
  test("succeeds with what it says", async () => {
    for (const route of apiRoutes) {
      const own = await TestServer.open();
      const ownCookie = route.path === "/setup" ? "" : await own.prepare();
      const response = await call(own, ownCookie, route);
      expect([name(route), response.status]).toEqual([name(route), route.status]);
      if (route.answer === undefined) expect(await response.text()).toBe("");
      else if (route.path !== "/openapi.json")
        expectShape(route.answer, await valueOf(response, route), name(route));
    }
  });

  test("statistics have these shapes with every parameter", async () => {
    await call(server, cookie, apiRoutes.find((route) => name(route) === "POST /event/hit") as Route);
    await server.ask("POST", "/event/hit", { body: { b: "b", m: 3_000 } });
    const queries = ["?summary=true", "?grouped=false&locale=true", "?prop_name[eq]=plan", "?interval=hour"];
    for (const route of apiRoutes.filter(({ statistics }) => statistics !== undefined))
      for (const query of queries) {
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
