/** The filters of a question; each can be changed, or removed by a link. */
import { useEffect, useRef, useState } from "preact/hooks";
import { replaced } from "../lib/question/filter-draft.ts";
import { filterText, questionHref, type Question } from "../lib/question/question.ts";
import { Icon } from "../parts/icon.tsx";
import { FilterEditor } from "./filter-editor.tsx";

export function FilterBar({ question }: { readonly question: Question }) {
  const { filters } = question;
  const [edited, setEdited] = useState<number | "new">();
  const add = useRef<HTMLButtonElement>(null);
  const focusAdd = () => add.current?.focus();
  const wasOpen = useRef(false);
  useEffect(() => {
    // The focus is lost if its button vanished with the filter.
    if (wasOpen.current && document.activeElement === document.body) focusAdd();
    wasOpen.current = edited !== undefined;
  }, [edited]);
  return (
    <section class="filter-bar" aria-label="Filters">
      {filters.length > 0 && (
        <ul class="chips">
          {filters.map((filter, index) => (
            <li key={filterText(filter)} class="chip">
              <button
                type="button"
                class="plain"
                title={filterText(filter)}
                aria-haspopup="dialog"
                onClick={() => setEdited(index)}
              >
                <span class="cut">{filterText(filter)}</span>
              </button>
              <a
                class="button plain"
                href={questionHref({ ...question, filters: replaced(filters, index, undefined) })}
                aria-label={`Remove the filter: ${filterText(filter)}`}
                onClick={focusAdd}
              >
                <Icon name="close" />
              </a>
            </li>
          ))}
        </ul>
      )}
      <button ref={add} type="button" aria-haspopup="dialog" onClick={() => setEdited("new")}>
        <Icon name="filter" /> Add filter
      </button>
      {filters.length > 1 && (
        <a class="button plain" href={questionHref({ ...question, filters: [] })} onClick={focusAdd}>
          Clear all
        </a>
      )}
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
