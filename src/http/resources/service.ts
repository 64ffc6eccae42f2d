/** The endpoints about the service itself. */
import { Type } from "@sinclair/typebox";
import { sameSecret } from "../../accounts/token.ts";
import { Refusal } from "../../core/refusal.ts";
import { behindMsMax, refusalIfBehind } from "../answers/cluster-answer.ts";
import type { Call, PublicRoute } from "../transport/route.ts";
import { named } from "../parsing/schemas.ts";
import { metricsMedia } from "../transport/server-metrics.ts";
import { requireAccount, secretOf } from "../callers/login.ts";

/** A monitoring system comes with the token of the settings, or one of the oldest account; a person with its session. */
async function metrics(call: Call): Promise<string> {
  const { metrics, metricsToken, live, engine } = call.services;
  const [, given] = /^Bearer (\S+)$/i.exec(call.request.headers.get("authorization") ?? "") ?? [];
  if (given === undefined || metricsToken === undefined || !sameSecret(given, metricsToken)) {
    const { user } = await requireAccount(call, "admin", metricsRoute).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code !== 401 || secretOf(call.request) !== undefined)
        throw error;
      throw new Refusal(401, "come with FOOTFALL_METRICS_TOKEN as a bearer token, or log in");
    });
    if (user !== engine.registry.oldestUser)
      throw new Refusal(
        403,
        "the metrics are for the oldest account, its API tokens, and whoever has FOOTFALL_METRICS_TOKEN",
      );
  }
  return metrics.text(live.size);
}

const metricsRoute: PublicRoute = {
  method: "GET",
  path: "/metrics",
  access: "public",
  security: [{ session: [] }, { token: ["admin"] }, { monitoring: [] }],
  summary: "What the server did since its start, as Prometheus reads it",
  description:
    "Wants `Authorization: Bearer` with FOOTFALL_METRICS_TOKEN or an admin token of all websites of the oldest account, or the " +
    "session of that account. Nothing in it is " +
    "personal: counts of hits and requests, times, memory.",
  answer: Type.String(),
  media: metricsMedia,
  errors: [401, 403],
  handle: metrics,
};

export const serviceRoutes: readonly PublicRoute[] = [
  {
    method: "GET",
    path: "/healthz",
    access: "public",
    summary: "Liveness: the server answers",
    answer: named("Health", Type.Object({ status: Type.Literal("ok") })),
    errors: [],
    handle: () => ({ status: "ok" }),
  },
  {
    method: "GET",
    path: "/readyz",
    access: "public",
    summary: "Readiness: the server takes hits",
    description:
      "500 with a message while it does not: the log cannot be written, the disk is nearly full, the clock is before 2025, it stops, or a node of " +
      `a cluster is more than ${behindMsMax / 1_000} s behind.`,
    answer: named("Readiness", Type.Object({ status: Type.Literal("ready") })),
    errors: [],
    handle: ({ services }) => {
      const behind = services.cluster && refusalIfBehind(services.cluster);
      if (behind !== undefined) throw behind;
      if (services.engine.health().takesHits) return { status: "ready" };
      throw new Refusal(
        500,
        "hits are not taken: the log cannot be written, the disk is nearly full, the clock is wrong, or the server stops",
        10,
      );
    },
  },
  metricsRoute,
  {
    method: "GET",
    path: "/openapi.json",
    access: "public",
    summary: "This document",
    answer: Type.Object({ openapi: Type.String() }),
    errors: [],
    // Answers share the Blob: clients may read slowly, or not at all.
    handle: ({ services }) => new Response(services.openApi()),
  },
];
