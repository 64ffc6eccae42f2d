/** Builds the OpenAPI 3.1 document from the table of routes, their schemas and the tables of core. */
import { Type, type TSchema } from "@sinclair/typebox";
import {
  filterNames,
  listedDimensions,
  type AskedName,
  type ListedDimension,
} from "../core/questions/dimension.ts";
import { operatorDescription, operators, operatorsDescription } from "../core/questions/operator.ts";
import { filtersMax } from "../core/questions/query.ts";
import type { RefusalCode } from "../core/refusal.ts";
import { assert } from "../lib/assert.ts";
import { csvMedia } from "./answers/csv.ts";
import { errorSchema } from "./answers/errors.ts";
import type { Route, RouteGroup, WayIn } from "./transport/route.ts";
import { fileSchema, named } from "./parsing/schemas.ts";
import { grantHeader, linkHeader } from "./callers/reader.ts";
import { sessionCookie } from "./callers/session.ts";
import { scalars } from "./parsing/statistics-query.ts";
import { hostnameSchema } from "./resources/websites.ts";

/** The version of the interface and not of the program. */
const interfaceVersion = "0.5.0";

const errorDescriptions: Readonly<Record<RefusalCode, string>> = {
  400: "Bad request: the message names the field, what came, and what was expected",
  401: "No valid session or token, a wrong login, or a link that needs its password; throttled with Retry-After",
  403: "This account, token or link may not do that, or a page of another origin asked",
  404: "Not found, or somebody else's",
  409: "The name is taken, it is done already, or another is under way",
  500:
    "Unexpected internal error, or the disk is full; with Retry-After also: too much is asked at once, or a question " +
    "had no answer within 25 seconds",
};

const filterDescriptions = (): Readonly<Record<AskedName, string>> => ({
  ...(Object.fromEntries(listedDimensions.map(({ name, description }) => [name, description])) as Record<
    ListedDimension["name"],
    string
  >),
  entry: "Path of the first page of the visit",
  prop_name: "Custom property name",
  prop_value: "Custom property value",
});

const filterSchema = () =>
  named(
    "Filter",
    Type.Object(
      Object.fromEntries(
        operators.map((operator) => [
          operator.name,
          Type.Optional(Type.String({ description: operatorDescription(operator) })),
        ]),
      ),
      {
        additionalProperties: false,
        description: `${operatorsDescription}; at most ${filtersMax} filters in a request`,
      },
    ),
  );

const commitHeader = { "X-Api-Commit": { $ref: "#/components/headers/X-Api-Commit" } };

export function openApiDocument(groups: readonly RouteGroup[], base = ""): object {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const { tag, routes } of groups)
    for (const route of routes)
      (paths[route.path.replace(/:(\w+)/g, "{$1}")] ??= {})[route.method.toLowerCase()] = operation(
        route,
        tag,
      );
  const placed = components.place({ paths, ...sharedParts() }) as { paths: object };
  const { paths: placedPaths, ...shared } = placed;
  return {
    openapi: "3.1.0",
    info: {
      title: "Footfall",
      version: interfaceVersion,
      license: { name: "MIT", identifier: "MIT" },
      description:
        "Self-hosted web analytics without cookies for visitors. The version is that of the interface; the header X-Api-Commit names the build. The API answers at the root and under /api. " +
        "HEAD is answered as GET without a body; OPTIONS with the header Allow; an unknown path or method with 404. What is no HTTP/1.1 is " +
        "400, 431 or 505 without a body, and ends the connection, as does a request that has not come within 10 to " +
        "14 seconds, or that comes while the answer to the one before it on the same connection is still being made. What " +
        "changes something, hits excepted, answers 403, and POST /auth/login 400, to an Origin or Sec-Fetch-Site that " +
        "is not this server's. A filter is written `path[eq]=/pricing`; a client that writes it otherwise is told so by a 400.",
    },
    servers: [{ url: base || "/" }, { url: `${base}/api` }],
    tags: groups.map(({ tag, description }) => ({ name: tag, description })),
    paths: placedPaths,
    components: { ...shared, schemas: components.schemas },
  };
}

/** Returns what operations refer to, but for the schemas. */
function sharedParts() {
  return {
    securitySchemes: {
      session: { type: "apiKey", in: "cookie", name: sessionCookie },
      token: {
        type: "http",
        scheme: "bearer",
        description:
          "An API token of POST /user/tokens: `read`, `send` or `admin`, for one website or all of the account. `admin` may " +
          "what `read` may. Operations name the scope that they need; those without one refuse every token. A token that " +
          "may not is 403; it is never read from a URL.",
      },
      link: {
        type: "apiKey",
        in: "header",
        name: linkHeader,
        description:
          "`<id>.<token>` of a link, or the name of a public one. One with a password also needs the header " +
          `${grantHeader}, which POST /website/{hostname}/shared gives for it. Beside a token the link is not looked at.`,
      },
      monitoring: {
        type: "http",
        scheme: "bearer",
        description: "The secret that the setting FOOTFALL_METRICS_TOKEN gives a monitoring system.",
      },
    },
    headers: {
      "X-Api-Commit": {
        description: "Git commit of the build",
        required: true,
        schema: Type.String(),
      },
    },
    parameters: { ...scalarParameters(), ...filterParameters(), [grantHeader]: grantParameter },
    responses: Object.fromEntries(
      Object.entries(errorDescriptions).map(([code, description]) => [
        code,
        { description, headers: commitHeader, content: { "application/json": { schema: errorSchema } } },
      ]),
    ),
  };
}

function operation(route: Route, tag: string): object {
  const { summary, description, status = 200, answer } = route;
  return {
    operationId: operationId(route),
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(route),
    parameters: parameters(route),
    ...((route.body !== undefined || route.bodyAsFile === true) && {
      requestBody: { required: true, content: bodyContent(route) },
    }),
    responses: {
      [status]: {
        description: "Success",
        headers: commitHeader,
        ...(answer !== undefined && { content: answerContent(route, answer) }),
      },
      ...Object.fromEntries(
        errorCodes(route).map((code) => [code, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
}

/** Returns the ways in, each of which is enough; a token needs the scope that is named. */
function securityOf(route: Route): readonly WayIn[] {
  switch (route.access) {
    case "reader":
      return [{ session: [] }, { link: [] }, { token: ["read"] }];
    case "session":
      return [{ session: [] }, { token: [route.scope] }];
    case "server":
      return [{ token: [route.scope] }];
    case "login":
      return [{ session: [] }];
    case "public":
      return route.security ?? [];
    case "visitor":
      return [];
  }
}

function bodyContent({ body, bodyAsText, bodyAsFile }: Route): object {
  if (bodyAsFile === true) return { "application/octet-stream": { schema: fileSchema } };
  const text = { type: "string", contentMediaType: "application/json", contentSchema: body };
  return {
    "application/json": { schema: body },
    ...(bodyAsText === true && { "text/plain": { schema: text } }),
  };
}

/** Returns the forms of an answer: statistics come as CSV too, to whoever accepts that alone. */
function answerContent({ statistics, media = "application/json" }: Route, schema: TSchema): object {
  const isRows = statistics !== undefined && media === "application/json";
  return { [media]: { schema }, ...(isRows && { [csvMedia]: { schema: Type.String() } }) };
}

/** Returns the error codes that a route may answer with. Exported for tests. */
export function errorCodes(route: Route): number[] {
  const own = securityOf(route).length > 0 ? [401, 403] : [];
  return [...new Set([...route.errors, ...own, 500])].sort((a, b) => a - b);
}

function operationId({ method, path }: Route): string {
  const words = path.split("/").filter((word) => word !== "");
  return [method.toLowerCase(), ...words.map((word) => word.replace(":", "by-").replace(".", "-"))].join("-");
}

/** The header that a link with a password needs wherever the link opens something. */
const grantParameter = {
  name: grantHeader,
  in: "header",
  description: "The grant of POST /website/{hostname}/shared; only with a link that has a password",
  schema: Type.String(),
};

function parameters({ path, query = [], statistics, filters = filterNames, access }: Route): object[] {
  const named = path.matchAll(/:(\w+)/g).map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: name === "hostname" ? hostnameSchema : Type.String(),
  }));
  const plain = query.map((parameter) => ({ ...parameter, in: "query" }));
  const asked = statistics === undefined ? [] : ["start", "end", ...filters, ...statistics];
  const all = access === "reader" ? [...asked, grantHeader] : asked;
  // An endpoint's own parameter takes the place of the shared one with its name: no request needs both.
  const shared = all.filter((known) => query.every(({ name }) => name !== known));
  return [...named, ...plain, ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

function scalarParameters() {
  return Object.fromEntries(
    Object.entries(scalars).map(([name, { description, schema }]) => [
      name,
      { name, in: "query", description, schema },
    ]),
  );
}

function filterParameters() {
  const descriptions = filterDescriptions();
  const filter = filterSchema();
  return Object.fromEntries(
    filterNames.map((name) => [
      name,
      {
        name,
        in: "query",
        description: descriptions[name],
        style: "deepObject",
        explode: true,
        allowReserved: true,
        schema: filter,
      },
    ]),
  );
}

/** Collects the schemas that have a name: the document has each once, and refers to it elsewhere. */
class Components {
  readonly schemas: Record<string, object> = {};

  /** Returns a schema, or anything that contains schemas, with a reference in place of each that has a name. */
  place(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((entry) => this.place(entry));
    if (typeof value !== "object" || value === null) return value;
    const { $id: name, ...own } = value as { readonly $id?: string };
    // openapi-generator makes classes in Java that do not compile of a truth that has one value only.
    const parts = Object.entries(own).filter(([key, part]) => key !== "const" || typeof part !== "boolean");
    const placed = Object.fromEntries(parts.map(([key, part]) => [key, this.place(part)]));
    return name === undefined ? placed : this.refer(name, placed);
  }

  private refer(name: string, schema: object): object {
    const known = (this.schemas[name] ??= schema);
    assert(JSON.stringify(known) === JSON.stringify(schema), `the schema ${name} has one meaning`);
    return { $ref: `#/components/schemas/${name}` };
  }
}
