/** The view of what all figures mean, to which the explanation of each leads. */
import { useEffect } from "preact/hooks";
import { definitionOf, otherDefinitions, type Term } from "../../core/definition.ts";
import { metrics, type MetricName } from "../../core/metric.ts";
import { columnOf } from "../lib/metric.ts";
import { Section } from "../parts/section.tsx";
import { t } from "../lib/words.ts";

const metricTerms = Object.keys(metrics) as MetricName[];
const otherTerms = Object.keys(otherDefinitions) as (keyof typeof otherDefinitions)[];

export function Definitions() {
  useEffect(() => {
    // The browser looks for the target of the address before the view is drawn.
    document.getElementById(location.hash.slice(1))?.focus();
  }, []);
  return (
    <>
      <header class="view-head">
        <h1>{t("What the figures mean")}</h1>
      </header>
      <Section title={t("Figures")}>
        <Terms terms={metricTerms} labelOf={(name) => columnOf(name).label} />
      </Section>
      <Section title={t("Beside the figures")}>
        <Terms terms={otherTerms} labelOf={(name) => otherDefinitions[name].label} />
      </Section>
    </>
  );
}

interface TermsProps<T extends Term> {
  readonly terms: readonly T[];
  readonly labelOf: (term: T) => string;
}

function Terms<T extends Term>({ terms, labelOf }: TermsProps<T>) {
  return (
    <dl class="definitions">
      {terms.map((term) => (
        <div key={term} id={term} tabIndex={-1}>
          <dt>{labelOf(term)}</dt>
          <dd>{definitionOf(term)}</dd>
        </div>
      ))}
    </dl>
  );
}
