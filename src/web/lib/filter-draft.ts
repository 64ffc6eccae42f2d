/** A filter while it is being written: from nothing, or from one that there is. */
import type { FilterName } from "../../core/dimension.ts";
import type { Filter, OperatorName } from "../../core/query.ts";
import { isList, mayBeEmpty } from "./question.ts";

export interface Draft {
  readonly name: FilterName;
  readonly operator: OperatorName;
  /** Of a list: the values that it has already. */
  readonly operands: readonly string[];
  /** What stands in the field. */
  readonly text: string;
}

export function draftOf(filter: Filter | undefined): Draft {
  if (filter === undefined) return { name: "path", operator: "eq", operands: [], text: "" };
  const { name, operator, operands } = filter;
  return isList(operator)
    ? { name, operator, operands, text: "" }
    : { name, operator, operands: [], text: operands[0] ?? "" };
}

/** Values of one dimension mean nothing for another. */
export function withName(draft: Draft, name: FilterName): Draft {
  return { ...draft, name, operands: [], text: "" };
}

/** What was typed becomes the first value of a list, and the first value of a list what was typed. */
export function withOperator(draft: Draft, operator: OperatorName): Draft {
  if (isList(operator) === isList(draft.operator)) return { ...draft, operator };
  if (isList(operator)) return withOperand({ ...draft, operator }, draft.text);
  return { ...draft, operator, operands: [], text: draft.text || (draft.operands[0] ?? "") };
}

/** A list with one value more, if it is one; the empty one only when `even` it is meant. */
export function withOperand(draft: Draft, operand: string, even?: "empty"): Draft {
  const adds = (operand !== "" || even === "empty") && !draft.operands.includes(operand);
  return { ...draft, operands: adds ? [...draft.operands, operand] : draft.operands, text: "" };
}

export function withoutOperand(draft: Draft, operand: string): Draft {
  return { ...draft, operands: draft.operands.filter((other) => other !== operand) };
}

/** Whether the filter may ask for hits without a value: every text contains and begins with nothing. */
export function takesEmpty({ name, operator }: Draft): boolean {
  return mayBeEmpty(name) && (isList(operator) || operator === "eq" || operator === "neq");
}

/** Undefined while there is nothing to ask for. An empty field of a list adds nothing to it. */
export function filterOf(draft: Draft): Filter | undefined {
  const { name, operator, text } = draft;
  const { operands } = isList(operator) ? withOperand(draft, text) : { operands: [text] };
  const whole = isList(operator) ? operands.length > 0 : text !== "" || takesEmpty(draft);
  return whole ? { name, operator, operands } : undefined;
}

/** The filters with `filter` in the place of the one at `index`, or at the end; undefined takes it away. */
export function replaced(
  filters: readonly Filter[],
  index: number | undefined,
  filter: Filter | undefined,
): readonly Filter[] {
  const at = index ?? filters.length;
  return [...filters.slice(0, at), ...(filter === undefined ? [] : [filter]), ...filters.slice(at + 1)];
}
