/** The table of all routes, from which routing, `Allow` and the OpenAPI document follow. */
import { authRoutes } from "./resources/auth.ts";
import { eventRoutes } from "./resources/event.ts";
import { liveRoutes } from "./resources/statistics/live.ts";
import { pageRoutes } from "./resources/pages.ts";
import type { Route } from "./transport/route.ts";
import { defaultScriptName, scriptRoutes } from "./resources/script.ts";
import { purgeRoutes } from "./resources/purge.ts";
import { rejectionsRoutes } from "./resources/rejections.ts";
import { rulesRoutes } from "./resources/rules.ts";
import { serviceRoutes } from "./resources/service.ts";
import { sessionsRoutes } from "./resources/sessions.ts";
import { statisticsRoutes } from "./resources/statistics/statistics.ts";
import { userRoutes } from "./resources/user.ts";
import { websitesRoutes } from "./resources/websites.ts";

/** The routes that are answered at the root and under `/api`. */
export const apiRoutes: readonly Route[] = [
  ...eventRoutes,
  ...authRoutes,
  ...userRoutes,
  ...sessionsRoutes,
  ...websitesRoutes,
  ...statisticsRoutes,
  ...rejectionsRoutes,
  ...rulesRoutes,
  ...purgeRoutes,
  ...liveRoutes,
  ...scriptRoutes,
  ...serviceRoutes,
];

/** Returns every path, including those under `/api`, with its routes. The tracker is also found under `scriptName`. */
export function routesByPath(scriptName: string): ReadonlyMap<string, readonly Route[]> {
  const renamed = scriptRoutes.map((route) => ({ ...route, path: `/${scriptName}` }));
  const api = scriptName === defaultScriptName ? apiRoutes : [...apiRoutes, ...renamed];
  const everywhere = api.flatMap((route) => [route, { ...route, path: `/api${route.path}` }]);
  return Map.groupBy([...everywhere, ...pageRoutes(scriptName)], ({ path }) => path);
}
