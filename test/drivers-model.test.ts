/**
 * The values that make a period unlike others, against the naive model: random traffic of five weeks, one day of which has more of
 * some values, goes into the store and into arrays of hits, then both answer random questions. `FOOTFALL_SEED` repeats
 * a run.
 */
import { expect, test } from "bun:test";
import { dimensionIndex, visitDimension, type RowName } from "../src/core/questions/stored-dimension.ts";
import { dayMs } from "../src/core/hit.ts";
import { driverMetrics, type DriversQuery, type Filter, type Period } from "../src/core/questions/query.ts";
import type { RecordOf } from "../src/record/record.ts";
import { Beacons } from "../src/store/beacons/beacons.ts";
import type { Site } from "../src/store/state/site.ts";
import { Store } from "../src/store/state/store.ts";
import { answerDrivers } from "./support/answers.ts";
import { checkpoint } from "./support/ask-both.ts";
import { modelDrivers } from "./support/model-drivers.ts";
import { Model } from "./support/model.ts";
import { Questions } from "./support/questions.ts";
import { randomFrom } from "./support/random.ts";
import { rounds } from "./support/rounds.ts";
import { seed } from "./support/seed.ts";
import { pools, Traffic, trafficStartMs, websiteIds } from "./support/traffic.ts";

const worlds = rounds(8, 2);
const weeks = 6;
const loads = 900;
const asked = 40;
const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"];

class World {
  readonly model = new Model(websiteIds);
  readonly store = new Store(new Beacons(BigInt(seed())));
  private readonly traffic: Traffic;
  private readonly loads: RecordOf<"load">[] = [];
  readonly endMs = trafficStartMs + weeks * 7 * dayMs;
  /** The start of the day that is unlike others. */
  readonly spikeMs = this.endMs - 7 * dayMs;

  constructor(private readonly random: () => number) {
    this.traffic = new Traffic(random);
    for (const websiteId of websiteIds) this.store.addSite(websiteId);
    while (this.loads.length < loads) {
      const record = this.traffic.next();
      if (record.kind === "load") this.loads.push(record);
    }
    this.loads
      .map((load) => this.moved(load))
      .sort((a, b) => a.timeMs - b.timeMs)
      .forEach((load) => this.apply(load));
  }

  /** Returns the load at another time; on the day that is unlike others it has some values of its own. */
  private moved(load: RecordOf<"load">): RecordOf<"load"> {
    if (this.random() < 0.75)
      return { ...load, timeMs: trafficStartMs + Math.floor(this.random() * (this.endMs - trafficStartMs)) };
    const values = [...load.values];
    for (const name of ["path", "referrer", "utm_campaign", "country"] as const) {
      if (this.random() < 0.3) continue;
      values[dimensionIndex[name]] = pools[name][1] as string;
    }
    return { ...load, values, timeMs: this.spikeMs + Math.floor(this.random() * dayMs) };
  }

  private apply(load: RecordOf<"load">): void {
    expect(this.store.apply(load)).toBe(this.model.apply(load));
    if (this.random() < 0.02) checkpoint(this.store, load.timeMs);
  }

  question(): DriversQuery {
    const isSpike = this.random() < 0.5;
    const period = isSpike ? { startMs: this.spikeMs, endMs: this.spikeMs + dayMs - 1 } : this.period();
    const by = this.random() < 0.5 ? ("visit" as const) : undefined;
    const { filters } = new Questions(this.random, period).next().query;
    const kept = this.random() < 0.6 ? [] : filters.slice(0, 1);
    return {
      list: "drivers",
      period,
      filters: by === undefined ? kept : kept.map(ofVisit),
      by,
      metrics: [this.pick(driverMetrics)],
      compare: this.random() < 0.4 ? this.period() : undefined,
      timezone: this.pick(zones),
      nowMs: this.random() < 0.8 ? this.endMs : this.spikeMs + Math.floor(this.random() * dayMs),
    };
  }

  private period(): Period {
    const startMs = trafficStartMs - dayMs + Math.floor(this.random() * (this.endMs - trafficStartMs));
    return { startMs, endMs: startMs + Math.floor((this.random() < 0.7 ? 2 : 20) * dayMs * this.random()) };
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(choices.length * this.random())] as T;
  }
}

function ofVisit(filter: Filter): Filter {
  if (filter.name === "prop_name" || filter.name === "prop_value") return filter;
  return { ...filter, name: visitDimension(filter.name as RowName) };
}

test("random periods have the drivers of the model", () => {
  let [named, standing] = [0, 0];
  for (let number = 1; number <= worlds; number++) {
    const world = new World(randomFrom(seed() + number));
    const site = world.store.sites.get(1) as Site;
    for (let time = 0; time < asked; time++) {
      const question = world.question();
      const expected = modelDrivers(world.model, 1, question);
      expect(answerDrivers(site, question)).toStrictEqual(expected);
      standing += Number(expected.stands_out);
      named += expected.drivers.length;
    }
    world.store.check();
  }
  // The comparison is of something: many periods stand out, and values are named.
  expect(standing).toBeGreaterThan(5 * worlds);
  expect(named).toBeGreaterThan(10 * worlds);
});
