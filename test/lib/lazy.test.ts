import { expect, test } from "bun:test";
import { lazyObject, once } from "../../src/lib/lazy.ts";

test("properties are made when they are asked for, once, and alone", () => {
  const made: string[] = [];
  const object = lazyObject<{ one: number; two: { readonly deep: string } }>({
    one: () => made.push("one"),
    two: () => {
      made.push("two");
      return { deep: "value" };
    },
  });
  expect(made).toEqual([]);
  expect(object.two).toBe(object.two);
  expect(object.two.deep).toBe("value");
  expect(made).toEqual(["two"]);
  expect({ ...object }).toEqual({ one: 2, two: { deep: "value" } });
  expect(Object.keys(object)).toEqual(["one", "two"]);
});

test("one that throws is made again at the next time", () => {
  let times = 0;
  const object = lazyObject<{ value: number }>({
    value: () => {
      if (++times === 1) throw new Error("not yet");
      return times;
    },
  });
  expect(() => object.value).toThrow("not yet");
  expect(object.value).toBe(2);
});

test("a value is made once, also where it is false; a maker that throws is asked again", () => {
  let times = 0;
  const value = once(() => {
    if (++times === 1) throw new Error("not yet");
    return false;
  });
  expect(times).toBe(0);
  expect(value).toThrow("not yet");
  expect([value(), value(), times]).toEqual([false, false, 2]);
});
