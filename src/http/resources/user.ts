/** The endpoints of the account that is logged in: the User as the API shows it, its changes, its end. */
import { Type, type Static } from "@sinclair/typebox";
import type { User } from "../../accounts/registry.ts";
import { languages, scriptTypes } from "../../core/scripts.ts";
import { changeUser, deleteUser } from "../../engine/admin/admin.ts";
import type { SessionRoute } from "../transport/route.ts";
import { callerOf, forgetSession, placeOfCall, sendDevice } from "../transport/session.ts";
import { wordsSchema } from "../transport/words.ts";

const settingsSchema = Type.Object({
  language: wordsSchema<string>(languages),
  script_type: Type.Array(wordsSchema<string>(scriptTypes), {
    minItems: 1,
    uniqueItems: true,
  }),
});

export const userSchema = Type.Object({
  username: Type.String(),
  settings: settingsSchema,
  dateCreated: Type.Integer({ description: "Unix seconds" }),
  dateUpdated: Type.Integer({ description: "Unix seconds" }),
});

export function userView(user: User): Static<typeof userSchema> {
  return {
    username: user.username,
    settings: { language: user.language, script_type: [...user.scriptType] },
    dateCreated: unixSeconds(user.createdMs),
    dateUpdated: unixSeconds(user.updatedMs),
  };
}

export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

const userChange = Type.Object({
  username: Type.Optional(Type.String()),
  password: Type.Optional(Type.String({ description: "Needs current_password; ends the other sessions" })),
  current_password: Type.Optional(Type.String()),
  settings: Type.Optional(Type.Partial(settingsSchema)),
});

export const userRoutes: readonly SessionRoute[] = [
  {
    method: "GET",
    path: "/user",
    access: "session",
    summary: "The account that is logged in",
    status: 200,
    answer: userSchema,
    errors: [400, 404],
    handle: ({ login }) => userView(login.user),
  },
  {
    method: "PATCH",
    path: "/user",
    access: "session",
    summary: "Change name, password or settings",
    description:
      "Wrong current passwords are slowed down as those of logins are: after 10 in 15 minutes 400 with Retry-After.",
    body: userChange,
    status: 200,
    answer: userSchema,
    errors: [400, 403, 409],
    handle: async (call) => {
      const { engine, guard } = call.services;
      const user = await changeUser(engine, callerOf(call), await call.json(), {
        guard,
        ...placeOfCall(call),
      });
      // Another password has ended what this browser was known by.
      if (user.passwordHash !== call.login.user.passwordHash) sendDevice(call, user);
      return userView(user);
    },
  },
  {
    method: "DELETE",
    path: "/user",
    access: "session",
    summary: "Delete the account with its websites and sessions",
    status: 204,
    errors: [400, 403, 404],
    handle: async (call) => {
      await deleteUser(call.services.engine, callerOf(call));
      forgetSession(call);
    },
  },
];
