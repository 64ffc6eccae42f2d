/** The dialog that adds or changes a filter, with the values that exist under the other filters. */
import { useRef, useState } from "preact/hooks";
import { filterNames, removalFilterNames, type AskedName } from "../../../core/questions/dimension.ts";
import { operatorOf } from "../../../core/questions/operator.ts";
import type { AnyRow } from "../../../core/questions/answer.ts";
import type { Filter } from "../../../core/questions/query.ts";
import { mayAskEntry } from "../../../core/website/link.ts";
import { navigate } from "../../lib/address.ts";
import { useAnswer } from "../../lib/answer.ts";
import {
  draftOf,
  editedText,
  filterOf,
  operatorsFor,
  replaced,
  takesEmpty,
  withName,
  withOperand,
  withOperator,
  withoutOperand,
  type Draft,
} from "../../lib/question/filter-draft.ts";
import {
  filterLabels,
  isPath,
  operandText,
  questionHref,
  type Question,
} from "../../lib/question/question.ts";
import { isolated } from "../../../core/questions/label.ts";
import { valueNamed } from "../../lib/texts/names.ts";
import {
  fitting,
  suggestionsOf,
  suggestionsPath,
  withEmpty,
  type Suggestion,
} from "../../lib/question/suggestions.ts";
import { typedPath } from "../../lib/question/typed-path.ts";
import { announce } from "../../parts/announcer.tsx";
import { Combobox } from "../../parts/forms/combobox.tsx";
import { Cancel, Dialog } from "../../parts/dialogs/dialog.tsx";
import { FormError } from "../../parts/forms/form.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Select } from "../../parts/forms/select.tsx";
import { t, translated } from "../../lib/texts/words.ts";

interface FilterEditorProps {
  readonly question: Question;
  /** The index of the filter to change; undefined for a new one. */
  readonly index: number | undefined;
  readonly onClose: () => void;
}

export function FilterEditor({ question, index, onClose }: FilterEditorProps) {
  const old = index === undefined ? undefined : question.filters[index];
  const [draft, setDraft] = useState(() => draftOf(old));
  const [error, setError] = useState<string>();
  const others = { ...question, filters: replaced(question.filters, index, undefined) };
  const change = (next: Draft) => {
    setDraft(next);
    setError(undefined);
  };
  const finish = (filter: Filter | undefined, what: string) => {
    onClose();
    navigate(questionHref({ ...question, filters: replaced(question.filters, index, filter) }));
    announce(what);
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const filter = filterOf(draft);
    if (filter === undefined) setError(t("Type a value, or pick one from the list."));
    else finish(filter, old === undefined ? t("Filter added") : t("Filter changed"));
  };
  return (
    <Dialog title={old === undefined ? t("Add a filter") : t("Change the filter")} onClose={onClose}>
      <form class="form filter-editor" onSubmit={save}>
        <div class="filter-about">
          <Select
            label={t("Dimension")}
            autofocus
            value={draft.name}
            options={namesFor(question, draft).map((name) => [name, filterLabels[name]])}
            onChange={(name) => change(withName(draft, name))}
          />
          <Select
            label={t("Operator")}
            value={draft.operator}
            options={operatorsFor(draft).map(({ name, label }) => [name, translated(label)])}
            onChange={(operator) => change(withOperator(draft, operator))}
          />
        </div>
        <Value question={others} draft={draft} onChange={change} />
        <FormError error={error} />
        <p class="buttons">
          <button class="primary">{old === undefined ? t("Add filter") : t("Save")}</button>
          {old !== undefined && (
            <button type="button" onClick={() => finish(undefined, t("Filter removed"))}>
              {t("Remove filter")}
            </button>
          )}
          <Cancel onClose={onClose} />
        </p>
      </form>
    </Dialog>
  );
}

/**
 * Returns what a filter can compare: entry pages only where visits are told apart, and a link may say where they began; on the
 * set-up page, what a removal takes.
 */
function namesFor({ visits, view, shared }: Question, draft: Draft): readonly AskedName[] {
  const names = view === "install" ? removalFilterNames : filterNames;
  const hasEntry = visits && mayAskEntry(shared?.filters ?? []);
  return names.filter((name) => name !== "entry" || hasEntry || draft.name === name);
}

interface ValueProps {
  /** The question with the other filters only. */
  readonly question: Question;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

function Value({ question, draft, onChange }: ValueProps) {
  const { name, operator, text } = draft;
  const list = operatorOf(operator).takesList;
  const { suggestions, loading } = useSuggestions(question, draft);
  const add = (operand: string) => onChange(withOperand(draft, operand, "empty"));
  return (
    <>
      {list && draft.operands.length > 0 && <Operands draft={draft} onChange={onChange} />}
      <Combobox
        key={name}
        label={list ? t("Add a value") : t("Value")}
        value={text}
        suggestions={suggestions}
        loading={loading}
        counted={name.startsWith("prop_") ? t("events") : name === "entry" ? t("visits") : t("visitors")}
        placeholder={takesEmpty(draft) && !list ? operandText(name, "") : undefined}
        hint={hintOf(question, draft)}
        onInput={(typed) =>
          onChange({ ...draft, text: isPath(name) ? typedPath(typed, question.hostname) : typed })
        }
        onPick={({ value }) => (list ? add(value) : onChange({ ...draft, text: editedText(name, value) }))}
        onEnter={list && text !== "" ? () => add(valueNamed(name, text)) : undefined}
      />
    </>
  );
}

/** Returns a hint; undefined if the field explains itself. */
function hintOf(question: Question, draft: Draft): string | undefined {
  if (suggestionsPath(question, draft.name, "") === null)
    return t("To see values here, first add a filter for a property.");
  if (operatorOf(draft.operator).takesList) return t("Press Enter to add the typed value to the list.");
  if (takesEmpty(draft)) return t("Left empty, it means: {value}.", { value: operandText(draft.name, "") });
  return undefined;
}

/** Returns the values that fit the typed text, and the empty one if it may be asked for and nothing is typed. */
function useSuggestions(question: Question, draft: Draft) {
  const { name, text, operands } = draft;
  const path = suggestionsPath(question, name, text);
  const { data, loading } = useAnswer<readonly AnyRow[]>(path);
  // Until the answer to this path arrives, the data is that of the path before.
  const asked = useRef({ path, before: data });
  if (asked.current.path !== path) asked.current = { path, before: data };
  const found = suggestionsOf(name, data ?? []);
  const current = data === asked.current.before ? fitting(found, text) : found;
  const values = current.filter(({ value }) => !operands.includes(value));
  const empty = takesEmpty(draft) && text === "" && !operands.includes("");
  const suggestions: readonly Suggestion[] = empty
    ? withEmpty(name, values)
    : values.filter(({ value }) => value !== "");
  return { suggestions, loading };
}

function Operands({ draft, onChange }: Omit<ValueProps, "question">) {
  return (
    <ul class="chips" aria-label={t("Values")}>
      {draft.operands.map((operand) => {
        const text = operandText(draft.name, operand);
        return (
          <li key={operand} class="chip" title={text}>
            <span class="cut" dir="auto">
              {text}
            </span>
            <button
              type="button"
              class="plain"
              aria-label={t("Remove {what}", { what: isolated(text) })}
              onClick={(event) => {
                event.currentTarget.closest("form")?.querySelector("input")?.focus();
                onChange(withoutOperand(draft, operand));
              }}
            >
              <Icon name="close" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
