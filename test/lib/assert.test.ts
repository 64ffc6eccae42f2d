import { expect, test } from "bun:test";
import { assert, AssertionError } from "../../src/lib/assert.ts";

test("assert lets the truth pass and throws its message otherwise", () => {
  for (const truth of [true, 1, "x", {}]) expect(() => assert(truth, "never")).not.toThrow();
  for (const falsehood of [false, 0, "", null, undefined])
    expect(() => assert(falsehood, "rows and columns agree")).toThrow(
      new AssertionError("rows and columns agree"),
    );
});
