/** The dialog that sets the steps of a funnel. */
import { useRef, useState } from "preact/hooks";
import { stepsMax, stepsMin } from "../../../core/website/goal.ts";
import { navigate } from "../../lib/address.ts";
import { ApiError } from "../../lib/api.ts";
import { questionHref, type Question } from "../../lib/question/question.ts";
import {
  draftOfStep,
  emptyStep,
  kindsWith,
  stepOf,
  type GoalRow,
  type StepDraft,
} from "../../lib/question/steps.ts";
import { announce } from "../../parts/announcer.tsx";
import { Cancel, Dialog } from "../../parts/dialogs/dialog.tsx";
import { Form } from "../../parts/forms/form.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Tool } from "../../parts/tool.tsx";
import { StepFields } from "./step-fields.tsx";
import { t } from "../../lib/texts/words.ts";

interface FunnelFormProps {
  readonly question: Question;
  readonly goals: readonly GoalRow[];
  readonly onClose: () => void;
}

/** A step with a key of its own, so that its fields stay its own when another goes. */
interface Row {
  readonly key: number;
  readonly draft: StepDraft;
}

export function FunnelForm({ question, goals, onClose }: FunnelFormProps) {
  const nextKey = useRef(0);
  const rowOf = (draft: StepDraft): Row => ({ key: nextKey.current++, draft });
  const [rows, setRows] = useState(() => {
    const drafts = question.steps.slice(0, stepsMax).map(draftOfStep);
    while (drafts.length < stepsMin) drafts.push(emptyStep);
    return drafts.map(rowOf);
  });
  const add = useRef<HTMLButtonElement>(null);
  const change = (changed: Row, draft: StepDraft) =>
    setRows(rows.map((row) => (row === changed ? { ...row, draft } : row)));
  const remove = (removed: Row) => {
    add.current?.focus();
    setRows(rows.filter((row) => row !== removed));
  };
  const show = () => {
    const steps = rows.map(({ draft }) => stepOf(draft));
    const missing = steps.indexOf(undefined);
    if (missing >= 0)
      throw new ApiError(0, t("Step {at}: type a path or a property, or pick one.", { at: missing + 1 }));
    onClose();
    navigate(questionHref({ ...question, steps: steps.filter((step) => step !== undefined) }));
    announce(t("Funnel shown"));
  };
  return (
    <Dialog title={t("Steps of the funnel")} onClose={onClose}>
      <Form submit={t("Show funnel")} onSubmit={show} beside={<Cancel onClose={onClose} />}>
        {rows.map((row, at) => (
          <div key={row.key} class="step">
            <StepFields
              question={question}
              prefix={`${t("Step {at}:", { at: at + 1 })} `}
              kinds={kindsWith(goals)}
              draft={row.draft}
              onChange={(draft) => change(row, draft)}
            />
            {rows.length > stepsMin && (
              <Tool icon="close" label={t("Remove step {at}", { at: at + 1 })} onClick={() => remove(row)} />
            )}
          </div>
        ))}
        <p>
          <button
            ref={add}
            type="button"
            aria-disabled={rows.length >= stepsMax}
            onClick={() => rows.length < stepsMax && setRows([...rows, rowOf(emptyStep)])}
          >
            <Icon name="add" /> {t("Add step")}
          </button>
        </p>
      </Form>
    </Dialog>
  );
}
