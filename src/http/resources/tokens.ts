/** The endpoints of an account's API tokens. */
import { Type, type Static } from "@sinclair/typebox";
import type { ApiToken } from "../../accounts/account.ts";
import { tokenNameCharactersMax, tokenScopes, tokensMax } from "../../core/api-token.ts";
import { addToken, removeToken } from "../../engine/admin/account/tokens.ts";
import type { Engine } from "../../engine/engine.ts";
import type { LoginRoute } from "../transport/route.ts";
import { named, orMissing, unixSecondsSchema, wordsSchema } from "../parsing/schemas.ts";
import { unixSeconds } from "./user.ts";
import { hostnameSchema } from "./websites.ts";

const name = Type.String({ minLength: 1, maxLength: tokenNameCharactersMax });
const scope = {
  ...wordsSchema(tokenScopes),
  description:
    "`read`: see what the account sees of its websites. `send`: POST /event/batch, and nothing else. `admin`: read, and " +
    "change what the account may change, but for passwords, sessions, tokens, members and invitations",
};
const hostname = Type.Unsafe<string | null>({
  ...orMissing(hostnameSchema),
  description: "The one website that it is for; null for all of the account, also those that come later",
});
const token = {
  id: Type.String(),
  name,
  scope,
  hostname,
  dateCreated: unixSecondsSchema,
  dateUsed: Type.Union([
    { ...unixSecondsSchema, description: "Its first use on the latest UTC day on which it was used" },
    Type.Null(),
  ]),
};
const tokenSchema = named("ApiToken", Type.Object(token));

function tokenView({ registry }: Engine, own: ApiToken): Static<typeof tokenSchema> {
  return {
    id: own.tokenId,
    name: own.name,
    scope: own.scope,
    hostname: registry.websites.get(own.websiteId)?.hostname ?? null,
    dateCreated: unixSeconds(own.createdMs),
    dateUsed: own.usedMs === null ? null : unixSeconds(own.usedMs),
  };
}

export const tokensRoutes: readonly LoginRoute[] = [
  {
    method: "GET",
    path: "/user/tokens",
    access: "login",
    summary: "The API tokens of the account",
    answer: Type.Array(tokenSchema, { maxItems: tokensMax }),
    errors: [403],
    handle: ({ services: { engine }, login: { user } }) =>
      engine.registry.tokens.of(user.userId).map((own) => tokenView(engine, own)),
  },
  {
    method: "POST",
    path: "/user/tokens",
    access: "login",
    summary: "Make an API token",
    description:
      `An account has at most ${tokensMax}. The token is said once, and only its hash is kept. Programs send it as ` +
      "`Authorization: Bearer`, never in a URL. It ends when it is revoked, with the account, with its website, and when the " +
      "account loses the website. A token for `send` needs an editor of the website.",
    body: named("NewApiToken", Type.Object({ name, scope, hostname: orMissing(hostnameSchema) })),
    status: 201,
    answer: named(
      "MadeApiToken",
      Type.Object({ ...token, token: Type.String({ description: "Said only now" }) }),
    ),
    errors: [400, 403, 404],
    handle: async (call) => {
      const { engine } = call.services;
      const made = await addToken(engine, call.login.caller, await call.json());
      return { ...tokenView(engine, made.token), token: made.secret };
    },
  },
  {
    method: "DELETE",
    path: "/user/tokens/:id",
    access: "login",
    summary: "Revoke an API token",
    status: 204,
    errors: [403, 404],
    handle: (call) => removeToken(call.services.engine, call.login.caller, call.params["id"] ?? ""),
  },
];
