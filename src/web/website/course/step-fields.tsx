/** The fields of one page view or event that a goal or a step of a funnel asks for. */
import type { AnyRow } from "../../../core/questions/answer.ts";
import { useAnswer } from "../../lib/answer.ts";
import type { Question } from "../../lib/question/question.ts";
import {
  isGoalKind,
  stepSuggestions,
  stepSuggestionsPath,
  type StepDraft,
} from "../../lib/question/steps.ts";
import { fitting } from "../../lib/question/suggestions.ts";
import { typedPath } from "../../lib/question/typed-path.ts";
import { Combobox } from "../../parts/forms/combobox.tsx";
import { Select } from "../../parts/forms/select.tsx";
import { t } from "../../lib/texts/words.ts";

interface StepFieldsProps {
  readonly question: Question;
  /** It comes before the labels, where a form has several. */
  readonly prefix?: string;
  readonly kinds: readonly (readonly [value: string, label: string])[];
  readonly draft: StepDraft;
  readonly onChange: (draft: StepDraft) => void;
}

export function StepFields({ question, prefix = "", kinds, draft, onChange }: StepFieldsProps) {
  const { data, loading } = useAnswer<readonly AnyRow[]>(stepSuggestionsPath(question, draft));
  const suggestions = fitting(stepSuggestions(draft, data ?? []), draft.text);
  const isEvent = draft.kind === "event";
  // A link may ask for what the form does not offer.
  const offered = kinds.some(([value]) => value === draft.kind)
    ? kinds
    : [...kinds, [draft.kind, draft.kind] as const];
  return (
    <div class="step-fields">
      <Select
        label={prefix + t("What")}
        value={draft.kind}
        options={offered}
        onChange={(kind) => onChange({ ...draft, kind })}
      />
      {!isGoalKind(draft) && (
        <Combobox
          key={isEvent ? "event" : "page"}
          label={prefix + (isEvent ? t("Event name or property") : t("Path"))}
          value={draft.text}
          suggestions={suggestions}
          loading={loading}
          counted={isEvent ? t("events") : t("visitors")}
          placeholder={isEvent ? t("signup, or plan=pro") : "/pricing"}
          onInput={(text) =>
            onChange({ ...draft, text: isEvent ? text : typedPath(text, question.hostname) })
          }
          onPick={({ value }) => onChange({ ...draft, text: value })}
        />
      )}
    </div>
  );
}
