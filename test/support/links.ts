/** Links of example.com for tests, as their owner makes them and as others send them. */
import type { TestServer } from "./http.ts";

export interface MadeLink {
  readonly id: string;
  /** The headers of whoever has the link. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a link of example.com through the API. */
export async function makeLink(
  server: TestServer,
  cookie: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<MadeLink> {
  const asked = { cookie, body: { name: "Client", ...body } };
  const response = await server.ask("POST", "/website/example.com/links", asked);
  const { id, token } = (await response.json()) as { id: string; token?: string };
  return { id, headers: { "footfall-link": token === undefined ? id : `${id}.${token}` } };
}
