/** API tokens: secrets with which programs of an account come in place of its login. */

/**
 * The scope of a token is what it may do: see what its account sees of its websites; send hits of their visitors, and see
 * nothing; or change what its account may change, and see it.
 */
export const tokenScopes = ["read", "send", "admin"] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** Whether a token with a scope may do what another scope is needed for. */
export function includesScope(scope: TokenScope, needed: TokenScope): boolean {
  return scope === needed || (scope === "admin" && needed === "read");
}

export const tokenNameCharactersMax = 100;
/** The most tokens of an account. */
export const tokensMax = 100;
