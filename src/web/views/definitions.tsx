/** The view of what all figures mean, to which the explanation of each leads. */
import { useEffect } from "preact/hooks";
import type { Term } from "../../core/definition.ts";
import type { MetricName } from "../../core/questions/metric.ts";
import { useDefinitions, type Definitions } from "../lib/texts/definitions.ts";
import { columnOf } from "../lib/texts/metric.ts";
import { t } from "../lib/texts/words.ts";
import { Pending } from "../parts/notice.tsx";
import { Section } from "../parts/section.tsx";

export function DefinitionsView() {
  const { data, error } = useDefinitions();
  return (
    <>
      <header class="view-head">
        <h1>{t("What the figures mean")}</h1>
      </header>
      <Pending data={data} error={error} what={t("the definitions")} />
      {data !== undefined && <All definitions={data} />}
    </>
  );
}

function All({ definitions }: { readonly definitions: Definitions }) {
  useEffect(() => {
    // The browser looks for the target of the address before the view is drawn.
    document.getElementById(location.hash.slice(1))?.focus();
  }, []);
  const terms = Object.keys(definitions) as Term[];
  const isLabelled = (term: Term) => definitions[term].label !== undefined;
  return (
    <>
      <Section title={t("Figures")}>
        <Terms terms={terms.filter((term) => !isLabelled(term))} definitions={definitions} />
      </Section>
      <Section title={t("Other terms")}>
        <Terms terms={terms.filter(isLabelled)} definitions={definitions} />
      </Section>
    </>
  );
}

interface TermsProps {
  readonly terms: readonly Term[];
  readonly definitions: Definitions;
}

function Terms({ terms, definitions }: TermsProps) {
  return (
    <dl class="definitions">
      {terms.map((term) => {
        const { label = columnOf(term as MetricName).label, text } = definitions[term];
        return (
          <div key={term} id={term} tabIndex={-1}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        );
      })}
    </dl>
  );
}
