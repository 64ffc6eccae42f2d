/** The forms for the name, the password and the deletion of the account. */
import { useState } from "preact/hooks";
import { navigate } from "../lib/address.ts";
import { forgetAnswers } from "../lib/answer.ts";
import { loggedIn, type User } from "../lib/api.ts";
import { newPasswordRules, passwordHint, usernameHint, usernameRules } from "../lib/set-up/account-rules.ts";
import { websitesHref } from "../lib/routes.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Confirm } from "../parts/dialogs/confirm.tsx";
import { Field, Form, PasswordField } from "../parts/forms/form.tsx";
import { Section } from "../parts/section.tsx";
import { changeOwn } from "./own-account.ts";
import { t } from "../lib/texts/words.ts";

export interface UserProps {
  readonly user: User;
}

export function Name({ user }: UserProps) {
  const rename = async ({ username = "" }: Readonly<Record<string, string>>) => {
    const changed = await changeOwn<User>(user, "PATCH", "/user", { username });
    announceChange(t("Your name is {name}.", { name: changed.username }));
  };
  return (
    <Section title={t("Name")}>
      <Form submit={t("Change name")} look="plain" onSubmit={rename}>
        <Field
          label={t("Username")}
          name="username"
          defaultValue={user.username}
          hint={usernameHint}
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          {...usernameRules}
        />
      </Form>
    </Section>
  );
}

export function Password({ user }: UserProps) {
  // A new form for each change, so that its fields are empty again.
  const [changes, setChanges] = useState(0);
  const change = async ({ current_password, password }: Readonly<Record<string, string>>) => {
    await changeOwn<User>(user, "PATCH", "/user", { current_password, password });
    setChanges(changes + 1);
    announceChange(t("The password is changed. All other sessions have ended."));
  };
  return (
    <Section title={t("Password")}>
      <Form key={changes} submit={t("Change password")} look="plain" onSubmit={change}>
        <CurrentPassword user={user} />
        <PasswordField
          label={t("New password")}
          name="password"
          autocomplete="new-password"
          hint={`${passwordHint} ${t("Ends all other sessions.")}`}
          {...newPasswordRules}
        />
      </Form>
    </Section>
  );
}

export function CurrentPassword({ user }: UserProps) {
  return (
    <>
      {/* Tells a password manager whose password this is. */}
      <input name="username" autocomplete="username" value={user.username} readOnly hidden />
      <PasswordField
        label={t("Current password")}
        name="current_password"
        autocomplete="current-password"
        required
      />
    </>
  );
}

export function DeleteAccount({ user }: UserProps) {
  const [asking, setAsking] = useState(false);
  const remove = async () => {
    await changeOwn(user, "DELETE", "/user");
    navigate(websitesHref, "replace");
    loggedIn.value = false;
    forgetAnswers();
  };
  return (
    <Section title={t("Delete account")}>
      <p>
        {t("Permanently deletes the account, and the websites that nobody else owns with their statistics.")}
      </p>
      <p>
        <button type="button" class="danger-line" onClick={() => setAsking(true)}>
          {t("Delete account…")}
        </button>
      </p>
      {asking && (
        <Confirm
          title={t("Delete the account {name}?", { name: user.username })}
          name={user.username}
          submit={t("Delete account")}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            {t(
              "The websites that nobody else owns and all their statistics are deleted permanently. Others stay with their owners. You are logged out everywhere.",
            )}
          </p>
        </Confirm>
      )}
    </Section>
  );
}
