/** Reads the facts of a month that gave up its rows. Nothing else knows them: where they cannot be read, the question fails. */
import { dimensionIndex } from "../../core/questions/stored-dimension.ts";
import { lazyObject, once } from "../../lib/lazy.ts";
import { unpacked } from "../../lib/packing/packed-columns.ts";
import { readJson } from "../../snapshot/section.ts";
import { renumberedIds, rowsName, type IdKind, type ReducedMonth } from "../../store/state/reduced-month.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import { unpackedDigests, type Digests } from "./digest.ts";
import { ofOneValue, type Rollup, type RollupSums, type Unit, type VisitTimes } from "../entries.ts";
import type { Outside } from "../outside-visits.ts";
import type { CountedVisits, RollupOf } from "../facts.ts";
import type { Quarters } from "../quarters.ts";
import type { DigestUnit } from "./reduce.ts";
import { decodedDays } from "./sections/coded-days.ts";
import {
  conversionsName,
  crossingsName,
  goalsName,
  kindOfConversions,
  quartersName,
  unpackedGoalCrossings,
  unpackedGoalQuarters,
  unpackedGoalValues,
  type ConversionsOf,
  type GoalQuarters,
  type GoalValues,
} from "./sections/goal-sections.ts";
import { asOneQuarter, totalsName, unpackedTotals, type GoalTotals } from "./goal-totals.ts";
import { blockName, unpackedPages } from "./paged-digests.ts";
import { visitPart, visitParts } from "../../store/columns/row-flag.ts";
import {
  noCrossings,
  totalOf,
  unpackedQuarters,
  withAllTimed,
  type Crossings,
} from "./sections/quarters-sections.ts";
import {
  addVisitEnds,
  addVisits,
  daysName,
  isInChannelDays,
  kindOf,
  noVisitEnds,
  noVisits,
  repeatsName,
  rollupName,
  sumsName,
  unpackedRepeats,
  unpackedRollup,
  unpackedSums,
  visitsName,
  type EventsByDay,
} from "./sections/reduced-sections.ts";
import type { Repeats } from "./sections/repeats.ts";
import { repeatsBefore, timedName, timesBefore, unpackedTimes } from "./sections/timed-sections.ts";
import { columnsOfWhole } from "./sections/whole-columns.ts";

/** Keeps what is made of a month, as long as there is room for this many bytes. */
export type Keep = <T>(month: ReducedMonth, name: string, make: () => { value: T; bytes: number }) => T;

/** Each method throws what reading the file throws. */
export class ReducedFacts {
  constructor(
    readonly month: ReducedMonth,
    private readonly keep: Keep,
  ) {}

  /** Whether the file has rollups of a dimension or channel: of one that came later it has none. */
  has(of: RollupOf): boolean {
    return this.month.has(sumsName(of)) || this.month.has(rollupName(of, "whole"));
  }

  /** Whether the file tells timed visits and page views without a visit: those from before do not. */
  get isTimed(): boolean {
    return this.month.has(timedName("quarters"));
  }

  /** Whether the days of a list are those of channels by visit, by the value that each of their tuples has. */
  isInChannelDays(of: RollupOf): boolean {
    return isInChannelDays(of) && this.month.has(sumsName(of)) && !this.month.has(daysName(of));
  }

  rollup(of: RollupOf, unit: Unit): Rollup {
    if (!this.has(of))
      return this.kept(rollupName(of, unit), () =>
        ofOneValue(this.rollup(dimensionIndex.device, unit), this.idBefore(of)),
      );
    if (unit === "whole" && this.month.has(sumsName(of))) return this.whole(of);
    const rollup = this.rollupSums(of, unit);
    return { ...rollup, ...this.times(of, unit === "whole" ? sumsName(of) : daysName(of), rollup) };
  }

  private rollupSums(of: RollupOf, unit: Unit): RollupSums {
    if (this.month.has(sumsName(of)))
      return this.read(daysName(of), (data) => decodedDays(this.whole(of), data));
    return this.read(rollupName(of, unit), (data) => {
      const rollup = unpackedRollup(data);
      return { ...rollup, ids: this.idsNow(rollup.ids, kindOf(of)) };
    });
  }

  /** Returns the times of visits in the rollup that the section `name` has. `rollup`: its sums. */
  private times(of: RollupOf, name: string, rollup: RollupSums): VisitTimes {
    if (this.isTimed) return this.read(timedName(name), (data) => unpackedTimes(data, rollup));
    const timed = this.idsWithTime(of);
    return timesBefore(rollup, (id) => timed.has(id), timed.size > 0);
  }

  /**
   * Returns the values of which any time is known in the month. Of imported sums these are also the values whose visits
   * all bounced: other products give such visits no time.
   */
  private idsWithTime(of: RollupOf): ReadonlySet<number> {
    const rollup = this.month.has(sumsName(of)) ? this.whole(of) : this.rollupSums(of, "whole");
    const { ids, totalMs } = rollup;
    const onlyBounced = (entry: number) =>
      this.month.head.isImported === true &&
      rollup.visits[entry * visitParts + visitPart.bounced]! >= rollup.distinctVisits[entry]!;
    return new Set(ids.filter((_, entry) => totalMs[entry]! > 0 || onlyBounced(entry)));
  }

  /** Returns a rollup whose columns are read when they are first asked for: entries and exits need no sums, others no visits. */
  private whole(of: RollupOf): Rollup {
    const section = (name: string) => this.month.section(name);
    const kind = kindOf(of);
    const { ids } = this.kept(rowsName(kind), () => ({ ids: this.month.uses(kind).ids }));
    const sums = once(() =>
      this.kept(sumsName(of), () => unpackedSums(ids.length, section(rowsName(kind)), section(sumsName(of)))),
    );
    const visits = once(() =>
      this.kept(visitsName(of), () => addVisits(noVisits(ids.length), section(visitsName(of)))),
    );
    const visitEnds = once(() =>
      this.kept(`${visitsName(of)} ends`, () =>
        addVisitEnds(noVisitEnds(ids.length), section(visitsName(of))),
      ),
    );
    const columns = columnsOfWhole(ids, sums, visits, visitEnds);
    const times = once(() => this.times(of, sumsName(of), lazyObject<RollupSums>(columns)));
    return lazyObject<Rollup>({
      ...columns,
      timedVisitsOfPart: () => times().timedVisitsOfPart,
      timedVisits: () => times().timedVisits,
      outside: () => times().outside,
    });
  }

  /** Returns the repeats by value of `of`; without it, those of all visits, with id 0. */
  repeats(of?: RollupOf, counted: CountedVisits = "all"): Repeats {
    if (of !== undefined && !this.month.has(repeatsName(of))) {
      const all = this.repeats(undefined, counted);
      return { ...all, ids: all.ids.map(() => this.idBefore(of)) };
    }
    if (counted === "timed" && !this.isTimed) {
      const timed = this.idsWithTime(of ?? dimensionIndex.device);
      return repeatsBefore(this.repeats(of), (id) => (of === undefined ? timed.size > 0 : timed.has(id)));
    }
    const name = of === undefined ? "repeats" : repeatsName(of);
    return this.read(counted === "timed" ? timedName(name) : name, (data) => {
      const repeats = unpackedRepeats(data);
      return of === undefined ? repeats : { ...repeats, ids: this.idsNow(repeats.ids, kindOf(of)) };
    });
  }

  quarters(): Quarters {
    return this.kept("quarters", () => {
      const timed = this.isTimed ? this.month.section(timedName("quarters")) : undefined;
      const quarters = unpackedQuarters(this.month.section("quarters"), timed);
      if (timed !== undefined) return quarters;
      return this.idsWithTime(dimensionIndex.device).size === 0 ? quarters : withAllTimed(quarters);
    });
  }

  /** Returns the sum of all quarters, as a single one. It takes no more than the sums of the month, if there are any. */
  total(): Quarters {
    const { device } = dimensionIndex;
    if (!this.isTimed || !this.month.has(sumsName(device))) return this.quarters();
    return this.kept("total", () => totalOf(this.whole(device)));
  }

  crossings(counted: CountedVisits): Crossings {
    if (counted === "timed" && !this.isTimed && this.idsWithTime(dimensionIndex.device).size === 0)
      return noCrossings;
    return this.read(counted === "timed" && this.isTimed ? timedName("crossings") : "crossings", (data) => {
      const [lasts, firsts, visits] = unpacked(data) as [Uint32Array, Uint32Array, Uint32Array];
      return { lasts, firsts, visits };
    });
  }

  durations(unit: DigestUnit): Digests {
    return this.read(`durations ${unit}`, unpackedDigests);
  }

  /** The digests of all pages, or with `isAsked` of those where it has a 1 by id of the path. They are not kept. */
  pages(isAsked?: Uint8Array): Digests {
    const { month } = this;
    const source = {
      section: (name: string) => month.section(name),
      isPaged: month.has(blockName(0)),
      idsNow: (ids: Uint32Array) => this.idsNow(ids, { dimension: 0 }),
    };
    return unpackedPages(source, isAsked);
  }

  events(): EventsByDay {
    return this.read("events", (data) => {
      const [names, days, events] = unpacked(data) as [Uint32Array, Uint32Array, Uint32Array];
      return { names: this.idsNow(names, { property: "names" }), days, events };
    });
  }

  /** Returns the index of a goal by its key (`keyOfTarget`); -1 if the website did not have it then. */
  goalAt(key: string): number {
    if (!this.month.has(goalsName)) return -1;
    const data = () => this.month.section(goalsName);
    const keys = this.keep(this.month, goalsName, () => ({
      value: readJson(data()) as readonly string[],
      bytes: data().length,
    }));
    return keys.indexOf(key);
  }

  goalQuarters(goal: number): GoalQuarters {
    const name = quartersName(goal);
    return this.keep(this.month, name, () => {
      const data = this.month.section(name);
      const value = unpackedGoalQuarters(data);
      return { value, bytes: value.numbers.length * 40 + data.length };
    });
  }

  /** Returns the sums of a goal in the whole month, as those of one quarter, if the file has them. */
  goalTotal(goal: number): GoalQuarters {
    const totals = this.goalTotals();
    return totals === undefined ? this.goalQuarters(goal) : asOneQuarter(totals, goal, this.month.monthMs);
  }

  private goalTotals(): GoalTotals | undefined {
    return this.month.has(totalsName) ? this.read(totalsName, unpackedTotals) : undefined;
  }

  goalCrossings(goal: number): readonly (readonly number[])[] {
    if (this.goalTotals()?.crossings[goal] === 0) return [];
    const name = crossingsName(goal);
    return this.keep(this.month, name, () => {
      const value = unpackedGoalCrossings(this.month.section(name));
      return { value, bytes: value.length * 100 };
    });
  }

  /** The conversions of a goal by value. All of the month has one value of a dimension that came later. */
  goalValues(of: ConversionsOf, goal: number): GoalValues {
    if (!this.month.has(conversionsName(of))) {
      const before = this.goalValues(dimensionIndex.device, goal);
      const id = this.idBefore(of as RollupOf);
      const all = (ids: Uint32Array) => ids.map(() => id);
      return { ...before, ids: all(before.ids), crossingIds: all(before.crossingIds) };
    }
    return this.kept(`${conversionsName(of)} ${goal}`, () => {
      const values = unpackedGoalValues(this.month.section(conversionsName(of)), goal);
      const now = (ids: Uint32Array) => this.idsNow(ids, kindOfConversions(of));
      return { ...values, ids: now(values.ids), crossingIds: now(values.crossingIds) };
    });
  }

  /** Returns the id that all of the month has of a dimension that came later. Of a later channel nothing is known. */
  private idBefore(of: RollupOf): number {
    return (typeof of === "number" ? this.month.idsBefore[of] : undefined) ?? overflowId;
  }

  private idsNow(ids: Uint32Array, kind: IdKind): Uint32Array {
    return renumberedIds(ids, kind, this.month.rewrites);
  }

  private read<T extends object>(name: string, decode: (data: Uint8Array) => T): T {
    return this.kept(name, () => decode(this.month.section(name)));
  }

  private kept<T extends object>(name: string, make: () => T): T {
    return this.keep(this.month, name, () => {
      const value = make();
      return { value, bytes: bytesIn(value) };
    });
  }
}

const noBytes = new Uint8Array(0);

/** Returns the bytes of the arrays that a value has. */
export function bytesIn(value: object): number {
  const parts = Object.values(value) as (ArrayBufferView | Outside | undefined)[];
  return parts.reduce((sum, part = noBytes) => {
    return sum + ("byteLength" in part ? part.byteLength : bytesIn(part));
  }, 0);
}
