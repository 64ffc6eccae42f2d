/** A filter while it is being written: from nothing, or from one that there is. */
import type { FilterName } from "../../core/dimension.ts";
import { operatorOf, refusedOf, type OperatorName } from "../../core/operator.ts";
import type { Filter } from "../../core/query.ts";
import { mayBeEmpty, operandText } from "./question.ts";

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
  return operatorOf(operator).takesList
    ? { name, operator, operands, text: "" }
    : { name, operator, operands: [], text: operands[0] ?? "" };
}

/** Values of one dimension mean nothing for another. */
export function withName(draft: Draft, name: FilterName): Draft {
  return { ...draft, name, operands: [], text: "" };
}

/** What was typed becomes the first value of a list, and the first value of a list what was typed. */
export function withOperator(draft: Draft, operator: OperatorName): Draft {
  const { takesList } = operatorOf(operator);
  if (takesList === operatorOf(draft.operator).takesList) return { ...draft, operator };
  if (takesList) return withOperand({ ...draft, operator }, draft.text);
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

/** Whether the filter may ask for hits without a value. */
export function takesEmpty({ name, operator }: Draft): boolean {
  return mayBeEmpty(name) && operatorOf(operator).comparesWhole;
}

/** Undefined while there is nothing to ask for. An empty field of a list adds nothing to it. */
export function filterOf(draft: Draft): Filter | undefined {
  const { name, operator, text } = draft;
  const { takesList } = operatorOf(operator);
  const { operands } = takesList ? withOperand(draft, text) : { operands: [text] };
  const whole = takesList ? operands.length > 0 : text !== "" || takesEmpty(draft);
  return whole ? { name, operator, operands } : undefined;
}

/** Why the operator takes no such value, in words. */
export function refusalText({ name, operator, operands }: Filter): string | undefined {
  const refused = refusedOf(operatorOf(operator), operands);
  return refused && `Expected ${refused.expected}, got ${operandText(name, refused.operand)}.`;
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
