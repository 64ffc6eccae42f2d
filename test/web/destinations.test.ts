/** The places to which the switcher leads. */
import { describe, expect, test } from "bun:test";
import { destinationsOf, ofWebsite, type Found } from "../../src/web/lib/question/destinations.ts";
import { questionHref, questionOf } from "../../src/web/lib/question/question.ts";

const websites = ["example.com", "shop.example", "blog.example"].map((hostname) => ({
  hostname,
  role: "owner" as const,
  visits: true,
  summary: { visitors: 3 },
}));
const nothing: Found = { path: [], referrer: [], country: [] };
const read = (search: string) => questionOf("example.com", new URLSearchParams(search), { visits: true });

function leads(typed: string, search = "", found = nothing) {
  return destinationsOf(read(search), websites, found, typed).map(({ kind, text, value }) => [
    kind,
    text,
    value,
  ]);
}

describe("another website", () => {
  test("keeps period, comparison, interval, filters and tabs", () => {
    const search = "period=7d&interval=hour&compare=year&metric=pageviews&tab.pages=time&browser[eq]=Chrome";
    const href = questionHref(ofWebsite(read(search), { hostname: "shop.example", visits: true }));
    expect(href).toBe(`/dashboard/websites/shop.example?${search}`);
  });
  test("has no goals of this one, and no entry pages where visits are not told apart", () => {
    const search = "goal=3&metric=conversions&step=goal:3&step=page:/&entry[eq]=/&path[eq]=/a";
    expect(questionHref(ofWebsite(read(search), { hostname: "a.example", visits: true }))).toBe(
      "/dashboard/websites/a.example?step=page:/&entry[eq]=/&path[eq]=/a",
    );
    expect(ofWebsite(read(search), { hostname: "a.example", visits: false }).filters).toHaveLength(1);
  });
  test("is one of fifty at the most, until somebody types more of its name", () => {
    const many = Array.from({ length: 300 }, (_, at) => ({
      hostname: `site-${at}.example`,
      role: "owner" as const,
      visits: true,
      summary: { visitors: 0 },
    }));
    const offered = (typed: string) =>
      destinationsOf(read(""), many, nothing, typed).filter(({ kind }) => kind === "Website").length;
    expect([offered(""), offered("site"), offered("site-299")]).toEqual([50, 50, 1]);
  });
  test("is written as people write it, and so is this one where it is set up", () => {
    const hostname = "xn--mller-kva.example";
    const own = { ...websites[0]!, hostname, display_hostname: "müller.example" };
    const texts = destinationsOf(questionOf(hostname, new URLSearchParams()), [own], nothing, "m").map(
      ({ text }) => text,
    );
    expect(texts).toContain("Set up müller.example");
    expect(texts).toContain("müller.example now");
  });
  test("is offered first, and this one is not", () => {
    expect(
      leads("")
        .slice(0, 2)
        .map(([, text]) => text),
    ).toEqual(["shop.example", "blog.example"]);
    expect(leads("shop")[0]).toEqual(["Website", "shop.example", "/dashboard/websites/shop.example"]);
  });
});

test("pages and periods are found by their words, in any case", () => {
  expect(leads("SETTINGS")[0]).toEqual(["Open", "Settings", "/dashboard/settings"]);
  expect(leads("last week", "browser[eq]=Chrome")[0]?.[2]).toBe(
    "/dashboard/websites/example.com?period=last_week&browser[eq]=Chrome",
  );
});

test("what has a word that begins so comes before what only contains it, and a part of a page comes last", () => {
  const found = { ...nothing, country: [{ country: "Anguilla", visitors: 4 }] };
  const texts = (typed: string) =>
    leads(typed, "", found).map(([, text]) => text?.replace(/[\u2066-\u2069]/g, ""));
  const [first, ...others] = texts("an");
  expect(first).toBe("Country is Anguilla");
  expect(others).toContain("What the figures mean");
  expect(texts("guil")).toEqual(["Country is Anguilla", "Page contains guil"]);
});

test("what is typed filters, by the values that contain it and as a part of a page", () => {
  const found = {
    ...nothing,
    path: [{ path: "/pricing", visitors: 4 }],
    country: [{ country: "Spain", visitors: 2 }],
  };
  const filters = leads("p", "", found).filter(([kind]) => kind === "Filter");
  expect(filters.map(([, , href]) => href?.split("?")[1])).toEqual([
    "path[eq]=/pricing",
    "country[eq]=Spain",
    "path[contains]=p",
  ]);
  expect(leads("", "", found).some(([kind]) => kind === "Filter")).toBe(false);
});
