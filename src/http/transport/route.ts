/**
 * The types of a route. Routing, `Allow` and the OpenAPI document follow from one table of routes. A handler gets what
 * its access allows and no more, returns plain values, and throws Refusal.
 */
import type { TSchema } from "@sinclair/typebox";
import type { Cookie } from "elysia";
import type { PasswordGuard } from "../../accounts/password-guard.ts";
import type { RefusalCode } from "../../core/refusal.ts";
import type { Authenticated, SetUp } from "../../engine/admin/admin.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Networks } from "./client-address.ts";
import type { LiveStreams } from "./live-streams.ts";
import type { ScalarName } from "./statistics-query.ts";

/** The objects that live as long as the server, for all handlers. */
export interface Services {
  readonly engine: Engine;
  readonly guard: PasswordGuard;
  readonly setUp: SetUp;
  readonly trustProxy: Networks;
  readonly live: LiveStreams;
  /** The OpenAPI document of all routes. */
  readonly openApi: () => object;
  /** Returns the address of the other end of the connection; undefined for a Unix socket. */
  peerOf(request: Request): string | undefined;
  /** Has the request's connection cut only after so many seconds without a byte. */
  allowSilence(request: Request, seconds: number): void;
}

/** One request of a tracker, which has no cookie. */
export interface VisitorCall {
  readonly services: Services;
  readonly request: Request;
  /** Decoded parts of the path; null for a part that is not percent-encoded UTF-8. */
  readonly params: Readonly<Record<string, string | null>>;
  /** The headers of the answer, with names in lower case. */
  readonly headers: Record<string, string>;
}

/** One request of a person or of a person's program. */
export interface Call extends VisitorCall {
  /** The cookies of the answer; those of the request are read by `cookieValues`. */
  readonly cookies: Readonly<Record<string, Cookie<unknown>>>;
  /** Returns the parsed body. Throws Refusal 400 if its type is not JSON, or if it cannot be parsed. */
  json(): Promise<unknown>;
}

/** One request with a valid session. */
export interface SessionCall extends Call {
  readonly login: Authenticated;
}

/** A value that is JSON text already. */
export class JsonText {
  constructor(readonly text: string) {}
}

interface QueryParameter {
  readonly name: string;
  readonly required?: true;
  readonly description: string;
  readonly schema: TSchema;
}

interface RouteRow {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path, with parameters as `:name`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** The plain query parameters. */
  readonly query?: readonly QueryParameter[];
  /** The parameters of a statistics query, which takes all filters besides. */
  readonly statistics?: readonly ScalarName[];
  /** The schema of the JSON body. */
  readonly body?: TSchema;
  /** Whether it may also come as `text/plain`. */
  readonly bodyAsText?: true;
  readonly status: 200 | 201 | 204;
  /** The schema of a success; `application/json` if `media` is missing. A 204 has none. */
  readonly answer?: TSchema;
  readonly media?: string;
  /** The codes of its refusals besides 500, and 401 without a session. */
  readonly errors: readonly RefusalCode[];
}

/** A route for pages everywhere: it answers other origins and reads no cookie. */
export interface VisitorRoute extends RouteRow {
  readonly access: "visitor";
  readonly handle: (call: VisitorCall) => unknown;
}

export interface PublicRoute extends RouteRow {
  readonly access: "public";
  readonly handle: (call: Call) => unknown;
}

export interface SessionRoute extends RouteRow {
  readonly access: "session";
  readonly handle: (call: SessionCall) => unknown;
}

/**
 * The value that a handler returns becomes JSON. With another `media` it is a text or a Response, and is sent as it is.
 */
export type Route = VisitorRoute | PublicRoute | SessionRoute;

export interface RouteGroup {
  readonly tag: string;
  readonly description: string;
  readonly routes: readonly Route[];
}
