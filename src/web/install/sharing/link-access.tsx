/** The fields of a new link for who may open it. */
import { Checkbox } from "../../parts/forms/checkbox.tsx";
import { PasswordField } from "../../parts/forms/form.tsx";
import { Lines } from "../../parts/tables/lines.tsx";
import { t } from "../../lib/texts/words.ts";

interface AccessProps {
  /** Hosts whose pages may show the link, one a line. */
  readonly hosts: string;
  readonly onHosts: (hosts: string) => void;
}

/** The fields for who may open a link. */
export function Access({ hosts, onHosts }: AccessProps) {
  return (
    <details>
      <summary>{t("Password, public name, frames")}</summary>
      <PasswordField
        label={t("Password")}
        name="password"
        hint={t("8 characters or more. Without one, the link is enough.")}
        autocomplete="new-password"
        minLength={8}
        maxLength={128}
      />
      <fieldset class="features">
        <legend class="visually-hidden">{t("Who may open it")}</legend>
        <Checkbox
          name="public"
          label={t("Public by its name")}
          hint={t(
            "The name is the end of the address, with lower-case letters, digits and hyphens. Whoever guesses it may read.",
          )}
        />
      </fieldset>
      <Lines
        label={t("Pages that may show it in a frame")}
        name="hosts"
        hint={t("Hosts, one a line, such as www.example.com. Such a link has no password.")}
        value={hosts}
        onInput={onHosts}
      />
    </details>
  );
}
