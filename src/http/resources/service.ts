/** The endpoints about the service itself. */
import { Type } from "@sinclair/typebox";
import { sameSecret } from "../../accounts/token.ts";
import { Refusal } from "../../core/refusal.ts";
import type { Call, PublicRoute } from "../transport/route.ts";
import { named } from "../transport/schemas.ts";
import { requireSession } from "../transport/session.ts";

/** A monitoring system comes with the token of the settings, a person with the session of the oldest account. */
async function metrics(call: Call): Promise<string> {
  const { metrics, metricsToken, live, engine } = call.services;
  const [, given] = /^Bearer (\S+)$/i.exec(call.request.headers.get("authorization") ?? "") ?? [];
  if (given === undefined || metricsToken === undefined || !sameSecret(given, metricsToken)) {
    const { user } = await requireSession(call).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(401, "come with FOOTFALL_METRICS_TOKEN as a bearer token, or log in");
    });
    if (user !== engine.registry.oldestUser)
      throw new Refusal(
        403,
        "the metrics are for the oldest account, and whoever has FOOTFALL_METRICS_TOKEN",
      );
  }
  return metrics.text(live.size);
}

export const serviceRoutes: readonly PublicRoute[] = [
  {
    method: "GET",
    path: "/healthz",
    access: "public",
    summary: "Liveness: the server answers",
    status: 200,
    answer: named("Health", Type.Object({ status: Type.Literal("ok") })),
    errors: [],
    handle: () => ({ status: "ok" }),
  },
  {
    method: "GET",
    path: "/readyz",
    access: "public",
    summary: "Readiness: the server takes hits",
    description: "500 with a message while it does not: it stops, or the disk is nearly full.",
    status: 200,
    answer: named("Readiness", Type.Object({ status: Type.Literal("ready") })),
    errors: [],
    handle: ({ services }) => {
      if (services.engine.health().takesHits) return { status: "ready" };
      throw new Refusal(500, "hits are not taken: the server stops, or its disk is nearly full", 10);
    },
  },
  {
    method: "GET",
    path: "/metrics",
    access: "public",
    summary: "What the server did since its start, as Prometheus reads it",
    description:
      "Wants `Authorization: Bearer` with FOOTFALL_METRICS_TOKEN, or the session of the oldest account. Nothing in it is " +
      "personal: counts of hits and requests, times, memory.",
    status: 200,
    answer: Type.String(),
    media: "text/plain; version=0.0.4; charset=utf-8",
    errors: [401, 403],
    handle: metrics,
  },
  {
    method: "GET",
    path: "/openapi.json",
    access: "public",
    summary: "This document",
    status: 200,
    answer: Type.Object({ openapi: Type.String() }),
    errors: [],
    handle: ({ services }) => services.openApi(),
  },
];
