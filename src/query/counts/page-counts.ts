/**
 * Counts for all lists of one page: the page views of one selection, by value of any dimension. Facts give sums by
 * value; rows are walked once for all lists, counting the ids of each column that one of them needs, and ids are put
 * into the groups of a list afterwards.
 */
import { dayMs } from "../../core/hit.ts";
import {
  columnNames,
  dimensionIndex,
  dimensions,
  type ColumnName,
  type Dimension,
} from "../../core/dimension.ts";
import { measuresOf, rowKindOf, type Measures } from "../../core/metric.ts";
import type { Question, Selection } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import type { Rollup } from "../../facts/entries.ts";
import { firstDay, visitorOf } from "../../facts/rollup.ts";
import { rowFlag } from "../../store/columns/chunk.ts";
import { columnsOf } from "../../store/columns/columns.ts";
import type { ReadDictionary } from "../../store/mirror/read-site.ts";
import type { VisitorFlag } from "../../store/columns/row-class.ts";
import { selectedDurations, selectedFlags, selectedIds } from "../rows/block.ts";
import type { QueryContext } from "../cache/context.ts";
import { Counts, countVisitors, type Detail } from "./count.ts";
import { factsAndRows, type FactsAndRows, type FactsPart, type RowsPart } from "../rows/facts-and-rows.ts";
import { visitLeft } from "../rows/select.ts";
import { visitorFlag } from "./visitor.ts";

/** How the values of a dimension and the ids of its column are put into groups. */
export interface Grouping {
  /** Index of the dimension. */
  readonly dimension: number;
  readonly groups: number;
  /** The group of each of its values. */
  readonly ofValue: Uint32Array;
  /** The group of each id of its column. */
  readonly ofColumn: Uint32Array;
}

// This thread's: a page is done with them before the next begins.
const columnCounts = columnsOf(() => new Counts());
const extraCounts = new Counts();
const noDurations = new Uint32Array(0);

export class PageCounts {
  private divided: FactsAndRows | undefined;
  /** Columns that were counted in the walk over the rows that are left for all lists. */
  private readonly counted = new Set<ColumnName>();
  private visitorsLeft = 0;

  /** Who is a visitor by the filters. In the counts by path it is who sees a page first. */
  private readonly visitor: VisitorFlag;

  /** `columns`: what the page's lists need, to be counted together; of any other, all is counted when it is asked for. */
  constructor(
    private readonly site: SiteWithFacts,
    private readonly selection: Selection,
    private readonly context: QueryContext,
    private readonly columns: ReadonlyMap<ColumnName, Detail> = new Map(),
  ) {
    this.visitor = visitorFlag(selection.filters);
  }

  /** Counts by group into `counts`, in the detail of the column. */
  count(counts: Counts, { dimension, groups, ofValue, ofColumn }: Grouping): void {
    const { column } = dimensions[dimension] as Dimension;
    const byId = this.byId(column);
    counts.begin(groups, byId.detail).addCounts(byId, ofColumn);
    const unread: RowsPart[] = [];
    for (const part of this.facts) {
      const rollup = this.rollupOf(part, dimension);
      if (rollup === undefined) unread.push(part);
      else {
        const [first, end] = partsOf(part);
        this.context.factsAdded += counts.addRollup(rollup, ofValue, first, end);
      }
    }
    if (unread.length === 0) return;
    extraCounts.begin(this.idsOf(column));
    this.walk(unread, new Map([[column, extraCounts]]));
    counts.addCounts(extraCounts, ofColumn);
  }

  /** The visitors of the whole selection by its filters' definition. */
  visitors(): number {
    if (this.counted.size === 0) this.byId("client");
    let visitors = this.visitorsLeft;
    for (const part of this.facts) {
      const rollup = this.rollupOf(part, dimensionIndex.device);
      if (rollup === undefined) visitors += this.walk([part], new Map());
      else visitors += sumOf(rollup.unique.subarray(...partsOf(part)));
    }
    return visitors;
  }

  private get facts(): readonly FactsPart[] {
    return this.division.facts;
  }

  private get division(): FactsAndRows {
    return (this.divided ??= factsAndRows(this.site, this.selection, dayMs));
  }

  /** The counts of the rows that are left for all lists, by id of a column. */
  private byId(column: ColumnName): Counts {
    if (!this.counted.has(column)) {
      const together = this.counted.size === 0 && this.columns.has(column);
      const names = together ? columnNames.filter((name) => this.columns.has(name)) : [column];
      const { rows } = this.division;
      const begun = names.map((name): [ColumnName, Counts] => [
        name,
        columnCounts[name].begin(rows.length === 0 ? 0 : this.idsOf(name), this.columns.get(name)),
      ]);
      this.visitorsLeft = this.walk(rows, new Map(begun));
      for (const name of names) this.counted.add(name);
    }
    return columnCounts[column];
  }

  /** Counts rows by id of each column; returns how many visitors they have by the filters' definition. */
  private walk(rows: readonly RowsPart[], wanted: ReadonlyMap<ColumnName, Counts>): number {
    const { site, selection, context, visitor } = this;
    const timed = wanted.values().some(({ detail }) => detail === "all");
    let visitors = 0;
    visitLeft(site, rows, selection.filters, context, (block) => {
      const flags = selectedFlags(block);
      const durations = timed ? selectedDurations(block) : noDurations;
      visitors += countVisitors(flags, block.count, visitor);
      for (const [column, counts] of wanted) {
        const own = column === "path" ? rowFlag.first : visitor;
        counts.addRows(selectedIds(block, column), flags, durations, block.count, own);
      }
    });
    return visitors;
  }

  /** How many ids a column has. */
  private idsOf(column: ColumnName): number {
    const { dictionaries, tuples } = this.site;
    return column === "path" ? (dictionaries[0] as ReadDictionary).size : tuples[column].size;
  }

  /** undefined where the facts of the part count somebody else as a visitor, or have too many values. */
  private rollupOf({ facts, whole }: FactsPart, dimension: number): Rollup | undefined {
    const own = (dimensions[dimension] as Dimension).column === "path" ? rowFlag.first : this.visitor;
    return visitorOf(dimension) === own ? facts.rollup(dimension, whole ? "whole" : "day") : undefined;
  }
}

/** The columns whose ids the questions count, each in the most detail that one of them needs. */
export function columnsOfQuestions(questions: readonly Question[]): ReadonlyMap<ColumnName, Detail> {
  const details = new Map<ColumnName, Detail>();
  for (const question of questions) {
    const column =
      question.list === "time" ? "path" : dimensions.find(({ list }) => list === question.list)?.column;
    if (column !== undefined && details.get(column) !== "all") details.set(column, detailOf(question));
  }
  return details;
}

const ofViews: ReadonlySet<keyof Measures> = new Set([
  "visitors",
  "allVisitors",
  "pageviews",
  "allPageviews",
]);

/** Facts have everything: only rows are counted in less detail. */
function detailOf({ list, filters, ...question }: Question): Detail {
  const brief = "summary" in question && question.summary;
  const needs = measuresOf(rowKindOf(list), brief);
  return filters.length > 0 && needs.every((measure) => ofViews.has(measure)) ? "views" : "all";
}

/** The parts of a rollup that stand for a part of the facts: the whole, or its days. */
function partsOf({ whole, from, to, chunk }: FactsPart): [first: number, end: number] {
  return whole ? [0, 1] : [from - firstDay(chunk), to - firstDay(chunk)];
}

function sumOf(numbers: Uint32Array): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
