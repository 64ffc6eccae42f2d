/** The settings for the look and the shortcuts of the dashboard. */
import type { User } from "../lib/api.ts";
import { shortcuts, theme, themes, type Theme } from "../lib/preferences.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Form } from "../parts/forms/form.tsx";
import { Section } from "../parts/section.tsx";
import type { UserProps } from "./account.tsx";
import { changeOwn } from "./own-account.ts";
import { languages, t } from "../lib/texts/words.ts";

/** Returns the name of a language in itself. */
function nameOf(code: string): string {
  return new Intl.DisplayNames(code, { type: "language" }).of(code) ?? code;
}

export function Language({ user }: UserProps) {
  const change = async ({ language = "" }: Readonly<Record<string, string>>) => {
    await changeOwn<User>(user, "PATCH", "/user", { settings: { language } });
    announceChange(t("The language is saved."));
  };
  return (
    <Section title={t("Language")}>
      <Form submit={t("Save language")} look="plain" onSubmit={change}>
        <div class="field">
          <label for="language">{t("Language of the dashboard")}</label>
          <select id="language" name="language">
            {languages.map((language) => (
              <option
                key={language}
                value={language}
                lang={language}
                selected={language === user.settings.language}
              >
                {nameOf(language)}
              </option>
            ))}
          </select>
        </div>
      </Form>
    </Section>
  );
}

const themeNames: Readonly<Record<Theme, string>> = {
  auto: t("As the system"),
  light: t("Light"),
  dark: t("Dark"),
};

export function Browser() {
  return (
    <Section title={t("This browser")}>
      <fieldset class="choices">
        <legend>{t("Theme")}</legend>
        {themes.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="theme"
              checked={theme.value === name}
              onChange={() => {
                theme.value = name;
              }}
            />
            {themeNames[name]}
          </label>
        ))}
      </fieldset>
      <label class="choice">
        <input
          type="checkbox"
          checked={shortcuts.value}
          onChange={(event) => {
            shortcuts.value = event.currentTarget.checked;
          }}
        />
        {t("Enable keyboard shortcuts on a website's page (? lists them)")}
      </label>
      <p class="hint">{t("Kept in this browser only.")}</p>
    </Section>
  );
}
