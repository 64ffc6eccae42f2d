/**
 * Counts for all lists of one page: the page views of one selection, by value of any dimension. Facts give sums by
 * value. The remaining rows are scanned once for all lists, which counts the ids of each column that one of them needs;
 * afterwards the counts by id are added up into the groups of a list.
 */
import { dayMs } from "../../core/hit.ts";
import { columnNames, type ColumnName } from "../../core/questions/dimension.ts";
import { dimensionIndex } from "../../core/questions/stored-dimension.ts";
import type { Question, Selection } from "../../core/questions/query.ts";
import type { RollupOf } from "../../facts/facts.ts";
import type { Rollup } from "../../facts/entries.ts";
import { visitorOf } from "../../facts/rollup.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import { columnsOf } from "../../store/columns/columns.ts";
import type { VisitorFlag } from "../../store/columns/row-class.ts";
import { selectedDurations, selectedFlags, selectedIds } from "../rows/block.ts";
import type { QueryContext } from "../cache/context.ts";
import { columnsOfQuestions } from "./asked-columns.ts";
import { chunkRollup } from "./chunk-rollup.ts";
import { Counts, countVisitors, type Detail } from "./count.ts";
import {
  factsAndRows,
  partsOf,
  type FactsAndRows,
  type FactsPart,
  type RowsPart,
} from "../rows/facts-and-rows.ts";
import { visitLeft } from "../rows/select.ts";
import { monthRollups } from "./month-rollups.ts";
import { visitorFlag } from "./visitor.ts";
import { pathDictionary } from "../../store/values/dictionaries.ts";

/** Maps the values of a dimension, and the ids of its column, to groups. */
export interface Grouping {
  readonly column: ColumnName;
  readonly groups: number;
  /** The name by which facts have sums of the values. */
  readonly of: RollupOf;
  /** The group of each value of these sums. */
  readonly groupOf: Uint32Array;
  /** The group of each id of the column. */
  readonly ofColumn: Uint32Array;
}

// This thread's counts, for the period of the questions and for the one that they compare with, and the number of the
// `PageCounts` that they are of: a question of a page may count other periods, and the next one counts anew.
const columnCounts = {
  own: { counter: 0, columns: columnsOf(() => new Counts()) },
  compared: { counter: 0, columns: columnsOf(() => new Counts()) },
};
let counters = 0;
const extraCounts = new Counts();

export class PageCounts {
  private readonly counter = ++counters;
  private divided: FactsAndRows | undefined;
  /** The columns that were counted in the one scan of the remaining rows. */
  private readonly counted = new Set<ColumnName>();
  /**
   * The flag that marks a visitor under the filters. In the counts by path, a visitor is always who sees a page first.
   */
  private readonly visitor: VisitorFlag;

  /**
   * `columns`: the columns that the page's lists need, which are counted together. Any other one is counted, in full
   * detail, when it is asked for. `of`: of the two periods of a page, the one that is counted.
   */
  constructor(
    private readonly selection: Selection,
    private readonly context: QueryContext,
    private readonly columns: ReadonlyMap<ColumnName, Detail> = new Map(),
    private readonly of: keyof typeof columnCounts = "own",
  ) {
    this.visitor = visitorFlag(selection.filters);
  }

  /** Returns the flag that marks a visitor in the counts by id of a column. */
  visitorOf(column: ColumnName): VisitorFlag {
    return column === "path" ? rowFlag.first : this.visitor;
  }

  /** Counts by group into `counts`, in the column's detail. */
  count(counts: Counts, { column, groups, of, groupOf, ofColumn }: Grouping): void {
    const byId = this.byId(column);
    counts.begin(groups, byId.detail).addCounts(byId, ofColumn);
    const unread: RowsPart[] = [];
    for (const part of this.facts) {
      const rollup = this.rollupOf(part, of);
      if (rollup === undefined) unread.push(part);
      else {
        const [first, end] = partsOf(part);
        this.context.factsAdded += counts.addRollup(rollup, groupOf, first, end);
      }
    }
    for (const { rollup, first, end } of monthRollups(this.division.months, of, this.context))
      this.context.factsAdded += counts.addRollup(rollup, groupOf, first, end);
    if (unread.length === 0) return;
    extraCounts.begin(this.idsOf(column));
    this.walk(unread, new Map([[column, extraCounts]]));
    counts.addCounts(extraCounts, ofColumn);
  }

  /** Returns the visitors of the whole selection, as its filters define them. */
  visitors(): number {
    let visitors = this.visitorsLeft();
    for (const part of this.facts) {
      const rollup = this.rollupOf(part, dimensionIndex.device);
      if (rollup === undefined) visitors += this.visitorsIn([part]);
      else visitors += sumOf(rollup.unique.subarray(...partsOf(part)));
    }
    // A month's rollup by path has its visitors too, and a list of pages has read it.
    const { path } = dimensionIndex;
    for (const { rollup, first, end } of monthRollups(this.division.months, path, this.context))
      visitors += sumOf(rollup.unique.subarray(first, end));
    return visitors;
  }

  /** Returns those of the remaining rows, from the counts of a column if there is one that has them. */
  private visitorsLeft(): number {
    this.forgetOthers();
    const column = columnNames.find(
      (name) => this.counted.has(name) && this.visitorOf(name) === this.visitor,
    );
    if (column === undefined) return this.visitorsIn(this.division.rows);
    const counts = this.byId(column);
    let visitors = 0;
    for (let id = 0; id < counts.groups; id++) visitors += counts.visitors(id);
    return visitors;
  }

  private get facts(): readonly FactsPart[] {
    return this.division.facts;
  }

  private get division(): FactsAndRows {
    return (this.divided ??= factsAndRows(this.context.site, this.selection, dayMs));
  }

  /** Returns the counts of the remaining rows by id of a column. */
  private byId(column: ColumnName): Counts {
    const own = columnCounts[this.of].columns;
    this.forgetOthers();
    if (!this.counted.has(column)) {
      const together = this.counted.size === 0 && this.columns.has(column);
      const names = together ? columnNames.filter((name) => this.columns.has(name)) : [column];
      const { rows } = this.division;
      const begun = names.map((name): [ColumnName, Counts] => [
        name,
        own[name].begin(rows.length === 0 ? 0 : this.idsOf(name), this.columns.get(name)),
      ]);
      this.walk(rows, new Map(begun));
      for (const name of names) this.counted.add(name);
    }
    return own[column];
  }

  /** Takes what was counted meanwhile for others, in the same memory, for not counted. */
  private forgetOthers(): void {
    const own = columnCounts[this.of];
    if (own.counter !== this.counter) this.counted.clear();
    own.counter = this.counter;
  }

  /** Counts rows by id of each column. */
  private walk(rows: readonly RowsPart[], wanted: ReadonlyMap<ColumnName, Counts>): void {
    const { selection, context } = this;
    const [brief = [], full = []] = ["views", "all"].map((own) =>
      [...wanted].filter(([, { detail }]) => detail === own),
    );
    visitLeft(rows, selection.filters, context, (block) => {
      const { ids } = block.chunk;
      for (const [column, counts] of brief)
        counts.addViews(block, ids[column].values, this.visitorOf(column));
      if (full.length === 0) return;
      const [flags, durations] = [selectedFlags(block), selectedDurations(block)];
      for (const [column, counts] of full)
        counts.addRows(selectedIds(block, column), flags, durations, block.count, this.visitorOf(column));
    });
  }

  /** Returns how many rows are visitors, as the filters define them. */
  private visitorsIn(rows: readonly RowsPart[]): number {
    const { selection, context, visitor } = this;
    let visitors = 0;
    visitLeft(rows, selection.filters, context, (block) => {
      visitors += countVisitors(block, visitor);
    });
    return visitors;
  }

  private idsOf(column: ColumnName): number {
    return column === "path" ? pathDictionary(this.context.site).size : this.context.site.tuples[column].size;
  }

  /** Returns undefined if the facts of the part count other visitors, or have no rollup because of too many values. */
  private rollupOf(part: FactsPart, of: RollupOf): Rollup | undefined {
    const own = of === dimensionIndex.path ? rowFlag.first : this.visitor;
    return visitorOf(of) === own ? chunkRollup(this.context.site, part, of) : undefined;
  }
}

/** The counts of a page: in the period of its questions, and in the one that they compare with, if they do. */
export interface PageOfCounts {
  readonly own: PageCounts;
  readonly compared?: PageCounts;
}

/** `questions`: at least one, all about the same periods and with the same filters. */
export function pageOfCounts(
  questions: readonly [Question, ...Question[]],
  context: QueryContext,
): PageOfCounts {
  const columns = columnsOfQuestions(questions);
  const [{ period, filters, ...first }] = questions;
  const compare = "compare" in first ? first.compare : undefined;
  const own = new PageCounts({ period, filters }, context, columns);
  if (compare === undefined) return { own };
  return {
    own,
    compared: new PageCounts({ period: compare, filters }, context, columns, "compared"),
  };
}

function sumOf(numbers: Uint32Array): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
