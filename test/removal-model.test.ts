/**
 * The proof of removals: random filters remove rows of random traffic, from the store and from the model, and both
 * answer random questions. In between chunks are sealed, leave memory and come back from files. `FOOTFALL_SEED` repeats
 * a run.
 */
import { expect, test } from "bun:test";
import { dimensions } from "../src/core/questions/dimension.ts";
import type { Selection } from "../src/core/questions/query.ts";
import { prepareRemoval } from "../src/engine/row-removal.ts";
import { ofVisits } from "../src/http/parsing/statistics-query.ts";
import type { RecordOf } from "../src/record/record.ts";
import { Beacons } from "../src/store/beacons/beacons.ts";
import type { RemovedCounts } from "../src/store/state/removal/removed-values.ts";
import type { Site } from "../src/store/state/site.ts";
import { Store } from "../src/store/state/store.ts";
import { ask, checkpoint } from "./support/ask-both.ts";
import { foldSome } from "./support/folded.ts";
import { pageViewMatches, within } from "./support/model-filter.ts";
import { isRemovedBy } from "./support/model-removal.ts";
import { Model, type Hit, type PageView, type TrafficRecord } from "./support/model.ts";
import { Questions } from "./support/questions.ts";
import { randomFrom } from "./support/random.ts";
import { restart } from "./support/restart.ts";
import { rounds } from "./support/rounds.ts";
import { seed } from "./support/seed.ts";
import { Traffic, trafficStartMs, websiteIds } from "./support/traffic.ts";

const pastMs = 91 * 86_400_000;
type Removed = RecordOf<"rowsRemoved">;

/** A removal that was logged, and is not applied yet. */
interface Pending {
  readonly record: Removed;
  readonly selection: Selection;
  readonly counts: RemovedCounts;
}

class World {
  readonly random: () => number;
  readonly traffic: Traffic;
  readonly model = new Model(websiteIds);
  readonly store = new Store(new Beacons(BigInt(seed())));
  moved = 0;
  private pending: Pending | undefined;

  /** `alike`: all visitors are one of few. */
  constructor(
    number: number,
    private readonly alike: boolean,
  ) {
    this.random = randomFrom(seed() + number);
    this.traffic = new Traffic(this.random, true);
    for (const websiteId of websiteIds) this.store.addSite(websiteId);
  }

  run(records: number): void {
    for (let at = 0; at < records; at++) {
      this.apply(this.next());
      const chance = this.random();
      if (this.pending !== undefined) {
        if (chance < 0.5) this.remove(this.pending, false);
      } else if (chance < 0.03) this.prepare();
      else if (chance < 0.05) checkpoint(this.store, this.traffic.timeMs);
      else if (chance < 0.06) restart(this.store);
      else if (chance < 0.07) foldSome(this.store, this.model, this.random, this.traffic.timeMs);
      else if (chance < 0.5) this.ask();
    }
    this.store.check();
  }

  private next(): TrafficRecord {
    const record = this.traffic.next();
    if (!this.alike || !("values" in record) || record.values === null) return record;
    const own = dimensions.map(({ column }) => column === "client" || column === "place");
    return {
      ...record,
      values: record.values.map((value, at) => (own[at] && value !== null ? "DE" : value)),
    };
  }

  private apply(record: TrafficRecord): void {
    expect(this.store.apply(record)).toBe(this.model.apply(record));
  }

  private ask(): void {
    const { store, model, traffic, random } = this;
    const asked = new Questions(random, { startMs: trafficStartMs - pastMs, endMs: traffic.timeMs });
    ask(store, model, asked.next(), traffic.timeMs, random);
  }

  /** Prepares a removal, which may be outdated when it is applied, or not be there, as in a replay. */
  private prepare(): void {
    const { random, traffic, store } = this;
    const websiteId = random() < 0.8 ? 1 : 2;
    const span = { startMs: trafficStartMs - pastMs, endMs: traffic.timeMs };
    const { period, filters } = new Questions(random, span).next().query;
    // A value that is not stored is no reason to remove.
    const some = filters.filter(({ name }) => name !== "channel").slice(0, 2);
    const selection = { period, filters: random() < 0.5 ? ofVisits(some) : some };
    let atOnce = true;
    const steps = prepareRemoval(store.sites.get(websiteId) as Site, selection);
    for (;;) {
      const step = steps.next();
      if (!step.done) {
        if (random() > 0.1) continue;
        this.apply(this.next());
        atOnce = false;
        continue;
      }
      const { removal, counts, having } = step.value;
      const [startMs, endMs] = [period.startMs, period.endMs].map((ms) => (Number.isFinite(ms) ? ms : null));
      const { timeMs } = traffic;
      const record = { kind: "rowsRemoved", timeMs, websiteId, startMs, endMs, having } as Removed;
      if (random() < 0.6) store.removals.prepared(record, removal);
      if (random() < 0.5) this.pending = { record, selection, counts };
      else this.remove({ record, selection, counts }, atOnce);
      return;
    }
  }

  private remove({ record, counts, selection }: Pending, atOnce: boolean): void {
    this.pending = undefined;
    const { model } = this;
    const own = (hit: Hit) => hit.websiteId === record.websiteId;
    const gone = [...model.pageviews, ...model.events].filter((hit) => isRemovedBy(record, hit));
    const unique = () => model.pageviews.filter((view) => own(view) && view.unique).length;
    const [visitors, pageviews] = [unique(), model.pageviews.length];
    const lost = model.pageviews.filter((view) => view.unique && isRemovedBy(record, view)).length;
    this.apply(record);
    this.moved += lost - (visitors - unique());
    if (this.isOutdated(record, selection, gone) || !atOnce) return;
    expect(counts).toEqual({
      pageviews: pageviews - model.pageviews.length,
      visitors: visitors - unique(),
      events: gone.reduce((sum, { properties }) => sum + properties.length, 0),
    });
  }

  /** The values of the record select what the filters do, unless hits came since. */
  private isOutdated(record: Removed, { period, filters }: Selection, gone: readonly Hit[]): boolean {
    const stays = [...this.model.pageviews, ...this.model.events].find(
      (hit) =>
        hit.websiteId === record.websiteId &&
        within(period, hit.timeMs) &&
        pageViewMatches(filters, hit as PageView),
    );
    const more = gone.find((hit) => !pageViewMatches(filters, hit as PageView));
    expect(more).toBeUndefined();
    return stays !== undefined;
  }
}

for (let number = 1; number <= rounds(4, 2); number++)
  test(`a website of which much was removed has the answers of the model: world ${number}`, () => {
    new World(number, false).run(700);
  });

test("so has one whose visitors look alike: first page views move on", () => {
  let moved = 0;
  // In few worlds perhaps none moves on: others follow then.
  for (let number = 1; number <= rounds(4) || moved === 0; number++) {
    expect(number).toBeLessThan(50);
    const world = new World(1_000 + number, true);
    world.run(700);
    moved += world.moved;
  }
});
