/** How records change the goals of a website. */
import { goalsMax, type Goals, type Target } from "../core/website/goal.ts";
import type { Outcome } from "../core/outcome.ts";
import type { RecordOf } from "../record/record.ts";

/** Returns the changed goals, or the outcome if nothing changes. */
export type GoalChange = (goals: Goals) => Goals | Exclude<Outcome, "done">;

/** A goal is "taken" if its id was given before, or there are too many. */
export function withGoal(record: RecordOf<"goalAdded">): GoalChange {
  const { goalId, name } = record;
  return ({ nextGoalId, list }) => {
    if (goalId < nextGoalId || list.length >= goalsMax) return "taken";
    return { nextGoalId: goalId + 1, list: [...list, { goalId, name, target: targetOf(record) }] };
  };
}

export function withoutGoal({ goalId }: RecordOf<"goalRemoved">): GoalChange {
  return ({ nextGoalId, list }) => {
    const kept = list.filter((goal) => goal.goalId !== goalId);
    return kept.length === list.length ? "missing" : { nextGoalId, list: kept };
  };
}

function targetOf({ page, propName, propValue, amount }: RecordOf<"goalAdded">): Target {
  return propName === null ? { page } : { event: { propName, propValue, amount } };
}
