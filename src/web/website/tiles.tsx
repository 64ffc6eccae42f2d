/** The four figures of a period, each a link that picks what the chart shows. */
import type { Totals } from "../../core/query.ts";
import { changeText } from "../lib/format.ts";
import { metricFormats } from "../lib/metric.ts";
import { metricLabels, metricNames, questionHref, type MetricName, type Question } from "../lib/question.ts";

interface TilesProps {
  readonly question: Question;
  readonly totals: Totals | undefined;
  readonly before: Totals | undefined;
}

export function Tiles({ question, totals, before }: TilesProps) {
  return (
    <ul class="tiles">
      {metricNames.map((metric) => (
        <li key={metric}>
          <a
            class="tile"
            href={questionHref({ ...question, metric })}
            aria-current={question.metric === metric ? "true" : undefined}
          >
            <span class="tile-label">{metricLabels[metric]}</span>
            <span class="tile-figure">
              {totals === undefined ? "–" : metricFormats[metric](totals[metric])}
            </span>
            {totals !== undefined && before !== undefined && (
              <Change metric={metric} now={totals[metric]} before={before[metric]} />
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface ChangeProps {
  readonly metric: MetricName;
  readonly now: number;
  readonly before: number;
}

/** A bounce rate moves by percentage points, what is counted by its share. */
function Change({ metric, now, before }: ChangeProps) {
  const isRate = metric === "bounce_percentage";
  const was = `from ${metricFormats[metric](before)}`;
  const moved = changeText(now, before, isRate);
  if (moved === undefined) return <span class="change">{was}</span>;
  const better = isRate ? now < before : now > before;
  const tone = moved.startsWith("±") ? "same" : better ? "better" : "worse";
  return (
    <span class="change" data-tone={tone}>
      {moved} <span class="weak">{was}</span>
    </span>
  );
}
