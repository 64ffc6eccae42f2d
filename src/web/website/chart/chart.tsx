/**
 * A metric over the intervals of a period, for mouse, touch, keyboard and screen reader, or as a table. The chart also
 * shows the period that it is compared with, interval by interval from the first.
 */
import type { RefObject } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { NamedFigures } from "../../../core/questions/named-metric.ts";
import type { NamedInterval } from "../../../core/questions/answer.ts";
import type { IntervalName } from "../../../core/questions/query.ts";
import { courseOf, isPartOf, namesOf, partDays } from "../../lib/calendar/intervals.ts";
import type { Span } from "../../lib/calendar/period.ts";
import type { Figure } from "../../lib/texts/metric.ts";
import { notesByInterval, type Note } from "../../lib/texts/notes.ts";
import { Loading } from "../../parts/notice.tsx";
import { onDemand } from "../../parts/on-demand.tsx";
import { ChartFigure } from "./chart-figure.tsx";
import type { ChartNotes } from "./note-marks.tsx";
import { t } from "../../lib/texts/words.ts";

const ChartTable = onDemand(async () => (await import("./chart-table.tsx")).ChartTable, Loading);

/** The period that the shown one is compared with. */
export interface Earlier {
  /** There may be more or fewer than of the shown period; only as many are shown. */
  readonly intervals: readonly NamedInterval[] | undefined;
  readonly span: Span;
  /** Its dates. */
  readonly text: string;
}

export interface ChartProps {
  readonly current: readonly NamedInterval[];
  /** The period, which may begin or end within an interval. */
  readonly span: Span;
  readonly before: Earlier | undefined;
  readonly totals: NamedFigures;
  /** The one that is shown, and all that the website has. */
  readonly figure: Figure;
  readonly figures: readonly Figure[];
  readonly interval: IntervalName;
  /** The IANA name of the zone with which the intervals were asked for. */
  readonly zone: string;
  readonly nowMs?: number;
  readonly notes?: {
    readonly list: readonly Note[];
    readonly onOpen: ChartNotes["onOpen"];
    /** Adds a note; undefined for readers who may add none. */
    readonly onAdd: (() => void) | undefined;
    /** The button that adds one. */
    readonly add: RefObject<HTMLButtonElement | null>;
  };
  /** Receives the start of the interval that was picked, RFC 3339 with offset. */
  readonly onPick?: (date: string) => void;
}

export function Chart({ nowMs = Date.now(), ...props }: ChartProps) {
  const { current, span, before, totals, figure, figures, interval, zone, onPick, notes } = props;
  const [asTable, setAsTable] = useState(false);
  const told = useMemo(
    () => ({
      course: courseOf(current, interval, zone, nowMs, span.endMs),
      figure,
      figures,
      total: totals[figure.name],
      interval,
      nameOf: namesOf(interval, zone, span),
      isPart: (date: string) =>
        isPartOf({ ...span, endMs: Math.min(span.endMs, nowMs) }, date, interval, zone),
      nameBefore: namesOf(interval, zone, before?.span),
      isAlike: (date: string, other: string) =>
        partDays(span, date, interval, zone) === partDays(before?.span ?? span, other, interval, zone),
      notes: notesByInterval(notes?.list ?? [], current, interval, zone),
    }),
    [current, before?.intervals, totals, figure, interval, zone, notes?.list],
  );
  const earlier = useMemo(() => before?.intervals?.slice(0, current.length), [before?.intervals, current]);
  return (
    <div class="chart">
      {asTable ? (
        <ChartTable told={told} before={earlier} />
      ) : (
        <ChartFigure
          told={told}
          intervals={current}
          before={earlier}
          zone={zone}
          onPick={onPick}
          onNotes={notes?.onOpen}
        />
      )}
      <div class="chart-foot">
        <button type="button" class="plain" onClick={() => setAsTable(!asTable)}>
          {asTable ? t("Show as chart") : t("Show as table")}
        </button>
        {notes?.onAdd && (
          <button ref={notes.add} type="button" class="plain" aria-haspopup="dialog" onClick={notes.onAdd}>
            {t("Add note")}
          </button>
        )}
        {before && !asTable && <Legend text={before.text} />}
      </div>
    </div>
  );
}

/** Keeps the place of a chart whose figures are not there yet. */
export function ChartPlace() {
  return (
    <div class="chart">
      <div class="chart-figure" />
      <div class="chart-foot">
        <Loading />
      </div>
    </div>
  );
}

function Legend({ text }: { readonly text: string }) {
  return (
    <p class="chart-legend">
      <svg width="24" height="2" viewBox="0 0 24 2" aria-hidden="true">
        <path class="chart-before" d="M1 1H23" />
      </svg>
      {text}
    </p>
  );
}
