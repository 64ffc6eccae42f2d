/** The dialogs that save the steps of now as a funnel with a name, and remove one. */
import { label } from "../../../core/questions/label.ts";
import { funnelNameCharactersMax, type Funnel } from "../../../core/website/funnel.ts";
import { funnelsPath } from "../../lib/question/paths.ts";
import type { Question } from "../../lib/question/question.ts";
import { stepText, type GoalRow } from "../../lib/question/steps.ts";
import { Removal } from "../../parts/dialogs/removal.tsx";
import { Saving } from "../../parts/dialogs/saving.tsx";
import { t } from "../../lib/texts/words.ts";

interface DialogProps {
  readonly question: Question;
  readonly onClose: () => void;
}

export function FunnelSaving({
  question,
  goals,
  onClose,
}: DialogProps & { readonly goals: readonly GoalRow[] }) {
  return (
    <Saving
      title={t("Save the funnel")}
      submit={t("Save funnel")}
      done={t("Funnel saved")}
      lines={question.steps.map((step, at) => `${at + 1}. ${stepText(step, goals)}`)}
      path={funnelsPath(question)}
      body={{ steps: question.steps }}
      nameCharactersMax={funnelNameCharactersMax}
      onClose={onClose}
    />
  );
}

interface RemovalProps extends DialogProps {
  readonly funnel: Pick<Funnel, "id" | "name">;
}

export function FunnelRemoval({ question, funnel, onClose }: RemovalProps) {
  return (
    <Removal
      title={t("Remove the funnel {name}?", { name: label(funnel.name) })}
      what={t("Funnel")}
      path={`${funnelsPath(question)}/${funnel.id}`}
      onClose={onClose}
    >
      <p>{t("The steps that are shown stay as they are.")}</p>
    </Removal>
  );
}
