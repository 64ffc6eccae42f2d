/** The statistics of a website for the owner of the server, who asks on the machine itself and not over HTTP. */
import type { Website } from "../accounts/registry/registry.ts";
import { badInput } from "../core/refusal.ts";
import type { Engine } from "../engine/engine.ts";
import { routesByName } from "./resources/statistics/by-name.ts";
import type { JsonText, ReaderCall, Services } from "./transport/route.ts";

export const statisticsNames: readonly string[] = [...routesByName.keys()];

/**
 * Answers as the endpoint of this name answers a raw query such as `limit=10&path[eq]=/`, and with the same errors.
 * Throws Refusal.
 */
export async function ownStatistics(
  engine: Engine,
  website: Website,
  name: string,
  query: string,
): Promise<unknown> {
  const route = routesByName.get(name);
  if (route === undefined) throw badInput("list", name, statisticsNames.join(", "));
  const call: ReaderCall = {
    // Endpoints of statistics use nothing else of the server.
    services: { engine } as Services,
    request: new Request(`http://localhost/?${query}`),
    params: {},
    headers: {},
    cookies: {},
    json: () => Promise.resolve(undefined),
    reader: { website, filters: [], isByLink: false, streamsOf: website.userId, isAllowed: () => true },
  };
  return JSON.parse(((await route.handle(call)) as JsonText).text);
}
