import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseProperties } from "../../src/collect/properties.ts";
import { seed } from "../support/seed.ts";

const parsed = (json: string) => parseProperties(JSON.parse(json)).properties;
const numbers = (json: string) => parseProperties(JSON.parse(json)).numbers;

describe("values", () => {
  test("are strings, numbers as JSON prints them, and booleans", () => {
    expect(parsed('{"a":"x","b":1.50,"c":true,"d":false,"e":"","f":-0,"g":1e21,"h":1e-7}')).toEqual([
      ["a", "x"],
      ["b", "1.5"],
      ["c", "true"],
      ["d", "false"],
      ["e", ""],
      ["f", "0"],
      ["g", "1e+21"],
      ["h", "1e-7"],
    ]);
  });

  test("that are numbers stand beside their texts, where no sum of them can be infinite", () => {
    expect(numbers('{"a":"x","n":null,"b":1.50,"c":true,"f":-0,"g":"7","h":-2e9}')).toEqual([
      null,
      1.5,
      null,
      0,
      null,
      -2e9,
    ]);
    expect(numbers('{"a":9007199254740991,"b":-9007199254740993,"c":1e21}')).toEqual([
      2 ** 53 - 1,
      null,
      null,
    ]);
    expect(numbers('{"a":1e21,"b":"1"}')).toBeUndefined();
    expect(numbers("{}")).toBeUndefined();
  });

  test("that are null are missing", () => {
    expect(parsed('{"a":null,"b":"x"}')).toEqual([["b", "x"]]);
    expect(parsed('{"a":null}')).toEqual([]);
  });

  test.each([
    ['{"plan":{}}', 'd["plan"]: expected a string, a number or a boolean, got an object'],
    ['{"plan":["x"]}', 'd["plan"]: expected a string, a number or a boolean, got an array'],
    ['{"plan":1e999}', 'd["plan"]: expected a string, a number or a boolean, got Infinity'],
  ])("%s is refused", (json, message) => {
    expect(() => parsed(json)).toThrow(message);
  });

  test("have at most 2,000 characters", () => {
    expect(parseProperties({ a: "x".repeat(2_000) }).properties[0]?.[1]?.length).toBe(2_000);
    expect(() => parseProperties({ a: "x".repeat(2_001) })).toThrow(
      /^d\["a"\]: expected at most 2000 characters, got /,
    );
  });
});

describe("names", () => {
  test("have 1 to 300 characters", () => {
    expect(parseProperties({ ["x".repeat(300)]: 1 }).properties).toHaveLength(1);
    expect(() => parseProperties({ "": 1 })).toThrow(
      'd: expected property names of 1 to 300 characters, got ""',
    );
    expect(() => parseProperties({ ["x".repeat(301)]: 1 })).toThrow(/1 to 300 characters/);
  });

  test("are values, whatever they would mean to an object", () => {
    const json = '{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d","prototype":"e"}';
    expect(parsed(json)).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
      ["toString", "c"],
      ["hasOwnProperty", "d"],
      ["prototype", "e"],
    ]);
    expect(Object.hasOwn({}, "a")).toBe(false);
    expect(() => parsed('{"__proto__":{"polluted":1}}')).toThrow(/^d\["__proto__"\]/);
    expect(parseProperties(Object.create({ inherited: "x" })).properties).toEqual([]);
  });

  test("keep NUL and direction marks; lone surrogates are replaced", () => {
    expect(parsed('{"a\\u0000\\u202e":"\\u0000\\u200f","\\ud800":"\\udc00"}')).toEqual([
      ["a\u0000\u202e", "\u0000\u200f"],
      ["\ufffd", "\ufffd"],
    ]);
  });
});

test("there are at most 30, nulls not counted", () => {
  const many = (count: number, value: string | null) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));
  expect(parseProperties(many(30, "x")).properties).toHaveLength(30);
  expect(parseProperties({ ...many(40, null), a: 1 }).properties).toHaveLength(1);
  expect(() => parseProperties(many(31, "x"))).toThrow("d: expected at most 30 properties, got 31");
});

test("every own key comes out once, in order, as text that survives JSON", () => {
  const names = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20, size: "max" });
  const values = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  fc.assert(
    fc.property(fc.dictionary(names, values, { maxKeys: 30 }), (d) => {
      const sent: Record<string, unknown> = JSON.parse(JSON.stringify(d));
      const expected = Object.entries(sent).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      expect(parseProperties(sent).properties as unknown).toEqual(expected);
    }),
    { seed: seed() },
  );
});
