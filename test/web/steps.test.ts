/** Goals and steps of funnels: their words, and what forms make of them for the API. */
import { describe, expect, test } from "bun:test";
import {
  draftOfStep,
  kindsWith,
  stepOf,
  stepSuggestions,
  stepSuggestionsPath,
  stepText,
  targetOf,
  type GoalRow,
} from "../../src/web/lib/question/steps.ts";
import { questionOf } from "../../src/web/lib/question/question.ts";

const goals: readonly GoalRow[] = [
  { id: 3, name: "Signup", event: { prop_name: "plan" }, visits: 1, events: 1 },
];
const search = new URLSearchParams("path[eq]=/docs");
const question = questionOf("example.com", search, { visits: true });
const asked = (kind: string, text: string) => {
  const path = stepSuggestionsPath(question, { kind, text });
  if (path === null) return null;
  const { pathname, searchParams } = new URL(path, "https://stats.example");
  const filters = [...searchParams].filter(([name]) => name.includes("["));
  return [pathname.split("/").at(-1), Object.fromEntries(filters)];
};

describe("a step", () => {
  test.each([
    ["page:/pricing", "Page is /pricing"],
    ["page[starts_with]:/blog/", "Page starts with /blog/"],
    ["page:/caf%C3%A9", "Page is /café"],
    ["event:signup", "Event signup"],
    ["event:plan=pro", "Event plan=pro"],
    ["goal:3", "Signup"],
    ["goal:4", "goal:4"],
    ["page[zz]:/x", "page[zz]:/x"],
    ["nonsense", "nonsense"],
  ])("%s reads: %s", (step, text) => {
    expect(stepText(step, goals)).toBe(text);
  });

  test("is the same after the form, which shows a path as people read it", () => {
    for (const step of ["page:/pricing", "page[not_contains]:a:b=c", "event:plan=a=b", "goal:3"])
      expect(stepOf(draftOfStep(step))).toBe(step);
    expect(stepOf(draftOfStep("page:/caf%C3%A9"))).toBe("page:/café");
  });

  test("without a text is none yet", () => {
    expect(stepOf({ kind: "page[eq]", text: "/cart/" })).toBe("page:/cart");
    expect(stepOf({ kind: "page[starts_with]", text: "/cart/" })).toBe("page[starts_with]:/cart/");
    expect(stepOf({ kind: "event", text: "/cart/" })).toBe("event:/cart/");
    expect(stepOf({ kind: "page[eq]", text: "" })).toBeUndefined();
    expect(stepOf({ kind: "event", text: "" })).toBeUndefined();
  });

  test("can be any goal, and no list of pages", () => {
    const kinds = kindsWith(goals);
    expect(kinds[0]).toEqual(["page[eq]", "Page is"]);
    expect(kinds.at(-1)).toEqual(["goal:3", "Goal: Signup"]);
    expect(kinds.map(([kind]) => kind)).not.toContain("page[in]");
  });
});

describe("the target of a goal", () => {
  test("is a page by an operator, or an event with what it names", () => {
    expect(targetOf({ kind: "page[eq]", text: "/thanks/" }, "")).toEqual({ page: { eq: "/thanks" } });
    expect(targetOf({ kind: "page[ends_with]", text: ".pdf" }, "")).toEqual({ page: { ends_with: ".pdf" } });
    expect(targetOf({ kind: "event", text: "signup" }, "")).toEqual({ event: { prop_name: "signup" } });
    expect(targetOf({ kind: "event", text: "plan=a=b" }, "price")).toEqual({
      event: { prop_name: "plan", prop_value: "a=b", amount: "price" },
    });
    expect(targetOf({ kind: "event", text: "" }, "price")).toBeUndefined();
  });
});

describe("suggestions for a step", () => {
  test("are of the whole website: paths, properties, and the values of the one before the =", () => {
    expect(asked("page[eq]", "pri")).toEqual(["pages", { "path[contains]": "pri" }]);
    expect(asked("event", "pl")).toEqual(["properties", { "prop_name[contains]": "pl" }]);
    expect(asked("event", "plan=p")).toEqual([
      "properties",
      { "prop_name[eq]": "plan", "prop_value[contains]": "p" },
    ]);
    expect(asked("goal:3", "")).toBeNull();
  });

  test("become the text of the step", () => {
    const rows = [{ name: "plan", value: "pro", events: 2, events_percentage: 100 }];
    const texts = (text: string) => stepSuggestions({ kind: "event", text }, rows).map(({ value }) => value);
    expect([texts("pl"), texts("plan=")]).toEqual([["plan"], ["plan=pro"]]);
    const paths = [{ path: "/caf%C3%A9", visitors: 1 }];
    expect(stepSuggestions({ kind: "page[eq]", text: "" }, paths)[0]?.value).toBe("/café");
  });
});
