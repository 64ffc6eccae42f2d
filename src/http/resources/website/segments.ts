/** The endpoints of a website's segments: filters that were saved under a name. */
import { Type } from "@sinclair/typebox";
import { badInput } from "../../../core/refusal.ts";
import {
  segmentFiltersCharactersMax,
  segmentNameCharactersMax,
  segmentsMax,
} from "../../../core/website/segment.ts";
import { addSegment } from "../../../engine/admin/website/segments.ts";
import { parsePairs } from "../../parsing/query-string.ts";
import type { SessionRoute } from "../../transport/route.ts";
import { named } from "../../parsing/schemas.ts";
import { parseFilters } from "../../parsing/statistics-query.ts";
import { websiteCall, websiteOf } from "../websites.ts";
import { removalOf } from "./removal.ts";

const name = Type.String({ minLength: 1, maxLength: segmentNameCharactersMax });
const filters = Type.String({
  minLength: 1,
  maxLength: segmentFiltersCharactersMax,
  description: "As a query string has them: `country[eq]=Germany&path[starts_with]=/blog/`, percent-encoded",
});
const segmentSchema = named("Segment", Type.Object({ id: Type.Integer({ minimum: 1 }), name, filters }));

/** Returns the filters as they came. Throws Refusal 400 for what is no filter, as every list does. */
function checkedFilters(text: string): string {
  const pairs = parsePairs(text);
  const known = parseFilters(pairs);
  const other = pairs.find(([key]) => !key.includes("["));
  if (other !== undefined || known.length === 0)
    throw badInput("filters", other?.[0] ?? text, "filters such as country[eq]=Germany, and nothing else");
  return text;
}

export const segmentsRoutes: readonly SessionRoute[] = [
  {
    method: "GET",
    path: "/website/:hostname/segments",
    access: "session",
    scope: "read",
    summary: "Saved filters, in the order in which they were added",
    answer: Type.Array(segmentSchema, { maxItems: segmentsMax }),
    errors: [400, 404],
    handle: (call) => websiteOf(call, "viewer").segments.list,
  },
  {
    method: "POST",
    path: "/website/:hostname/segments",
    access: "session",
    scope: "admin",
    summary: "Save filters under a name",
    description: `A website has at most ${segmentsMax} segments. Filters are checked as every list does.`,
    body: named("NewSegment", Type.Object({ name, filters })),
    status: 201,
    answer: segmentSchema,
    errors: [400, 403, 404],
    handle: async (call) => addSegment(websiteCall(call), await call.json(), checkedFilters),
  },
  removalOf("segments", "Remove a segment; nothing else changes"),
];
