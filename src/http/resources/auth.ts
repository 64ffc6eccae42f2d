/** The endpoints for logging in and out, and for creating the first account. */
import { Type } from "@sinclair/typebox";
import { clientOf } from "../../collect/client.ts";
import { login, logout } from "../../engine/admin/admin.ts";
import { clientAddress, placeOf } from "../transport/client-address.ts";
import type { Route } from "../transport/route.ts";
import { callerOf, forgetSession, sendSession } from "../transport/session.ts";
import { userSchema, userView } from "./user.ts";

const credentials = { username: Type.String(), password: Type.String() };

export const authRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/auth/login",
    access: "public",
    summary: "Log in: the session token comes in the cookie",
    description:
      "After 10 failures in 15 minutes for a name and address, 401 with Retry-After; so is more than two at once from one address.",
    body: Type.Object(credentials),
    status: 200,
    answer: userSchema,
    errors: [400, 401],
    handle: async ({ services, request, json, cookie }) => {
      const { engine, throttle, trustProxy, peerOf } = services;
      const { headers } = request;
      const { browser, os } = clientOf(headers.get("user-agent") ?? "");
      const address = placeOf(clientAddress(peerOf(request), headers.get("x-forwarded-for"), trustProxy));
      const { user, token } = await login(engine, throttle, await json(), { address, browser, os });
      sendSession(cookie, token);
      return userView(user);
    },
  },
  {
    method: "POST",
    path: "/auth/logout",
    access: "session",
    summary: "Log out: the session is dead on the server",
    status: 204,
    errors: [],
    handle: async (call) => {
      await logout(call.services.engine, callerOf(call));
      forgetSession(call.cookie);
    },
  },
  {
    method: "POST",
    path: "/setup",
    access: "public",
    summary: "Create the first account with the token of the set-up link that the start printed",
    body: Type.Object({ token: Type.String(), ...credentials }),
    status: 201,
    answer: userSchema,
    errors: [400, 401, 403, 409],
    handle: async ({ services, json }) => userView(await services.setUp.run(await json())),
  },
];
