/**
 * A month of a website that gave up its rows and kept facts, in a file that the state names. The file never changes; the
 * ids in it are those that the website had when it was written, and `rewrites` lead from them to those of now.
 */
import { utcDate } from "../../core/calendar/date.ts";
import { dayMs } from "../../core/hit.ts";
import { storedDimensions } from "../../core/questions/stored-dimension.ts";
import { lazyObject } from "../../lib/lazy.ts";
import { addGaps, PackedColumns } from "../../lib/packing/packed-columns.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import { json, section, type Sections } from "../../snapshot/named-sections.ts";
import { withContents } from "../../snapshot/contents.ts";
import { jsonSection, SnapshotDamage, type Section } from "../../snapshot/section.ts";
import type { ColumnName } from "../../core/questions/dimension.ts";
import type { ChunkHead } from "../chunks/chunk-head.ts";
import { monthEndMs, monthStartMs } from "../chunks/month.ts";
import type { NewIds } from "../columns/renumber.ts";

/**
 * Rises with each change of what a section of the file means; files of the formats before are read. Exported for tests.
 */
export const reducedFormat = 3;

/** A file says this of itself, so that one under the name of another is told from it. */
interface MonthHead {
  readonly format: number;
  readonly monthMs: number;
  readonly rows: number;
  readonly properties: number;
}

function monthHead({ monthMs, rows, properties }: Omit<ChunkHead, "number">): MonthHead {
  return { format: reducedFormat, monthMs, rows, properties };
}

/** Returns all sections of a month's file, whose facts are in `sections`. */
export function fileOfMonth(head: Omit<ChunkHead, "number">, sections: readonly Section[]): Section[] {
  return withContents([jsonSection("source", monthHead(head)), ...sections]);
}

/** Returns the sections of a month's file. Throws SnapshotDamage if they are of something else. */
export function sectionsOfMonth(sections: Sections, head: ChunkHead, { name }: FileEntry): Sections {
  const found = JSON.stringify(json(sections, "source"));
  const expected = monthHead(head);
  for (let format = reducedFormat; format >= 1; format--)
    if (found === JSON.stringify({ ...expected, format })) return sections;
  throw new SnapshotDamage(name, undefined, `it has ${found} and not ${JSON.stringify(expected)}`);
}

/** New ids of everything that the facts of a month name. */
export interface ReducedIds {
  /** By dimension. */
  readonly values: readonly NewIds[];
  /** By column: those of its tuples. */
  readonly tuples: Readonly<Partial<Record<ColumnName, NewIds>>>;
  readonly propertyNames: NewIds;
}

/** The ids of one kind in a month, and how many rows have each. */
export interface UsesOfMonth {
  readonly ids: Uint32Array;
  readonly counts: Uint32Array;
}

function usesOf(ids: readonly number[], counts: readonly number[]): UsesOfMonth {
  return { ids: Uint32Array.from(ids), counts: Uint32Array.from(counts) };
}

/**
 * By listed dimension: the id of its value in everything from before it; undefined for dimensions that always were. If
 * the file has nothing of a dimension, all of the month has that value.
 */
export type IdsBefore = readonly (number | undefined)[];

/** A kind of ids: a dimension, the tuples of a column, or the names of properties. */
export type IdKind =
  { readonly dimension: number } | { readonly column: ColumnName } | { readonly property: "names" };

export class ReducedMonth {
  readonly monthMs: number;
  readonly rows: number;
  /** The first and the last time of a row. */
  readonly minMs: number;
  readonly maxMs: number;
  readonly propertyMinMs: number;
  readonly propertyMaxMs: number;

  /** `head`: that of the rows that there were. `read`: returns the sections of the file; it may throw. */
  constructor(
    readonly head: ChunkHead,
    readonly file: FileEntry,
    readonly read: () => Sections,
    readonly rewrites: readonly ReducedIds[] = [],
    readonly idsBefore: IdsBefore = [],
  ) {
    this.monthMs = head.monthMs;
    this.rows = head.rows;
    const [minMs, maxMs, propertyMinMs, propertyMaxMs] = head.bounds;
    this.minMs = minMs ?? Infinity;
    this.maxMs = maxMs ?? -Infinity;
    this.propertyMinMs = propertyMinMs ?? Infinity;
    this.propertyMaxMs = propertyMaxMs ?? -Infinity;
  }

  /** Returns the month after its website has got other ids, to be added to the website with these. */
  withIds(ids: ReducedIds): ReducedMonth {
    return new ReducedMonth(this.head, this.file, this.read, [...this.rewrites, ids]);
  }

  /** Returns the month after names of its website were folded, as `withIds` does. */
  folded(ids: ReducedIds): ReducedMonth {
    const head = { ...this.head, isFolded: true };
    return new ReducedMonth(head, this.file, this.read, [...this.rewrites, ids]);
  }

  withIdsBefore(idsBefore: IdsBefore): ReducedMonth {
    return new ReducedMonth(this.head, this.file, this.read, this.rewrites, idsBefore);
  }

  /**
   * Returns the uses of a kind of ids, by the website's present ids, decoded when they are asked for. Of a dimension that
   * came later, all rows have the value from before it. Throws what reading the file throws.
   */
  uses(kind: IdKind): UsesOfMonth {
    const sections = this.read();
    const rows = sections.get(rowsName(kind));
    const data = rows ?? sections.get(usesName(kind));
    if (data === undefined) {
      const id = "dimension" in kind ? this.idsBefore[kind.dimension] : undefined;
      return id === undefined ? usesOf([], []) : usesOf([id], [this.rows]);
    }
    const columns = new PackedColumns(data);
    const ids = () => renumberedIds(columns.column(0) as Uint32Array, kind, this.rewrites);
    return lazyObject<UsesOfMonth>({
      ids: rows === undefined ? ids : () => this.idsOf(columns, kind),
      counts: () => columns.column(1) as Uint32Array,
    });
  }

  /** Returns the ids of a section of rows (`rowsName`) by the website's present ids. */
  idsOf(rows: PackedColumns, kind: IdKind): Uint32Array {
    const gaps = rows.column(0) as Uint32Array;
    return renumberedIds(addGaps(gaps, Uint32Array.of(gaps.length)), kind, this.rewrites);
  }

  /** Whether the file has a section. Throws what reading it throws. */
  has(name: string): boolean {
    return this.read().has(name);
  }

  /** Returns a section of the file. Throws what reading it throws. */
  section(name: string): Uint8Array {
    return section(this.read(), name);
  }
}

/** The section with the uses of a kind of ids: of names of properties, and of all kinds in the first format. */
export function usesName(kind: IdKind): string {
  return `uses ${nameOf(kind)}`;
}

/** The section with the uses of another kind, whose ids rise and are gaps. */
export function rowsName(kind: IdKind): string {
  return `rows ${nameOf(kind)}`;
}

function nameOf(kind: IdKind): string {
  if ("property" in kind) return "property.name";
  return "column" in kind ? `tuples ${kind.column}` : `${storedDimensions[kind.dimension]?.name}`;
}

/** Returns ids by those of now. */
export function renumberedIds(ids: Uint32Array, kind: IdKind, rewrites: readonly ReducedIds[]): Uint32Array {
  return rewrites.reduce((before, rewrite) => {
    const newIds = newIdsOf(rewrite, kind);
    return newIds === undefined ? before : before.map((id) => newIds[id]!);
  }, ids);
}

function newIdsOf({ values, tuples, propertyNames }: ReducedIds, kind: IdKind): NewIds | undefined {
  if ("property" in kind) return propertyNames;
  return "column" in kind ? tuples[kind.column] : values[kind.dimension];
}

/** Returns the first millisecond after the months that a website reduced; -Infinity if there are none. */
export function reducedUntilMs(months: Iterable<ReducedMonth>): number {
  return Math.max(
    -Infinity,
    ...Array.from(months, ({ monthMs, head }) => head.untilMs ?? monthEndMs(monthMs)),
  );
}

/** Returns the start of the first month that a website reduced; Infinity if there is none. */
export function reducedFromMs(months: Iterable<ReducedMonth>): number {
  return Math.min(Infinity, ...Array.from(months, ({ monthMs }) => monthMs));
}

/** Returns those of a website's months that were imported as sums. */
export function importedOf(months: Iterable<ReducedMonth>): readonly ReducedMonth[] {
  return [...months].filter(({ head }) => head.isImported);
}

/** The sums that a website imported: how many months, their page views, and the UTC days of the first and the last of these. */
export interface ImportedSums {
  readonly months: number;
  readonly pageviews: number;
  readonly first_day: string;
  readonly last_day: string;
}

/** Returns undefined if there are none. */
export function importedSums(months: Iterable<ReducedMonth>): ImportedSums | undefined {
  const imported = importedOf(months);
  if (imported.length === 0) return undefined;
  const lastMs = Math.max(...imported.flatMap(({ maxMs, propertyMaxMs }) => [maxMs, propertyMaxMs]));
  return {
    months: imported.length,
    pageviews: imported.reduce((sum, { rows }) => sum + rows, 0),
    first_day: utcDate(importedFromMs(imported)),
    last_day: utcDate(lastMs),
  };
}

/** Returns the first millisecond after the months that a website imported as sums; -Infinity if there are none. */
export function importedUntilMs(months: Iterable<ReducedMonth>): number {
  return reducedUntilMs(importedOf(months));
}

/** Returns the start of the first day that a website imported as sums; Infinity if there is none. */
export function importedFromMs(months: Iterable<ReducedMonth>): number {
  let fromMs = Infinity;
  for (const { head, minMs, propertyMinMs } of months)
    if (head.isImported) fromMs = Math.min(fromMs, minMs, propertyMinMs);
  return Math.floor(fromMs / dayMs) * dayMs;
}

/**
 * Returns how long after the start of a UTC day its sums stand that were imported; undefined for a day without such. Some
 * months have them at noon: they were imported before another time was chosen.
 */
export function importedPlaceMs(months: Iterable<ReducedMonth>, dayStartMs: number): number | undefined {
  const monthMs = monthStartMs(dayStartMs);
  for (const month of months) {
    const { head, minMs } = month;
    if (head.isImported && month.monthMs === monthMs && dayStartMs < (head.untilMs ?? Infinity))
      return minMs % dayMs;
  }
  return undefined;
}
