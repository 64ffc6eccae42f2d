/**
 * The table of filter operators: everything particular to one is in its row. Parsing, masks, the OpenAPI document, the
 * filter editor and its sentences follow from the table. This file also says how operands are written in a query
 * string.
 */
import { badInput } from "../refusal.ts";

/** Returns the test of one form of a value, both in lower case; `operands` are prepared once for all values. */
type Tester = (operands: readonly string[]) => (form: string) => boolean;

interface Operator {
  readonly name: string;
  /** Whether a value passes if its test fails for every form of the value. */
  readonly negative: boolean;
  /** The words between a dimension and a value: Browser is Chrome. */
  readonly label: string;
  /**
   * Whether it takes a comma-separated list, which a repeated key extends. Other operators take one operand, and a
   * repeated key adds a condition.
   */
  readonly takesList: boolean;
  /**
   * Whether an empty operand selects hits without a value. For other operators it would select everything, as any text
   * contains, and begins with, the empty one.
   */
  readonly comparesWhole: boolean;
  readonly tester: Tester;
}

const equals: Tester =
  ([operand]) =>
  (form) =>
    form === operand;
const isOneOf: Tester = (operands) => {
  const wanted = new Set(operands);
  return (form) => wanted.has(form);
};
const contains: Tester =
  ([operand = ""]) =>
  (form) =>
    form.includes(operand);
const startsWith: Tester =
  ([operand = ""]) =>
  (form) =>
    form.startsWith(operand);
const endsWith: Tester =
  ([operand = ""]) =>
  (form) =>
    form.endsWith(operand);

const whole = { takesList: false, comparesWhole: true, tester: equals };
const list = { ...whole, takesList: true, tester: isOneOf };
const part = { takesList: false, comparesWhole: false };

export const operators = [
  { name: "eq", negative: false, label: "is", ...whole },
  { name: "neq", negative: true, label: "is not", ...whole },
  {
    name: "contains",
    negative: false,
    label: "contains",
    ...part,
    tester: contains,
  },
  {
    name: "not_contains",
    negative: true,
    label: "does not contain",
    ...part,
    tester: contains,
  },
  {
    name: "starts_with",
    negative: false,
    label: "starts with",
    ...part,
    tester: startsWith,
  },
  {
    name: "not_starts_with",
    negative: true,
    label: "does not start with",
    ...part,
    tester: startsWith,
  },
  {
    name: "ends_with",
    negative: false,
    label: "ends with",
    ...part,
    tester: endsWith,
  },
  {
    name: "not_ends_with",
    negative: true,
    label: "does not end with",
    ...part,
    tester: endsWith,
  },
  {
    name: "in",
    negative: false,
    label: "is one of",
    ...list,
  },
  {
    name: "not_in",
    negative: true,
    label: "is none of",
    ...list,
  },
] as const satisfies readonly Operator[];

export type OperatorName = (typeof operators)[number]["name"];

/** The sentence in the OpenAPI document that holds for all operators. */
export const operatorsDescription = "All operators must hold; case is ignored";

const byName: ReadonlyMap<string, Operator> = new Map(operators.map((operator) => [operator.name, operator]));

export function operatorOf(name: OperatorName): Operator {
  return byName.get(name) as Operator;
}

/**
 * Returns the operator that a text names. Throws Refusal 400 for another text, and for none. `field`: the field or
 * parameter that has it.
 */
export function operatorIn(field: string, text: string | undefined): OperatorName {
  const name = text === undefined ? undefined : operatorName(text);
  if (name === undefined) throw badInput(field, text, `an operator: ${[...byName.keys()].join(", ")}`);
  return name;
}

/** Returns undefined for a text that names no operator. */
export function operatorName(text: string): OperatorName | undefined {
  return byName.has(text) ? (text as OperatorName) : undefined;
}

/**
 * Returns the test of one form of a value, which is in lower case. `operands` are as received. A negative operator requires
 * the opposite.
 */
export function formTest({ tester }: Operator, operands: readonly string[]): (form: string) => boolean {
  return tester(operands.map((operand) => operand.toLowerCase()));
}

/** Returns the operands in the value of a parameter. Any text is one. */
export function readOperands({ takesList }: Operator, text: string): string[] {
  if (!takesList) return [text];
  // `a,b\,c` is "a" and "b,c": a backslash is special only before a comma.
  return text.split(/(?<!\\),/).map((operand) => operand.replaceAll("\\,", ","));
}

/** Returns the parameter values that express these operands: one, or several if the key has to be repeated. */
export function writeOperands({ takesList }: Operator, operands: readonly string[]): string[] {
  if (!takesList) return [operands[0] ?? ""];
  const lists: string[][] = [[]];
  for (const operand of operands) {
    // After an operand that ends in a backslash, the list continues under a second key: a comma would be taken as
    // escaped.
    if (lists.at(-1)?.at(-1)?.endsWith("\\")) lists.push([]);
    lists.at(-1)?.push(operand.replaceAll(",", "\\,"));
  }
  return lists.map((values) => values.join(","));
}

/** Returns what an operator asks of a value, for documents. */
export function operatorDescription({ label, takesList }: Operator): string {
  const words = `The value ${label} the operand`;
  return takesList ? `${words}s, which are separated by commas; \`\\,\` is a comma inside one` : words;
}
