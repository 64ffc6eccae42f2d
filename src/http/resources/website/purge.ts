/** Removes what should not have been counted: counts it first, and removes it when asked to. */
import { Type } from "@sinclair/typebox";
import { removalFilterNames } from "../../../core/questions/dimension.ts";
import { assertHasVisits } from "../../../engine/admin/needs-visits.ts";
import { removeRows } from "../../../engine/admin/remove-rows.ts";
import { parsePairs, rawQuery, refuseOthers } from "../../parsing/query-string.ts";
import type { SessionRoute } from "../../transport/route.ts";
import { count, named } from "../../parsing/schemas.ts";
import { parseStatisticsQuery } from "../../parsing/statistics-query.ts";
import { websiteCall, websiteOf } from "../websites.ts";

const parameters = ["dry_run", "by"] as const;

export const purgeRoutes: readonly SessionRoute[] = [
  {
    method: "POST",
    path: "/website/:hostname/purge",
    access: "session",
    scope: "admin",
    summary: "Remove page views and events that all filters select",
    description:
      "Unless `dry_run=false` it only says what would go. Events without a page view go too, and the properties of " +
      "all. With `by=visit` filters on sources select all page views of the visits that came from there. The answer " +
      "comes when no file contains them any more; backups do. A visitor's first page view moves to the " +
      "next one of the UTC day where it is known whose that is. An account has one under way at a time.",
    statistics: parameters,
    filters: removalFilterNames,
    answer: named(
      "Purge",
      Type.Object({
        pageviews: count("Page views that go"),
        visitors: count("How many visitors fewer there are"),
        events: count("Properties that go"),
        removed: Type.Boolean({ description: "false: it was a dry run" }),
      }),
    ),
    errors: [400, 403, 404, 409],
    handle: async (call) => {
      const { services, request } = call;
      const raw = rawQuery(request.url);
      refuseOthers(parsePairs(raw), ["start", "end", ...parameters], true);
      const { dry_run, by, ...selection } = parseStatisticsQuery(raw, parameters);
      const asked = websiteCall(call);
      if (by === "visit") assertHasVisits(websiteOf(call, "owner"), "by");
      const end = services.purges.begin(asked.caller.userId);
      // Nobody waits for the counts any more, but what was asked to go goes.
      const signal = dry_run ? request.signal : undefined;
      try {
        const counts = await removeRows(asked, selection, dry_run, signal);
        return { ...counts, removed: !dry_run };
      } finally {
        end();
      }
    },
  },
];
