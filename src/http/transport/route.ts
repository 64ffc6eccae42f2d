/**
 * The types of a route. Routing, `Allow` and the OpenAPI document follow from one table of routes. A handler gets what
 * its access allows and no more, returns plain values, and throws Refusal.
 */
import type { TSchema } from "@sinclair/typebox";
import type { Cookie } from "elysia";
import type { PasswordGuard } from "../../accounts/password-guard.ts";
import type { Website } from "../../accounts/registry.ts";
import type { AskedFilter } from "../../core/website/link.ts";
import type { RefusalCode } from "../../core/refusal.ts";
import type { Authenticated, SetUp } from "../../engine/admin/admin.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Networks } from "./client-address.ts";
import type { LinkExports } from "./link-exports.ts";
import type { LiveReader, LiveStreams } from "./live-streams.ts";
import type { ServerMetrics } from "./server-metrics.ts";
import type { ScalarName } from "./statistics-query.ts";

/** The objects that live as long as the server, for all handlers. */
export interface Services {
  readonly engine: Engine;
  readonly guard: PasswordGuard;
  readonly setUp: SetUp;
  readonly trustProxy: Networks;
  /** The path below which everything is, such as `/stats`; "" for the root. */
  readonly base: string;
  readonly live: LiveStreams;
  readonly linkExports: LinkExports;
  readonly metrics: ServerMetrics;
  /** The secret with which a monitoring system reads the metrics; undefined for none. */
  readonly metricsToken: string | undefined;
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

/** Who reads a website: an account, or whoever has a link. */
export interface Reader extends LiveReader {
  readonly website: Website;
  /** Every question gets them; none of an account. */
  readonly filters: readonly AskedFilter[];
  /** The name of the link; undefined for an account. */
  readonly link: string | undefined;
}

/** One request of somebody who may read the website that the path names: by a session, or by a link. */
export interface ReaderCall extends Call {
  readonly reader: Reader;
}

/** A value that is JSON text already. */
export class JsonText {
  constructor(readonly text: string) {}
}

export interface QueryParameter {
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
  /** The codes of its refusals besides 500, and 401 without a session or link. */
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

/** A route that a website's link opens, too: it changes nothing. */
export interface ReaderRoute extends RouteRow {
  readonly method: "GET";
  readonly access: "reader";
  readonly handle: (call: ReaderCall) => unknown;
}

/**
 * The value that a handler returns becomes JSON. With another `media` it is a text or a Response, and is sent as it is.
 */
export type Route = VisitorRoute | PublicRoute | SessionRoute | ReaderRoute;

export interface RouteGroup {
  readonly tag: string;
  readonly description: string;
  readonly routes: readonly Route[];
}
