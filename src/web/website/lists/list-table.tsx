/** The rows of a list as a table, with a bar behind each name. The name is a link that filters by it. */
import { listedDimensions } from "../../../core/questions/dimension.ts";
import type { MetricName } from "../../../core/questions/metric.ts";
import type { AnyRow } from "../../../core/questions/answer.ts";
import { termOf } from "../../lib/texts/definitions.ts";
import { closeText, type Figure } from "../../lib/texts/metric.ts";
import { operandText, questionHref, withFilter, type Question } from "../../lib/question/question.ts";
import { valueText, valueTitle } from "../../lib/question/value-text.ts";
import { cellOf } from "../../parts/tables/cell.ts";
import { Change } from "../../parts/tables/change.tsx";
import { CopyTool } from "../../parts/copy-tool.tsx";
import { BarTable, type Sorting } from "../../parts/tables/bar-table.tsx";
import { Explained } from "../../parts/dialogs/explained.tsx";
import { Mark } from "../../parts/mark.tsx";
import { whatOf, type Tab } from "./panels.ts";
import { t, translated } from "../../lib/texts/words.ts";

/** The filters whose values have marks. */
const marked: ReadonlySet<string> = new Set(["browser", "os", "device", "country"]);

export interface ListTableProps {
  readonly caption: string;
  readonly question: Question;
  readonly tab: Tab;
  readonly rows: readonly AnyRow[];
  readonly columns: readonly Figure[];
  /** The share that the bar shows. */
  readonly bar: MetricName;
  /** The share that fills the width; the bars of a list are drawn relative to its first. */
  readonly fullBar: number;
  /** Whether some of the figures are close to the right ones, and not exact. */
  readonly isApproximate?: boolean | undefined;
  /** A whole list: the table has the columns to sort by, and a button that copies each name. */
  readonly sorting?: Sorting;
  /** Whether rows that were not there in the other period say so. */
  readonly hasNew?: boolean;
}

export function ListTable(props: ListTableProps) {
  const { caption, question, tab, rows, columns, bar, fullBar, isApproximate, sorting, hasNew } = props;
  return (
    <BarTable
      caption={caption}
      sorting={sorting}
      tools={sorting && t("Copy")}
      what={
        isSource(tab) ? (
          <Explained term={question.visits ? "visit_source" : "source"}>{whatOf(tab)}</Explained>
        ) : (
          whatOf(tab)
        )
      }
      columns={columns.map(({ name, label }, at) => ({
        key: name,
        term: termOf(name, question.visits),
        label,
        // Bars and order follow the visitors: a narrow window has them, or the share that they are.
        minor:
          columns.length === 3 &&
          at === (question.goal === undefined ? 0 : 2 - Number(columns[2]!.name === "amount")),
      }))}
      rows={rows.map((row) => ({
        key: `${row[tab.field]}${row.other}`,
        name: <Name question={question} tab={tab} row={row} />,
        share: shareOf(row, bar, fullBar),
        cells: columns.map((column) => {
          const value = row[column.name];
          const full = column.write(value);
          // A whole list scrolls, and has figures in full.
          const cell = sorting === undefined ? cellOf(column, value, columns.length) : { text: full, full };
          const said = (text: string) => (isApproximate ? closeText(column, tab.list, text) : text);
          return { text: said(cell.text), full: said(cell.full) };
        }),
        changes: columns.map((column, at) =>
          at === 0 && hasNew && isNew(row) ? (
            <span class="change weak">{t("new")}</span>
          ) : column.format === "count" || column.format === "amount" || columns.length > 3 ? (
            <Change figure={column} now={row[column.name]} before={row.previous?.[column.name]} />
          ) : undefined,
        ),
        tool: sorting && row.other !== true && (
          <CopyTool text={String(row[tab.field])} label={operandText(tab.filter, String(row[tab.field]))} />
        ),
      }))}
    />
  );
}

/** Whether a row was not there in the other period. */
function isNew({ previous, other }: AnyRow): boolean {
  return previous === undefined && other !== true;
}

function isSource({ filter }: Tab): boolean {
  return listedDimensions.some(({ name, column }) => name === filter && column === "source");
}

function shareOf(row: AnyRow, bar: MetricName, full: number): number {
  return full === 0 ? 0 : Math.min(100, ((row[bar] ?? 0) / full) * 100);
}

/** A row's name. The row that sums up the values past a limit is no link: nobody can filter for it. */
function Name({ question, tab, row }: Pick<ListTableProps, "question" | "tab"> & { readonly row: AnyRow }) {
  const value = String(row[tab.field]);
  if (row.other === true)
    return (
      <span class="name">
        <Explained term="other">{translated(value)}</Explained>
      </span>
    );
  const filter = { name: tab.filter, operator: "eq", operands: [value] } as const;
  return (
    <a
      class="name"
      dir="auto"
      href={questionHref(withFilter(question, filter))}
      title={
        // Its figures are those of the visits that began or ended there.
        tab.filter === "path" && (tab.list === "entries" || tab.list === "exits")
          ? t("{name}: all visits to this page", { name: operandText(tab.filter, value) })
          : valueTitle(question, tab.filter, value)
      }
    >
      {marked.has(tab.filter) && <Mark name={value} />}
      {valueText(question, tab.filter, value)}
    </a>
  );
}
