/** Reads the facts of a month that gave up its rows. Nothing else knows them: where they cannot be read, the question fails. */
import { dimensionIndex } from "../../core/stored-dimension.ts";
import { lazyObject, once } from "../../lib/lazy.ts";
import { unpacked } from "../../lib/packed-columns.ts";
import { readJson } from "../../snapshot/section.ts";
import { firstAtLeast } from "../../lib/search.ts";
import { renumberedIds, rowsName, type IdKind, type ReducedMonth } from "../../store/state/reduced-month.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import { unpackedDigests, type Digests } from "./digest.ts";
import { ofOneValue, type Rollup, type Unit } from "../entries.ts";
import type { RollupOf } from "../facts.ts";
import type { Quarters } from "../quarters.ts";
import type { DigestUnit } from "./reduce.ts";
import { decodedDays } from "./coded-days.ts";
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
} from "./goal-sections.ts";
import {
  blockName,
  indexOf,
  pagesName,
  unpackedIndex,
  unpackedMeans,
  type PageIndex,
} from "./paged-digests.ts";
import {
  classesOf,
  daysName,
  kindOf,
  repeatsName,
  rollupName,
  sumsName,
  unpackedQuarters,
  unpackedRepeats,
  unpackedRollup,
  unpackedSums,
  unpackedVisits,
  visitsName,
} from "./reduced-sections.ts";
import type { Repeats } from "./repeats.ts";

/** Keeps what is made of a month, as long as there is room for so many bytes. */
export type Keep = <T>(month: ReducedMonth, name: string, make: () => { value: T; bytes: number }) => T;

/** By entry: the quarters of an hour of the last row here and of the first one in the next month, and how many visits. */
export interface Crossings {
  readonly lasts: Uint32Array;
  readonly firsts: Uint32Array;
  readonly visits: Uint32Array;
}

/** By entry: a name, a day, and the number of events. */
export interface EventsByDay {
  readonly names: Uint32Array;
  readonly days: Uint32Array;
  readonly events: Uint32Array;
}

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

  rollup(of: RollupOf, unit: Unit): Rollup {
    if (!this.has(of))
      return this.kept(rollupName(of, unit), () =>
        ofOneValue(this.rollup(dimensionIndex.device, unit), this.idBefore(of)),
      );
    if (!this.month.has(sumsName(of))) {
      return this.read(rollupName(of, unit), (data) => {
        const rollup = unpackedRollup(data);
        return { ...rollup, ids: this.idsNow(rollup.ids, kindOf(of)) };
      });
    }
    if (unit === "day") return this.read(daysName(of), (data) => decodedDays(this.whole(of), data));
    return this.whole(of);
  }

  /**
   * The rollup of the month by class of a value: of each there is one entry, with one of its values. `classOf`: the class
   * of each value, which never changes.
   */
  byClass(of: RollupOf, classOf: Uint32Array): Rollup {
    return this.month.has(sumsName(of)) ? this.whole(of, classOf) : this.rollup(of, "whole");
  }

  /** Returns a rollup whose columns are read when they are first asked for: entries and exits need no sums, others no visits. */
  private whole(of: RollupOf, classOf?: Uint32Array): Rollup {
    const suffix = classOf === undefined ? "" : " by class";
    const section = (name: string) => this.month.section(name);
    const uses = once(() => this.month.uses(kindOf(of)));
    const classes = classOf && once(() => classesOf(uses(), classOf));
    const { ids } = this.kept(rowsName(kindOf(of)) + suffix, () => ({ ids: classes?.().ids ?? uses().ids }));
    const sums = once(() =>
      this.kept(sumsName(of) + suffix, () => unpackedSums(uses(), section(sumsName(of)), classes?.())),
    );
    const visits = once(() =>
      this.kept(visitsName(of) + suffix, () => unpackedVisits(section(visitsName(of)), classes?.())),
    );
    return lazyObject<Rollup>({
      ids: () => ids,
      ends: () => Uint32Array.of(ids.length),
      unique: () => sums().unique,
      counts: () => sums().counts,
      totalMs: () => sums().totalMs,
      visitsOfPart: () => visits().visitsOfPart,
      visits: () => visits().visits,
      distinctVisits: () => visits().distinctVisits,
    });
  }

  /** Without `of`: of all visits. */
  repeats(of?: RollupOf): Repeats {
    if (of !== undefined && !this.month.has(repeatsName(of))) {
      const all = this.repeats();
      return { ...all, ids: all.ids.map(() => this.idBefore(of)) };
    }
    return this.read(of === undefined ? "repeats" : repeatsName(of), (data) => {
      const repeats = unpackedRepeats(data);
      return of === undefined ? repeats : { ...repeats, ids: this.idsNow(repeats.ids, kindOf(of)) };
    });
  }

  quarters(): Quarters {
    return this.read("quarters", unpackedQuarters);
  }

  crossings(): Crossings {
    return this.read("crossings", (data) => {
      const [lasts, firsts, visits] = unpacked(data) as [Uint32Array, Uint32Array, Uint32Array];
      return { lasts, firsts, visits };
    });
  }

  durations(unit: DigestUnit): Digests {
    return this.read(`durations ${unit}`, unpackedDigests);
  }

  /** The places of the digests of pages, whose means `meansOf` returns. */
  pages(): PageIndex {
    const idsNow = (ids: Uint32Array) => this.idsNow(ids, { dimension: 0 });
    if (this.month.has(blockName(0))) return this.read(pagesName, (data) => unpackedIndex(data, idsNow));
    return this.kept("index", () => indexOf(this.read(pagesName, unpackedDigests), idsNow));
  }

  /** The means of a block of digests of pages. */
  meansOf(block: number): Uint32Array {
    if (!this.month.has(blockName(0))) return this.read(pagesName, unpackedDigests).means;
    return this.read(blockName(block), (data) => ({ means: unpackedMeans(data, block, this.pages()) })).means;
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
      const value = unpackedGoalQuarters(this.month.section(name));
      return { value, bytes: value.numbers.length * 40 };
    });
  }

  goalCrossings(goal: number): readonly (readonly number[])[] {
    return unpackedGoalCrossings(this.month.section(crossingsName(goal)));
  }

  /** The conversions of all goals by value. All of the month has one value of a dimension that came later. */
  goalValues(of: ConversionsOf): GoalValues {
    if (!this.month.has(conversionsName(of))) {
      const before = this.goalValues(dimensionIndex.device);
      const id = this.idBefore(of as RollupOf);
      const all = (ids: Uint32Array) => ids.map(() => id);
      return { ...before, ids: all(before.ids), crossingIds: all(before.crossingIds) };
    }
    return this.read(conversionsName(of), (data) => {
      const values = unpackedGoalValues(data);
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

/** Returns the range of the groups with a key. */
export function groupsWith({ keys }: PageIndex, key: number): readonly [from: number, to: number] {
  const from = firstAtLeast(keys, key);
  let to = from;
  while (keys[to] === key) to++;
  return [from, to];
}

function bytesIn(value: object): number {
  return Object.values(value).reduce((sum: number, part) => sum + (part as ArrayBufferView).byteLength, 0);
}
