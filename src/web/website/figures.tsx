/** The figures of a period: the tiles, and the chart of the one that is chosen. */
import type { NamedSummary } from "../../core/questions/answer.ts";
import { averageAmount } from "../../core/questions/metric.ts";
import type { IntervalName } from "../../core/questions/query.ts";
import { navigate } from "../lib/address.ts";
import { useAnswer, useHeld } from "../lib/answer.ts";
import { endOf } from "../lib/calendar/intervals.ts";
import { datesOfSpan } from "../lib/calendar/comparison.ts";
import { datesText, spanOf } from "../lib/calendar/period.ts";
import { dateIn, parseDate } from "../lib/calendar/zone.ts";
import { utcDate } from "../lib/texts/format.ts";
import { figureNamed, figuresOf, type Figure } from "../lib/texts/metric.ts";
import { importedText } from "../lib/texts/imported-text.ts";
import { comparedWith, earlierChartPath, earlierChartSpan, summaryPath } from "../lib/question/paths.ts";
import { incomparableText, isIncomparable } from "../lib/question/incomparable.ts";
import { intervalOf, questionHref, type Question } from "../lib/question/question.ts";
import type { GoalRow } from "../lib/question/steps.ts";
import { Failed } from "../parts/notice.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { Incomparable } from "../parts/tables/change.tsx";
import { Tool } from "../parts/tool.tsx";
import { Chart, ChartPlace } from "./chart/chart.tsx";
import { ChartIntervals, showsWeek } from "./chart/chart-intervals.tsx";
import { useNotes } from "./notes.tsx";
import { save } from "./save.ts";
import { Tiles } from "./tiles.tsx";
import { t } from "../lib/texts/words.ts";

const WeekHours = onDemand(async () => (await import("./chart/week-hours.tsx")).WeekHours, ChartPlace);

interface FiguresProps {
  readonly question: Question;
  /** The question that the summary answers: the one before while another is under way. */
  readonly answered: Question;
  readonly summary: ReturnType<typeof useAnswer<NamedSummary>>;
  /** The goal that is chosen, once it is known. */
  readonly goal: GoalRow | undefined;
}

export function Figures({ question, answered, summary, goal }: FiguresProps) {
  const nowMs = Date.now();
  const { zone, period } = answered;
  const figure = figureNamed(question, question.metric) as Figure;
  const span = spanOf(period, zone, nowMs);
  const interval = intervalOf(answered, span);
  const other = comparedWith(answered, nowMs)?.whole;
  const earlier = useHeld(useEarlier(question, summary.data, nowMs), summary.loading);
  const notes = useNotes(question);
  if (summary.error !== undefined)
    return (
      <section class="card">
        <Failed error={summary.error} what={t("the figures")} />
        {notes.dialog}
      </section>
    );
  const { data, loading } = summary;
  const saveChart = () => void save(question, summaryPath(question), "chart");
  const picks = interval !== "hour" && interval !== "minute";
  return (
    <section class="card figures" aria-label={t("Figures of the period")} aria-busy={loading}>
      <Incomparable.Provider value={isIncomparable(answered, data)}>
        <Tiles
          question={question}
          totals={data?.current}
          before={other && data?.previous}
          average={goal && averageAmount(goal)}
          isApproximate={data?.approximate}
        />
      </Incomparable.Provider>
      <ChartHead question={question} answered={answered} summary={data} />
      {showsWeek(question) ? (
        <WeekHours question={question} figure={figure} />
      ) : (
        <>
          {data?.interval === undefined ? (
            <ChartPlace />
          ) : (
            <Chart
              current={data.interval}
              span={span}
              before={earlier}
              totals={data.current}
              figure={figure}
              figures={figuresOf(question)}
              interval={interval}
              zone={zone}
              {...(picks && { onPick: (date: string) => showInterval(question, interval, date) })}
              {...(notes.chart && { notes: notes.chart })}
            />
          )}
          <div class="figures-tools">
            <Tool icon="download" label={t("Chart as CSV")} onClick={saveChart} />
          </div>
        </>
      )}
      {notes.dialog}
    </section>
  );
}

/** Makes an interval of the chart the period. */
function showInterval(question: Question, interval: IntervalName, date: string): void {
  const { zone } = question;
  const from = parseDate(date.slice(0, 10));
  if (from === undefined) return;
  const to = dateIn(zone, endOf(date, interval, zone) - 1);
  navigate(questionHref({ ...question, interval: undefined, period: { name: "custom", from, to } }));
}

/**
 * Returns the intervals of the other period, once they are there, and its dates; undefined if the chart draws none. `own`:
 * the summary of the period that is shown.
 */
function useEarlier(question: Question, own: NamedSummary | undefined, nowMs: number) {
  const path = earlierChartPath(question, nowMs);
  const { data, error, loading } = useAnswer<NamedSummary>(path);
  const span = comparedWith(question, nowMs)?.whole;
  // An answer about a period whose first months have sums only begins later: its intervals would be on the wrong days.
  const isWhole = own?.rows_from === undefined && data?.rows_from === undefined;
  const drawn = earlierChartSpan(question, nowMs);
  // Nothing was recorded then, which is no zeros to compare with.
  const isRecorded = drawn !== undefined && !(Date.parse(own?.recorded_from ?? "") > drawn.endMs);
  if (span === undefined || error !== undefined || !isWhole || !isRecorded) return undefined;
  return {
    intervals: loading ? undefined : data?.interval,
    span: drawn,
    text: datesText(datesOfSpan(span, question.zone)),
  };
}

interface ChartHeadProps extends Pick<FiguresProps, "question" | "answered"> {
  readonly summary: NamedSummary | undefined;
}

function ChartHead({ question, answered, summary }: ChartHeadProps) {
  return (
    <div class="chart-head">
      <div class="hint">{summary && <Reach question={answered} summary={summary} />}</div>
      <ChartIntervals question={question} />
    </div>
  );
}

interface ReachProps {
  readonly question: Question;
  readonly summary: NamedSummary;
}

/** Says where months without page views are in the figures, or are not, and where figures cannot be compared. */
function Reach({ question, summary }: ReachProps) {
  const { rows_from, approximate } = summary;
  const sentences = [
    incomparableText(question, summary),
    rows_from && t("Earlier months have sums only: this is from {date} on.", { date: utcDate(rows_from) }),
    importedText(question, summary),
    approximate && t("~ Times of earlier months are close, not exact."),
  ];
  return sentences.map((text) => text && <p>{text}</p>);
}
