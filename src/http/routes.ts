/** The table of all routes, from which routing, `Allow` and the OpenAPI document follow. */
import { authRoutes } from "./resources/auth.ts";
import { batchRoutes } from "./resources/batch.ts";
import { driversRoutes } from "./resources/statistics/drivers.ts";
import { eventRoutes } from "./resources/event.ts";
import { exportRoutes } from "./resources/statistics/export.ts";
import { linksRoutes } from "./resources/website/links.ts";
import { membersRoutes } from "./resources/website/members.ts";
import { funnelsRoutes } from "./resources/website/funnels.ts";
import { goalsRoutes } from "./resources/statistics/goals.ts";
import { liveRoutes } from "./resources/statistics/live.ts";
import { notesRoutes } from "./resources/website/notes.ts";
import { pageRoutes } from "./resources/pages.ts";
import type { Route, RouteGroup } from "./transport/route.ts";
import { defaultScriptName, scriptRoutes } from "./resources/script.ts";
import { pixelRoutes } from "./resources/pixel.ts";
import { importRoutes } from "./resources/website/imports.ts";
import { purgeRoutes } from "./resources/website/purge.ts";
import { recentRoutes } from "./resources/statistics/recent.ts";
import { rejectionsRoutes } from "./resources/website/rejections.ts";
import { rowsRoutes } from "./resources/website/rows.ts";
import { rulesRoutes } from "./resources/website/rules.ts";
import { segmentsRoutes } from "./resources/website/segments.ts";
import { serviceRoutes } from "./resources/service.ts";
import { mailPagesRoutes } from "./resources/mail-pages.ts";
import { secondFactorRoutes } from "./resources/second-factor.ts";
import { sessionsRoutes } from "./resources/sessions.ts";
import { subscriptionsRoutes } from "./resources/website/subscriptions.ts";
import { statisticsRoutes } from "./resources/statistics/statistics.ts";
import { tokensRoutes } from "./resources/tokens.ts";
import { userRoutes } from "./resources/user.ts";
import { visitsRoutes } from "./resources/statistics/funnels-journeys.ts";
import { websitesRoutes } from "./resources/websites.ts";

/** The routes by what they are about, as the OpenAPI document groups them. */
export const routeGroups: readonly RouteGroup[] = [
  {
    tag: "Collection",
    description:
      "What trackers on the pages of websites ask: public, for every origin, without a cookie; and what servers send",
    routes: [...eventRoutes, ...pixelRoutes, ...scriptRoutes, ...batchRoutes],
  },
  {
    tag: "Account",
    description: "Logging in, the account, its second factor, its sessions and its API tokens",
    routes: [...authRoutes, ...userRoutes, ...secondFactorRoutes, ...sessionsRoutes, ...tokensRoutes],
  },
  {
    tag: "Websites",
    description:
      "The websites of the account, who counts there, what was not counted, notes, saved filters and saved funnels",
    routes: [
      ...websitesRoutes,
      ...rulesRoutes,
      ...rejectionsRoutes,
      ...importRoutes,
      ...purgeRoutes,
      ...rowsRoutes,
      ...notesRoutes,
      ...segmentsRoutes,
      ...funnelsRoutes,
    ],
  },
  {
    tag: "Sharing",
    description: "Who else may read a website, and by which links",
    routes: [...linksRoutes, ...membersRoutes],
  },
  {
    tag: "Reports and alerts",
    description: "Reports and alerts by mail and webhook, and the pages to which the links in mails lead",
    routes: [...subscriptionsRoutes, ...mailPagesRoutes],
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

/** The routes that are answered at the root and under `/api`. Exported for tests. */
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
