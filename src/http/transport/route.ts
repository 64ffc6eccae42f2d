/**
 * What a route is. Routing, `Allow` and the OpenAPI document follow from one table of them. A handler gets
 * what its access allows and no more, returns plain values, and throws Refusal.
 */
import type { TSchema } from "@sinclair/typebox";
import type { Cookie } from "elysia";
import type { Throttle } from "../../accounts/throttle.ts";
import type { RefusalCode } from "../../core/refusal.ts";
import type { Authenticated, SetUp } from "../../engine/admin/admin.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Networks } from "./client-address.ts";
import type { LiveStreams } from "./live-streams.ts";
import type { ScalarName } from "./statistics-query.ts";

/** What lives as long as the server, for all handlers. */
export interface Services {
  readonly engine: Engine;
  readonly throttle: Throttle;
  readonly setUp: SetUp;
  readonly trustProxy: Networks;
  readonly live: LiveStreams;
  /** The OpenAPI document of all routes. */
  readonly openApi: () => object;
  /** The address of the other end of the connection; undefined for a Unix socket. */
  peerOf(request: Request): string | undefined;
}

/** One request of a tracker, which has no cookie. */
export interface VisitorCall {
  readonly services: Services;
  readonly request: Request;
  /** Decoded; null for a part of the path that is no percent-encoded UTF-8. */
  readonly params: Readonly<Record<string, string | null>>;
  /** Of the answer, names in lower case. */
  readonly headers: Record<string, string>;
}

/** One request of a person or a program of theirs. */
export interface Call extends VisitorCall {
  readonly cookie: Cookie<unknown>;
  /** The parsed body. Refusal 400 when it is not called JSON, or is none. */
  json(): Promise<unknown>;
}

/** One request with a valid session. */
export interface SessionCall extends Call {
  readonly login: Authenticated;
}

/** A value that is JSON already. */
export class JsonText {
  constructor(readonly text: string) {}
}

interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
}

interface RouteRow {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With parameters as `:name`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Plain query parameters. */
  readonly query?: readonly QueryParameter[];
  /** A statistics query: all filters, and these parameters. */
  readonly statistics?: readonly ScalarName[];
  /** Of the JSON body. */
  readonly body?: TSchema;
  readonly status: 200 | 201 | 204;
  /** What a success carries; `application/json` if `media` is missing, nothing with 204. */
  readonly answer?: TSchema;
  readonly media?: string;
  /** What it may refuse with besides 500, and 401 without a session. */
  readonly errors: readonly RefusalCode[];
}

/** Sent by pages everywhere: answers other origins and reads no cookie. */
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

/** The value a handler returns becomes JSON, or with another `media` is sent as it is: a text or a Response. */
export type Route = VisitorRoute | PublicRoute | SessionRoute;
