/** The figures of a period. Each is a link that makes the chart show it. */
import type { MetricName } from "../../core/questions/metric.ts";
import type { NamedFigures } from "../../core/questions/named-metric.ts";
import { termOf } from "../lib/texts/definitions.ts";
import { figuresOf, closeText } from "../lib/texts/metric.ts";
import { narrow } from "../lib/narrow.ts";
import { questionHref, type Question } from "../lib/question/question.ts";
import { Change, ChangePlace } from "../parts/tables/change.tsx";
import { ExplainedBeside } from "../parts/dialogs/explained.tsx";
import { t } from "../lib/texts/words.ts";

interface TilesProps {
  readonly question: Question;
  readonly totals: NamedFigures | undefined;
  readonly isApproximate?: boolean | undefined;
  readonly before: NamedFigures | undefined;
  /** The amount that the chosen goal brought each time, where that is known. */
  readonly average?: number | undefined;
}

/** Whether there is no bounce rate because no visit began with these page views, or none of those is over. */
function hasNoneOver(name: MetricName, { visits = 0, bounce_percentage }: NamedFigures = {}): boolean {
  return name === "bounce_percentage" && visits > 0 && bounce_percentage === undefined;
}

export function Tiles({ question, totals, before, average, isApproximate }: TilesProps) {
  const shown = figuresOf(question).map((figure) => {
    const text = figure.write(totals?.[figure.name], narrow.value);
    return { figure, text: isApproximate ? closeText(figure, "summary", text) : text };
  });
  return (
    <ul class="tiles">
      {shown.map(({ figure, text }) => (
        <li key={figure.name}>
          <a
            class="tile"
            href={questionHref({ ...question, metric: figure.name })}
            aria-current={question.metric === figure.name ? "true" : undefined}
          >
            <span class="tile-label">{figure.label}</span>
            <span class="tile-room">
              <span class="tile-figure" style={{ "--characters": text.length }}>
                {text}
              </span>
            </span>
            {totals === undefined && <ChangePlace />}
            <span>
              <Change figure={figure} now={totals?.[figure.name]} before={before?.[figure.name]} from />
              {hasNoneOver(figure.name, totals) && (
                <span class="change weak">{t("No visit that is over began here")}</span>
              )}
              {figure.name === "amount" && average !== undefined && (
                <span class="change weak tile-average">
                  {t("{amount} on average", { amount: figure.write(average) })}
                </span>
              )}
            </span>
          </a>
          <ExplainedBeside term={termOf(figure.name, question.visits)} label={figure.label} />
        </li>
      ))}
    </ul>
  );
}
