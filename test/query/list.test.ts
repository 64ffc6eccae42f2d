import { describe, expect, test } from "bun:test";
import { dimensions, emptyOf } from "../../src/core/questions/dimension.ts";
import type { ListRow } from "../../src/core/questions/answer.ts";
import type { ListQuery } from "../../src/core/questions/query.ts";
import type { Site } from "../../src/store/state/site.ts";
import { answerList } from "../support/answers.ts";
import { addView, filter, listOf, siteOf, type View } from "../support/site.ts";

function column(rows: readonly ListRow[], field: keyof ListRow): unknown[] {
  return rows.map((row) => row[field]);
}

function browsers(site: Site, more: Partial<ListQuery> = {}): unknown[] {
  return column(answerList(site, listOf("browsers", more)), "browser");
}

describe("the fields of a row", () => {
  const site = siteOf(
    { path: "/a", ms: 4_999, browser: "Chrome" },
    { path: "/a", p: false, q: true, ms: 1_000, browser: "Chrome" },
    { path: "/b", p: false, q: false, browser: "Chrome" },
    { path: "/a", ms: 5_000, browser: "Safari" },
  );

  test("of a dimension other than the path", () => {
    expect(answerList(site, listOf("browsers"))).toStrictEqual([
      { browser: "Chrome", visitors: 1, visitors_percentage: 50, bounce_percentage: 100, duration: 5_999 },
      { browser: "Safari", visitors: 1, visitors_percentage: 50, bounce_percentage: 0, duration: 5_000 },
    ]);
  });

  test("of pages, where visitors are first views and their base is all visitors", () => {
    const shared = { visitors_percentage: 100, bounce_percentage: 50, duration: 10_999 };
    expect(answerList(site, listOf("pages"))).toStrictEqual([
      { path: "/a", visitors: 2, pageviews: 3, pageviews_percentage: 75, ...shared },
      {
        path: "/b",
        visitors: 1,
        visitors_percentage: 50,
        pageviews: 1,
        pageviews_percentage: 25,
        bounce_percentage: 0,
        duration: 0,
      },
    ]);
  });

  test("of a summary", () => {
    expect(answerList(site, listOf("pages", { summary: true }))).toStrictEqual([
      { path: "/a", visitors: 2, visitors_percentage: 100 },
      { path: "/b", visitors: 1, visitors_percentage: 50 },
    ]);
  });

  test("follow from the table of dimensions for every list", () => {
    for (const dimension of dimensions) {
      const { list, field } = dimension;
      const rows = answerList(site, listOf(list));
      expect(rows.length > 0).toBe(emptyOf(dimension)?.row ?? true);
      for (const row of rows) expect(Object.keys(row)[0]).toBe(field);
    }
  });

  test("a website without rows has none", () => {
    expect(answerList(siteOf(), listOf("pages"))).toEqual([]);
  });
});

describe("visitors", () => {
  // One unique visitor, who comes back to /a as a first and a repeated view.
  const site = siteOf({ path: "/" }, { path: "/a", p: false, q: false }, { path: "/a", p: false, q: true });

  function visitors(...filters: ReturnType<typeof filter>[]): unknown[] {
    return column(answerList(site, listOf("browsers", { filters })), "visitors");
  }

  test("are loads with p", () => expect(visitors()).toEqual([1]));
  test("are first views where a positive operator asks for a path", () => {
    expect(visitors(filter("path", "eq", "/a"))).toEqual([1]);
    expect(visitors(filter("path", "contains", "/"))).toEqual([2]);
    expect(visitors(filter("path", "in", "/", "/a"))).toEqual([2]);
  });
  test("stay loads with p where a negative one does, and a row may have none", () => {
    expect(visitors(filter("path", "neq", "/"))).toEqual([0]);
    expect(visitors(filter("path", "not_contains", "x"))).toEqual([1]);
  });
  test("are first views where a positive operator asks for a property", () => {
    const withProperties = siteOf(
      { properties: [["plan", "pro"]] },
      { p: false, q: false, properties: [["plan", "pro"]] },
    );
    const ask = (of: ReturnType<typeof filter>) =>
      column(answerList(withProperties, listOf("browsers", { filters: [of] })), "visitors");
    expect(ask(filter("prop_name", "eq", "plan"))).toEqual([2]);
    expect(ask(filter("prop_value", "starts_with", "p"))).toEqual([2]);
    expect(ask(filter("prop_value", "neq", "free"))).toEqual([1]);
  });
  test("of a page that is filtered by path are 100 % of the first views of all selected pages", () => {
    const rows = answerList(site, listOf("pages", { filters: [filter("path", "eq", "/a")] }));
    expect(column(rows, "visitors_percentage")).toEqual([100]);
  });
  test("of a page are never above 100 %", () => {
    const many = siteOf(
      { path: "/" },
      ...Array.from({ length: 5 }, () => ({ path: "/a", p: false, q: false })),
    );
    expect(column(answerList(many, listOf("pages")), "visitors_percentage")).toEqual([100, 100]);
  });
});

describe("bounces", () => {
  function bounce(...views: readonly View[]): unknown {
    return answerList(siteOf(...views), listOf("browsers"))[0]?.["bounce_percentage"];
  }

  test("are first loads of unique visitors under five seconds", () => {
    expect(bounce({ ms: 4_999 }, { ms: 5_000 })).toBe(50);
    expect(bounce({ ms: 0 })).toBe(100);
  });
  test("are not judged where the time is unknown", () => expect(bounce({ ms: 0 }, {}, {})).toBe(100));
  test("are 0 where nothing is known", () => expect(bounce({})).toBe(0));
  test("are not judged for views that are no visitor's first", () => {
    expect(bounce({ ms: 9_000 }, { p: false, q: false, ms: 1 }, { p: false, q: true, ms: 1 })).toBe(0);
  });
  test("have no custom event", () => expect(bounce({ ms: 1, evented: true }, { ms: 1 })).toBe(50));
  test("are those of unique visitors under a filter by path, too", () => {
    const site = siteOf({ ms: 9_000 }, { p: false, q: false, ms: 1 });
    const [row] = answerList(site, listOf("browsers", { filters: [filter("path", "eq", "/")] }));
    expect(row?.["visitors"]).toBe(2);
    expect(row?.["bounce_percentage"]).toBe(0);
  });
});

describe("percentages", () => {
  test("have two decimals, halves up, also where a share cannot be written in binary", () => {
    const site = siteOf(
      ...Array.from({ length: 201 }, () => ({ browser: "Chrome" })),
      ...Array.from({ length: 19_799 }, () => ({ browser: "Firefox" })),
    );
    expect(column(answerList(site, listOf("browsers")), "visitors_percentage")).toEqual([99, 1.01]);
  });
  test("are of all selected page views, also those without a row", () => {
    const site = siteOf({ utm_source: "news" }, {}, {}, {});
    expect(answerList(site, listOf("sources"))).toMatchObject([{ source: "news", visitors_percentage: 25 }]);
  });
  test("are of the page views under the same filters and period", () => {
    const site = siteOf({ browser: "Chrome" }, { browser: "Safari" }, { browser: "Safari", os: "iOS" });
    const rows = answerList(site, listOf("browsers", { filters: [filter("os", "eq", "linux")] }));
    expect(column(rows, "visitors_percentage")).toEqual([50, 50]);
  });
  test("are 0 of nothing", () => {
    const rows = answerList(siteOf({ p: false }), listOf("browsers"));
    expect(rows).toMatchObject([{ visitors: 0, visitors_percentage: 0 }]);
  });
});

describe("which values have a row", () => {
  test("every one that a selected page view has, even without visitors", () => {
    expect(browsers(siteOf({ browser: "Chrome", p: false }))).toEqual(["Chrome"]);
  });
  test("not those of events without a page view", () => {
    expect(browsers(siteOf({ browser: "Chrome", bare: true }))).toEqual([]);
  });
  test("direct traffic in referrers, nothing in sources, mediums and campaigns", () => {
    const site = siteOf({});
    expect(column(answerList(site, listOf("referrers")), "referrer")).toEqual([""]);
    for (const list of ["sources", "mediums", "campaigns"] as const)
      expect(answerList(site, listOf(list))).toEqual([]);
  });
  test("Unknown for a country or language that is not known", () => {
    const site = siteOf({ country: "", language: "" });
    expect(column(answerList(site, listOf("countries")), "country")).toEqual(["Unknown"]);
    expect(column(answerList(site, listOf("languages")), "language")).toEqual(["Unknown"]);
  });
  test("one for the referrers of a group, or one each", () => {
    const site = siteOf(
      { referrer: "google.com" },
      { referrer: "google.de/search" },
      { referrer: "a.example/x" },
    );
    expect(column(answerList(site, listOf("referrers")), "referrer")).toEqual(["Google", "a.example"]);
    expect(column(answerList(site, listOf("referrers", { grouped: false })), "referrer")).toEqual([
      "a.example/x",
      "google.com",
      "google.de/search",
    ]);
  });
  test("one for the dialects of a language, or one each", () => {
    const site = siteOf({ language: "en-GB" }, { language: "en-US" }, { language: "en-GB" });
    expect(answerList(site, listOf("languages"))).toMatchObject([{ language: "English", visitors: 3 }]);
    expect(column(answerList(site, listOf("languages", { locale: true })), "language")).toEqual([
      "British English",
      "American English",
    ]);
  });
  test("names of hosts that every JavaScript object knows are ordinary hosts", () => {
    const site = siteOf({ referrer: "constructor" }, { referrer: "__proto__/x" });
    const rows = answerList(site, listOf("referrers", { filters: [filter("referrer", "contains", "o")] }));
    expect(column(rows, "referrer")).toEqual(["__proto__", "constructor"]);
  });
  test("values that came after an earlier question", () => {
    const site = siteOf({ referrer: "google.com" });
    expect(answerList(site, listOf("referrers"))).toHaveLength(1);
    for (let at = 0; at < 200; at++) addView(site, { referrer: `host-${at}.example` });
    addView(site, { referrer: "google.fr" });
    const rows = answerList(site, listOf("referrers"));
    expect(rows).toHaveLength(201);
    expect(rows[0]).toMatchObject({ referrer: "Google", visitors: 2 });
  });
});

describe("order and pages", () => {
  test("by visitors, then page views, then the value by code unit", () => {
    const site = siteOf(
      { browser: "b" },
      { browser: "B" },
      { browser: "\u{1f600}" },
      { browser: "\uffee" },
      { browser: "two", p: false },
      { browser: "two", p: false },
      { browser: "one", p: false },
      { browser: "Z" },
      { browser: "Z", p: false },
      { browser: "top" },
      { browser: "top" },
    );
    expect(browsers(site)).toEqual(["top", "Z", "B", "b", "\u{1f600}", "\uffee", "two", "one"]);
  });

  test("paging gives every row once", () => {
    const site = siteOf(
      ...Array.from({ length: 1_000 }, (_, at) => ({ browser: `b${at % 300}`, p: at % 3 === 0 })),
    );
    const all = browsers(site);
    const paged = Array.from({ length: 43 }, (_, page) =>
      browsers(site, { limit: 7, offset: page * 7 }),
    ).flat();
    expect(paged).toEqual(all);
    expect(all).toHaveLength(300);
  });

  test("an offset beyond the end gives none", () => {
    expect(browsers(siteOf({}), { offset: 1 })).toEqual([]);
  });
});

describe("values that are not kept apart", () => {
  const site = siteOf(
    ...Array.from({ length: 100 }, (_, at) => ({ device: at === 0 ? "(other)" : `d${at}` })),
  );
  for (let at = 0; at < 5; at++) addView(site, { device: null });
  addView(site, { device: "d7" });

  function devices(...filters: ReturnType<typeof filter>[]): ListRow[] {
    return answerList(site, listOf("devices", { filters, summary: true }));
  }

  test("are one row, the last, beside a literal (other)", () => {
    const rows = devices();
    expect(rows).toHaveLength(101);
    expect(rows[0]).toStrictEqual({ device: "d7", visitors: 2, visitors_percentage: 1.89 });
    expect(rows[1]).toStrictEqual({ device: "(other)", visitors: 1, visitors_percentage: 0.94 });
    expect(rows.at(-1)).toStrictEqual({
      device: "(other)",
      visitors: 5,
      visitors_percentage: 4.72,
      other: true,
    });
  });
  test("are matched by every negative operator and by no positive one", () => {
    for (const operator of ["neq", "not_contains", "not_starts_with", "not_ends_with", "not_in"] as const)
      expect(devices(filter("device", operator, "nothing")).at(-1)).toMatchObject({ other: true });
    for (const operator of ["contains", "starts_with", "ends_with"] as const)
      expect(devices(filter("device", operator, "")).filter((row) => row["other"] === true)).toEqual([]);
    expect(devices(filter("device", "eq", "(other)"))).toHaveLength(1);
  });
});

test("the same question has the same answer, whatever was asked in between", () => {
  const site = siteOf(
    ...Array.from({ length: 500 }, (_, at) => ({ path: `/${at % 90}`, browser: `b${at % 7}`, ms: at })),
  );
  const questions = [
    listOf("pages"),
    listOf("browsers"),
    listOf("pages", { filters: [filter("browser", "eq", "b1")] }),
  ];
  const first = questions.map((question) => answerList(site, question));
  expect(
    questions
      .toReversed()
      .map((question) => answerList(site, question))
      .toReversed(),
  ).toEqual(first);
  site.check();
});
