/** The dialog that lists the keyboard shortcuts of one key each, and switches them off. */
import { shortcuts } from "../../lib/preferences.ts";
import type { Question } from "../../lib/question/question.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { keysFor } from "./key-table.ts";
import { t } from "../../lib/texts/words.ts";

interface KeysHelpProps {
  readonly question: Question;
  readonly onClose: () => void;
}

export function KeysHelp({ question, onClose }: KeysHelpProps) {
  return (
    <Dialog title={t("Keyboard shortcuts")} onClose={onClose}>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={shortcuts.value}
          onChange={(event) => {
            shortcuts.value = event.currentTarget.checked;
          }}
        />
        {t("Enable keyboard shortcuts")}
      </label>
      <table class="keys">
        <caption class="visually-hidden">{t("Shortcuts on a website's page")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Key")}</th>
            <th scope="col">{t("Action")}</th>
          </tr>
        </thead>
        <tbody>
          {keysFor(question).map(({ key, does }) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
