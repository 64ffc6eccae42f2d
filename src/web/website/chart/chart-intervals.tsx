/** The choice of the chart's intervals, beside the chart. */
import { intervalLabels, intervalsFor, spanOf } from "../../lib/calendar/period.ts";
import { intervalOf, questionHref, type Question } from "../../lib/question/question.ts";
import { t } from "../../lib/texts/words.ts";

export function ChartIntervals({ question }: { readonly question: Question }) {
  const span = spanOf(question.period, question.zone, Date.now());
  const shown = intervalOf(question, span);
  return (
    <ul class="chart-intervals" aria-label={t("Intervals of the chart")}>
      {intervalsFor(span).map((interval, at) => (
        <li key={interval}>
          <a
            href={questionHref({ ...question, interval: at === 0 ? undefined : interval })}
            aria-current={interval === shown ? "true" : undefined}
          >
            {intervalLabels[interval]}
          </a>
        </li>
      ))}
    </ul>
  );
}
