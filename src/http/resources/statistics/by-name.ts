/** The endpoints of questions by their names: the lists, `summary`, `goals`, `funnel` and `journeys`. */
import type { ReaderRoute, Route } from "../../transport/route.ts";
import { visitsRoutes } from "./funnels-journeys.ts";
import { goalsRoutes } from "./goals.ts";
import { statisticsRoutes } from "./statistics.ts";

const isReaders = (route: Route): route is ReaderRoute => route.access === "reader";
const routes = [...statisticsRoutes, ...goalsRoutes.filter(isReaders), ...visitsRoutes];

export const routesByName: ReadonlyMap<string, ReaderRoute> = new Map(
  routes.map((route) => [route.path.replace("/website/:hostname/", ""), route]),
);
