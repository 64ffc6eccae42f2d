/**
 * Decides which new names are kept apart: paths, referrers, campaigns, properties and whatever else strangers choose. It
 * does so before the log, where the memory, the day and the sender's network are known; a name that is not
 * admitted stands as null in the record, so a replay under other settings gives the same state. All names of all
 * websites share one budget of bytes (`name-budget.ts`). Within it the first names of each kind are free, later ones come at a
 * pace, and past half of any of these a network has only its share: so junk that somebody sends ends with the day, and the
 * names of honest visitors enter again.
 */
import { dimensions } from "../../core/questions/dimension.ts";
import { dayMs } from "../../core/hit.ts";
import type { Properties } from "../../core/questions/property.ts";
import { dimensionIndex, visitDimensions, type VisitValues } from "../../core/questions/stored-dimension.ts";
import { textKey } from "../../lib/hashes/text-key.ts";
import type { ImportedNames } from "../../record/month-kinds.ts";
import type { PastLoad, RecordOf } from "../../record/record.ts";
import {
  columnMembers,
  hitColumns,
  tupleColumns,
  type Site,
  type TupleColumn,
} from "../../store/state/site.ts";
import type { Dictionary } from "../../store/values/dictionary.ts";
import { ByNetwork } from "./by-network.ts";
import { bytesOf, NameBudget, nameBytes, tupleBytes, type NameBudgetOptions } from "./name-budget.ts";
import { isExported } from "./visit-admission.ts";

/** The names of a kind that a website may have before new ones are limited by the day. Exported for tests. */
export const freeNamesMax = 50_000;
/** The new names of a kind that a website may have a day after that. Exported for tests. */
export const dayNamesMax = 10_000;
/** The share that one network has a day of either, and of the bytes that are left to a website, once half is taken. */
export const networkShare = 1 / 10;
/** Networks that are remembered for a day; the one that was noted first is forgotten first. */
const networksMax = 65_536;
/** Sizes are counted again after this long: websites come and go. */
const countedForMs = 1_000;

/** Names that count together: those of a dimension by its index, those of properties, and the tuples of a column. */
const kindOfPropertyName = dimensions.length;
const kindOfPropertyValue = dimensions.length + 1;
const kindOfTuple = (column: TupleColumn) => dimensions.length + 2 + tupleColumns.indexOf(column);

type Fact = RecordOf<"load"> | RecordOf<"event">;

/** The website that names are to be added to, by whom and when. */
interface Asked {
  readonly site: Site;
  /** undefined: the owner's own import, which only the budget limits. */
  readonly network: string | undefined;
  readonly nowMs: number;
}

/** A new name that somebody wants to add. */
interface Wanted extends Asked {
  readonly kind: number;
  /** How many names of the kind the website has. */
  readonly known: number;
  readonly bytes: number;
}

export class NameAdmission {
  private budget: NameBudget;
  private countedMs = -Infinity;
  /**
   * Keys of the names that were admitted since: one may not be applied yet, and is no new name when it comes again. By a hash that
   * strangers know, any number of names would be one.
   */
  private readonly admitted = new Set<number>();
  private day = -1;
  /** By website and kind: names that came today, but for imported ones. */
  private readonly today = new Map<string, number>();
  /** By website, kind and network: names that came from it today; by website and network: their bytes. */
  private readonly ofNetworks = new ByNetwork<number>();

  constructor(private readonly options: NameBudgetOptions) {
    this.budget = new NameBudget(options);
  }

  /** The bytes that the names of all websites take. */
  get bytes(): number {
    return this.options.sites.values().reduce((sum, site) => sum + bytesOf(site), 0);
  }

  /** Returns the fact with null for each name that is not kept apart. `site`: where its names are. */
  admit<F extends Fact>(fact: F, site: Site, network: string, nowMs: number): F {
    const asked = { site, network, nowMs };
    const values = fact.values === null ? null : this.values(fact.values, asked);
    const properties = this.properties(fact.properties, asked);
    const hasOthers = values?.includes(null) === true || properties.some((pair) => pair.includes(null));
    return hasOthers ? { ...fact, values, properties, hasOthers } : fact;
  }

  /** Does what `admit` does, for page views that the owner imports. */
  admitPast(loads: readonly PastLoad[], site: Site, nowMs: number): readonly PastLoad[] {
    const asked = { site, network: undefined, nowMs };
    return loads.map((load) => {
      const values = this.values(load.values, asked);
      const properties = load.properties?.map((own) => ({
        ...own,
        properties: this.properties(own.properties, asked),
      }));
      const visitValues = isExported(load) ? this.visitValues(load.visitValues, asked) : undefined;
      const hasOthers =
        values.includes(null) ||
        visitValues?.includes(null) === true ||
        properties?.some((own) => own.properties.some((pair) => pair.includes(null))) === true;
      if (!hasOthers) return load;
      return {
        ...load,
        values,
        ...(properties && { properties }),
        ...(visitValues && { visitValues }),
        hasOthers,
      };
    });
  }

  /** Returns the names of a month that the owner imports, with null for each that is not kept apart. */
  admitNames(names: ImportedNames["namesOf"], site: Site, nowMs: number): ImportedNames["namesOf"] {
    const asked = { site, network: undefined, nowMs };
    return names.map(({ of, values }) => {
      const kind = kindOf(of);
      return { of, values: values.map((name) => this.name(kind, name, asked)) };
    });
  }

  /** A visit's value is admitted as the value of the dimension that it was taken from. */
  private visitValues(values: VisitValues | undefined, asked: Asked): VisitValues | undefined {
    return values?.map((value, at) =>
      this.name(dimensionIndex[visitDimensions[at]?.of ?? "path"], value, asked),
    );
  }

  private properties(pairs: Properties, asked: Asked): Properties {
    return pairs.map(
      ([name, value]) =>
        [this.name(kindOfPropertyName, name, asked), this.name(kindOfPropertyValue, value, asked)] as const,
    );
  }

  private values(values: readonly (string | null)[], asked: Asked): readonly (string | null)[] {
    const { site } = asked;
    if (values[0] !== null && site.knows(values)) return values;
    const admitted = values.map((value, dimension) => this.name(dimension, value, asked));
    for (const column of hitColumns) {
      if (column === "path") continue;
      const kind = kindOfTuple(column);
      const known = site.tuples[column].size - 1;
      if (site.hasTuple(column, admitted)) continue;
      const members = columnMembers[column];
      const own = JSON.stringify(members.map((dimension) => admitted[dimension]));
      const key = textKey(`${site.websiteId} ${kind} ${own}`);
      if (this.admitted.has(key)) continue;
      if (this.takes({ ...asked, kind, known, bytes: tupleBytes(column) })) this.admitted.add(key);
      else for (const dimension of members) admitted[dimension] = null;
    }
    return admitted;
  }

  private name(kind: number, name: string | null, asked: Asked): string | null {
    const { site } = asked;
    const dictionary = dictionaryOf(site, kind);
    if (name === null || name === "" || dictionary.has(name)) return name;
    const key = textKey(`${site.websiteId} ${kind} ${name}`);
    if (this.admitted.has(key)) return name;
    const bytes = Buffer.byteLength(name) + nameBytes;
    const known = dictionary.size - 1;
    if (!this.takes({ ...asked, kind, known, bytes })) return null;
    this.admitted.add(key);
    return name;
  }

  /** Whether there is room for a new name; it is counted then. */
  private takes(wanted: Wanted): boolean {
    const { site, kind, bytes, network, nowMs } = wanted;
    if (network !== undefined && !this.isInPace(wanted, network)) return false;
    if (Math.abs(nowMs - this.countedMs) >= countedForMs) this.count(nowMs);
    if (!this.isInBudget(wanted)) return false;
    this.budget.add(site.websiteId, bytes);
    if (network === undefined) return true;
    const key = `${site.websiteId} ${kind}`;
    this.today.set(key, (this.today.get(key) ?? 0) + 1);
    this.note(network, key, 1);
    this.note(network, `${site.websiteId}`, bytes);
    return true;
  }

  private isInPace({ site, kind, known, nowMs }: Wanted, network: string): boolean {
    this.beginDay(Math.floor(nowMs / dayMs));
    const key = `${site.websiteId} ${kind}`;
    const isFree = known < freeNamesMax;
    const max = isFree ? freeNamesMax : dayNamesMax;
    const taken = isFree ? known : (this.today.get(key) ?? 0);
    if (taken >= max) return false;
    return taken < max / 2 || this.notedOf(network, key) < max * networkShare;
  }

  private isInBudget({ site, bytes, network }: Wanted): boolean {
    const { websiteId } = site;
    const [most, taken] = [this.budget.mostFor(websiteId), this.budget.usedBy(websiteId) + bytes];
    if (taken > most) return false;
    if (network === undefined || taken <= most / 2) return true;
    return this.notedOf(network, `${websiteId}`) + bytes <= (most - taken) * networkShare;
  }

  private count(nowMs: number): void {
    this.countedMs = nowMs;
    this.admitted.clear();
    this.budget = new NameBudget(this.options);
  }

  private beginDay(day: number): void {
    if (day === this.day) return;
    this.day = day;
    this.today.clear();
    this.ofNetworks.clear();
  }

  private notedOf(network: string, of: string): number {
    return this.ofNetworks.of(network).get(`${of} ${network}`) ?? 0;
  }

  private note(network: string, of: string, more: number): void {
    const before = this.notedOf(network, of);
    const known = this.ofNetworks.of(network);
    const oldest = known.size < networksMax ? undefined : known.oldest();
    if (before === 0 && oldest !== undefined) known.delete(oldest[0]);
    known.set(`${of} ${network}`, before + more);
  }
}

function dictionaryOf(site: Site, kind: number): Dictionary {
  if (kind === kindOfPropertyName) return site.propertyNames;
  return kind === kindOfPropertyValue ? site.propertyValues : site.dictionaries[kind]!;
}

function kindOf(of: ImportedNames["namesOf"][number]["of"]): number {
  if (of === "prop_name") return kindOfPropertyName;
  return of === "prop_value" ? kindOfPropertyValue : dimensionIndex[of];
}
