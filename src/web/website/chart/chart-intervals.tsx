/** The choice of the chart's intervals, beside the chart. */
import { intervalLabels, intervalsFor, spanOf } from "../../lib/calendar/period.ts";
import { intervalOf, questionHref, withTab, type Question } from "../../lib/question/question.ts";
import { t } from "../../lib/texts/words.ts";

const [chart, week] = ["chart", "weekday"];

/** Whether the figures are shown by weekday and hour instead. */
export function showsWeek({ tabs }: Question): boolean {
  return tabs.get(chart) === week;
}

export function ChartIntervals({ question }: { readonly question: Question }) {
  const span = spanOf(question.period, question.zone, Date.now());
  const shown = showsWeek(question) ? week : intervalOf(question, span);
  const tabs = new Map([...question.tabs].filter(([panel]) => panel !== chart));
  const links: readonly (readonly [name: string, label: string, to: Question])[] = [
    ...intervalsFor(span).map(
      (interval, at) =>
        [
          interval,
          intervalLabels[interval],
          { ...question, tabs, interval: at === 0 ? undefined : interval },
        ] as const,
    ),
    [week, t("Weekdays"), withTab(question, chart, week)],
  ];
  return (
    <ul class="chart-intervals" aria-label={t("Intervals of the chart")}>
      {links.map(([name, label, to]) => (
        <li key={name}>
          <a href={questionHref(to)} aria-current={name === shown ? "true" : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  );
}
