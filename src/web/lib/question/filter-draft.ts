/** A filter while it is being edited: a new one, or an existing one. */
import type { FilterName } from "../../../core/questions/stored-dimension.ts";
import { operatorOf, operators, type OperatorName } from "../../../core/questions/operator.ts";
import type { Filter } from "../../../core/questions/query.ts";
import { pathLabel } from "../../../core/questions/label.ts";
import { isNamed, valueNamed } from "../texts/names.ts";
import { decodedPart } from "../routes.ts";
import { isPath, mayBeEmpty, operandText } from "./question.ts";

export interface Draft {
  readonly name: FilterName;
  readonly operator: OperatorName;
  /** The values that a list has already. */
  readonly operands: readonly string[];
  /** The text in the field. */
  readonly text: string;
}

export function draftOf(filter: Filter | undefined): Draft {
  if (filter === undefined) return { name: "path", operator: "eq", operands: [], text: "" };
  const { name, operator, operands } = filter;
  return operatorOf(operator).takesList
    ? { name, operator, operands, text: "" }
    : { name, operator, operands: [], text: editedText(name, operands[0] ?? "") };
}

/** Returns an operand as it is edited: a name, or a path as people read it, if the server takes that for the same path. */
export function editedText(name: FilterName, operand: string): string {
  if (!isPath(name)) return isNamed(name) ? operandText(name, operand) : operand;
  const text = pathLabel(operand);
  return text === decodedPart(operand) ? text : operand;
}

/**
 * Returns the operators that a draft may have. Values with another name in the page's language are compared whole: the
 * server would look for a part of the name in the English one. The operator of a link that has such a part stays.
 */
export function operatorsFor(
  { name, operator }: Draft,
  hasNames = isNamed(name),
): readonly (typeof operators)[number][] {
  return operators.filter((each) => each.comparesWhole || each.name === operator || !hasNames);
}

/**
 * Changes the dimension, and drops the values, which mean nothing for another dimension, and the operator if that does not
 * take it.
 */
export function withName(draft: Draft, name: FilterName, hasNames = isNamed(name)): Draft {
  const stays = !hasNames || operatorOf(draft.operator).comparesWhole;
  return { name, operator: stays ? draft.operator : "eq", operands: [], text: "" };
}

/**
 * Changes the operator. The typed text becomes the first value of a list, and the first value of a list becomes the
 * text.
 */
export function withOperator(draft: Draft, operator: OperatorName): Draft {
  const { takesList } = operatorOf(operator);
  if (takesList === operatorOf(draft.operator).takesList) return { ...draft, operator };
  if (takesList) return withOperand({ ...draft, operator }, draft.text);
  return { ...draft, operator, operands: [], text: draft.text || (draft.operands[0] ?? "") };
}

/** Adds a value to the list if it is a new one; the empty value only if `even` says that it is meant. */
export function withOperand(draft: Draft, operand: string, even?: "empty"): Draft {
  const adds = (operand !== "" || even === "empty") && !draft.operands.includes(operand);
  return { ...draft, operands: adds ? [...draft.operands, operand] : draft.operands, text: "" };
}

export function withoutOperand(draft: Draft, operand: string): Draft {
  return { ...draft, operands: draft.operands.filter((other) => other !== operand) };
}

/** Returns whether the filter may ask for hits without a value. */
export function takesEmpty({ name, operator }: Draft): boolean {
  return mayBeEmpty(name) && operatorOf(operator).comparesWhole;
}

/** Returns the filter; undefined while it is incomplete. An empty field adds nothing to a list. */
export function filterOf(draft: Draft): Filter | undefined {
  const { name, operator, text } = draft;
  const { takesList } = operatorOf(operator);
  const typed = valueNamed(name, text);
  const { operands } = takesList ? withOperand(draft, typed) : { operands: [typed] };
  const whole = takesList ? operands.length > 0 : text !== "" || takesEmpty(draft);
  if (!whole) return undefined;
  return {
    name,
    operator,
    operands: isPath(name) ? operands.map((path) => askedPath(operator, path)) : operands,
  };
}

/** Returns a path to compare with: a whole one without the slash at its end, which addresses have and stored paths do not. */
export function askedPath(operator: OperatorName, path: string): string {
  return operatorOf(operator).comparesWhole ? path.replace(/^(\/(?!\/[^/]*\/$).+)\/$/s, "$1") : path;
}

/**
 * Returns the filters with `filter` in place of the one at `index`, or at the end; if undefined, that one is removed.
 */
export function replaced(
  filters: readonly Filter[],
  index: number | undefined,
  filter: Filter | undefined,
): readonly Filter[] {
  const at = index ?? filters.length;
  return [...filters.slice(0, at), ...(filter === undefined ? [] : [filter]), ...filters.slice(at + 1)];
}
