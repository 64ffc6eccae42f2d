/** Finds the goal that somebody names in the terminal. */
import type { Website } from "../../accounts/registry/registry.ts";
import { badInput, Refusal } from "../../core/refusal.ts";
import type { Goal } from "../../core/website/goal.ts";

/**
 * Returns the goal of this id, or else of this name without regard to case. Throws Refusal 400, which lists the goals, if
 * there is none or if several have the name.
 */
export function goalNamed({ goals }: Pick<Website, "goals">, text: string): Goal {
  const byId = goals.list.find(({ id }) => String(id) === text);
  if (byId !== undefined) return byId;
  const wanted = text.toLowerCase();
  const [found, another] = goals.list.filter(({ name }) => name.toLowerCase() === wanted);
  if (found !== undefined && another === undefined) return found;
  if (goals.list.length === 0)
    throw new Refusal(400, "goal: this website has no goals: add them in the dashboard");
  const all = goals.list.map(({ id, name }) => `${id} ${JSON.stringify(name)}`).join(", ");
  throw badInput("goal", text, `the id of a goal, or a name that one goal has, of ${all}`);
}
