/** Why hits of a website were not counted, and which hostnames send hits that nobody registered. */
import type { Engine } from "../../../engine/engine.ts";
import { Type } from "@sinclair/typebox";
import { utcDate } from "../../../core/calendar/date.ts";
import { dayMs } from "../../../core/hit.ts";
import { rejectionNames, rejections } from "../../../core/rejection.ts";
import type { SessionRoute } from "../../transport/route.ts";
import { count, named } from "../../parsing/schemas.ts";
import { websiteOf } from "../websites.ts";

const daySchema = named(
  "RejectionsOfDay",
  Type.Object({
    date: Type.String({ format: "date", description: "UTC day" }),
    ...Object.fromEntries(rejectionNames.map((name) => [name, count(rejections[name])])),
  }),
);

const unknownSchema = named(
  "UnknownHostname",
  Type.Object({
    hostname: Type.String({ description: "As it was sent" }),
    hits: count("Since the server was started"),
  }),
);

const proxySchema = named(
  "HidingProxy",
  Type.Object({
    address: Type.Optional(
      Type.String({ description: "A private address. Only the oldest account sees it" }),
    ),
  }),
);

export const rejectionsRoutes: readonly SessionRoute[] = [
  {
    method: "GET",
    path: "/website/:hostname/rejections",
    // The latest ones are counted in memory.
    bySequencer: true,
    access: "session",
    scope: "admin",
    summary: "Why hits were not counted, by UTC day, the latest first",
    description:
      "Days without such hits are left out. A page view that is not counted is one hit: its events and its end are not counted again. `unknown` are the latest hostnames of hits that are no website of this " +
      "server; only the oldest account sees them, for strangers choose them. `hiding_proxy` is a proxy that hides the " +
      "addresses of visitors, so that no visits are told apart: it has to send `X-Forwarded-For`, and to be named with " +
      "`--trust-proxy`.",
    answer: named(
      "Rejections",
      Type.Object({
        days: Type.Array(daySchema),
        unknown: Type.Optional(Type.Array(unknownSchema)),
        hiding_proxy: Type.Optional(proxySchema),
      }),
    ),
    errors: [400, 403, 404],
    handle: (call) => {
      const website = websiteOf(call, "editor");
      const { engine } = call.services;
      const none = Object.fromEntries(rejectionNames.map((name) => [name, 0]));
      const days = engine.hits
        .rejectionsOf(website.websiteId)
        .map(([day, counts]) => ({ date: utcDate(day * dayMs), ...none, ...counts }))
        .toReversed();
      const { userId, onlyWebsiteId } = call.login.caller;
      const isOwner = userId === engine.registry.oldestUser?.userId && onlyWebsiteId === undefined;
      const proxy = engine.hidingProxyOf(website);
      const address = isOwner && proxy?.address ? { address: proxy.address } : {};
      return {
        days,
        ...(isOwner && { unknown: unknownNow(engine) }),
        ...(proxy !== undefined && { hiding_proxy: address }),
      };
    },
  },
];

/** Returns the hostnames that are still of no website. */
function unknownNow({ registry, hits }: Engine) {
  return hits.rejections.unknownHostnames.filter(
    ({ hostname }) => registry.websiteForHit(hostname) === undefined,
  );
}
