/** The endpoints for logging in and out, and for creating the first account. */
import { Type } from "@sinclair/typebox";
import { deviceLifetimeMs } from "../../accounts/login/device.ts";
import { clientOf } from "../../collect/visitor/client.ts";
import { dayMs } from "../../core/hit.ts";
import { login, logout } from "../../engine/admin/account/sessions.ts";
import type { Route } from "../transport/route.ts";
import { named, orMissing } from "../parsing/schemas.ts";
import {
  deviceCookie,
  forgetSession,
  knownBy,
  originOfCall,
  sendDevice,
  sendSession,
  sessionOf,
} from "../callers/session.ts";
import { passwordSchema, userSchema, usernameSchema, userView } from "./user.ts";

const credentials = named(
  "Credentials",
  // No length is too short or too long here: what is wrong is a 401, whatever it is.
  Type.Object({
    username: Type.String(),
    password: Type.String(),
    code: orMissing(Type.String({ description: "Of the second factor, if the account has one" })),
  }),
);
const firstAccount = named(
  "FirstAccount",
  Type.Object({ token: Type.String(), username: usernameSchema, password: passwordSchema }),
);

const setUpState = named(
  "SetUpState",
  Type.Object({ open: Type.Boolean({ description: "Whether the server has no account yet" }) }),
);

export const authRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/auth/login",
    access: "public",
    summary: "Log in: the session token comes in the cookie",
    description:
      "After 10 wrong passwords in 15 minutes for a name and address, 401 with Retry-After; so is more than two at once " +
      "from one address, and what has no place in the queue. Networks take turns; a request with a session of the account, or " +
      `with the cookie \`${deviceCookie}\` of an earlier login (${deviceLifetimeMs / dayMs} days, until the password changes), goes first. ` +
      "The session that the request had ends.",
    body: credentials,
    answer: userSchema,
    errors: [400, 401],
    handle: async (call) => {
      const { services, request, json } = call;
      const before = sessionOf(call)?.session;
      const { browser, os } = clientOf(request.headers.get("user-agent") ?? "");
      const client = { ...originOfCall(call), browser, os, known: knownBy(call) };
      const begun = await login(services.engine, services.guard, await json(), client);
      if (before !== undefined) await logout(services.engine, before);
      sendSession(call, begun.token);
      sendDevice(call, begun.user, begun);
      return userView(begun.user);
    },
  },
  {
    method: "POST",
    path: "/auth/logout",
    access: "login",
    summary: "Log out: ends the session on the server",
    status: 204,
    errors: [403],
    handle: async (call) => {
      await logout(call.services.engine, call.login.caller);
      forgetSession(call);
    },
  },
  {
    method: "GET",
    path: "/setup",
    access: "public",
    summary: "Whether the first account is still to be created",
    answer: setUpState,
    errors: [],
    handle: ({ services }) => ({ open: services.setUp.open }),
  },
  {
    method: "POST",
    path: "/setup",
    access: "public",
    summary: "Create the first account with the token of the set-up link that the start printed",
    body: firstAccount,
    status: 201,
    answer: userSchema,
    errors: [400, 401, 403, 409],
    handle: async ({ services, json }) => userView(await services.setUp.run(await json())),
  },
];
