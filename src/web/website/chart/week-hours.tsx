/** A figure by weekday and hour, as a table whose cells are darker the higher they are: it shows when visitors come. */
import { dayMs } from "../../../core/hit.ts";
import { useMemo, useRef, useState } from "preact/hooks";
import type { NamedSummary } from "../../../core/questions/answer.ts";
import { useAnswer, useHeld } from "../../lib/answer.ts";
import { datesOfSpan } from "../../lib/calendar/comparison.ts";
import { datesText, spanOf } from "../../lib/calendar/period.ts";
import {
  addsUp,
  firstCounted,
  highestOf,
  hoursSpan,
  weekHours,
  weeksMax,
  type WeekHour,
} from "../../lib/calendar/week-hours.ts";
import { dateIn, placeOf, startOfDate } from "../../lib/calendar/zone.ts";
import { windowUpTo } from "../../lib/narrow.ts";
import { chartPath } from "../../lib/question/paths.ts";
import { isFiltered, type Question } from "../../lib/question/question.ts";
import type { Figure } from "../../lib/texts/metric.ts";
import { Empty, Failed } from "../../parts/notice.tsx";
import { Tool } from "../../parts/tool.tsx";
import { save } from "../save.ts";
import { ChartPlace } from "./chart.tsx";
import { cellText, hourHead, hourText, weekdayText } from "./week-hours-text.ts";
import { isRightToLeft, t } from "../../lib/texts/words.ts";

interface WeekHoursProps {
  readonly question: Question;
  /** The one that is chosen. */
  readonly figure: Figure;
}

export function WeekHours({ question, figure }: WeekHoursProps) {
  const nowMs = Date.now();
  const asked = hoursSpan(spanOf(question.period, question.zone, nowMs), question.zone, nowMs);
  const path = chartPath(question, asked, { interval: "hour" });
  const { data, error, loading } = useAnswer<NamedSummary>(path);
  const { zone, visits, filtered, span } = useHeld(
    { ...question, filtered: isFiltered(question), span: asked },
    loading,
  );
  const week = useMemo(() => {
    const { interval: hours = [], imported_until, rows_from, recorded_from } = data ?? {};
    // Days before the website was counted are in no average; sums of days have no hours, and filters select nothing from them.
    const firstMs = recorded_from ? startOfDate(zone, dateIn(zone, Date.parse(recorded_from))) : 0;
    const wholeMs = Math.max(0, ...[imported_until, rows_from].map((time) => (time ? Date.parse(time) : 0)));
    // A filter may select what is rare: its first day says nothing of when counting began.
    const ownMs =
      wholeMs > 0 && !filtered ? firstCounted(hours.filter(({ date }) => Date.parse(date) >= wholeMs)) : 0;
    const fromMs = Math.max(span.startMs ?? 0, firstMs, wholeMs, ownMs || 0);
    const weight = visits ? "visits" : figure.name === "time_median" ? "pageviews" : "visitors";
    return {
      fromMs,
      hasSums: wholeMs > (span.startMs ?? 0),
      days: weekHours(hours, { name: figure.name, weight, fromMs, nowMs }),
    };
  }, [data, figure.name, filtered]);
  if (error !== undefined) return <Failed error={error} what={t("the figures")} />;
  if (data === undefined) return <ChartPlace />;
  if (!week.days.flat().some(({ times }) => times > 0))
    return (
      <Empty>
        <p>{t("No hour of this period is over and has page views of its own.")}</p>
      </Empty>
    );
  const sentences = [
    t("Hours in the time of {zone}, {dates}.", {
      zone: placeOf(zone),
      dates: datesText(datesOfSpan({ startMs: week.fromMs, endMs: Math.min(span.endMs, nowMs) }, zone)),
    }),
    week.hasSums && t("Earlier days have sums only, without hours."),
    !addsUp(figure.name) && t("Hours with more visits weigh more in shares and times."),
    // Without as many, the period is shown whole.
    span.isCut &&
      week.fromMs < (span.startMs ?? 0) + dayMs &&
      t("A period of more than a year is shown by its last {n} weeks.", { n: weeksMax }),
  ];
  return (
    <div class="chart">
      <Grid days={week.days} figure={figure} />
      <div class="chart-foot">
        <p>{sentences.filter(Boolean).join(" ")}</p>
      </div>
      <div class="figures-tools">
        <Tool icon="download" label={t("Hours as CSV")} onClick={() => void save(question, path, "hours")} />
      </div>
    </div>
  );
}

interface GridProps extends Pick<WeekHoursProps, "figure"> {
  /** Seven days of 24 hours. */
  readonly days: readonly (readonly WeekHour[])[];
}

/** Whether 24 cells beside each other are too narrow for their figures. */
const isNarrow = windowUpTo("60rem");

/** A row is a day, or an hour where the window is narrow. */
function Grid({ days, figure }: GridProps) {
  const isTurned = isNarrow.value;
  const rows = isTurned ? days[0]!.map((_, hour) => days.map((day) => day[hour]!)) : days;
  const highest = highestOf(days);
  const keys = useCells(rows, highest);
  const { shown, active, ...handlers } = keys;
  const caption = t("{figure} by weekday and hour", { figure: figure.label });
  const said = shown ?? highest;
  return (
    <>
      <table class="week-hours" role="grid" aria-label={caption} {...handlers}>
        <thead>
          <tr>
            <td />
            {rows[0]!.map((cell) => (
              <th key={cell.weekday * 24 + cell.hour} scope="col">
                {isTurned ? <Weekday {...cell} /> : <Hour {...cell} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              <th scope="row">{isTurned ? <Hour {...row[0]!} /> : <Weekday {...row[0]!} />}</th>
              {row.map((cell, column) => (
                <Cell
                  key={column}
                  cell={cell}
                  place={`${at} ${column}`}
                  isActive={cell === active}
                  figure={figure}
                  highest={highest?.value ?? 0}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint week-hours-said">
        {said &&
          (shown === undefined
            ? t("Highest: {hour}", { hour: hourText(said, figure) })
            : hourText(said, figure))}
      </p>
    </>
  );
}

function Weekday({ weekday }: Pick<WeekHour, "weekday">) {
  return <abbr title={weekdayText(weekday, "long")}>{weekdayText(weekday, "short")}</abbr>;
}

function Hour({ hour }: Pick<WeekHour, "hour">) {
  return <>{hourHead(hour)}</>;
}

/** The shades, as shares of the accent in the colour of a cell: on all of them text can be read. */
const shades = [0, 10, 20, 32, 46, 100] as const;

interface CellProps extends Pick<WeekHoursProps, "figure"> {
  readonly cell: WeekHour;
  /** The numbers of its row and column. */
  readonly place: string;
  /** Whether Tab leads to it. */
  readonly isActive: boolean;
  readonly highest: number;
}

function Cell({ cell, place, isActive, figure, highest }: CellProps) {
  const { value } = cell;
  const shade = highest === 0 ? 0 : Math.ceil(((value ?? 0) / highest) * (shades.length - 1));
  return (
    <td
      data-place={place}
      data-shade={shade}
      tabIndex={isActive ? 0 : -1}
      style={{ "--shade": `${shades[shade]}%` }}
    >
      {cellText(value, figure)}
    </td>
  );
}

/**
 * Returns the hour that is pointed at or has the focus, the one to which Tab leads, and what follows pointer and keys:
 * arrow keys go from cell to cell.
 */
function useCells(rows: readonly (readonly WeekHour[])[], first: WeekHour | undefined) {
  const table = useRef<HTMLTableElement>(null);
  const [focused, setFocused] = useState<Place>();
  const [shown, setShown] = useState<Place>();
  const cellAt = (place: Place | undefined) => place && rows[place.row]?.[place.column];
  const active = cellAt(focused) ?? first ?? rows[0]?.[0];
  const leave = () => setShown(undefined);
  return {
    shown: cellAt(shown),
    active,
    ref: table,
    onPointerOver: (event: PointerEvent) => setShown(placeIn(event.target)),
    onPointerLeave: leave,
    onFocusIn: (event: FocusEvent) => {
      setFocused(placeIn(event.target));
      setShown(placeIn(event.target));
    },
    onFocusOut: leave,
    onKeyDown: (event: KeyboardEvent) => {
      const next = placeAfter(event, rows);
      if (next === undefined) return;
      event.preventDefault();
      table.current?.querySelector<HTMLElement>(`[data-place="${next.row} ${next.column}"]`)?.focus();
    },
  };
}

interface Place {
  readonly row: number;
  readonly column: number;
}

function placeIn(target: EventTarget | null): Place | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-place]") : null;
  const [row, column] = cell?.dataset["place"]?.split(" ").map(Number) ?? [];
  return row === undefined || column === undefined ? undefined : { row, column };
}

/** Returns where a key leads from the cell that has the focus; undefined if nowhere. */
function placeAfter(event: KeyboardEvent, rows: readonly (readonly WeekHour[])[]): Place | undefined {
  const place = placeIn(event.target);
  const length = rows[0]?.length ?? 0;
  if (place === undefined || event.altKey || event.ctrlKey || event.metaKey) return undefined;
  const forward = isRightToLeft ? -1 : 1;
  const { row, column } = place;
  const steps: Readonly<Record<string, Place>> = {
    ArrowRight: { row, column: column + forward },
    ArrowLeft: { row, column: column - forward },
    ArrowDown: { row: row + 1, column },
    ArrowUp: { row: row - 1, column },
    Home: { row, column: 0 },
    End: { row, column: length - 1 },
  };
  const next = steps[event.key];
  return next && rows[next.row]?.[next.column] && next;
}
