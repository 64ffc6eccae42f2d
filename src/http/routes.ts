/** The table of all routes, from which routing, `Allow` and the OpenAPI document follow. */
import { authRoutes } from "./resources/auth.ts";
import { driversRoutes } from "./resources/statistics/drivers.ts";
import { eventRoutes } from "./resources/event.ts";
import { exportRoutes } from "./resources/statistics/export.ts";
import { linksRoutes } from "./resources/links.ts";
import { membersRoutes } from "./resources/members.ts";
import { goalsRoutes } from "./resources/statistics/goals.ts";
import { liveRoutes } from "./resources/statistics/live.ts";
import { notesRoutes } from "./resources/notes.ts";
import { pageRoutes } from "./resources/pages.ts";
import type { Route, RouteGroup } from "./transport/route.ts";
import { defaultScriptName, scriptRoutes } from "./resources/script.ts";
import { pixelRoutes } from "./resources/pixel.ts";
import { purgeRoutes } from "./resources/purge.ts";
import { recentRoutes } from "./resources/statistics/recent.ts";
import { rejectionsRoutes } from "./resources/rejections.ts";
import { rulesRoutes } from "./resources/rules.ts";
import { segmentsRoutes } from "./resources/segments.ts";
import { serviceRoutes } from "./resources/service.ts";
import { sessionsRoutes } from "./resources/sessions.ts";
import { statisticsRoutes } from "./resources/statistics/statistics.ts";
import { userRoutes } from "./resources/user.ts";
import { visitsRoutes } from "./resources/statistics/visits.ts";
import { websitesRoutes } from "./resources/websites.ts";

/** The routes by what they are about, as the OpenAPI document groups them. */
export const routeGroups: readonly RouteGroup[] = [
  {
    tag: "Collection",
    description: "What trackers on the pages of websites ask: public, for every origin, without a cookie",
    routes: [...eventRoutes, ...pixelRoutes, ...scriptRoutes],
  },
  {
    tag: "Account",
    description: "Logging in, the account and its sessions",
    routes: [...authRoutes, ...userRoutes, ...sessionsRoutes],
  },
  {
    tag: "Websites",
    description:
      "The websites of the account, who counts there, what was not counted, notes and saved filters",
    routes: [
      ...websitesRoutes,
      ...rulesRoutes,
      ...rejectionsRoutes,
      ...purgeRoutes,
      ...notesRoutes,
      ...segmentsRoutes,
    ],
  },
  {
    tag: "Sharing",
    description: "Who else may read a website, and by which links",
    routes: [...linksRoutes, ...membersRoutes],
  },
  {
    tag: "Statistics",
    description: "The figures of a website, for any period and filters",
    routes: [
      ...statisticsRoutes,
      ...goalsRoutes,
      ...visitsRoutes,
      ...driversRoutes,
      ...exportRoutes,
      ...liveRoutes,
      ...recentRoutes,
    ],
  },
  { tag: "Service", description: "The server itself", routes: serviceRoutes },
];

/** The routes that are answered at the root and under `/api`. */
export const apiRoutes: readonly Route[] = routeGroups.flatMap(({ routes }) => routes);

/**
 * Returns every path, including those under `/api`, with its routes. All begin with `base`. The tracker is also found
 * under `scriptName`.
 */
export function routesByPath(scriptName: string, base = ""): ReadonlyMap<string, readonly Route[]> {
  const renamed = scriptRoutes.map((route) => ({ ...route, path: `/${scriptName}` }));
  const api = scriptName === defaultScriptName ? apiRoutes : [...apiRoutes, ...renamed];
  const everywhere = api.flatMap((route) => [route, { ...route, path: `/api${route.path}` }]);
  return Map.groupBy([...everywhere, ...pageRoutes(scriptName, base)], ({ path }) => base + path);
}
