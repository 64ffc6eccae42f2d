/** Goals and the steps of funnels, in words and as forms edit them: no state, no browser. */
import type { GoalView } from "../../../core/website/goal.ts";
import { operatorName, operatorOf, operators, type OperatorName } from "../../../core/questions/operator.ts";
import type { AnyRow, GoalFigures } from "../../../core/questions/answer.ts";
import { askedPath, editedText } from "./filter-draft.ts";
import { isolated, label } from "../../../core/questions/label.ts";
import { operandText, type Question } from "./question.ts";
import { suggestionsOf, suggestionsPath, type Suggestion } from "./suggestions.ts";
import { t, translated } from "../texts/words.ts";

export type GoalRow = GoalView & GoalFigures & { readonly since?: string; readonly previous?: GoalFigures };

/** Whether a goal is to sum up amounts, and was reached by events of which none has a number there. */
export function lacksAmount({ event, amount }: GoalRow): boolean {
  return event?.amount !== undefined && amount === undefined;
}

/** A page view or an event that a form asks for: its kind, such as `page[eq]`, `event` or `goal:3`, and what is typed. */
export interface StepDraft {
  readonly kind: string;
  readonly text: string;
}

export const emptyStep: StepDraft = { kind: "page[eq]", text: "" };

type Option = readonly [value: string, label: string];

/** The kinds of steps that need a text. A list of pages is left to links. */
export const typedKinds: readonly Option[] = [
  ...operators
    .filter(({ takesList }) => !takesList)
    .map(({ name, label }): Option => [
      `page[${name}]`,
      t("Page {operator}", { operator: translated(label) }),
    ]),
  ["event", t("Event")],
];

/** Returns all kinds of steps: the goals of the website are among them. */
export function kindsWith(goals: readonly GoalRow[]): readonly Option[] {
  return [
    ...typedKinds,
    ...goals.map(({ id, name }): Option => [`goal:${id}`, t("Goal: {name}", { name: label(name) })]),
  ];
}

export function isGoalKind({ kind }: StepDraft): boolean {
  return kind.startsWith("goal:");
}

/** Returns a step of a link as it is edited. */
export function draftOfStep(step: string): StepDraft {
  const [, kind, operator = "eq", text = ""] = /^(page|event)(?:\[(\w*)\])?:(.*)$/s.exec(step) ?? [];
  if (kind === undefined) return { kind: step, text: "" };
  return kind === "event" ? { kind, text } : { kind: `page[${operator}]`, text: editedText("path", text) };
}

/** Returns the step as the API reads it; undefined while a text is missing. */
export function stepOf({ kind, text }: StepDraft): string | undefined {
  if (isGoalKind({ kind, text })) return kind;
  if (text === "") return undefined;
  const operator = pageOperator(kind);
  const asked = operator === undefined ? text : askedPath(operator, text);
  return kind === "page[eq]" ? `page:${asked}` : `${kind}:${asked}`;
}

function pageOperator(kind: string): OperatorName | undefined {
  return /^page\[(\w+)\]$/.exec(kind)?.[1] as OperatorName | undefined;
}

/** Returns what a goal is reached by, as the API takes it; undefined while a text is missing. */
export function targetOf({ kind, text }: StepDraft, amount: string): object | undefined {
  if (text === "") return undefined;
  const operator = pageOperator(kind);
  if (operator !== undefined) return { page: { [operator]: askedPath(operator, text) } };
  const { name, value } = eventOf(text);
  return {
    event: {
      prop_name: name,
      ...(value !== undefined && { prop_value: value }),
      ...(amount !== "" && { amount }),
    },
  };
}

/** The first `=` begins the value. */
function eventOf(text: string): { readonly name: string; readonly value: string | undefined } {
  const equals = text.indexOf("=");
  return equals < 0
    ? { name: text, value: undefined }
    : { name: text.slice(0, equals), value: text.slice(equals + 1) };
}

/** Returns a step in words, such as: Page starts with /blog/. */
export function stepText(step: string, goals: readonly GoalRow[]): string {
  const goal = goals.find(({ id }) => step === `goal:${id}`);
  if (goal !== undefined) return label(goal.name);
  const { kind, text } = draftOfStep(step);
  if (kind === "event") return t("Event {name}", { name: isolated(label(text)) });
  const operator = operatorName(/^page\[(\w+)\]$/.exec(kind)?.[1] ?? "");
  if (operator === undefined) return label(step);
  return t("Page {operator} {path}", {
    operator: translated(operatorOf(operator).label),
    path: isolated(operandText("path", text)),
  });
}

/** Returns the path of the values that fit a step: paths, names of properties, or the values of one after its `=`. */
export function stepSuggestionsPath(question: Question, { kind, text }: StepDraft): string | null {
  const all = { ...question, filters: [] };
  if (kind.startsWith("goal:")) return null;
  if (kind !== "event") return suggestionsPath(all, "path", text);
  const { name, value } = eventOf(text);
  if (value === undefined) return suggestionsPath(all, "prop_name", name);
  const named = { name: "prop_name", operator: "eq", operands: [name] } as const;
  return suggestionsPath({ ...all, filters: [named] }, "prop_value", value);
}

/** Returns the suggestions in the rows of that list, as the text of the step. */
export function stepSuggestions({ kind, text }: StepDraft, rows: readonly AnyRow[]): readonly Suggestion[] {
  if (kind !== "event")
    return suggestionsOf("path", rows).map((found) => ({ ...found, value: editedText("path", found.value) }));
  const { name, value } = eventOf(text);
  if (value === undefined) return suggestionsOf("prop_name", rows);
  return suggestionsOf("prop_value", rows).map((found) => ({ ...found, value: `${name}=${found.value}` }));
}
