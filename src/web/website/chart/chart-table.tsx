/** The figures of a chart as a table, for everybody. */
import type { NamedInterval } from "../../../core/questions/answer.ts";
import type { IntervalName } from "../../../core/questions/query.ts";
import { noFigure } from "../../lib/texts/metric.ts";
import { byInterval, pointText, type Told } from "./chart-text.ts";
import { t } from "../../lib/texts/words.ts";

const intervalNames: Readonly<Record<IntervalName, string>> = {
  minute: t("Minute"),
  hour: t("Hour"),
  day: t("Day"),
  week: t("Week"),
  month: t("Month"),
};

interface ChartTableProps {
  readonly told: Told;
  readonly before: readonly NamedInterval[] | undefined;
}

export function ChartTable({ told, before }: ChartTableProps) {
  const { course, figure, figures, interval } = told;
  const caption = byInterval(t("Figures"), interval);
  return (
    // The focus makes the region scrollable without a mouse.
    <div class="chart-table" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{intervalNames[interval]}</th>
            {figures.map(({ name, label }) => (
              <th key={name} scope="col" class="number">
                {label}
              </th>
            ))}
            {before !== undefined && (
              <th scope="col" class="number">
                {t("{figure} before", { figure: figure.label })}
              </th>
            )}
            {told.notes.size > 0 && <th scope="col">{t("Notes")}</th>}
          </tr>
        </thead>
        <tbody>
          {course.begun.map((row, at) => (
            <Row key={row.date} told={told} at={at} earlier={before?.[at]} compared={before !== undefined} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly told: Told;
  readonly at: number;
  readonly earlier: NamedInterval | undefined;
  readonly compared: boolean;
}

function Row({ told, at, earlier, compared }: RowProps) {
  const text = pointText(told, at, earlier);
  return (
    <tr>
      <th scope="row">{text?.name}</th>
      {text?.figures.map(({ label, text: value }) => (
        <td key={label} class="number">
          {value}
        </td>
      ))}
      {compared && (
        <td class="number">
          {earlier === undefined ? noFigure : told.figure.write(earlier[told.figure.name])}
        </td>
      )}
      {told.notes.size > 0 && <td class="chart-table-notes">{text?.notes.join("; ")}</td>}
    </tr>
  );
}
