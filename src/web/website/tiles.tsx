/** The figures of a period. Each is a link that makes the chart show it. */
import type { NamedFigures } from "../../core/metric.ts";
import { changeText } from "../lib/format.ts";
import { figuresOf, type Figure } from "../lib/metric.ts";
import { questionHref, type Question } from "../lib/question/question.ts";
import { ExplainedBeside } from "../parts/explained.tsx";

interface TilesProps {
  readonly question: Question;
  readonly totals: NamedFigures | undefined;
  readonly before: NamedFigures | undefined;
}

export function Tiles({ question, totals, before }: TilesProps) {
  return (
    <ul class="tiles">
      {figuresOf(question).map((figure) => (
        <li key={figure.name}>
          <a
            class="tile"
            href={questionHref({ ...question, metric: figure.name })}
            aria-current={question.metric === figure.name ? "true" : undefined}
          >
            <span class="tile-label">{figure.label}</span>
            <span class="tile-figure">{figure.write(totals?.[figure.name])}</span>
            <Change figure={figure} now={totals?.[figure.name]} before={before?.[figure.name]} />
          </a>
          <ExplainedBeside term={figure.name} label={figure.label} />
        </li>
      ))}
    </ul>
  );
}

interface ChangeProps {
  readonly figure: Figure;
  readonly now: number | undefined;
  readonly before: number | undefined;
}

/** The change of a figure: a percentage changes by points, a count by percent. A missing figure has none. */
function Change({ figure, now, before }: ChangeProps) {
  if (now === undefined || before === undefined) return null;
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
