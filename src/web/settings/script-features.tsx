/** The features of the tracker that the account's websites have besides counting page views. */
import { useAnswer } from "../lib/answer.ts";
import type { Accounts, User } from "../lib/api.ts";
import { scriptFeatures } from "../../core/scripts.ts";
import { featureTexts, scriptTypesOf } from "../lib/set-up/script-features.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Checkbox } from "../parts/forms/checkbox.tsx";
import { Form } from "../parts/forms/form.tsx";
import { Section } from "../parts/section.tsx";
import type { UserProps } from "./account.tsx";
import { changeOwn } from "./own-account.ts";
import { t } from "../lib/texts/words.ts";

export function ScriptFeatures({ user }: UserProps) {
  return (
    <Section title={t("Script")}>
      <FeaturesForm user={user} />
    </Section>
  );
}

/** Stands beside the line of a website, for the account whose features its script has: the first of its owners. */
export function FeaturesBeside({ hostname }: { readonly hostname: string }) {
  const { data: user } = useAnswer<User>("/user");
  const { data } = useAnswer<Accounts>(`/website/${encodeURIComponent(hostname)}/members`);
  if (user === undefined || data?.members[0]?.username !== user.username) return null;
  return (
    <details>
      <summary>{t("Also count outbound links, file downloads and more, on all your websites")}</summary>
      <FeaturesForm user={user} />
    </details>
  );
}

function FeaturesForm({ user }: UserProps) {
  const save = async (fields: Readonly<Record<string, string>>) => {
    const was: readonly string[] = user.settings.script_type;
    await changeOwn<User>(user, "PATCH", "/user", ({ settings }) => {
      // A feature that nobody changed here stays as it is now: another tab may have switched it.
      const script_type = scriptTypesOf((feature) => {
        const isOn = feature in fields;
        return isOn === was.includes(feature) ? settings.script_type.includes(feature) : isOn;
      });
      return { settings: { script_type } };
    });
    announceChange(
      t(
        "Saved. Browsers load the new script within an hour; one that comes back later has the old one for one more page.",
      ),
    );
  };
  return (
    <>
      <p>
        {t(
          "Choose what the script does on websites whose first owner you are, besides counting page views and time on page. The line in the pages stays the same.",
        )}
      </p>
      <Form submit={t("Save script")} look="plain" onSubmit={save}>
        <fieldset class="features">
          <legend class="visually-hidden">{t("Features")}</legend>
          {scriptFeatures.map((feature) => (
            <Checkbox
              key={feature}
              name={feature}
              label={featureTexts[feature].name}
              hint={featureTexts[feature].does}
              defaultChecked={user.settings.script_type.includes(feature)}
            />
          ))}
        </fieldset>
      </Form>
    </>
  );
}
