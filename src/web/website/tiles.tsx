/** The figures of a period. Each is a link that makes the chart show it. */
import type { Totals } from "../../core/query.ts";
import { changeText } from "../lib/format.ts";
import { figures, type Figure, type MetricName } from "../lib/metric.ts";
import { questionHref, type Question } from "../lib/question/question.ts";

interface TilesProps {
  readonly question: Question;
  readonly totals: Totals | undefined;
  readonly before: Totals | undefined;
}

export function Tiles({ question, totals, before }: TilesProps) {
  return (
    <ul class="tiles">
      {figures.map((figure) => (
        <li key={figure.field}>
          <a
            class="tile"
            href={questionHref({ ...question, metric: figure.field })}
            aria-current={question.metric === figure.field ? "true" : undefined}
          >
            <span class="tile-label">{figure.label}</span>
            <span class="tile-figure">{totals === undefined ? "–" : figure.write(totals[figure.field])}</span>
            {totals !== undefined && before !== undefined && (
              <Change figure={figure} now={totals[figure.field]} before={before[figure.field]} />
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface ChangeProps {
  readonly figure: Figure<MetricName>;
  readonly now: number;
  readonly before: number;
}

/** The change of a figure: a percentage changes by points, a count by percent. */
function Change({ figure, now, before }: ChangeProps) {
  const was = `from ${figure.write(before)}`;
  const moved = changeText(now, before, figure.format === "percentage");
  if (moved === undefined) return <span class="change">{was}</span>;
  const better = figure.lessIsBetter ? now < before : now > before;
  const tone = moved.startsWith("±") ? "same" : better ? "better" : "worse";
  return (
    <span class="change" data-tone={tone}>
      {moved} <span class="weak">{was}</span>
    </span>
  );
}
