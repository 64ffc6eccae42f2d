/**
 * Removes what should not have been counted: first counts it, then asks for the website's name. Filters and period are
 * those of the address, so that the statistics can link to it with theirs.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../lib/address.ts";
import { forgetAnswers } from "../lib/answer.ts";
import { call, displayOf, type Website } from "../lib/api.ts";
import { periodText } from "../lib/calendar/period.ts";
import { purgePath } from "../lib/question/paths.ts";
import { questionOf, unknownFilters, type Question } from "../lib/question/question.ts";
import { filterText } from "../lib/question/value-text.ts";
import { countedText } from "../lib/set-up/counted.ts";
import { removalText, type RemovalCounts } from "../lib/set-up/removal.ts";
import { Confirm } from "../parts/dialogs/confirm.tsx";
import { Form } from "../parts/forms/form.tsx";
import { Section, showSection } from "../parts/section.tsx";
import { FilterBar, UnknownFilters } from "../website/filters/filter-bar.tsx";
import { PeriodMenu } from "../website/period-menu.tsx";
import { t } from "../lib/texts/words.ts";

export function RemoveViews({ website }: { readonly website: Website }) {
  const { hostname, visits } = website;
  const { search } = address.value;
  const question = questionOf(hostname, search, { view: "install", visits });
  const { filters, period, zone } = question;
  const unknown = unknownFilters(search);
  const first = useRef<HTMLParagraphElement>(null);
  const show = () => showSection(first.current);
  useEffect(() => {
    // A visitor who comes with filters comes for this section. The whole page takes the focus before.
    if (filters.length > 0 && location.hash === "") queueMicrotask(show);
  }, []);
  return (
    <Section title={t("Remove what should not have been counted")}>
      <p ref={first}>
        {t(
          "Removes the page views and events that all filters select in a period, from the statistics and from every file. Backups keep them.",
        )}
      </p>
      <PeriodMenu question={question} />
      <FilterBar question={question} />
      <UnknownFilters names={unknown} />
      {unknown.length === 0 && (
        <Removal
          key={JSON.stringify([filters, period, zone])}
          question={question}
          name={displayOf(website)}
          onRemoved={show}
        />
      )}
    </Section>
  );
}

interface RemovalProps {
  readonly question: Question;
  /** The name of the website, which has to be typed. */
  readonly name: string;
  readonly onRemoved: () => void;
}

/** Counted page views: what was counted up to a moment is what will be removed. */
interface Counted {
  readonly atMs: number;
  readonly counts: RemovalCounts;
}

function Removal({ question, name, onRemoved }: RemovalProps) {
  const [counted, setCounted] = useState<Counted>();
  const [asking, setAsking] = useState(false);
  const isNarrow = question.filters.length > 0 || question.period.name === "custom";
  const ask = async (dryRun: boolean, atMs: number) => {
    const counts = await call<RemovalCounts>("POST", purgePath(question, dryRun, atMs));
    setCounted({ atMs, counts });
    return counts;
  };
  const remove = async () => {
    await ask(false, counted?.atMs ?? 0);
    setAsking(false);
    forgetAnswers();
  };
  const isDone = counted?.counts.removed === true && !asking;
  useEffect(() => {
    // The dialog gave the focus back to a button that has gone.
    if (isDone) onRemoved();
  }, [isDone]);
  const some = counted !== undefined && counted.counts.pageviews + counted.counts.events > 0;
  return (
    <>
      <Form
        submit={t("Count what would go")}
        look="plain"
        ready={isNarrow}
        onSubmit={() => ask(true, Date.now()).then(() => undefined)}
        beside={
          some &&
          !counted.counts.removed && (
            <button type="button" class="danger-line" onClick={() => setAsking(true)}>
              {t("Remove {list}…", { list: countedText(counted.counts) })}
            </button>
          )
        }
      >
        <p role="status">
          {!isNarrow && t("Add a filter, or choose dates.")}
          {counted !== undefined && removalText(counted.counts)}
        </p>
      </Form>
      {asking && counted !== undefined && (
        <Confirm
          title={t("Remove {list}?", { list: countedText(counted.counts) })}
          name={name}
          submit={t("Remove")}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>{t("{selection}. This cannot be undone.", { selection: selectionText(question) })}</p>
        </Confirm>
      )}
    </>
  );
}

function selectionText(question: Question): string {
  const filters = question.filters.map((filter) => filterText(question, filter));
  return [periodText(question.period, question.zone), ...filters].join("; ");
}
