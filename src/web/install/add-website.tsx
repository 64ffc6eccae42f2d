/** The dialog that adds a website. */
import { pastedHostname } from "../../core/addresses/pasted-hostname.ts";
import { navigate } from "../lib/address.ts";
import { call, displayOf, type Website } from "../lib/api.ts";
import { installHref } from "../lib/routes.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Cancel, Dialog } from "../parts/dialogs/dialog.tsx";
import { Field, Form } from "../parts/forms/form.tsx";
import { t } from "../lib/texts/words.ts";

export function AddWebsite({ onClose }: { readonly onClose: () => void }) {
  const add = async ({ hostname = "" }: Readonly<Record<string, string>>) => {
    const added = await call<Website>("POST", "/websites", { body: { hostname: pastedHostname(hostname) } });
    navigate(installHref(added.hostname));
    announceChange(t("{hostname} is added.", { hostname: displayOf(added) }));
  };
  return (
    <Dialog title={t("Add a website")} onClose={onClose}>
      <Form submit={t("Add website")} onSubmit={add} beside={<Cancel onClose={onClose} />}>
        <Field
          label={t("Hostname")}
          name="hostname"
          hint={t(
            "For example example.com. The name counts with and without www., unless both are added: then each counts for itself.",
          )}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
          autoFocus
        />
      </Form>
    </Dialog>
  );
}
