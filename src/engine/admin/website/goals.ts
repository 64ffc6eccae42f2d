/** The use cases of a website's goals: add and remove. */
import type { Website } from "../../../accounts/registry/registry.ts";
import {
  goalNameCharactersMax,
  goalOperandsMax,
  type EventTarget,
  type Goal,
  type PathCondition,
} from "../../../core/website/goal.ts";
import {
  pathCharactersMax,
  propertyNameCharactersMax,
  propertyValueCharactersMax,
} from "../../../core/hit.ts";
import { operatorIn, operatorOf } from "../../../core/questions/operator.ts";
import { badInput } from "../../../core/refusal.ts";
import type { WebsiteCall } from "../caller.ts";
import { fieldsOf, limitedText, optionalObject, optionalText, requiredText, type Fields } from "../fields.ts";
import { addListed } from "./listed-entries.ts";
import { assertHasVisits } from "../needs-visits.ts";
import { websiteToChange } from "../websites.ts";

/**
 * Adds a goal. Takes `{name, page}` or `{name, event}`, where `page` has an operand for each operator and `event` is
 * `{prop_name, prop_value?, amount?}`. Throws Refusal 400, also for one too many, 403, 404.
 */
export async function addGoal(call: WebsiteCall, body: unknown): Promise<Goal> {
  const website = websiteToChange(call, "editor");
  assertHasVisits(website);
  const { websiteId } = website;
  const fields = fieldsOf(body);
  const name = limitedText("name", requiredText(fields, "name").trim(), goalNameCharactersMax);
  const target = targetOf(fields);
  return addListed(call, websiteId, "goals", (goalId) => ({
    kind: "goalAdded",
    websiteId,
    goalId,
    name,
    ...target,
  }));
}

/** Returns the goal of a website with this id; undefined if there is none. */
export function goalOf({ goals }: Website, id: string): Goal | undefined {
  return goals.list.find((goal) => String(goal.id) === id);
}

interface TargetFields {
  readonly page: readonly PathCondition[];
  readonly propName: string | null;
  readonly propValue: string | null;
  readonly amount: string | null;
}

function targetOf(fields: Fields): TargetFields {
  const isPage = (fields["page"] ?? null) !== null;
  if (isPage === ((fields["event"] ?? null) !== null))
    throw badInput(isPage ? "event" : "page", isPage ? fields["event"] : undefined, "either page or event");
  if (isPage)
    return { page: pageOf(optionalObject(fields, "page")), propName: null, propValue: null, amount: null };
  return { page: [], ...eventOf(optionalObject(fields, "event")) };
}

function pageOf(page: Fields): PathCondition[] {
  // If there is none, the first is missing, and is refused as such.
  const [first, ...more] = Object.keys(page);
  return [first, ...more].map((key) => conditionOf(page, key));
}

function conditionOf(page: Fields, key: string | undefined): PathCondition {
  const operator = operatorIn("page", key);
  const value = page[operator];
  const field = `page.${operator}`;
  const { takesList } = operatorOf(operator);
  if (takesList !== Array.isArray(value))
    throw badInput(field, value, takesList ? "a list of paths" : "a path");
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (given.length === 0 || given.length > goalOperandsMax)
    throw badInput(field, given.length, `1 to ${goalOperandsMax} paths`);
  const operands = given.map((operand) => {
    if (typeof operand !== "string") throw badInput(field, operand, "a path");
    return limitedText(field, operand, pathCharactersMax);
  });
  return { operator, operands };
}

function eventOf(event: Fields): EventTarget {
  const text = (name: string) => {
    const given = optionalText(event, name, `event.${name}`);
    return given === undefined ? null : limitedText(`event.${name}`, given, propertyNameCharactersMax);
  };
  const propName = text("prop_name");
  if (propName === null) throw badInput("event.prop_name", undefined, "the name of a property");
  const value = optionalText(event, "prop_value", "event.prop_value")?.toWellFormed() ?? null;
  if (value !== null && value.length > propertyValueCharactersMax)
    throw badInput("event.prop_value", value, `at most ${propertyValueCharactersMax} characters`);
  return { propName, propValue: value, amount: text("amount") };
}
