/**
 * Goals of a website: the pages that visits should reach, and the events that should happen. A goal is looked up in what
 * is recorded, so that a new one has a past.
 */
import { operatorOf, type OperatorName } from "../questions/operator.ts";
import type { Listed } from "./listed-entries.ts";

/** A condition on the path of a page view, as a filter says it. */
export interface PathCondition {
  readonly operator: OperatorName;
  readonly operands: readonly string[];
}

/** The events with a property of this name, and of this value unless it is null; compared as filters do. */
export interface EventTarget {
  readonly propName: string;
  readonly propValue: string | null;
  /** The property of the same hit whose numbers are summed up; null for none. */
  readonly amount: string | null;
}

/** A goal, or a step of a funnel, is reached by page views for which all conditions hold, or by events. */
export type Target = { readonly page: readonly PathCondition[] } | { readonly event: EventTarget };

export interface Goal {
  readonly id: number;
  readonly name: string;
  readonly target: Target;
}

export type Goals = Listed<Goal>;

/** The most goals of a website. */
export const goalsMax = 50;
export const goalNameCharactersMax = 100;
/** The most operands of a condition that takes a list. */
export const goalOperandsMax = 100;
/** The numbers of steps that a funnel may have. */
export const stepsMin = 2;
export const stepsMax = 8;

/** A goal as the API shows it. */
export interface GoalView {
  readonly id: number;
  readonly name: string;
  /** By operator: the operand, or the operands of one that takes a list. */
  readonly page?: Readonly<Partial<Record<OperatorName, string | readonly string[]>>>;
  readonly event?: { readonly prop_name: string; readonly prop_value?: string; readonly amount?: string };
}

export function goalView({ id, name, target }: Goal): GoalView {
  const own = { id, name };
  if ("page" in target) {
    const conditions = target.page.map(({ operator, operands }): [string, string | readonly string[]] => [
      operator,
      operatorOf(operator).takesList ? operands : (operands[0] ?? ""),
    ]);
    return { ...own, page: Object.fromEntries(conditions) };
  }
  const { propName, propValue, amount } = target.event;
  const event = {
    prop_name: propName,
    ...(propValue !== null && { prop_value: propValue }),
    ...(amount !== null && { amount }),
  };
  return { ...own, event };
}

/** Returns whether a goal sums up amounts. */
export function hasAmount(target: Target): boolean {
  return "event" in target && target.event.amount !== null;
}

/** Returns a text that is equal for targets that are reached by the same hits and sum up the same amounts. */
export function keyOfTarget(target: Target): string {
  if ("page" in target)
    return JSON.stringify(target.page.map(({ operator, operands }) => [operator, operands]));
  const { propName, propValue, amount } = target.event;
  return JSON.stringify([propName, propValue, amount]);
}
