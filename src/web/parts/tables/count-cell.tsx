/** A cell of a table with a count, shortened, and its change. */
import { shortCount } from "../../lib/texts/format.ts";
import { noFigure, type Figure } from "../../lib/texts/metric.ts";
import { Change } from "./change.tsx";

interface CountCellProps {
  readonly column: Figure;
  readonly now: number | undefined;
  readonly before: number | undefined;
}

export function CountCell({ column, now, before }: CountCellProps) {
  return (
    <td class="number" title={column.write(now)}>
      {now === undefined ? noFigure : shortCount(now)}
      <Change figure={column} now={now} before={before} />
    </td>
  );
}
