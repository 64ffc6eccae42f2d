/** The steps of funnels as people write them, and the funnels that a website has saved. */
import { Type } from "@sinclair/typebox";
import type { Website } from "../../../accounts/registry/registry.ts";
import type { Funnel } from "../../../core/website/funnel.ts";
import { stepsMax, stepsMin, type Target } from "../../../core/website/goal.ts";
import { operatorIn, operatorOf, readOperands } from "../../../core/questions/operator.ts";
import type { Step } from "../../../core/questions/query.ts";
import { badInput, Refusal, shown } from "../../../core/refusal.ts";
import { goalOf } from "../../../engine/admin/website/goals.ts";
import { valuesOf } from "../../parsing/statistics-query.ts";
import type { Reader } from "../../transport/route.ts";

export const stepForms =
  "`page:/pricing`, or with an operator of filters `page[starts_with]:/blog/`; `event:signup`, or with the property's " +
  "value `event:plan=pro`; `goal:3`, by its id";
const stepExpected = "page:/pricing, page[starts_with]:/blog/, event:signup, event:plan=pro or goal:3";
export const stepsSchema = Type.Array(Type.String(), { minItems: stepsMin, maxItems: stepsMax });

/** Returns the saved funnels that a reader may see: a link with filters does not say which other pages there are. */
export function shownFunnels({ website, filters }: Reader): readonly Funnel[] {
  return filters.length > 0 ? [] : website.funnels.list;
}

/** Returns the steps in a query: its own, or those of the saved funnel that it names. Throws Refusal 400. */
export function askedSteps(reader: Reader, raw: string): readonly Step[] {
  const texts = valuesOf(raw, "step");
  const [id, ...more] = valuesOf(raw, "funnel");
  if (id === undefined) return stepsOf(reader.website, texts);
  const saved = shownFunnels(reader).find((funnel) => String(funnel.id) === id);
  if (saved === undefined) throw badInput("funnel", id, "the id of a saved funnel of this website");
  if (more.length + texts.length > 0) throw badInput("funnel", id, "either one saved funnel or steps");
  return stepsOf(reader.website, saved.steps);
}

/** Throws Refusal 400 for what are no steps, too few or too many, and for a goal that the website does not have. */
export function stepsOf(website: Website, texts: readonly string[]): readonly Step[] {
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
  // A saved funnel may have the goal still, when it is removed.
  if (goal === undefined) throw new Refusal(400, `step: there is no goal ${shown(value)} of this website`);
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
