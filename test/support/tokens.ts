/** API tokens for tests, as their account makes them and as programs send them. */
import type { TokenScope } from "../../src/core/api-token.ts";
import type { TestServer } from "./http.ts";

export interface MadeToken {
  readonly id: string;
  readonly token: string;
  /** The headers of whoever has the token. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a token through the API; for all websites of the account, unless `hostname` is one of them. */
export async function makeToken(
  server: TestServer,
  cookie: string,
  scope: TokenScope,
  hostname?: string,
): Promise<MadeToken> {
  const asked = { cookie, body: { name: scope, scope, hostname } };
  const response = await server.ask("POST", "/user/tokens", asked);
  const { id, token } = (await response.json()) as { id: string; token: string };
  return { id, token, headers: { authorization: `Bearer ${token}` } };
}
