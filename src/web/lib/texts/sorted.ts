/** Sorts the rows of a list by one of their fields. */
import type { AnyRow } from "../../../core/questions/answer.ts";
import { locale as ownLocale } from "./words.ts";

export interface Sort {
  readonly field: keyof AnyRow;
  readonly descending: boolean;
  /** Whether figures are sorted by how much more or less they are than in the other period. */
  readonly byChange?: boolean | undefined;
}

/** Returns the sort after a click on a column: names begin with the first of the alphabet, figures with the largest. */
export function sortAfter(sort: Sort | undefined, field: keyof AnyRow, isName: boolean): Sort {
  const descending = sort?.field === field ? !sort.descending : !isName;
  return { field, descending, byChange: sort?.byChange };
}

/** Returns the rows in an order. Those without a value, and the row that sums up the values past a limit, are last. */
export function sortedRows(rows: readonly AnyRow[], sort: Sort | undefined): readonly AnyRow[] {
  if (sort === undefined) return rows;
  const { field, descending, byChange } = sort;
  const rank = (row: AnyRow) => (row.other === true ? 2 : row[field] === undefined ? 1 : 0);
  const names = new Intl.Collator(ownLocale, { numeric: true });
  const order = (a: AnyRow, b: AnyRow) => {
    const [x, y] = [valueOf(a, field, byChange), valueOf(b, field, byChange)];
    return typeof x === "number" && typeof y === "number" ? x - y : names.compare(String(x), String(y));
  };
  return rows.toSorted((a, b) => rank(a) - rank(b) || (descending ? order(b, a) : order(a, b)));
}

/** A row that was not there in the other period has grown by all that it has. */
function valueOf(row: AnyRow, field: keyof AnyRow, byChange = false): unknown {
  const now = row[field];
  const before = row.previous?.[field as keyof NonNullable<AnyRow["previous"]>] ?? 0;
  return byChange && typeof now === "number" ? now - before : now;
}
