/** The table of operators: what each row says. */
import { describe, expect, test } from "bun:test";
import {
  formTest,
  operatorName,
  operatorOf,
  operators,
  readOperands,
  writeOperands,
} from "../../src/core/questions/operator.ts";

describe("the rows", () => {
  test("have names, labels and descriptions of their own", () => {
    for (const field of ["name", "label"] as const)
      expect(new Set(operators.map((row) => row[field])).size).toBe(operators.length);
    for (const { name } of operators) expect(operatorOf(name).name).toBe(name);
  });

  test("are found by their exact names", () => {
    expect(operatorName("not_in")).toBe("not_in");
    for (const text of ["", "EQ", "equals", "constructor", "__proto__"])
      expect(operatorName(text)).toBeUndefined();
  });

  test("a negative one asks the same as its positive one", () => {
    const forms = ["", "a", "ab", "ba", "b", "bab"];
    const pairs = operators.flatMap((row) => {
      const name = row.negative && operatorName(row.name === "neq" ? "eq" : row.name.replace("not_", ""));
      return name ? [[row, operatorOf(name)] as const] : [];
    });
    expect(pairs).toHaveLength(operators.filter(({ negative }) => negative).length);
    for (const [negative, positive] of pairs) {
      const operands = negative.takesList ? ["a", "ab"] : ["a"];
      expect(forms.map(formTest(negative, operands))).toEqual(forms.map(formTest(positive, operands)));
      const { name, label, negative: _, ...rest } = negative;
      expect(positive).toMatchObject(rest);
    }
  });
});

describe("the test of a form", () => {
  const holds = (name: (typeof operators)[number]["name"], ...operands: string[]) =>
    ["ab", "xab", "abx", "", "c"].filter(formTest(operatorOf(name), operands));

  test("is that of the operator, whatever the case of the operand", () => {
    expect(holds("eq", "aB")).toEqual(["ab"]);
    expect(holds("contains", "AB")).toEqual(["ab", "xab", "abx"]);
    expect(holds("starts_with", "ab")).toEqual(["ab", "abx"]);
    expect(holds("ends_with", "ab")).toEqual(["ab", "xab"]);
    expect(holds("in", "AB", "", "d")).toEqual(["ab", ""]);
  });

  test("of no operand is the one of nothing only", () => {
    expect(holds("eq", "")).toEqual([""]);
    expect(holds("in")).toEqual([]);
    expect(holds("contains", "")).toHaveLength(5);
  });
});

describe("operands", () => {
  test("that are written are read again as they were", () => {
    const texts = ["", "a", "a,b", "a\\,b", "back\\", "\\", ",", "a\\b"];
    for (const operator of operators)
      for (const first of texts)
        for (const second of texts) {
          const operands = operator.takesList ? [first, second] : [first];
          const values = writeOperands(operator, operands);
          if (!operator.takesList) expect(values).toEqual(operands);
          expect(values.flatMap((value) => readOperands(operator, value))).toEqual(operands);
        }
  });
});
