/** Asks a store and the model the same question. */
import { expect } from "bun:test";
import { QuestionPage } from "../../src/query/answers/answer.ts";
import { visitorsIn } from "../../src/query/answers/summary.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import type { Site } from "../../src/store/state/site.ts";
import type { Store } from "../../src/store/state/store.ts";
import { modelAnswer, modelVisitors } from "./model-answers.ts";
import type { Model } from "./model.ts";
import { coreOf, urlOf, type Question } from "./questions.ts";
import { sealAndStore } from "./stored-chunk.ts";

/** `copiedMax`: the most durations that are copied to find their quantiles. */
function answer(site: Site, asked: Question, nowMs: number, copiedMax: number): unknown {
  const question = coreOf(asked, nowMs);
  const context = new QueryContext(site, undefined, undefined, copiedMax);
  return new QuestionPage([question], context).answer(question);
}

/** As the engine's: what is sealed lives in its file from then on. */
export function checkpoint(store: Store, timeMs: number): void {
  store.apply({ kind: "checkpoint", timeMs, manifestSeq: 1 });
  for (const site of store.sites.values()) sealAndStore(site, timeMs);
}

/** Asks both, and expects the same answer. */
export function ask(
  store: Store,
  model: Model,
  question: Question,
  nowMs: number,
  random: () => number,
): void {
  const websiteId = random() < 0.8 ? 1 : 2;
  const site = store.sites.get(websiteId) as Site;
  const expected = modelAnswer(model, websiteId, question, nowMs);
  const got = answer(site, question, nowMs, random() < 0.3 ? 0 : Infinity);
  if (!Bun.deepEquals(got, expected, true))
    console.log(`different: ${urlOf(`website-${websiteId}`, question)}`);
  expect(got).toStrictEqual(expected);
  const period = { startMs: nowMs - 86_400_000, endMs: nowMs };
  expect(visitorsIn(site, period)).toBe(modelVisitors(model, websiteId, period));
}
