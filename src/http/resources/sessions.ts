/** The endpoints of an account's sessions. */
import { Type, type Static } from "@sinclair/typebox";
import type { Session } from "../../accounts/registry/registry.ts";
import { endSession } from "../../engine/admin/account/sessions.ts";
import type { LoginRoute } from "../transport/route.ts";
import { named, unixSecondsSchema } from "../parsing/schemas.ts";
import { unixSeconds } from "./user.ts";

const sessionSchema = named(
  "Session",
  Type.Object({
    id: Type.String(),
    browser: Type.String(),
    os: Type.String(),
    dateCreated: unixSecondsSchema,
    dateUpdated: { ...unixSecondsSchema, description: "Unix seconds; moves at most once a day" },
    current: Type.Boolean({ description: "Whether it is the session of this request" }),
  }),
);

function sessionView(session: Session, current: Session): Static<typeof sessionSchema> {
  return {
    id: session.sessionId,
    browser: session.browser,
    os: session.os,
    dateCreated: unixSeconds(session.createdMs),
    dateUpdated: unixSeconds(session.renewedMs),
    current: session.sessionId === current.sessionId,
  };
}

export const sessionsRoutes: readonly LoginRoute[] = [
  {
    method: "GET",
    path: "/user/sessions",
    access: "login",
    summary: "The sessions of the account",
    answer: Type.Array(sessionSchema),
    errors: [],
    handle: ({ services: { engine }, login: { user, session } }) =>
      engine.registry.sessionsOf(user.userId, engine.nowMs()).map((each) => sessionView(each, session)),
  },
  {
    method: "DELETE",
    path: "/user/sessions/:id",
    access: "login",
    summary: "End one of the sessions",
    status: 204,
    errors: [403, 404],
    handle: (call) => endSession(call.services.engine, call.login.caller, call.params["id"] ?? ""),
  },
];
