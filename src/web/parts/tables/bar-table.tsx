/** A table of names and figures, with a bar behind each name. */
import type { ComponentChildren } from "preact";
import type { Term } from "../../../core/definition.ts";
import { Explained } from "../dialogs/explained.tsx";
import type { Cell } from "./cell.ts";
import { t } from "../../lib/texts/words.ts";

export interface BarRow {
  readonly key: string;
  readonly name: ComponentChildren;
  /** How much of the width the bar fills, from 0 to 100. */
  readonly share: number;
  readonly cells: readonly Cell[];
  /** The changes of the figures, under them. */
  readonly changes?: readonly ComponentChildren[] | undefined;
  /** A button at the end of the row. */
  readonly tool?: ComponentChildren;
}

export interface BarColumn {
  readonly key: string;
  readonly label: string;
  /** Explains the figures. */
  readonly term: Term;
  /** Whether a narrow window has no room for it. */
  readonly minor?: boolean;
}

/** Sorts a table by its columns. */
export interface Sorting {
  /** The key of the column, or "" for the names. */
  readonly by: string | undefined;
  readonly descending: boolean;
  readonly onSort: (key: string) => void;
}

interface BarTableProps {
  readonly caption: string;
  /** The head of the names. */
  readonly what: ComponentChildren;
  readonly columns: readonly BarColumn[];
  readonly rows: readonly BarRow[];
  /** The head of the column of buttons, where rows have them. */
  readonly tools?: string | undefined;
  readonly sorting?: Sorting | undefined;
}

export function BarTable({ caption, what, columns, rows, tools, sorting }: BarTableProps) {
  return (
    <table class="list" data-columns={columns.length}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col" aria-sort={directionOf("", sorting)} aria-label={sorting && caption}>
            {what}
            {sorting && <SortButton column="" label={t("name")} sorting={sorting} />}
          </th>
          {columns.map(({ key, term, label, minor }) => (
            <th
              key={key}
              scope="col"
              class="number"
              data-minor={minor}
              aria-sort={directionOf(key, sorting)}
              aria-label={sorting && label}
            >
              <Explained term={term}>{label}</Explained>
              {sorting && <SortButton column={key} label={label} sorting={sorting} />}
            </th>
          ))}
          {tools !== undefined && (
            <th scope="col" class="tool">
              <span class="visually-hidden">{tools}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, share, cells, changes, tool }) => (
          <tr key={key}>
            <th scope="row" style={{ "--share": `${share}%` }}>
              {name}
            </th>
            {cells.map(({ text, full }, at) => (
              <td
                key={columns[at]?.key}
                class="number"
                data-minor={columns[at]?.minor}
                title={text === full ? undefined : full}
              >
                {text}
                {changes?.[at]}
              </td>
            ))}
            {tools !== undefined && <td class="tool">{tool}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function directionOf(column: string, sorting: Sorting | undefined): "ascending" | "descending" | undefined {
  if (sorting?.by !== column) return undefined;
  return sorting.descending ? "descending" : "ascending";
}

interface SortButtonProps {
  readonly column: string;
  readonly label: string;
  readonly sorting: Sorting;
}

function SortButton({ column, label, sorting }: SortButtonProps) {
  const direction = directionOf(column, sorting);
  return (
    <button
      type="button"
      class="plain sort-button"
      aria-label={t("Sort by {what}", { what: label })}
      title={t("Sort by {what}", { what: label })}
      aria-pressed={direction !== undefined}
      onClick={() => sorting.onSort(column)}
    >
      <span aria-hidden="true">{direction === undefined ? "↕" : direction === "ascending" ? "↑" : "↓"}</span>
    </button>
  );
}
