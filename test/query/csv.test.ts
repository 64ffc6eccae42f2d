/** RFC 4180, read back by a reader of its own. */
import { expect, test } from "bun:test";
import type { Question } from "../../src/core/questions/query.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { answered } from "../../src/query-worker/query-worker.ts";
import { QuestionPage } from "../../src/query/answers/answer.ts";
import { csv, csvOf } from "../../src/query/answers/csv.ts";
import { headOf } from "../../src/query/answers/csv-head.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { Beacons } from "../../src/store/beacons/beacons.ts";
import type { Site } from "../../src/store/state/site.ts";
import { Store } from "../../src/store/state/store.ts";
import { load, noonMs, unload, valuesOf } from "../support/records.ts";
import { everything, filter, listOf, siteOf } from "../support/site.ts";
import { randomBySeed, seed } from "../support/seed.ts";

/** Records of a text, after the grammar of RFC 4180. */
function parsed(text: string): string[][] {
  const records: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  for (let match = field.exec(text); match !== null; match = field.exec(text)) {
    const [, quoted, plain = "", end] = match;
    records.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") records.push([]);
    if (field.lastIndex === text.length) return records.slice(0, -1);
  }
  throw new Error(`no CSV: ${text}`);
}

test("rows have a line each under the names of their fields", () => {
  expect(csv([{ path: "/", visitors: 3, share: 12.5 }])).toBe("path,visitors,share\r\n/,3,12.5\r\n");
});

test("a field that a row has not is empty, and one that only a later row has is there", () => {
  expect(csv([{ path: "/" }, { path: "(other)", other: true }])).toBe("path,other\r\n/,\r\n(other),true\r\n");
});

test("commas, quotes and line ends are kept", () => {
  expect(csv([{ a: 'x,"y"', b: "1\n2" }])).toBe('a,b\r\n"x,""y""","1\n2"\r\n');
});

test("what is written out on the screen is kept too", () => {
  expect(csv([{ a: "/%E2%80%AEexe", b: "\u202eRTL" }])).toBe("a,b\r\n/%E2%80%AEexe,\u202eRTL\r\n");
});

test("no value of a stranger is a formula, and numbers stay numbers", () => {
  const rows = ["=1+1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1"].map((a) => ({ a }));
  expect(parsed(csv(rows))).toEqual([["a"], ...rows.map(({ a }) => [`'${a}`])]);
  expect(csv([{ a: -1 }])).toBe("a\r\n-1\r\n");
  // Excel in German separates cells by semicolons, and takes wide signs too.
  const odd = [
    ["a;=1+1", "a;'=1+1"],
    ["a; \t@b", "a;' \t@b"],
    [" =1", "' =1"],
    ["\uff1d1", "'\uff1d1"],
    ["a-b;c", "a-b;c"],
  ];
  expect(parsed(csv(odd.map(([a]) => ({ a }))))).toEqual([["a"], ...odd.map(([, safe = ""]) => [safe])]);
  expect(csv([{ a: "a;b" }])).toBe('a\r\n"a;b"\r\n');
});

test("random values come back", () => {
  const random = randomBySeed();
  const signs = ["a", '"', ",", "\r", "\n", " ", "é", "'", ";"];
  const text = () =>
    "x" + Array.from({ length: random() * 6 }, () => signs[Math.floor(random() * signs.length)]).join("");
  for (let round = 0; round < 300; round++) {
    const rows = Array.from({ length: 1 + Math.floor(random() * 4) }, () => ({ a: text(), b: text() }));
    expect(parsed(csv(rows))).toEqual([["a", "b"], ...rows.map(({ a, b }) => [a, b])]);
  }
});

test("a list without rows has the head that it has with some, also with a goal", () => {
  const store = new Store(new Beacons(BigInt(seed())));
  store.addSite(1);
  store.apply(load("b", { values: valuesOf("/a"), visit: 1, properties: [["plan", "a"]] }));
  store.apply(unload("b", { visibleMs: 500 }));
  const site = store.sites.get(1) as Site;
  const goal = { page: [{ operator: "contains", operands: ["/"] }] } as const;
  const of = { ...everything, goal, nowMs: noonMs } as const;
  const questions: Question[] = [
    listOf("pages", { goal, compare: everything.period }),
    listOf("browsers", { goal, summary: true }),
    listOf("countries", { goal, by: "visit", nowMs: noonMs, metrics: ["visits", "conversions"] }),
    { ...of, list: "time", summary: false },
    { ...of, list: "entries", summary: false },
    { ...of, list: "exits", summary: true },
    { ...of, list: "properties" },
  ];
  for (const question of questions) {
    const asked = { ...question, asCsv: true } as const;
    const heads = [asked, { ...asked, filters: [filter("path", "eq", "/none")] }].map((own) => {
      const context = new QueryContext(site);
      return answered(new QuestionPage([own], context), own, context, systemClock).csv?.split("\r\n")[0];
    });
    expect([question.list, heads[1]]).toEqual([question.list, heads[0]]);
  }
});

test("the answer to a question is the CSV of what its JSON says", () => {
  const site = siteOf(
    { path: "/=1", properties: [["plan", "=a;'=b"]] },
    { path: '/;"', timeMs: noonMs + 90_000, ms: 500, properties: [["plan", ""]] },
  );
  const goal = { page: [{ operator: "contains", operands: ["/"] }] } as const;
  const summary = { ...everything, previous: false, timezone: "UTC", nowMs: noonMs + 180_000 } as const;
  const hour = { startMs: noonMs, endMs: noonMs + 3_600_000 };
  const questions: Question[] = [
    listOf("pages"),
    listOf("pages", { compare: everything.period, by: "visit", goal, nowMs: noonMs }),
    listOf("countries", { filters: [filter("path", "eq", "/none")] }),
    listOf("referrers", { summary: true, metrics: ["visitors", "visits"] }),
    { ...everything, list: "properties", filters: [filter("prop_name", "eq", "plan")] },
    { ...everything, list: "goals", goals: [{ id: 1, name: "=goal", target: goal }] },
    { ...everything, list: "funnel", steps: [{ text: "page[contains]:/", target: goal }] },
    { ...everything, list: "journeys", path: "/=1", direction: "next" },
    { ...everything, list: "time", summary: false },
    { ...everything, list: "entries", summary: false, by: "visit", nowMs: noonMs },
    { ...summary, list: "summary", period: hour, interval: "minute" },
    { ...summary, list: "summary", period: hour, previous: true },
  ];
  for (const question of questions) {
    const texts = ([undefined, true] as const).map((asCsv) => {
      const asked = { ...question, ...(asCsv && { asCsv }) };
      const context = new QueryContext(site);
      return answered(new QuestionPage([asked], context), asked, context, systemClock);
    });
    expect(texts[1]?.csv).toBe(csvOf(JSON.parse(texts[0]?.json ?? ""), headOf(question)));
  }
});
