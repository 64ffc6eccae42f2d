/** The rows of a list as a table, with a bar behind each name. The name is a link that filters by it. */
import type { AnyRow } from "../../../core/query.ts";
import type { Figure } from "../../lib/metric.ts";
import { operandText, questionHref, withFilter, type Question } from "../../lib/question/question.ts";
import { whatOf, type Tab } from "./panels.ts";

export interface ListTableProps {
  readonly caption: string;
  readonly question: Question;
  readonly tab: Tab;
  readonly rows: readonly AnyRow[];
  readonly columns: readonly Figure[];
  /** The field of the share that the bar shows. */
  readonly bar: Figure["field"];
  /** The share that fills the width; the bars of a list are drawn relative to its first. */
  readonly fullBar: number;
}

export function ListTable({ caption, question, tab, rows, columns, bar, fullBar }: ListTableProps) {
  return (
    <table class="list">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{whatOf(tab)}</th>
          {columns.map(({ field, label }) => (
            <th key={field} scope="col" class="number">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row[tab.field]}${row.other}`}>
            <th scope="row" style={{ "--share": `${shareOf(row, bar, fullBar)}%` }}>
              <Name question={question} tab={tab} row={row} />
            </th>
            {columns.map(({ field, write }) => (
              <td key={field} class="number">
                {row[field] === undefined ? "–" : write(row[field])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function shareOf(row: AnyRow, bar: Figure["field"], full: number): number {
  return full === 0 ? 0 : Math.min(100, ((row[bar] ?? 0) / full) * 100);
}

/** A row's name. The row that sums up the values past a limit is no link: nobody can filter for it. */
function Name({ question, tab, row }: Pick<ListTableProps, "question" | "tab"> & { readonly row: AnyRow }) {
  const value = String(row[tab.field]);
  const text = operandText(tab.filter, value);
  if (row.other === true) return <span class="name">{text}</span>;
  const filter = { name: tab.filter, operator: "eq", operands: [value] } as const;
  return (
    <a class="name" dir="auto" href={questionHref(withFilter(question, filter))} title={text}>
      {text}
    </a>
  );
}
