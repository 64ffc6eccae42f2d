/** The endpoints about the course of visits: funnels and journeys. */
import { Type } from "@sinclair/typebox";
import type { Website } from "../../../accounts/registry.ts";
import { stepsMax, stepsMin, type Target } from "../../../core/website/goal.ts";
import { operatorIn, operatorOf, readOperands } from "../../../core/questions/operator.ts";
import { limitMax, type Step } from "../../../core/questions/query.ts";
import { badInput } from "../../../core/refusal.ts";
import { assertHasVisits, goalOf } from "../../../engine/admin/admin.ts";
import type { ReaderCall, ReaderRoute } from "../../transport/route.ts";
import { named } from "../../parsing/schemas.ts";
import { parseStatisticsQuery, valuesOf } from "../../parsing/statistics-query.ts";
import { answer, compareParameters, statisticsRoute, withCompare } from "./answer.ts";
import { compared } from "./rows.ts";

const stepDescription =
  "What visits do in order, given once for each of 2 to 8 steps: `page:/pricing`, or with an operator of filters " +
  "`page[starts_with]:/blog/`; `event:signup`, or with the property's value `event:plan=pro`; `goal:3`, by its id";
const stepExpected = "page:/pricing, page[starts_with]:/blog/, event:signup, event:plan=pro or goal:3";

const share = (description: string) =>
  Type.Optional(
    Type.Number({ minimum: 0, maximum: 100, description: `${description}; missing without a base` }),
  );
const count = (description: string) => Type.Integer({ minimum: 0, description });

const funnelParameters = ["by", ...compareParameters] as const;
const journeysParameters = ["by", "direction", "limit"] as const;

/** Throws Refusal 400 for a website without visits. */
function websiteWithVisits(call: ReaderCall): Website {
  const website = call.reader.website;
  assertHasVisits(website);
  return website;
}

function stepsOf(website: Website, raw: string): readonly Step[] {
  const texts = valuesOf(raw, "step");
  if (texts.length < stepsMin || texts.length > stepsMax)
    throw badInput("step", texts.length, `${stepsMin} to ${stepsMax} steps`);
  return texts.map((text) => ({ text, target: targetOf(website, text) }));
}

function targetOf(website: Website, text: string): Target {
  const [, kind, word, value] = /^(page|event|goal)(?:\[(\w*)\])?:(.+)$/s.exec(text) ?? [];
  if (kind === undefined || value === undefined || (word !== undefined && kind !== "page"))
    throw badInput("step", text, stepExpected);
  if (kind === "page") return pageTarget(word ?? "eq", value);
  if (kind === "event") return eventTarget(value);
  const goal = goalOf(website, value);
  if (goal === undefined) throw badInput("step", text, "the id of a goal of this website");
  return goal.target;
}

function pageTarget(word: string, value: string): Target {
  const operator = operatorIn("step", word);
  return { page: [{ operator, operands: readOperands(operatorOf(operator), value) }] };
}

/** The first `=` begins the value. */
function eventTarget(text: string): Target {
  const equals = text.indexOf("=");
  const propName = equals < 0 ? text : text.slice(0, equals);
  if (propName === "") throw badInput("step", `event:${text}`, stepExpected);
  return { event: { propName, propValue: equals < 0 ? null : text.slice(equals + 1), amount: null } };
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
      "views before events. 400 for a website without visits.",
    query: [
      {
        name: "step",
        required: true,
        description: stepDescription,
        schema: Type.Array(Type.String(), { minItems: stepsMin, maxItems: stepsMax }),
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
      const website = websiteWithVisits(call);
      return answer(call, (raw) => ({
        list: "funnel",
        ...withCompare(parseStatisticsQuery(raw, funnelParameters)),
        steps: stepsOf(website, raw),
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
      websiteWithVisits(call);
      return answer(call, (raw) => ({
        list: "journeys",
        ...parseStatisticsQuery(raw, journeysParameters, journeysParameters, "path"),
        path: pathOf(raw),
      }));
    },
  },
];
