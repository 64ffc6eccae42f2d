/**
 * The types of a route. Routing, `Allow` and the OpenAPI document follow from one table of routes. A handler gets what
 * its access allows and no more, returns plain values, and throws Refusal.
 */
import type { TSchema } from "@sinclair/typebox";
import type { Cookie } from "elysia";
import type { ApiToken } from "../../accounts/account.ts";
import type { PasswordGuard } from "../../accounts/login/password-guard.ts";
import type { Session, User, Website } from "../../accounts/registry/registry.ts";
import type { TokenScope } from "../../core/api-token.ts";
import type { AskedFilter } from "../../core/website/link.ts";
import type { RefusalCode } from "../../core/refusal.ts";
import type { Caller } from "../../engine/admin/caller.ts";
import type { SetUp } from "../../engine/admin/account/set-up.ts";
import type { JudgedSender } from "../../collect/hit.ts";
import type { Peers } from "../../cluster/forwarding/peers.ts";
import type { AskedName } from "../../core/questions/dimension.ts";
import type { Engine } from "../../engine/engine.ts";
import type { BodyLimit } from "../parsing/body.ts";
import type { FileImports } from "./file-import.ts";
import type { LargeAnswers } from "./large-answers.ts";
import type { UnderWay } from "./under-way.ts";
import type { LiveReader, LiveStreams } from "./live-streams.ts";
import type { Messages } from "./messages.ts";
import type { ServerMetrics } from "./server-metrics.ts";
import type { ScalarName } from "../parsing/statistics-query.ts";

/** The objects that live as long as the server, for all handlers. */
export interface Services {
  readonly engine: Engine;
  readonly guard: PasswordGuard;
  readonly setUp: SetUp;
  /** The path below which everything is, such as `/stats`; "" for the root. */
  readonly base: string;
  /** Whether the settings name a mail server. */
  readonly sendsMail: boolean;
  /** Sends reports and alerts; undefined where nothing does, and no webhook is judged. */
  readonly messages: Messages | undefined;
  readonly live: LiveStreams;
  /** The archives that are made for links, by website. */
  readonly linkExports: UnderWay;
  /** The files that are made for accounts, by account. */
  readonly downloads: UnderWay;
  /** By account. */
  readonly purges: UnderWay;
  readonly large: LargeAnswers;
  readonly metrics: ServerMetrics;
  /** The secret with which a monitoring system reads the metrics; undefined for none. */
  readonly metricsToken: string | undefined;
  /** The OpenAPI document of all routes, as JSON. */
  readonly openApi: () => Blob;
  readonly fileImports: FileImports;
  /** The other nodes; undefined on a single machine. */
  readonly cluster: Peers | undefined;
  /** Returns who sent a request, as the node judged it that the client spoke to. */
  senderOf(request: Request): JudgedSender;
  /** Whether another node forwarded the request to this one. */
  isForwarded(request: Request): boolean;
  /** Lets the request's connection be silent for this many seconds before it is cut. */
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
  /** The cookies of the answer; callers/session.ts reads those of the request. */
  readonly cookies: Readonly<Record<string, Cookie<unknown>>>;
  /** Returns the parsed body. Throws Refusal 400 if its type is not JSON, or if it cannot be parsed. */
  json(): Promise<unknown>;
}

/** An account that asks, by a session or by an API token. */
export interface Login {
  readonly user: User;
  readonly caller: Caller;
  /** Returns whether the session or the token is still there. */
  isLive(): boolean;
}

/** The same, by a session. */
export interface SessionLogin extends Login {
  readonly session: Session;
}

/** One request with a valid session, or an API token with the scope of the route. */
export interface SessionCall extends Call {
  readonly login: Login;
}

/** One request with a valid session. */
export interface LoginCall extends Call {
  readonly login: SessionLogin;
}

/** A reader of a website: an account, or the holder of a link. */
export interface Reader extends LiveReader {
  readonly website: Website;
  /** Every question gets them; none of an account. */
  readonly filters: readonly AskedFilter[];
}

/** One request of somebody who may read the website that the path names: by a session, a token or a link. */
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
  /** A GET that logs something, or that only the node can answer that sequences. What is no GET always is such. */
  readonly bySequencer?: true;
  readonly summary: string;
  readonly description?: string;
  /** The plain query parameters. */
  readonly query?: readonly QueryParameter[];
  /** The parameters of a statistics query, which takes all filters besides, or those of `filters`. */
  readonly statistics?: readonly ScalarName[];
  readonly filters?: readonly AskedName[];
  /** The schema of the JSON body. */
  readonly body?: TSchema;
  /** The most bytes of the body, if they are more than those of other routes. */
  readonly bodyLimit?: BodyLimit;
  /** Whether it may also come as `text/plain`. */
  readonly bodyAsText?: true;
  /** Whether the body is a file, which the handler reads itself. */
  readonly bodyAsFile?: true;
  /** The status of a success; 200 by default. */
  readonly status?: 201 | 204;
  /** The schema of a success; `application/json` if `media` is missing. A 204 has none. */
  readonly answer?: TSchema;
  readonly media?: string;
  /** The codes of its refusals besides 500, 401 without a session or link, and 403 for a token that may not. */
  readonly errors: readonly RefusalCode[];
}

/** A route for pages everywhere: it answers other origins and reads no cookie. */
export interface VisitorRoute extends RouteRow {
  readonly access: "visitor";
  /** Its body is one hit, and its answer what became of it: to another node it goes together with others. */
  readonly isHit?: true;
  /** A page shows its answer, and no script reads it: it needs no CORS header. */
  readonly isPicture?: true;
  readonly handle: (call: VisitorCall) => unknown;
}

/** The names of the ways in that the document describes, with the scopes that a token needs. */
export type WayIn = Readonly<Partial<Record<"session" | "token" | "link" | "monitoring", readonly string[]>>>;

export interface PublicRoute extends RouteRow {
  readonly access: "public";
  /** The ways in that its handler looks at itself, each of which is enough; missing where it asks for none. */
  readonly security?: readonly WayIn[];
  readonly handle: (call: Call) => unknown;
}

/** A route of an account, for which a program may come with an API token. */
export interface SessionRoute extends RouteRow {
  readonly access: "session";
  /** The scope that a token needs. */
  readonly scope: Exclude<TokenScope, "send">;
  /** A token of one website opens it although the path names none: it answers about that one. */
  readonly forOneWebsite?: true;
  readonly handle: (call: SessionCall) => unknown;
}

/** A route that no API token opens: passwords, sessions, tokens, and who else is let in. */
export interface LoginRoute extends RouteRow {
  readonly access: "login";
  readonly handle: (call: LoginCall) => unknown;
}

/** One request of a server that sends hits, with an API token for that. */
export interface ServerCall extends Call {
  readonly token: ApiToken;
}

/** A route for back ends and apps, which only an API token with the scope `send` opens. */
export interface ServerRoute extends RouteRow {
  readonly access: "server";
  readonly scope: "send";
  readonly handle: (call: ServerCall) => unknown;
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
export type Route = VisitorRoute | PublicRoute | SessionRoute | LoginRoute | ServerRoute | ReaderRoute;

export interface RouteGroup {
  readonly tag: string;
  readonly description: string;
  readonly routes: readonly Route[];
}
