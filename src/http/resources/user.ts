/** The endpoints of the account that is logged in: the User as the API shows it, its changes, its end. */
import { Type, type Static } from "@sinclair/typebox";
import { passwordCharactersMax, passwordCharactersMin } from "../../accounts/login/password.ts";
import { usernameCharactersMax, usernameCharactersMin } from "../../accounts/username.ts";
import type { User } from "../../accounts/registry/registry.ts";
import { languages } from "../../core/languages.ts";
import { scriptTypes } from "../../core/scripts.ts";
import { changeUser, deleteUser } from "../../engine/admin/account/users.ts";
import type { LoginRoute, SessionRoute } from "../transport/route.ts";
import { forgetSession, originOfCall, sendDevice } from "../callers/session.ts";
import { named, orMissing, unixSecondsSchema, wordsSchema } from "../parsing/schemas.ts";

export const usernameSchema = Type.String({
  minLength: usernameCharactersMin,
  maxLength: usernameCharactersMax,
  description:
    "Visible characters with single spaces between them only; case is ignored where names are compared",
});
export const passwordSchema = Type.String({
  minLength: passwordCharactersMin,
  maxLength: passwordCharactersMax,
});

const settings = {
  language: wordsSchema(languages),
  script_type: Type.Array(wordsSchema<string>(scriptTypes), {
    minItems: 1,
    maxItems: scriptTypes.length,
    uniqueItems: true,
    description: "Features of the tracker; `default` alone means no extras",
  }),
};

export const userSchema = named(
  "User",
  Type.Object({
    username: usernameSchema,
    settings: named("Settings", Type.Object(settings)),
    dateCreated: unixSecondsSchema,
    dateUpdated: unixSecondsSchema,
    second_factor: Type.Optional(
      Type.Literal(true, { description: "There if a login needs a code besides the password" }),
    ),
  }),
);

export function userView(user: User): Static<typeof userSchema> {
  return {
    username: user.username,
    settings: { language: user.language, script_type: [...user.scriptType] },
    dateCreated: unixSeconds(user.createdMs),
    dateUpdated: unixSeconds(user.updatedMs),
    ...(user.secondFactor && { second_factor: true as const }),
  };
}

export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

const userChange = named(
  "UserChange",
  Type.Object({
    username: orMissing(usernameSchema),
    password: orMissing({
      ...passwordSchema,
      description: "Needs current_password; ends the other sessions",
    }),
    current_password: orMissing(Type.String()),
    settings: orMissing(
      named(
        "SettingsChange",
        Type.Object({
          language: orMissing(settings.language),
          script_type: orMissing(settings.script_type),
        }),
      ),
    ),
  }),
);

export const userRoutes: readonly (SessionRoute | LoginRoute)[] = [
  {
    method: "GET",
    path: "/user",
    access: "session",
    scope: "admin",
    summary: "The account that is logged in",
    answer: userSchema,
    errors: [400, 404],
    handle: ({ login }) => userView(login.user),
  },
  {
    method: "PATCH",
    path: "/user",
    access: "login",
    summary: "Change name, password or settings",
    description:
      "Wrong current passwords are slowed down as those of logins are: after 10 in 15 minutes 400 with Retry-After.",
    body: userChange,
    answer: userSchema,
    errors: [400, 403, 409],
    handle: async (call) => {
      const { engine, guard } = call.services;
      const user = await changeUser(engine, call.login.caller, await call.json(), {
        guard,
        ...originOfCall(call),
      });
      // Another password has ended what this browser was known by.
      if (user.passwordHash !== call.login.user.passwordHash) sendDevice(call, user, call.login.caller);
      return userView(user);
    },
  },
  {
    method: "DELETE",
    path: "/user",
    access: "login",
    summary: "Delete the account with its websites and sessions",
    status: 204,
    errors: [400, 403, 404],
    handle: async (call) => {
      await deleteUser(call.services.engine, call.login.caller);
      forgetSession(call);
    },
  },
];
