/**
 * The proof of store and query: random traffic goes into both the store and a model of plain arrays, then both
 * answer random questions. Now and then what no hit reaches any more is sealed, and leaves memory.
 * `FOOTFALL_SEED` repeats a run.
 */
import { expect, test } from "bun:test";
import {
  answerList,
  answerProperties,
  answerSummary,
  answerTime,
  visitorsIn,
} from "../src/query/answers/answer.ts";
import { Beacons } from "../src/store/beacons/beacons.ts";
import type { Site } from "../src/store/state/site.ts";
import { Store } from "../src/store/state/store.ts";
import { modelAnswer, modelVisitors } from "./support/model-answers.ts";
import { Model } from "./support/model.ts";
import { Questions, urlOf, type Question } from "./support/questions.ts";
import { randomFrom } from "./support/random.ts";
import { seed } from "./support/seed.ts";
import { sealAndStore } from "./support/stored-chunk.ts";
import { Traffic, trafficStartMs, websiteIds } from "./support/traffic.ts";

const pastMs = 91 * 86_400_000;

function answer(site: Site, { kind, query }: Question, nowMs: number): unknown {
  switch (kind) {
    case "list":
      return answerList(site, query);
    case "time":
      return answerTime(site, query);
    case "properties":
      return answerProperties(site, query);
    case "summary":
      return answerSummary(site, query, nowMs);
  }
}

/** Asks while the traffic goes on: an answer must not depend on what was asked before. */
function compare(world: number, records: number, questions: number): void {
  const random = randomFrom(seed() + world);
  const traffic = new Traffic(random);
  const model = new Model(websiteIds);
  const store = new Store(new Beacons(BigInt(seed())));
  for (const websiteId of websiteIds) store.addSite(websiteId);
  const every = Math.max(1, Math.floor(records / questions));
  const atOnce = Math.ceil(questions / records);
  for (let at = 1; at <= records; at++) {
    const record = traffic.next();
    expect(store.apply(record)).toBe(model.apply(record));
    if (random() < 0.02) checkpoint(store, traffic.timeMs);
    if (at % every !== 0) continue;
    const span = { startMs: trafficStartMs - pastMs, endMs: traffic.timeMs };
    const asked = new Questions(random, span);
    for (let time = 0; time < atOnce; time++) ask(store, model, asked.next(), traffic.timeMs, random);
  }
  store.check();
}

/** As the engine's: what is sealed lives in its file from then on. */
function checkpoint(store: Store, timeMs: number): void {
  store.apply({ kind: "checkpoint", timeMs, manifestSeq: 1 });
  for (const site of store.sites.values()) sealAndStore(site, timeMs);
}

function ask(store: Store, model: Model, question: Question, nowMs: number, random: () => number): void {
  const websiteId = random() < 0.8 ? 1 : 2;
  const site = store.sites.get(websiteId) as Site;
  const expected = modelAnswer(model, websiteId, question, nowMs);
  const got = answer(site, question, nowMs);
  if (!Bun.deepEquals(got, expected, true))
    console.log(`different: ${urlOf(`website-${websiteId}`, question)}`);
  expect(got).toStrictEqual(expected);
  const period = { startMs: nowMs - 86_400_000, endMs: nowMs };
  expect(visitorsIn(site, period)).toBe(modelVisitors(model, websiteId, period));
}

for (let world = 1; world <= 8; world++)
  test(`300 questions about the traffic of website ${world} have the answers of the model`, () => {
    compare(world, 600, 300);
  });

test("so have questions about more rows than fit in one block", () => {
  compare(9, 12_000, 40);
});
