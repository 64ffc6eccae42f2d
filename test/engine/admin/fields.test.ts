import { describe, expect, test } from "bun:test";
import {
  fieldsOf,
  optionalList,
  optionalObject,
  optionalText,
  requiredText,
} from "../../../src/engine/admin/fields.ts";
import { refusalOf } from "../../support/refusals.ts";

const samples = [
  ["nothing", null],
  ["nothing", undefined],
  ["a string", "text"],
  ["a number", 1],
  ["a boolean", true],
  ["an array", [1]],
  ["an object", { of: 1 }],
] as const;

const readers = [
  { expected: "a string", read: optionalText, missing: undefined },
  { expected: "an array", read: optionalList, missing: undefined },
  { expected: "an object", read: optionalObject, missing: {} },
] as const;

describe("fields of a body", () => {
  test("a body that is no object is refused with what it was", async () => {
    for (const [type, body] of samples) {
      if (type === "an object") continue;
      const { code, message } = await refusalOf(() => fieldsOf(body));
      expect([code, message]).toEqual([400, `body: expected an object, got ${type}`]);
    }
  });

  test("each reader takes its type, takes null for missing, and refuses the others", async () => {
    for (const { expected, read, missing } of readers)
      for (const [type, value] of samples) {
        const work = (): unknown => read({ field: value }, "field");
        if (type === expected) expect(work()).toEqual(value);
        else if (type === "nothing") expect(work()).toEqual(missing);
        else {
          const { code, message } = await refusalOf(work);
          expect([code, message]).toEqual([400, `field: expected ${expected}, got ${type}`]);
        }
      }
  });

  test("a required text must be there", async () => {
    expect(requiredText({ field: "" }, "field")).toBe("");
    for (const fields of [{}, { field: null }]) {
      const { code, message } = await refusalOf(() => requiredText(fields, "field"));
      expect([code, message]).toEqual([400, "field: expected a string, got nothing"]);
    }
  });

  test("the value itself is never repeated: it may be a password", async () => {
    const { message } = await refusalOf(() => requiredText({ password: 48151623 }, "password"));
    expect(message).toBe("password: expected a string, got a number");
  });
});
