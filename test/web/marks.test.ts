import { expect, test } from "bun:test";
import { browserNames, deviceNames, osNames } from "../../src/collect/visitor/names.ts";
import { countryByZone } from "../../src/collect/visitor/zones.ts";
import { countryName } from "../../src/query/names/names.ts";
import { marksByName } from "../../src/web/marks.ts";

const marks = new Map(Object.entries(marksByName()));
const countries = new Set([...countryByZone().values()].map(countryName));
const clients = new Set([
  "Desktop",
  ...browserNames().values(),
  ...osNames().values(),
  ...deviceNames().values(),
]);

test("every country that a time zone tells has a flag, and every device a mark", () => {
  for (const name of countries)
    expect([name, marks.get(name)]).toEqual([name, expect.stringMatching(/^<svg /)]);
  for (const name of deviceNames().values()) expect([name, marks.has(name)]).toEqual([name, true]);
});

test("a flag is an image that asks nobody for anything; any other mark is path data", () => {
  for (const [name, mark] of marks) {
    const isFlag = mark.startsWith("<");
    expect([name, isFlag || clients.has(name)]).toEqual([name, true]);
    if (!isFlag) expect(mark).toMatch(/^M[\d\s.,a-zA-Z-]+$/);
    else
      expect(mark.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/:\/\/|href|script|style/);
  }
});

test("rounding keeps arcs, and separates what decimals separated", () => {
  for (const mark of marks.values())
    for (const [, data = ""] of mark.matchAll(/ d="([^"]*)"/g))
      expect(data).not.toMatch(/NaN|\d\.\d+\.\d{3}/);
  expect(marks.get("Germany")).toContain('d="M0 0h513v114H0z"');
});
