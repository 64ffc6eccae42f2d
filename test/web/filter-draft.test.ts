/** A filter while somebody writes it. */
import { describe, expect, test } from "bun:test";
import { filterNames } from "../../src/core/questions/dimension.ts";
import { operators } from "../../src/core/questions/operator.ts";
import type { Filter } from "../../src/core/questions/query.ts";
import {
  draftOf,
  filterOf,
  operatorsFor,
  replaced,
  takesEmpty,
  withName,
  withOperand,
  withOperator,
  withoutOperand,
  type Draft,
} from "../../src/web/lib/question/filter-draft.ts";
import { typedPath } from "../../src/web/lib/question/typed-path.ts";

function filter(name: Filter["name"], operator: Filter["operator"], ...operands: string[]): Filter {
  return { name, operator, operands };
}

const browser: Draft = draftOf(filter("browser", "eq", "Chrome"));
const browsers: Draft = draftOf(filter("browser", "in", "Chrome", "Firefox"));

test("a draft of any filter is that filter again", () => {
  for (const name of filterNames)
    for (const { name: operator, takesList } of operators) {
      const made = filter(name, operator, ...(takesList ? ["a", "b,c"] : ["a"]));
      expect(filterOf(draftOf(made))).toEqual(made);
    }
});

test("a path is edited as people read it, where that is the same path to the server", () => {
  const edited = (name: Filter["name"], operand: string) => draftOf(filter(name, "eq", operand)).text;
  expect(edited("path", "/caf%C3%A9%20au%20lait")).toBe("/café au lait");
  for (const path of ["/pricing", "/a%2Fb-caf%C3%A9", "/%zz", "/a%0Ab", "/%E2%80%AEexe.gpj"])
    expect(edited("path", path)).toBe(path);
  expect(edited("utm_campaign", "50%25")).toBe("50%25");
});

test("the address of a page, as the browser shows it, is its path", () => {
  const typed = (text: string, hostname = "shop.example") => typedPath(text, hostname);
  expect(typed("https://shop.example/cart/?utm_source=a#top")).toBe("/cart/");
  expect(typed("HTTP://WWW.shop.example:8080/caf%C3%A9")).toBe("/café");
  expect(typed("https://shop.example/", "www.shop.example")).toBe("/");
  expect(typed("https://pay.shop.example/done")).toBe("//pay.shop.example/done");
  expect(typed("https://shop.example/app/#/about")).toBe("/app/#/about");
  expect(typed("https://shop.example/app?a=1#!/list?page=2#top")).toBe("/app#!/list");
  for (const text of ["/cart", "cart", "https://shop.exam", "https:///", "/go/https://a.example/", ""])
    expect(typed(text)).toBe(text);
});

// As addresses have it, and no stored path but that of another hostname's first page.
test("a whole path is asked for without the slash at its end", () => {
  const asked = (operator: Filter["operator"], ...paths: string[]) =>
    filterOf(draftOf(filter("path", operator, ...paths)))?.operands;
  expect(asked("eq", "/cart/")).toEqual(["/cart"]);
  expect(asked("neq", "//pay.shop.example/a/")).toEqual(["//pay.shop.example/a"]);
  expect(asked("in", "/a/", "/", "//pay.shop.example/")).toEqual(["/a", "/", "//pay.shop.example/"]);
  expect(filterOf(draftOf(filter("entry", "eq", "/a/b/")))?.operands).toEqual(["/a/b"]);
  for (const operator of ["starts_with", "ends_with", "contains"] as const)
    expect(asked(operator, "/cart/")).toEqual(["/cart/"]);
  expect(filterOf(draftOf(filter("utm_campaign", "eq", "/cart/")))?.operands).toEqual(["/cart/"]);
});

test("a new draft asks for nothing", () => {
  expect(filterOf(draftOf(undefined))).toBeUndefined();
});

test("another dimension has other values", () => {
  expect(filterOf(withName(browser, "os"))).toBeUndefined();
  expect(withName(browsers, "os")).toMatchObject({ operator: "in", operands: [] });
});

describe("values that have another name in the page's language", () => {
  const offered = (draft: Draft) => operatorsFor(draft, true).map(({ name }) => name);
  const country = draftOf(filter("country", "eq", "France"));

  test("are compared whole: the server would look for a part of the name in the English one", () => {
    expect(offered(country)).toEqual(["eq", "neq", "in", "not_in"]);
    expect(operatorsFor(country, false)).toHaveLength(operators.length);
  });
  test("keep the operator of an earlier link, and no other with a part", () => {
    const earlier = draftOf(filter("country", "starts_with", "Fr"));
    expect(offered(earlier)).toEqual(["eq", "neq", "starts_with", "in", "not_in"]);
    expect(filterOf(earlier)).toEqual(filter("country", "starts_with", "Fr"));
  });
  test("do not take over an operator with a part from another dimension", () => {
    const operatorOf = (from: Filter["operator"], hasNames: boolean) =>
      withName(draftOf(filter("path", from, "/a")), "country", hasNames).operator;
    expect([operatorOf("contains", true), operatorOf("contains", false)]).toEqual(["eq", "contains"]);
    expect(operatorOf("not_in", true)).toBe("not_in");
  });
});

describe("another operator", () => {
  test("of the same kind keeps the values", () => {
    expect(filterOf(withOperator(browser, "contains"))).toEqual(filter("browser", "contains", "Chrome"));
    expect(filterOf(withOperator(browsers, "not_in"))).toEqual(
      filter("browser", "not_in", "Chrome", "Firefox"),
    );
  });
  test("makes a list of what was typed, and a text of the first of a list", () => {
    expect(filterOf(withOperator(browser, "in"))).toEqual(filter("browser", "in", "Chrome"));
    expect(filterOf(withOperator(browsers, "eq"))).toEqual(filter("browser", "eq", "Chrome"));
    expect(filterOf(withOperator({ ...browsers, text: "Edge" }, "eq"))).toEqual(
      filter("browser", "eq", "Edge"),
    );
  });
  test("makes no list of nothing", () => {
    expect(withOperator(draftOf(undefined), "in").operands).toEqual([]);
  });
});

describe("a list", () => {
  test("has each value once, and takes what is still in the field", () => {
    const more = withOperand({ ...browsers, text: "Chr" }, "Chrome");
    expect(more).toMatchObject({ operands: ["Chrome", "Firefox"], text: "" });
    expect(filterOf({ ...browsers, text: "Edge" })?.operands).toEqual(["Chrome", "Firefox", "Edge"]);
    expect(filterOf({ ...browsers, text: "Firefox" })?.operands).toEqual(["Chrome", "Firefox"]);
  });
  test("takes the empty value only when it is meant", () => {
    const sources = draftOf(filter("utm_source", "in", "newsletter"));
    expect(filterOf(sources)?.operands).toEqual(["newsletter"]);
    expect(filterOf(withOperand(sources, "", "empty"))?.operands).toEqual(["newsletter", ""]);
    expect(filterOf(withOperand(sources, ""))?.operands).toEqual(["newsletter"]);
  });
  test("without its last value asks for nothing", () => {
    const one = withoutOperand(browsers, "Chrome");
    expect(filterOf(one)?.operands).toEqual(["Firefox"]);
    expect(filterOf(withoutOperand(one, "Firefox"))).toBeUndefined();
  });
});

test("an empty field is an operand where hits may have no value", () => {
  const asks = (name: Filter["name"], operator: Filter["operator"]) =>
    filterOf(draftOf(filter(name, operator, "")));
  expect(asks("utm_source", "eq")).toEqual(filter("utm_source", "eq", ""));
  expect(asks("referrer", "neq")).toEqual(filter("referrer", "neq", ""));
  expect(asks("utm_source", "contains")).toBeUndefined();
  expect(asks("browser", "eq")).toBeUndefined();
  expect(takesEmpty(draftOf(filter("prop_value", "not_in", "a")))).toBe(true);
  expect(takesEmpty(browsers)).toBe(false);
});

test("filters are changed, added and taken away in their place", () => {
  const [a, b, c] = ["a", "b", "c"].map((value) => filter("path", "eq", value)) as [Filter, Filter, Filter];
  expect(replaced([a, b], 0, c)).toEqual([c, b]);
  expect(replaced([a, b], undefined, c)).toEqual([a, b, c]);
  expect(replaced([a, b], 1, undefined)).toEqual([a]);
  expect(replaced([a, b], undefined, undefined)).toEqual([a, b]);
});
