/**
 * The proof of store and query: random traffic goes into both the store and a model of plain arrays, then both
 * answer random questions. Now and then what no hit reaches any more is sealed, and leaves memory; and now and then all of it comes back from files.
 * `FOOTFALL_SEED` repeats a run.
 */
import { expect, test } from "bun:test";
import { ask, checkpoint } from "./support/ask-both.ts";
import { foldSome } from "./support/folded.ts";
import { Model } from "./support/model.ts";
import { Questions } from "./support/questions.ts";
import { randomFrom } from "./support/random.ts";
import { restart } from "./support/restart.ts";
import { rounds } from "./support/rounds.ts";
import { seed } from "./support/seed.ts";
import { storeOf } from "./support/traffic-store.ts";
import { Traffic, trafficStartMs, websiteIds } from "./support/traffic.ts";

const pastMs = 91 * 86_400_000;

/** Asks while the traffic goes on: an answer must not depend on what was asked before. */
function compare(world: number, records: number, questions: number): void {
  const random = randomFrom(seed() + world);
  const traffic = new Traffic(random, true);
  const model = new Model(websiteIds);
  const store = storeOf();
  const every = Math.max(1, Math.floor(records / questions));
  const atOnce = Math.ceil(questions / records);
  for (let at = 1; at <= records; at++) {
    const record = traffic.next();
    expect(store.apply(record)).toBe(model.apply(record));
    if (random() < 0.02) checkpoint(store, traffic.timeMs);
    if (random() < 0.01) foldSome(store, model, random, traffic.timeMs);
    if (random() < 0.01 && records < 1_000) restart(store);
    if (at % every !== 0) continue;
    const span = { startMs: trafficStartMs - pastMs, endMs: traffic.timeMs };
    const asked = new Questions(random, span);
    for (let time = 0; time < atOnce; time++) ask(store, model, asked.next(), traffic.timeMs, random);
  }
  store.check();
}

const questions = rounds(100);
for (let world = 1; world <= rounds(8, 3); world++)
  test(`${questions} questions about the traffic of website ${world} have the answers of the model`, () => {
    compare(world, 600, questions);
  });

test("so have questions about more rows than fit in one block", () => {
  compare(9, 12_000, 40);
});
