/** The dialogs that add a goal and remove one. */
import { useState } from "preact/hooks";
import { goalNameCharactersMax } from "../../../core/website/goal.ts";
import { ApiError, call } from "../../lib/api.ts";
import { label } from "../../../core/questions/label.ts";
import type { Question } from "../../lib/question/question.ts";
import { emptyStep, targetOf, typedKinds, type GoalRow } from "../../lib/question/steps.ts";
import { announceChange } from "../../parts/announcer.tsx";
import { Cancel, Dialog } from "../../parts/dialogs/dialog.tsx";
import { Field, Form } from "../../parts/forms/form.tsx";
import { Removal } from "../../parts/dialogs/removal.tsx";
import { StepFields } from "./step-fields.tsx";
import { t } from "../../lib/texts/words.ts";

interface DialogProps {
  readonly question: Question;
  readonly onClose: () => void;
}

function goalsPath({ hostname }: Question): string {
  return `/website/${encodeURIComponent(hostname)}/goals`;
}

export function GoalForm({ question, onClose }: DialogProps) {
  const [draft, setDraft] = useState(emptyStep);
  const add = async ({ name = "", amount = "" }: Readonly<Record<string, string>>) => {
    const target = targetOf(draft, amount.trim());
    if (target === undefined)
      throw new ApiError(0, t("Type a path or a property, or pick one from the list."));
    await call("POST", goalsPath(question), { body: { name, ...target } });
    onClose();
    announceChange(t("Goal added"));
  };
  return (
    <Dialog title={t("Add a goal")} onClose={onClose}>
      <Form submit={t("Add goal")} onSubmit={add} beside={<Cancel onClose={onClose} />}>
        <Field
          label={t("Name")}
          name="name"
          autocomplete="off"
          required
          maxLength={goalNameCharactersMax}
          autoFocus
        />
        <StepFields question={question} kinds={typedKinds} draft={draft} onChange={setDraft} />
        {draft.kind === "event" && (
          <Field
            label={t("Property to sum up (optional)")}
            name="amount"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            hint={t(
              "A property of the same event that is sent as a number, as by {example}. Attributes of a page send text.",
              { example: 'self.footfall?.("buy", { price: 31 })' },
            )}
          />
        )}
      </Form>
    </Dialog>
  );
}

export function GoalRemoval({ question, goal, onClose }: DialogProps & { readonly goal: GoalRow }) {
  return (
    <Removal
      title={t("Remove the goal {name}?", { name: label(goal.name) })}
      what={t("Goal")}
      path={`${goalsPath(question)}/${goal.id}`}
      onClose={onClose}
    >
      <p>
        {t("What is recorded stays. Add the goal again, and its figures are back, but not in saved funnels.")}
      </p>
    </Removal>
  );
}
