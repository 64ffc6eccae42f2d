/** The forms to rename a website and to delete it. */
import { useState } from "preact/hooks";
import { pastedHostname } from "../../core/addresses/pasted-hostname.ts";
import { navigate } from "../lib/address.ts";
import { call, displayOf, type ShownWebsite, type Website } from "../lib/api.ts";
import { installHref, websitesHref } from "../lib/routes.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Confirm } from "../parts/dialogs/confirm.tsx";
import { Field, Form } from "../parts/forms/form.tsx";
import { Section } from "../parts/section.tsx";
import { t } from "../lib/texts/words.ts";

interface WebsiteProps {
  readonly website: ShownWebsite;
}

function pathOf(hostname: string): string {
  return `/websites/${encodeURIComponent(hostname)}`;
}

export function Rename({ website }: WebsiteProps) {
  const rename = async (fields: Readonly<Record<string, string>>) => {
    const renamed = await call<Website>("PATCH", pathOf(website.hostname), {
      body: { hostname: pastedHostname(fields["hostname"] ?? "") },
    });
    navigate(installHref(renamed.hostname), "replace");
    announceChange(t("The website is called {hostname}.", { hostname: displayOf(renamed) }));
  };
  return (
    <Section title={t("Rename")}>
      <Form submit={t("Rename")} look="plain" onSubmit={rename}>
        <Field
          label={t("Hostname")}
          name="hostname"
          defaultValue={displayOf(website)}
          hint={t(
            "For a website that has moved. Its statistics stay, and from then on the new name counts, and the old one only among its other hostnames: put the new line into its pages.",
          )}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
        />
      </Form>
    </Section>
  );
}

export function Remove({ website }: WebsiteProps) {
  const hostname = displayOf(website);
  const [asking, setAsking] = useState(false);
  const remove = async () => {
    await call("DELETE", pathOf(website.hostname));
    navigate(websitesHref, "replace");
    announceChange(t("The website is removed."));
  };
  return (
    <Section title={t("Remove")}>
      <p>{t("Permanently deletes {hostname} with all its statistics.", { hostname })}</p>
      <p>
        <button type="button" class="danger-line" onClick={() => setAsking(true)}>
          {t("Remove website…")}
        </button>
      </p>
      {asking && (
        <Confirm
          title={t("Remove {hostname}?", { hostname })}
          name={hostname}
          submit={t("Remove website")}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            {t("All its statistics are deleted permanently. Hits that still come are no longer counted.")}
          </p>
        </Confirm>
      )}
    </Section>
  );
}
