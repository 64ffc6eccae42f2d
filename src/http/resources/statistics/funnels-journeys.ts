/** The endpoints about the course of visits: funnels and journeys. */
import { Type } from "@sinclair/typebox";
import { stepsMax, stepsMin } from "../../../core/website/goal.ts";
import { limitMax } from "../../../core/questions/query.ts";
import { badInput } from "../../../core/refusal.ts";
import { assertHasVisits } from "../../../engine/admin/needs-visits.ts";
import type { ReaderCall, ReaderRoute } from "../../transport/route.ts";
import { count, named } from "../../parsing/schemas.ts";
import { parseStatisticsQuery, valuesOf } from "../../parsing/statistics-query.ts";
import { answer, compareParameters, statisticsRoute, withCompare } from "./answer.ts";
import { askedSteps, stepForms, stepsSchema } from "./funnel-steps.ts";
import { compared } from "./rows.ts";

const stepDescription = `What visits do in order, given once for each of ${stepsMin} to ${stepsMax} steps: ${stepForms}`;

const share = (description: string) =>
  Type.Optional(
    Type.Number({ minimum: 0, maximum: 100, description: `${description}; missing without a base` }),
  );

const funnelParameters = ["by", ...compareParameters] as const;
const journeysParameters = ["by", "direction", "limit"] as const;

/** Throws Refusal 400 for a website without visits. */
function expectVisits({ reader }: ReaderCall): void {
  assertHasVisits(reader.website);
}

function pathOf(raw: string): string {
  const [path = "", ...more] = valuesOf(raw, "path");
  if (path === "") throw badInput("path", undefined, "a path like /pricing");
  if (more.length > 0) throw badInput("path", more[0], "one path");
  return path;
}

export const visitsRoutes: readonly ReaderRoute[] = [
  {
    ...statisticsRoute("funnel", "Visits that did steps one after the other"),
    description:
      "Steps count within a visit and the selection; with `by=visit` the filters select visits, and steps count in all that " +
      "these did in the period, but for a link's own filters. A page view has the time of its load, an event its own; a step " +
      "counts only after the one before it. What has the same time counts in the order in which it was recorded, page " +
      "views before events. The properties of one event count one after the other, in the order in which they were sent: the event " +
      '`{"signup":"pro","price":29}` does the steps `event:signup` and `event:price`. 400 for a website without visits.',
    query: [
      {
        name: "step",
        description: stepDescription,
        schema: stepsSchema,
      },
      {
        name: "funnel",
        description: "The id of a saved funnel (`funnels`), in place of `step`",
        schema: Type.Integer({ minimum: 1 }),
      },
    ],
    statistics: funnelParameters,
    answer: Type.Array(
      named(
        "FunnelRow",
        Type.Object({
          step: Type.String({ description: "As it was asked for" }),
          ...compared({
            visits: count("Visits that did this step and all before it"),
            step_percentage: share(
              "Share of the step before, for the first step of all visits of the selection",
            ),
            total_percentage: share("Share of all visits of the selection"),
          }),
        }),
      ),
      { maxItems: stepsMax },
    ),
    handle: (call) => {
      expectVisits(call);
      return answer(call, (raw) => ({
        list: "funnel",
        ...withCompare(parseStatisticsQuery(raw, funnelParameters)),
        steps: askedSteps(call.reader, raw),
      }));
    },
  },
  {
    ...statisticsRoute("journeys", "Pages that visits went to from a page, or came from"),
    description:
      "A stay is a page view of the path with the reloads that follow it. Counted are the stays in the period, of visits " +
      "with a selected page view of the path; the page after or before is the visit's, whatever else is filtered. Each " +
      "stay has one, or the visit ended or began with it. 400 for a website without visits.",
    query: [
      {
        name: "path",
        required: true,
        description: "The page, as the filter path[eq] compares it",
        schema: Type.String({ minLength: 1 }),
      },
    ],
    statistics: journeysParameters,
    answer: named(
      "Journeys",
      Type.Object({
        stays: count("Stays on the path"),
        exits: Type.Optional(count("direction=next: stays with which the visit ended so far")),
        entries: Type.Optional(count("direction=previous: stays with which the visit began")),
        pages: Type.Array(
          Type.Object({
            path: Type.String(),
            stays: count("Stays that this page came right after, or before"),
            stays_percentage: Type.Number({ minimum: 0, maximum: 100 }),
            other: Type.Optional(
              Type.Literal(true, { description: "All others: past the limit, and of distinct values" }),
            ),
          }),
          { maxItems: limitMax + 1 },
        ),
      }),
    ),
    handle: (call) => {
      expectVisits(call);
      return answer(call, (raw) => ({
        list: "journeys",
        ...parseStatisticsQuery(raw, journeysParameters, journeysParameters, "path"),
        path: pathOf(raw),
      }));
    },
  },
];
