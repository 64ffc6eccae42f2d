/**
 * Counts the distinct visits of values with one label, which are one row of a list: the dialects of a language, the
 * referrers of one site. A visit may have several of these values, so sums by value do not tell how many visits the row
 * has.
 *
 * Labels follow from tables of the program, which another version may have changed. So these facts say which values
 * they put together, and are believed only where a question puts together the same ones.
 */
import { dimensionIndex, type DerivedName } from "../core/questions/stored-dimension.ts";
import { rowFlag } from "../store/columns/row-flag.ts";
import type { ReadDictionary } from "../store/mirror/read-site.ts";
import { overflowId } from "../store/values/dictionary.ts";
import type { Rollup, VisitColumns } from "./entries.ts";
import type { VisitRows } from "./visits.ts";

/** The kinds of labels that several values may have, each with its dimension. */
const dimensionOf = {
  "referrer group": dimensionIndex.referrer,
  language: dimensionIndex.language,
  dialect: dimensionIndex.language,
  country: dimensionIndex.country,
} as const;
export type LabelKind = keyof typeof dimensionOf;
export const labelKinds = Object.keys(dimensionOf) as readonly LabelKind[];

/** By kind: returns the label of a value. */
export type Labellers = Readonly<Record<LabelKind, (value: string) => string>>;

/** Returns the kinds of labels that values of a dimension may share, given its index; a name of channels has none. */
export function labelKindsOf(of: number | DerivedName): LabelKind[] {
  return labelKinds.filter((kind) => dimensionOf[kind] === of);
}

/** The visits of groups of values with one label, by entry of the rollup of their dimension. */
export interface GroupedVisits {
  /** The first entry of the same part whose value has the same label. */
  readonly firsts: Uint32Array;
  /** The distinct visits of the group, at its first entry; 0 at the others. */
  readonly distinctVisits: Uint32Array;
  /** The same of visits that a row of the group times. */
  readonly timedVisits: Uint32Array;
}

/**
 * Returns undefined if no two values of a part have one label. `parts`: the rows of each part of the rollup. `dictionary`:
 * that of its dimension.
 */
export function groupedVisits(
  rollup: Rollup,
  parts: readonly VisitRows[],
  { visitOf, idOf, flags, valueOf }: VisitColumns,
  dictionary: ReadDictionary,
  labelOf: (value: string) => string,
): GroupedVisits | undefined {
  const { ends, ids } = rollup;
  const firsts = firstsOf(rollup, dictionary, labelOf);
  if (firsts.every((first, entry) => first === entry)) return undefined;
  const { length } = ids;
  const [distinctVisits, timedVisits] = [new Uint32Array(length), new Uint32Array(length)];
  /** By entry: the visit that was counted last. The rows of a visit come together. */
  const [countedIn, timedIn] = [new Uint32Array(length), new Uint32Array(length)];
  /** By value: the first entry of its group in the part. */
  const places = new Uint32Array(dictionary.size);
  parts.forEach(({ rows }, part) => {
    for (let entry = ends[part - 1] ?? 0; entry < ends[part]!; entry++) places[ids[entry]!] = firsts[entry]!;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      const visit = visitOf[row]!;
      const place = places[valueOf === undefined ? idOf[row]! : valueOf[idOf[row]!]!]!;
      if (countedIn[place] !== visit) distinctVisits[place]!++;
      countedIn[place] = visit;
      if ((flags[row]! & rowFlag.timed) === 0 || timedIn[place] === visit) continue;
      timedVisits[place]!++;
      timedIn[place] = visit;
    }
  });
  return { firsts, distinctVisits, timedVisits };
}

function firstsOf(
  { ends, ids }: Rollup,
  dictionary: ReadDictionary,
  labelOf: (value: string) => string,
): Uint32Array {
  /** By value; undefined for those that are not kept apart. */
  const labels = new Map<number, string | undefined>([[overflowId, undefined]]);
  for (const id of ids) if (!labels.has(id)) labels.set(id, labelOf(dictionary.value(id)));
  const firsts = new Uint32Array(ids.length);
  ends.forEach((end, part) => {
    const byLabel = new Map<string | undefined, number>();
    for (let entry = ends[part - 1] ?? 0; entry < end; entry++) {
      firsts[entry] = byLabel.getOrInsert(labels.get(ids[entry]!), entry);
    }
  });
  return firsts;
}
