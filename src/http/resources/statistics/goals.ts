/** The endpoints of a website's goals: their figures, and the changes to the list. */
import { Type } from "@sinclair/typebox";
import { goalNameCharactersMax, goalsMax, goalView, type Target } from "../../../core/website/goal.ts";
import { operatorDescription, operators } from "../../../core/questions/operator.ts";
import { badInput } from "../../../core/refusal.ts";
import { isPropertyFilter } from "../../../query/rows/filters/property-mask.ts";
import { addGoal, goalOf } from "../../../engine/admin/website/goals.ts";
import { assertHasVisits } from "../../../engine/admin/needs-visits.ts";
import type { ReaderCall, ReaderRoute, SessionRoute } from "../../transport/route.ts";
import { count, named } from "../../parsing/schemas.ts";
import { parseStatisticsQuery } from "../../parsing/statistics-query.ts";
import { websiteCall } from "../websites.ts";
import { compared } from "./rows.ts";
import { answer, compareParameters, statisticsRoute, withCompare } from "./answer.ts";
import { removalOf } from "../website/removal.ts";

const pageSchema = Type.Object(
  Object.fromEntries(
    operators.map((operator) => [
      operator.name,
      Type.Optional(
        operator.takesList
          ? Type.Array(Type.String())
          : Type.String({ description: operatorDescription(operator) }),
      ),
    ]),
  ),
  { description: "Page views whose path meets all conditions, as filters on paths do", minProperties: 1 },
);
const eventSchema = Type.Object(
  {
    prop_name: Type.String(),
    prop_value: Type.Optional(Type.String()),
    amount: Type.Optional(
      Type.String({ description: "The property of the same hit whose JSON numbers are summed up" }),
    ),
  },
  { description: "Events with this property, and this value if there is one; case is ignored" },
);
const target = { page: Type.Optional(pageSchema), event: Type.Optional(eventSchema) };
const nameSchema = Type.String({ minLength: 1, maxLength: goalNameCharactersMax });
const goal = { id: Type.Integer({ minimum: 1 }), name: nameSchema, ...target };
const goalSchema = named("AddedGoal", Type.Object(goal));
const parameters = ["by", ...compareParameters] as const;

const goalFigures = {
  visits: count(
    "Visits with a selected page view or event of the goal; with `by=visit` the visits of the selection that reached it in the period",
  ),
  conversion_percentage: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: "Their share of all visits of the selection; missing if there is none",
    }),
  ),
  events: count(
    "How often: page views, or events of the selected rows; with `by=visit` and filters, of these visits; without filters, also of no visit",
  ),
  amount: Type.Optional(
    Type.Number({
      description:
        "Where the goal names one: the sum of the numbers of these events, to a millionth; missing if all came as text",
    }),
  ),
};
const since = Type.Optional(
  Type.String({
    format: "date-time",
    description:
      "Where earlier months gave up their rows before they knew the goal: it is counted from here on",
  }),
);
const goalRow = named("GoalRow", Type.Object({ ...goal, ...compared(goalFigures), since }));

/**
 * Returns a query with what its goal is reached by in place of the goal's id. Throws Refusal 400 for an unknown goal, and
 * for a website without visits.
 */
export function withGoal<Q extends { readonly goal: number | undefined }>(
  call: ReaderCall,
  { goal, ...query }: Q,
): Omit<Q, "goal"> & { readonly goal?: Target } {
  if (goal === undefined) return query;
  const website = call.reader.website;
  assertHasVisits(website);
  const found = goalOf(website, String(goal));
  if (found === undefined) throw badInput("goal", goal, "the id of a goal of this website");
  return { ...query, goal: found.target };
}

export const goalsRoutes: readonly (ReaderRoute | SessionRoute)[] = [
  {
    ...statisticsRoute("goals", "Goals: visits that reached each, how often, and the sum of an amount"),
    description:
      "A goal is looked up in what is recorded, so that a new one has a past; months that gave up their rows know " +
      "the goals that there were then, and `since` says where a later one begins. An event counts in the period of the " +
      "page view that it belongs to. With `by=visit` the filters select visits, and what these did on other pages counts too, " +
      "but for a link's own filters; what belongs to no visit is left out then. Without filters, `events` and `amount` also have " +
      "what belongs to no visit, such as an order that a server sends without an address, and so has the `amount` of `summary`: the " +
      "rows of a list may sum to less. 400 for a website without visits.",
    statistics: parameters,
    answer: Type.Array(goalRow, { maxItems: goalsMax }),
    handle: (call: ReaderCall) => {
      const website = call.reader.website;
      assertHasVisits(website);
      const { filters } = call.reader;
      // A link that is held to a property shows no events of others, and one with filters not what else is asked for.
      const isHeld = filters.some(isPropertyFilter);
      const goals = website.goals.list.filter(({ target }) => !isHeld || !("event" in target));
      return answer(call, (raw) => ({
        list: "goals",
        goals,
        ...(filters.length > 0 && { onlyNames: true }),
        ...withCompare(parseStatisticsQuery(raw, parameters)),
      }));
    },
  },
  {
    method: "POST",
    path: "/website/:hostname/goals",
    access: "session",
    scope: "admin",
    summary: "Add a goal: a page, or an event",
    description: `Either page or event. A website has at most ${goalsMax} goals.`,
    body: named("NewGoal", Type.Object({ name: nameSchema, ...target })),
    status: 201,
    answer: goalSchema,
    errors: [400, 403, 404],
    handle: async (call) => goalView(await addGoal(websiteCall(call), await call.json())),
  },
  removalOf("goals", "Remove a goal; what is recorded stays"),
];
