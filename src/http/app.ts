/**
 * Puts the table's routes on Elysia: checks sessions before anything else, adds the build's commit to every answer, and
 * gives every error the same shape. The app is a function from a request to its answer; the socket belongs to
 * `serve.ts`.
 */
import { Elysia, type Context, type Cookie } from "elysia";
import { PasswordGuard } from "../accounts/login/password-guard.ts";
import type { JudgedSender } from "../collect/hit.ts";
import type { HitAnswerer } from "../cluster/forwarding/forwarded-hits.ts";
import type { Engine } from "../engine/engine.ts";
import { once } from "../lib/lazy.ts";
import { readJson } from "./parsing/body.ts";
import type { Networks } from "./callers/client-address.ts";
import { csvMedia, CsvText } from "./answers/csv.ts";
import { errorAnswer, unknownEndpoint } from "./answers/errors.ts";
import { answerHead, getOf } from "./answers/head.ts";
import { FileImports, type FileImporter } from "./transport/file-import.ts";
import { allUnderWay } from "./transport/under-way.ts";
import { LargeAnswers } from "./transport/large-answers.ts";
import { LiveStreams } from "./transport/live-streams.ts";
import { requireOwnOrigin } from "./callers/origin.ts";
import { openApiDocument } from "./openapi.ts";
import {
  JsonText,
  type Call,
  type LoginRoute,
  type ReaderRoute,
  type Route,
  type Services,
  type ServerRoute,
  type SessionRoute,
  type VisitorRoute,
} from "./transport/route.ts";
import { routeGroups, routesByPath } from "./routes.ts";
import { countForwardedHit } from "./resources/event.ts";
import { defaultScriptName } from "./resources/script.ts";
import { answerInCluster } from "./answers/cluster-answer.ts";
import { Forwarded } from "./transport/forwarded-response.ts";
import { withPlainUrl } from "./transport/plain-url.ts";
import { RequestSender } from "./callers/sender.ts";
import { ServerMetrics } from "./transport/server-metrics.ts";
import { isByLink, refuseLink, requireReader } from "./callers/reader.ts";
import { endingWith, requireAccount, requireLogin, requireToken } from "./callers/login.ts";
import { answerTimeoutS, changeTimeoutS, idleTimeoutS } from "./transport/silence.ts";

type Chosen = "base" | "sendsMail" | "messages" | "cluster" | "metricsToken";

/** By default everything is at the root, nothing is sent, and there is neither another node nor a secret for the metrics. */
export interface AppOptions extends Pick<Services, "setUp">, Partial<Pick<Services, Chosen>> {
  /** Git commit of the build, for `X-Api-Commit`. */
  readonly commit: string;
  /** The addresses whose `X-Forwarded-For` is believed. */
  readonly trustProxy: Networks;
  /** The tracker's file name besides `script.js`. */
  readonly scriptName?: string | undefined;
  readonly importFile: FileImporter;
  /** The most bytes of answers that clients are still reading; 64 MiB by default. */
  readonly answerBytes?: number;
  /** Returns the lines of `/metrics` about what the program does besides serving. */
  readonly moreMetrics?: (() => readonly string[]) | undefined;
}

/** Bun's server, which knows the other end of a connection. */
export interface PeerSource {
  requestIP(request: Request): { readonly address: string } | null;
  /** Cuts the connection after so many seconds without a byte. */
  timeout(request: Request, seconds: number): void;
}

export interface App {
  /** Answers a request; never rejects. Without `server` every request counts as coming from this machine. */
  fetch(request: Request, server?: PeerSource): Response | Promise<Response>;
  /** Answers a request that another node has from this sender. */
  fetchForwarded(request: Request, sender: JudgedSender): Promise<Response>;
  /** Judges the body of a hit that another node has. Throws Refusal, and nothing else. */
  readonly hitForwarded: HitAnswerer;
  /** Returns what `/metrics` answers, for whoever needs no login. */
  metrics(): string;
  /** Ends the streams, which would not end by themselves. */
  closeStreams(): void;
}

export function createApp(engine: Engine, options: AppOptions): App {
  const { commit, setUp, trustProxy, base = "", sendsMail = false, metricsToken } = options;
  const { scriptName = defaultScriptName, importFile, messages, cluster } = options;
  let listening: PeerSource | undefined;
  /** The requests by HEAD, by those that are answered in their place. Only the former have a connection. */
  const heads = new WeakMap<Request, Request>();
  const forwarded = new WeakMap<Request, JudgedSender>();
  const connected = (request: Request) => heads.get(request) ?? request;
  const peerOf = (request: Request) => listening?.requestIP(connected(request))?.address;
  const live = new LiveStreams();
  const services: Services = {
    engine,
    guard: new PasswordGuard(engine.clock),
    setUp,
    cluster,
    base,
    sendsMail,
    messages,
    live,
    ...allUnderWay(),
    large: new LargeAnswers(options.answerBytes),
    fileImports: new FileImports(importFile),
    metrics: new ServerMetrics(engine, commit, cluster, options.moreMetrics),
    metricsToken,
    openApi: once(() => new Blob([JSON.stringify(openApiDocument(routeGroups, base))])),
    senderOf: (request) =>
      forwarded.get(request) ??
      new RequestSender(
        () => peerOf(request),
        request.headers.get("x-forwarded-for"),
        () => request.headers.get("cf-connecting-ip"),
        trustProxy,
      ),
    isForwarded: (request) => forwarded.has(request),
    allowSilence: (request, seconds) => listening?.timeout(connected(request), seconds),
  };
  const elysia = routed(services, commit, scriptName);
  return {
    fetch: (asked, server) => {
      listening = server;
      const request = withPlainUrl(asked);
      if (request.method !== "HEAD") return elysia.fetch(request);
      const get = getOf(request);
      heads.set(get, request);
      // A GET may go on for long after its beginning.
      return answerHead(elysia, get).finally(() => services.allowSilence(get, idleTimeoutS));
    },
    fetchForwarded: async (request, sender) => {
      forwarded.set(request, sender);
      return elysia.fetch(request);
    },
    hitForwarded: (body, headers, sender) => countForwardedHit(services, body, headers, sender),
    metrics: () => services.metrics.text(live.size),
    closeStreams: () => live.closeAll(),
  };
}

function routed(services: Services, commit: string, scriptName: string) {
  const { engine, base } = services;
  const elysia = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .headers({
      "x-api-commit": commit,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
    })
    .onError(({ error, code, request: { method }, path, set }) => {
      const refused = code === "NOT_FOUND" ? unknownEndpoint(method, path) : error;
      const { status, headers, body } = errorAnswer(refused, { method, path }, engine.logger);
      set.status = status;
      Object.assign(set.headers, headers);
      return body;
    });
  for (const [path, routes] of routesByPath(scriptName, base)) {
    for (const route of routes) elysia.route(route.method, path, handlerOf(route, services));
    elysia.options(path, optionsOf(routes));
  }
  return elysia;
}

// Elysia reads the source of a handler: values that its parameter does not name are not created, and a handler that is
// not declared `async` must not reject.
type Given = Pick<Context, "request" | "params" | "set"> & {
  readonly cookie: Readonly<Record<string, Cookie<unknown>>>;
};
type Answer = Given["set"];

function handlerOf(route: Route, services: Services) {
  return route.access === "visitor" ? visitorHandler(route, services) : personHandler(route, services);
}

function visitorHandler(route: VisitorRoute, services: Services) {
  return async ({ request, params, set }: Given) => {
    const headers = set.headers as Record<string, string>;
    if (!route.isPicture) headers["access-control-allow-origin"] = "*";
    headers["cross-origin-resource-policy"] = "cross-origin";
    const call = { services, request, params, headers };
    return written(route, await answerInCluster(route, call, () => route.handle(call)), set);
  };
}

type PersonRoute = Exclude<Route, VisitorRoute>;

function personHandler(route: PersonRoute, services: Services) {
  const isEndless = route.media === "text/event-stream";
  return async ({ request, params, set, cookie }: Given) => {
    const headers = set.headers as Record<string, string>;
    headers["cache-control"] = "no-store";
    const silenceS = route.method === "GET" ? answerTimeoutS : changeTimeoutS;
    const allowAnswer = () => services.allowSilence(request, silenceS);
    // A body that comes all the same is not waited for.
    if (route.body === undefined) allowAnswer();
    const call: Call = {
      services,
      request,
      params,
      headers,
      cookies: cookie,
      json: async () => {
        const value = await readJson(request, route.bodyLimit);
        allowAnswer();
        return value;
      },
    };
    try {
      const value = written(route, await answerInCluster(route, call, () => personAnswer(route, call)), set);
      if (typeof value !== "string") return value;
      const { signal } = request;
      const onGivenUp = () => services.allowSilence(request, 1);
      return services.large.bodyOf(value, {
        isByLink: isByLink(call),
        signal,
        onPiece: () => services.allowSilence(request, answerTimeoutS),
        onGivenUp,
      });
    } finally {
      if (!isEndless) services.allowSilence(request, idleTimeoutS);
    }
  };
}

function personAnswer(route: PersonRoute, call: Call): unknown {
  if (route.access === "session" || route.access === "login") return sessionAnswer(route, call);
  if (route.access === "server") return serverAnswer(route, call);
  return route.access === "reader" ? readerAnswer(route, call) : route.handle(ownCall(route, call));
}

async function serverAnswer(route: ServerRoute, call: Call): Promise<unknown> {
  refuseLink(call, 403);
  const token = await requireToken(call, route.scope);
  const isLive = () => call.services.engine.registry.tokens.rows.has(token.tokenId);
  return route.handle({ ...endingWith(call, { isLive }), token });
}

async function readerAnswer(route: ReaderRoute, call: Call): Promise<unknown> {
  return route.handle({ ...call, reader: await requireReader(call, route) });
}

async function sessionAnswer(route: SessionRoute | LoginRoute, call: Call): Promise<unknown> {
  refuseLink(call, route.errors.includes(403) ? 403 : 401);
  if (route.access === "login") {
    const login = await requireLogin(call);
    return route.handle({ ...endingWith(ownCall(route, call), login), login });
  }
  const login = await requireAccount(call, route.scope, route);
  return route.handle({ ...endingWith(ownCall(route, call), login), login });
}

/** Returns the call, unless it changes something and comes from another origin. */
function ownCall({ method, errors }: Route, call: Call): Call {
  if (method !== "GET") requireOwnOrigin(call, errors.includes(403) ? 403 : 400);
  return call;
}

function written({ status, media = "application/json" }: Route, value: unknown, set: Answer): unknown {
  if (value instanceof Forwarded) return value.response;
  set.status = status ?? 200;
  if (status === 204) return new Response(null, { status });
  set.headers["content-type"] = media;
  if (value instanceof CsvText) set.headers["content-type"] = `${csvMedia}; charset=utf-8`;
  if (value instanceof JsonText || value instanceof CsvText) return value.text;
  return value instanceof Response || media !== "application/json" ? value : JSON.stringify(value);
}

function optionsOf(routes: readonly Route[]) {
  const methods: string[] = routes.map(({ method }) => method);
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  const headers = {
    allow,
    ...(routes.some((route) => route.access === "visitor" && !route.isPicture) && {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "content-type",
    }),
  };
  return ({ set }: Given) => {
    Object.assign(set.headers, headers);
    set.status = 204;
    return new Response(null, { status: 204 });
  };
}
