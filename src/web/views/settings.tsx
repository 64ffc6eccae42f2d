/** The view of settings: the account, its second factor, sessions and API tokens, the features of its tracker, and the options of this browser. */
import { Fragment } from "preact";
import { useAnswer } from "../lib/answer.ts";
import type { User } from "../lib/api.ts";
import { Pending } from "../parts/notice.tsx";
import { DeleteAccount, Name, Password } from "../settings/account.tsx";
import { Browser, Language } from "../settings/dashboard.tsx";
import { ScriptFeatures } from "../settings/script-features.tsx";
import { SecondFactor } from "../settings/second-factor.tsx";
import { Sessions } from "../settings/sessions.tsx";
import { Tokens } from "../settings/tokens.tsx";
import { t } from "../lib/texts/words.ts";

export function Settings() {
  const { data: user, error } = useAnswer<User>("/user");
  return (
    <>
      <header class="view-head">
        <h1>{t("Settings")}</h1>
      </header>
      <Pending data={user} error={error} what={t("your account")} />
      {user !== undefined && (
        // Another account has forms of its own. A name may change, and the forms stay.
        <Fragment key={user.dateCreated}>
          <Name user={user} />
          <Password user={user} />
          <SecondFactor user={user} />
          <Sessions />
          <Tokens user={user} />
          <ScriptFeatures user={user} />
          <Language user={user} />
          <Browser />
          <DeleteAccount user={user} />
        </Fragment>
      )}
    </>
  );
}
