/** The endpoints about the service itself. */
import { Type } from "@sinclair/typebox";
import type { PublicRoute } from "../transport/route.ts";
import { named } from "../transport/schemas.ts";

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
    path: "/openapi.json",
    access: "public",
    summary: "This document",
    status: 200,
    answer: Type.Object({ openapi: Type.String() }),
    errors: [],
    handle: ({ services }) => services.openApi(),
  },
];
