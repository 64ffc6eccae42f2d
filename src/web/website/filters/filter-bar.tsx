/** The filters of a question; each can be changed, or removed by a link. */
import { useState } from "preact/hooks";
import { replaced } from "../../lib/question/filter-draft.ts";
import { removalFilterNames } from "../../../core/questions/dimension.ts";
import { isolated, label } from "../../../core/questions/label.ts";
import { questionHref, withoutGoal, type Question } from "../../lib/question/question.ts";
import { filterText } from "../../lib/question/value-text.ts";
import { may } from "../../lib/question/view-href.ts";
import { useFocusKept } from "../../parts/dialogs/focus-kept.ts";
import { Icon } from "../../parts/icon.tsx";
import { onDemand } from "../../parts/on-demand.tsx";
import { SegmentMenu } from "./segment-menu.tsx";
import { t } from "../../lib/texts/words.ts";

const FilterEditor = onDemand(async () => (await import("./filter-editor.tsx")).FilterEditor);

interface FilterBarProps {
  readonly question: Question;
  /** The name of the goal that is chosen. */
  readonly goal?: string | undefined;
}

export function FilterBar({ question, goal }: FilterBarProps) {
  const { filters, shared } = question;
  const [edited, setEdited] = useState<number | "new">();
  const add = useFocusKept(edited !== undefined, JSON.stringify(filters));
  const focusAdd = () => add.current?.focus();
  return (
    <section class="filter-bar" aria-label={t("Filters")}>
      {(filters.length > 0 || shared?.filters.length || goal !== undefined) && (
        <ul class="chips">
          <FixedChips question={question} />
          {filters.map((filter, index) => (
            <li key={filterText(question, filter)} class="chip">
              <button
                type="button"
                class="plain"
                title={filterText(question, filter)}
                aria-haspopup="dialog"
                onClick={() => setEdited(index)}
              >
                <span class="cut">{filterText(question, filter)}</span>
              </button>
              <a
                class="button plain"
                href={questionHref({ ...question, filters: replaced(filters, index, undefined) })}
                aria-label={t("Remove the filter: {filter}", { filter: filterText(question, filter) })}
                onClick={focusAdd}
              >
                <Icon name="close" />
              </a>
            </li>
          ))}
          {goal !== undefined && <GoalChip question={question} goal={goal} onLeave={focusAdd} />}
        </ul>
      )}
      <button ref={add} type="button" aria-haspopup="dialog" onClick={() => setEdited("new")}>
        <Icon name="filter" /> {t("Add filter")}
      </button>
      {question.view === "website" && shared === undefined && <SegmentMenu question={question} />}
      {filters.length > 1 && (
        <a class="button plain" href={questionHref({ ...question, filters: [] })} onClick={focusAdd}>
          {t("Clear filters")}
        </a>
      )}
      <RemovalLink question={question} />
      {edited !== undefined && (
        <FilterEditor
          question={question}
          index={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}

/** The filters of the link by which the page is shown; nobody can remove them. */
function FixedChips({ question }: { readonly question: Question }) {
  return (question.shared?.filters ?? []).map((filter) => (
    <li key={filterText(question, filter)} class="chip fixed" title={filterText(question, filter)}>
      <span class="cut">{filterText(question, filter)}</span>
    </li>
  ));
}

interface GoalChipProps {
  readonly question: Question;
  readonly goal: string;
  readonly onLeave: () => void;
}

function GoalChip({ question, goal, onLeave }: GoalChipProps) {
  const name = isolated(label(goal));
  return (
    <li class="chip">
      <span class="cut">{t("Goal: {name}", { name })}</span>
      <a
        class="button plain"
        href={questionHref(withoutGoal(question))}
        aria-label={t("Leave the goal {name}", { name })}
        onClick={onLeave}
      >
        <Icon name="close" />
      </a>
    </li>
  );
}

/** Leads to the removal of what the filters select, for whoever may remove it. A removal takes no filter by channel. */
function RemovalLink({ question }: { readonly question: Question }) {
  const { filters, view } = question;
  const isTaken = filters.every(({ name }) => removalFilterNames.some((known) => known === name));
  if (filters.length === 0 || !isTaken || view !== "website" || !may(question, "owner")) return null;
  return (
    <a class="button plain apart" href={questionHref({ ...question, view: "install" })}>
      {t("Remove from the statistics…")}
    </a>
  );
}

/** Names the filters of a link that the page does not know. */
export function UnknownFilters({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p class="notice" role="alert">
      {t("This link has filters that are not known, and are left out: {names}", {
        names: names.map(label).map(isolated).join(", "),
      })}
    </p>
  );
}
