/** Which answers are kept, and for how long: those about time that is over, until the website's chunks are others. */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { Question } from "../../src/core/questions/query.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { keptAnswer } from "../../src/query-worker/kept-answers.ts";
import type { Answer } from "../../src/query-worker/answer.ts";
import { Site } from "../../src/store/state/site.ts";
import { valuesOf } from "../support/records.ts";
import { listOf } from "../support/site.ts";
import { sealAndStore } from "../support/stored-chunk.ts";

const aprilMs = Date.UTC(2026, 3);
const mayMs = Date.UTC(2026, 4);
const april = { startMs: aprilMs, endMs: mayMs - 1 };

/** With a sealed month, and rows of a day in the next one that is still open. */
function siteOf(): Site {
  const site = new Site(1);
  site.addRow(aprilMs + dayMs, valuesOf("/a"), 0, { visit: 1 });
  sealAndStore(site, Date.UTC(2026, 6));
  site.addRow(mayMs + 3 * dayMs, valuesOf("/a"), 0, { visit: 2 });
  return site;
}

function question(more: Partial<Question> = {}): Question {
  return { ...listOf("pages"), period: april, nowMs: 1, ...more } as Question;
}

/** Returns how many of these questions, one after the other, had to be answered anew. */
function made(site: Site, questions: readonly Question[], json = "[]", between = () => {}): number {
  const cache = new QueryCache(2 ** 20);
  let count = 0;
  for (const asked of questions) {
    const answer = keptAnswer(cache, site, asked, () => {
      count++;
      return { json, timing: "", isApproximate: false, reach: {} } satisfies Answer;
    });
    expect(answer.json).toBe(json);
    between();
  }
  return count;
}

test("an answer about sealed chunks is kept, whenever it is asked for", () => {
  expect(made(siteOf(), [question(), question({ nowMs: 2 }), question()])).toBe(1);
});

test("other questions have other answers", () => {
  const filtered = { filters: [{ name: "path", operator: "eq", operands: ["/b"] }] } as const;
  const compared = { compare: { startMs: aprilMs - dayMs, endMs: aprilMs - 1 } };
  const others = [{}, filtered, compared, { limit: 3 }, { period: { ...april, startMs: aprilMs + 1 } }];
  expect(
    made(
      siteOf(),
      others.map((more) => question(more as Partial<Question>)),
    ),
  ).toBe(others.length);
});

test.each([
  ["without an end", { period: { startMs: aprilMs, endMs: Infinity } }],
  ["without a start", { period: { startMs: -Infinity, endMs: mayMs - 1 } }],
  ["with rows that may yet change", { period: { startMs: aprilMs, endMs: mayMs + 3 * dayMs } }],
  ["near such rows", { period: { startMs: aprilMs, endMs: mayMs + 3 * dayMs - 1 } }],
  ["compared with such rows", { compare: { startMs: mayMs, endMs: mayMs + 9 * dayMs } }],
  ["that ends now", { list: "drivers" }],
])("an answer about time %s is not kept", (_, more) => {
  const asked = question(more as Partial<Question>);
  expect(made(siteOf(), [asked, asked])).toBe(2);
});

test("an answer goes when a chunk changes, or is sealed", () => {
  const site = siteOf();
  const [chunk] = site.chunks.values();
  expect(made(site, [question(), question()], "[]", () => chunk!.version++)).toBe(2);
  expect(made(site, [question(), question()], "[]", () => sealAndStore(site, Date.UTC(2026, 6)))).toBe(2);
});

test("a long answer is not kept", () => {
  expect(made(siteOf(), [question(), question()], "x".repeat(2 ** 16 + 1))).toBe(2);
});
