/** Filters select page views; the pages that are left show which. */
import { describe, expect, test } from "bun:test";
import type { Filter } from "../../src/core/questions/query.ts";
import { answerList } from "../support/answers.ts";
import { filter, listOf, siteOf, type View } from "../support/site.ts";

/** The numbers of the views that all filters let through. */
function selected(views: readonly View[], ...filters: readonly Filter[]): number[] {
  const site = siteOf(...views.map((view, at) => ({ ...view, utm_campaign: String(at) })));
  const rows = answerList(site, listOf("campaigns", { filters }));
  return rows.map((row) => Number(row["campaign"])).sort((a, b) => a - b);
}

describe("operators", () => {
  const views = ["Chrome", "chromium", "Firefox", "", "a,b"].map((browser) => ({ browser }));
  const table: readonly [Filter, readonly number[]][] = [
    [filter("browser", "eq", "CHROME"), [0]],
    [filter("browser", "neq", "chrome"), [1, 2, 3, 4]],
    [filter("browser", "contains", "rom"), [0, 1]],
    [filter("browser", "not_contains", "ROM"), [2, 3, 4]],
    [filter("browser", "starts_with", "chrom"), [0, 1]],
    [filter("browser", "not_starts_with", "chrom"), [2, 3, 4]],
    [filter("browser", "ends_with", "M"), [1]],
    [filter("browser", "not_ends_with", "m"), [0, 2, 3, 4]],
    [filter("browser", "in", "firefox", "a,b", "none"), [2, 4]],
    [filter("browser", "not_in", "firefox", "a,b"), [0, 1, 3]],
    [filter("browser", "eq", ""), [3]],
    [filter("browser", "contains", ""), [0, 1, 2, 3, 4]],
    [filter("browser", "not_contains", ""), []],
    [filter("browser", "eq", " Chrome"), []],
  ];
  for (const [asked, expected] of table)
    test(`${asked.operator} ${asked.operands.join(" ")}`, () => {
      expect(selected(views, asked)).toEqual([...expected]);
    });

  test("fold case as toLowerCase does, on both sides", () => {
    expect(selected([{ browser: "\u0130" }], filter("browser", "eq", "\u0130"))).toEqual([0]);
    expect(selected([{ browser: "i\u0307" }], filter("browser", "eq", "\u0130"))).toEqual([0]);
  });

  test("of several filters all hold, on one dimension, one column and several", () => {
    const many = [
      { browser: "Chrome", os: "Linux", country: "DE" },
      { browser: "Chrome", os: "iOS", country: "DE" },
      { browser: "Chromium", os: "Linux", country: "FR" },
      { browser: "Firefox", os: "Linux", country: "FR" },
    ];
    const chrome = filter("browser", "starts_with", "chrom");
    expect(selected(many, chrome, filter("browser", "neq", "Chromium"))).toEqual([0, 1]);
    expect(selected(many, chrome, filter("os", "eq", "linux"))).toEqual([0, 2]);
    expect(selected(many, chrome, filter("os", "eq", "linux"), filter("country", "eq", "france"))).toEqual([
      2,
    ]);
  });
});

describe("path", () => {
  const views = ["/caf%C3%A9", "/100%", "/a"].map((path) => ({ path }));
  test("raw or decoded", () => {
    expect(selected(views, filter("path", "eq", "/café"))).toEqual([0]);
    expect(selected(views, filter("path", "eq", "/CAF%c3%a9"))).toEqual([0]);
  });
  test("as it stands where it cannot be decoded", () => {
    expect(selected(views, filter("path", "ends_with", "0%"))).toEqual([1]);
  });
  test("a negative operator holds only for both forms", () => {
    expect(selected(views, filter("path", "neq", "/café"))).toEqual([1, 2]);
    expect(selected(views, filter("path", "not_contains", "%C3"))).toEqual([1, 2]);
  });
});

describe("referrer", () => {
  const views = ["", "google.com", "google.de/search", "a.example/x", "github.com/a/b"].map((referrer) => ({
    referrer,
  }));
  const table: readonly [Filter, readonly number[]][] = [
    [filter("referrer", "eq", "google"), [1, 2]],
    [filter("referrer", "eq", "google.com"), [1]],
    [filter("referrer", "neq", "Google"), [0, 3, 4]],
    [filter("referrer", "eq", ""), [0]],
    [filter("referrer", "eq", "a.example"), [3]],
    [filter("referrer", "eq", "https://www.google.com/"), [1]],
    [filter("referrer", "in", "HTTP://A.example/x/?y=z", "GitHub"), [3, 4]],
    [filter("referrer", "starts_with", "https://google.de"), [2]],
    [filter("referrer", "neq", "https://google.com"), [0, 2, 3, 4]],
    [filter("referrer", "contains", "https://"), []],
    [filter("referrer", "eq", "https://["), []],
  ];
  for (const [asked, expected] of table)
    test(`${asked.operator} ${asked.operands.join(" ")}`, () => {
      expect(selected(views, asked)).toEqual([...expected]);
    });
});

describe("language and country", () => {
  const views = ["en-GB", "en-US", "de", ""].map((language) => ({
    language,
    country: language === "de" ? "DE" : "",
  }));
  test("tag, base, name and dialect", () => {
    expect(selected(views, filter("language", "eq", "en-gb"))).toEqual([0]);
    expect(selected(views, filter("language", "eq", "EN"))).toEqual([0, 1]);
    expect(selected(views, filter("language", "eq", "english"))).toEqual([0, 1]);
    expect(selected(views, filter("language", "eq", "British English"))).toEqual([0]);
  });
  test("a negative operator holds only for all of these", () => {
    expect(selected(views, filter("language", "neq", "English"))).toEqual([2, 3]);
    expect(selected(views, filter("language", "neq", "en-GB"))).toEqual([1, 2, 3]);
  });
  test("what is not known is called Unknown", () => {
    expect(selected(views, filter("language", "eq", "unknown"))).toEqual([3]);
    expect(selected(views, filter("country", "eq", "unknown"))).toEqual([0, 1, 3]);
  });
  test("countries by their English name", () => {
    expect(selected(views, filter("country", "eq", "germany"))).toEqual([2]);
    expect(selected(views, filter("country", "eq", "DE"))).toEqual([]);
  });
});

describe("properties", () => {
  const views: readonly View[] = [
    {
      properties: [
        ["plan", "pro"],
        ["team", "free"],
      ],
    },
    {
      properties: [
        ["plan", "free"],
        ["plan", "free"],
      ],
    },
    {},
    { properties: [["", ""]] },
  ];
  test("one property has to pass all filters", () => {
    expect(selected(views, filter("prop_name", "eq", "PLAN"), filter("prop_value", "eq", "free"))).toEqual([
      1,
    ]);
    expect(selected(views, filter("prop_value", "eq", "free"))).toEqual([0, 1]);
    expect(
      selected(views, filter("prop_value", "starts_with", "f"), filter("prop_value", "ends_with", "e")),
    ).toEqual([0, 1]);
  });
  test("views without properties are never selected", () => {
    expect(selected(views, filter("prop_name", "neq", "nothing"))).toEqual([0, 1, 3]);
    expect(selected(views, filter("prop_name", "neq", "plan"))).toEqual([0, 3]);
    expect(selected(views, filter("prop_name", "eq", ""))).toEqual([3]);
  });
  test("page views are not multiplied", () => {
    const site = siteOf(...views);
    const rows = answerList(site, listOf("pages", { filters: [filter("prop_name", "eq", "plan")] }));
    expect(rows).toMatchObject([{ pageviews: 2, visitors: 2 }]);
  });
  test("events without a page view are not selected", () => {
    expect(
      selected([{ bare: true, properties: [["plan", "pro"]] }], filter("prop_name", "eq", "plan")),
    ).toEqual([]);
  });
});
