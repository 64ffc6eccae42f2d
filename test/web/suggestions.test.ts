/** Which list of the API has the values of a dimension, and what is made of its rows. */
import { describe, expect, test } from "bun:test";
import { deviceNames } from "../../src/collect/visitor/names.ts";
import { filterNames, listedDimensions } from "../../src/core/questions/dimension.ts";
import type { Names } from "../../src/core/word-files.ts";
import { wordTexts } from "../../src/core/words/translated-words.ts";
import { rawQuery } from "../../src/http/parsing/query-string.ts";
import { parseStatisticsQuery } from "../../src/http/parsing/statistics-query.ts";
import { channelNames } from "../../src/query/names/channels.ts";
import { listPath } from "../../src/web/lib/question/paths.ts";
import { questionOf, type Question } from "../../src/web/lib/question/question.ts";
import {
  fitting,
  optionBeside,
  suggestionsOf,
  suggestionsPath,
  withEmpty,
} from "../../src/web/lib/question/suggestions.ts";
import { fewValues, namesLike } from "../../src/web/lib/texts/names.ts";

const now = Date.parse("2026-11-21T10:00:00Z");
const question = (search = ""): Question => questionOf("example.com", new URLSearchParams(search));

function asked(path: string | null) {
  if (path === null) throw new Error("no list");
  const names = ["summary", "limit", "grouped"] as const;
  return { list: path.split(/[/?]/)[3], ...parseStatisticsQuery(rawQuery(path), names) };
}

describe("the path", () => {
  test("is that of the dimension's list, under the filters of the question", () => {
    for (const { name, list } of listedDimensions) {
      const found = asked(suggestionsPath(question("os[eq]=Linux"), name, "", now));
      expect(found).toMatchObject({ list, summary: true, filters: [{ name: "os", operands: ["Linux"] }] });
    }
  });
  test("has what is typed as one filter more", () => {
    expect(asked(suggestionsPath(question("os[eq]=Linux"), "browser", "fox", now)).filters).toEqual([
      { name: "os", operator: "eq", operands: ["Linux"] },
      { name: "browser", operator: "contains", operands: ["fox"] },
    ]);
  });
  test("of referrers asks for groups, until a path is typed", () => {
    expect(asked(suggestionsPath(question(), "referrer", "goo", now)).grouped).toBe(true);
    expect(asked(suggestionsPath(question(), "referrer", "a.example/", now)).grouped).toBe(false);
  });
  test("of the values of properties needs the name of one", () => {
    expect(suggestionsPath(question(), "prop_value", "", now)).toBeNull();
    expect(suggestionsPath(question("prop_name[contains]=plan"), "prop_value", "", now)).toBeNull();
    expect(asked(suggestionsPath(question("prop_name[eq]=plan"), "prop_value", "", now)).list).toBe(
      "properties",
    );
    expect(asked(suggestionsPath(question(), "prop_name", "", now)).list).toBe("properties");
  });
});

describe("the suggestions", () => {
  test("are values with how many visitors or events they have", () => {
    expect(suggestionsOf("browser", [{ browser: "Chrome", visitors: 5, visitors_percentage: 50 }])).toEqual([
      { value: "Chrome", text: "Chrome", count: 5 },
    ]);
    expect(suggestionsOf("prop_value", [{ name: "plan", value: "pro", events: 3 }])).toEqual([
      { value: "pro", text: "pro", count: 3 },
    ]);
  });
  test("are read from the field of each dimension's list", () => {
    for (const name of filterNames) {
      const known = listedDimensions.find((dimension) => dimension.name === name)?.field;
      const field = known ?? (name === "entry" ? "path" : name.replace("prop_", ""));
      expect(suggestionsOf(name, [{ [field]: "a", visitors: 1 }])).toHaveLength(1);
    }
  });
  test("leave out what is counted together, and what is there already", () => {
    const rows = [
      { name: "plan", value: "pro", events: 3 },
      { name: "Plan", value: "pro", events: 2 },
      { name: "(other)", value: "(other)", events: 9, other: true as const },
    ];
    expect(suggestionsOf("prop_value", rows).map(({ count }) => count)).toEqual([3]);
    // A literal "(other)" is an ordinary value.
    expect(suggestionsOf("browser", [{ browser: "(other)", visitors: 1 }])).toHaveLength(1);
  });
  test("of rows of another list are none", () => {
    expect(suggestionsOf("browser", [{ path: "/", visitors: 5 }])).toEqual([]);
  });
  test("are few", () => {
    const rows = Array.from({ length: 20 }, (_, at) => ({ path: `/${at}`, visitors: 1 }));
    expect(suggestionsOf("path", rows)).toHaveLength(8);
  });
  test("have the empty value once", () => {
    expect(withEmpty("utm_source", []).map(({ text }) => text)).toEqual(["(none)"]);
    const rows = suggestionsOf("referrer", [{ referrer: "", visitors: 4 }]);
    expect(withEmpty("referrer", rows)).toEqual([{ value: "", text: "Direct / none", count: 4 }]);
  });
});

test("while others are asked for, those are left that fit what is typed, by value or as they are shown", () => {
  const rows = ["/", "/blog", "/BLOG/2", "/caf%C3%A9"].map((path) => ({ path, visitors: 1 }));
  const left = (typed: string) => fitting(suggestionsOf("path", rows), typed).map(({ value }) => value);
  expect(left("blog")).toEqual(["/blog", "/BLOG/2"]);
  expect(left("café")).toEqual(["/caf%C3%A9"]);
  expect(left("%c3")).toEqual(["/caf%C3%A9"]);
  expect(left("")).toHaveLength(4);
  expect(left("shop")).toEqual([]);
});

describe("names in another language", () => {
  const german = JSON.parse(wordTexts().get("de")?.names ?? "") as Names;
  const namesOf = (what: keyof Names) => Object.entries(german[what]);
  const like = (what: keyof Names, text: string) => namesLike(text, namesOf(what));

  test("are found by any part, as the server knows them", () => {
    expect(like("country", "reich")).toEqual(expect.arrayContaining(["Austria", "France"]));
    expect(like("country", "DEUTSCHL")).toEqual(["Germany"]);
    expect(like("language", "ungar")).toEqual(["Hungarian"]);
    expect(like("country", "Besucher")).toEqual([]);
  });

  test("fit into an address, whatever part of one is searched for", () => {
    const about = { ...question(), hostname: "a-long-name-of-a-website.example.com" };
    const lengthOf = (what: keyof Names, text: string) => {
      const filter = { name: what, operator: "in", operands: [text, ...like(what, text)] } as const;
      return listPath({ ...about, filters: [filter] }, "countries", { limit: 11, offset: 0 }, now).length;
    };
    for (const what of ["country", "language"] as const) {
      const names = namesOf("country").map(([, own]) => own);
      const parts = new Set(names.flatMap((name) => [...name].map((_, at) => name.slice(0, at + 1))));
      for (const part of [...parts, "e", "n", "sch", "isch"])
        expect([part, lengthOf(what, part) < 4_000]).toEqual([part, true]);
    }
  });

  test("are all there for countries and for the languages of two letters, however many fit", () => {
    expect(like("country", "").toSorted()).toEqual(Object.keys(german.country).toSorted());
    expect(like("language", "")).toEqual(expect.arrayContaining(["Afrikaans", "English", "Zulu"]));
  });

  test("are those of all channels and devices", () => {
    expect(["Unknown", ...fewValues.channel].toSorted()).toEqual(channelNames.toSorted());
    expect(fewValues.device.toSorted()).toEqual(
      [...new Set(["Desktop", ...deviceNames().values()])].toSorted(),
    );
  });
});

test("arrows go round the options by way of the field", () => {
  const walk = (direction: -1 | 1) => {
    const seen = [-1];
    for (let steps = 0; steps < 4; steps++) seen.push(optionBeside(seen.at(-1) ?? -1, direction, 3));
    return seen;
  };
  expect(walk(1)).toEqual([-1, 0, 1, 2, -1]);
  expect(walk(-1)).toEqual([-1, 2, 1, 0, -1]);
  expect(optionBeside(-1, 1, 0)).toBe(-1);
});
