/** Gives ids to the names of a month of sums, which it brings along, and makes the entries of its lists with them. */
import { dimensions, unknownLabel, type DimensionName } from "../../core/questions/dimension.ts";
import {
  dimensionIndex,
  unknownReferrer,
  valuesBefore,
  visitDimension,
} from "../../core/questions/stored-dimension.ts";
import { sourceNames, type ImportedNames } from "../../record/month-kinds.ts";
import { TextMap } from "../../lib/collections/text-map.ts";
import type { RollupOf } from "../facts.ts";
import { allSums, restOf, summedNames, unkeptPath, type DaySums, type Sums } from "./month-sums.ts";

/** The most bytes of names that a month brings along; those of the fewest page views are not kept apart. */
const namesBytesMax = 4 * 1024 * 1024;

export type Entry = readonly [id: number, sums: Sums];

/** Names with ids from 1 on; 0 is a name that is not kept apart. */
class NameIds {
  readonly names: string[] = [];
  private readonly ids = new TextMap<number>();

  idOf(name: string): number {
    const known = this.ids.get(name);
    if (known !== undefined) return known;
    this.names.push(name);
    this.ids.set(name, this.names.length);
    return this.names.length;
  }
}

/** The names of a month, and what its lists are made of. */
export class SummedNames {
  readonly ofEvents = new NameIds();
  private readonly values = new Map<DimensionName, NameIds>();
  private readonly sources: number[] = [];
  private readonly sourceIds = new Map<string, number>();
  /** The names that are too rare to be kept apart. */
  private readonly rare: TextMap<true>;

  constructor(days: readonly DaySums[]) {
    this.rare = rareNames(days);
  }

  get all(): ImportedNames {
    const names = Array.from(this.values, ([of, { names: values }]) => ({ of, values }));
    return {
      namesOf: [...names, { of: "prop_name" as const, values: this.ofEvents.names }],
      sources: this.sources,
    };
  }

  /**
   * Returns the entries of a list on a day. What the sums of its values lack of all page views has no known value, and a path
   * that is not kept apart.
   */
  entriesOf(of: RollupOf, day: DaySums): readonly Entry[] {
    if (typeof of === "string")
      return sourcesOf(day).map(([values, sums]) => [this.sourceIdOf(values), sums]);
    const name = ownNames[of]!;
    const member = (sourceNames as readonly string[]).indexOf(name);
    if (member >= 0) return sourcesOf(day).map(([values, sums]) => [this.idOf(name, values[member]!), sums]);
    const known = (summedNames as readonly string[]).includes(name) ? day.values[name as "path"] : [];
    const entries = known.map(([value, sums]): Entry => [this.idOf(name, value), sums]);
    const rest = restOf(day.all, allSums(Iterator.from(known).map(([, sums]) => sums)));
    if (name === "path") return isOfNoPage(rest) ? entries : [...entries, [0, unlistedOf(rest)]];
    const unknown = valuesBefore[of] ?? (unknownNames.has(name) ? unknownLabel : "");
    return rest.visits === 0 && known.length > 0 ? entries : [...entries, [this.idOf(name, unknown), rest]];
  }

  private idOf(of: DimensionName, value: string): number {
    if (this.rare.get(value) || (of === "path" && value === unkeptPath)) return 0;
    return this.values.getOrInsertComputed(of, () => new NameIds()).idOf(value);
  }

  private sourceIdOf(values: readonly string[]): number {
    const ids = values.map((value, member) => this.idOf(sourceNames[member]!, value));
    const key = ids.join(" ");
    const known = this.sourceIds.get(key);
    if (known !== undefined) return known;
    this.sources.push(...ids);
    const id = this.sources.length / sourceNames.length;
    this.sourceIds.set(key, id);
    return id;
  }
}

/** By index in the stored dimensions: the dimension whose values a list has. */
const ownNames: Readonly<Record<number, DimensionName>> = Object.fromEntries(
  dimensions.flatMap(({ name }) => [
    [dimensionIndex[name], name],
    [dimensionIndex[visitDimension(name)], name],
  ]),
);
/** The values of a source of which nobody knows where it is. */
const unknownSource = sourceNames.map((name) => (name === "referrer" ? unknownReferrer : ""));

/** Returns the sources of a day, with what they lack of all visits. */
function sourcesOf({ all, sources }: DaySums): DaySums["sources"] {
  const rest = restOf(all, allSums(Iterator.from(sources).map(([, sums]) => sums)));
  return rest.visits === 0 ? sources : [...sources, [unknownSource, rest]];
}

function isOfNoPage({ pageviews, entries, exits }: Sums): boolean {
  return pageviews === 0 && entries === 0 && exits === 0;
}

/**
 * Returns the sums of page views of which nobody knows the page. Lists of pages may lack visitors of page views that they have:
 * these saw nothing else. The time of visits is no time on a page.
 */
function unlistedOf(rest: Sums): Sums {
  const ofView = (sum: number) => Math.min(sum, rest.pageviews);
  return { ...rest, visitors: ofView(rest.visitors), visits: ofView(rest.visits), totalMs: 0 };
}

const unknownNames: ReadonlySet<DimensionName> = new Set(["browser", "os", "device"]);

/** Returns the names past the limit of bytes, of which those with the fewest page views are. */
function rareNames(days: readonly DaySums[]): TextMap<true> {
  const uses = new TextMap<number>();
  const rare = new TextMap<true>();
  const add = (name: string, { pageviews }: Sums) => uses.set(name, (uses.get(name) ?? 0) + pageviews);
  for (const { values, sources } of days) {
    for (const name of summedNames) for (const [value, sums] of values[name]) add(value, sums);
    for (const [members, sums] of sources) for (const value of members) add(value, sums);
  }
  let bytes = 0;
  const byUse = [...uses].sort(([a, usesA], [b, usesB]) => usesB - usesA || (a < b ? -1 : 1));
  for (const [name] of byUse) if ((bytes += Buffer.byteLength(name)) > namesBytesMax) rare.set(name, true);
  return rare;
}
