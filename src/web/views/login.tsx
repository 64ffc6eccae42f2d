/**
 * The view to log in, or to create the first account. Its commands name no folder, as strangers read this page too; without
 * --data they would begin one where they are run.
 */
import { useState } from "preact/hooks";
import { askAgain, forgetAnswers, useAnswer } from "../lib/answer.ts";
import { navigate } from "../lib/address.ts";
import { websitesHref } from "../lib/routes.ts";
import { ApiError, call, beginSession, sessionEnded, type User } from "../lib/api.ts";
import { CodeField, Field, Form, PasswordField, type FieldProps } from "../parts/forms/form.tsx";
import { newPasswordRules, passwordHint, usernameHint, usernameRules } from "../lib/set-up/account-rules.ts";
import { language, rich, t } from "../lib/texts/words.ts";
import { useRounds } from "../website/live-count.tsx";

type Fields = Readonly<Record<string, string>>;

export interface LoginProps {
  /** Whether the page is that of an invitation. */
  readonly isInvited: boolean;
  /** The account of the page below, whose session ended. */
  readonly owner?: string | undefined;
}

/**
 * Asks for a login, or for the first account where the address has the secret of the link that the server prints while
 * there is none. The secret is after the hash, which no server log ever sees.
 */
export function Login(props: LoginProps) {
  const [token, setToken] = useState(() => new URLSearchParams(location.hash.slice(1)).get("setup"));
  const setUp = useAnswer<{ readonly open: boolean }>(token === null ? null : "/setup");
  if (!isSecureContext) return <NeedsSecureContext />;
  const toLogin = () => {
    forgetLink();
    setToken(null);
  };
  // A link that was used, in another browser or days ago, still leads to the login.
  if (token === null || setUp.data?.open === false) return <Credentials {...props} />;
  return <SetUp token={token} toLogin={toLogin} />;
}

/** Takes the secret out of the address: whoever logs out of this page later is asked for a login. */
function forgetLink(): void {
  navigate(location.pathname + location.search, "replace");
}

/**
 * Logs in, and asks at once who is logged in: if the browser drops the cookie, this page would otherwise show again
 * without an explanation. An account of which nothing was ever changed has the language that all begin with, and gets that of the
 * page, if the server lets it: in demo mode no account can be changed.
 */
async function logIn({ username, password, code }: Fields, owner?: string): Promise<void> {
  const user = await call<User>("POST", "/auth/login", { body: { username, password, code } });
  const ask = () => call<User>("GET", "/user");
  const asked =
    user.dateUpdated === user.dateCreated && user.settings.language === "en"
      ? call<User>("PATCH", "/user", { body: { settings: { language } } }).catch(ask)
      : ask();
  await asked.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    throw new ApiError(
      401,
      t(
        "The password is right, but this browser did not keep the cookie of the login. Allow cookies for this site; if its address begins with http, use HTTPS.",
      ),
    );
  });
  enter(user, owner);
}

/** Shows the page to a user who is logged in. */
function enter({ username }: User, owner?: string): void {
  // The page has what another account typed.
  if (sessionEnded.value && username !== owner) return location.reload();
  beginSession();
  // The page may have answers of another account, whose session ended.
  forgetAnswers();
}

function UsernameField(rules: Omit<FieldProps, "label" | "name">) {
  return (
    <Field
      label={t("Username")}
      name="username"
      autocomplete="username"
      autocapitalize="none"
      spellcheck={false}
      autoFocus
      {...rules}
    />
  );
}

function Credentials({ isInvited, owner }: LoginProps) {
  const setUp = useAnswer<{ readonly open: boolean }>("/setup");
  // Somebody may have logged in in another tab meanwhile.
  useRounds(() => {
    call<User>("GET", "/user").then(
      (user) => enter(user, owner),
      () => undefined,
    );
  }, 0);
  // The password is right, and the account has a second factor.
  const [needsCode, setNeedsCode] = useState(false);
  const submit = (fields: Fields) =>
    logIn(fields, owner).catch((error: unknown) => {
      if (needsCode || !(error instanceof ApiError) || error.field !== "code") throw error;
      setNeedsCode(true);
    });
  if (setUp.data?.open === true) return <NoAccount />;
  return (
    <section class="card entrance">
      <h1>{isInvited ? t("You are invited to a website") : t("Log in to Footfall")}</h1>
      {sessionEnded.value && <p role="alert">{t("Your session has ended. Log in to go on.")}</p>}
      {isInvited && (
        <>
          <p>{t("Log in to accept. The account that you log in with gets its statistics.")}</p>
          <p>
            {rich(
              "Without an account, ask whoever invited you for one. It is made on the server: {command}. Then open this link again.",
              { command: <code>footfall user add NAME</code> },
            )}
          </p>
        </>
      )}
      <Form submit={t("Log in")} onSubmit={submit}>
        <UsernameField required onInput={() => setNeedsCode(false)} />
        <PasswordField label={t("Password")} name="password" autocomplete="current-password" required />
        {needsCode && <CodeField autoFocus />}
      </Form>
      <details>
        <summary>{t("No account, password forgotten or phone lost?")}</summary>
        <p>
          {t(
            "The first account is made with the link that the server prints when it starts, or on the server's own command line, where FOLDER is its data folder:",
          )}
        </p>
        <pre>footfall user add NAME --data FOLDER</pre>
        <p>{t("To set a new password for an account:")}</p>
        <pre>footfall user password NAME --data FOLDER</pre>
        <p>{t("To log in without a code again:")}</p>
        <pre>footfall user remove-second-factor NAME --data FOLDER</pre>
      </details>
    </section>
  );
}

/** Shown instead of a login that nobody could use. */
function NoAccount() {
  return (
    <section class="card entrance">
      <h1>{t("This server has no account yet")}</h1>
      <p>
        {rich(
          "Open the link that the server printed when it started. Its address ends with {setup} and a secret; every start prints a new one.",
          { setup: <code>#setup=</code> },
        )}
      </p>
      <p>{t("Or make the account on the server's own command line, where FOLDER is its data folder:")}</p>
      <pre>footfall user add NAME --data FOLDER</pre>
      <p>
        <button type="button" onClick={askAgain}>
          {t("The account is made: log in")}
        </button>
      </p>
    </section>
  );
}

interface SetUpProps {
  readonly token: string;
  /** Shows the login in place of this. */
  readonly toLogin: () => void;
}

function SetUp({ token, toLogin }: SetUpProps) {
  const [refused, setRefused] = useState(false);
  const setUp = async ({ username = "", password = "" }: Fields) => {
    await call<User>("POST", "/setup", { body: { token, username, password } }).catch((error: unknown) => {
      setRefused(error instanceof ApiError && (error.status === 401 || error.status === 409));
      throw error;
    });
    forgetLink();
    // WebKit keeps no secure cookie of http://localhost: this form stays and says so.
    await logIn({ username, password });
  };
  return (
    <section class="card entrance">
      <h1>{t("Welcome to Footfall")}</h1>
      <p>{t("Make the first account. You can change its name and password later.")}</p>
      <Form submit={t("Create account")} onSubmit={setUp}>
        <UsernameField hint={usernameHint} {...usernameRules} />
        <PasswordField
          label={t("Password")}
          name="password"
          autocomplete="new-password"
          hint={passwordHint}
          {...newPasswordRules}
        />
      </Form>
      {refused && (
        <div class="prose">
          <p>
            {t(
              "A link works once, and only until the server starts again. While there is no account, each start prints a new one: restart the server and look at its output, or make the account there, where FOLDER is its data folder, with",
            )}
          </p>
          <pre>footfall user add NAME --data FOLDER</pre>
          <p>
            <button type="button" onClick={toLogin}>
              {t("I have an account: log in")}
            </button>
          </p>
        </div>
      )}
    </section>
  );
}

function NeedsSecureContext() {
  const port = location.port === "" ? "80" : location.port;
  const tunnelled = `http://localhost:8080${websitesHref}${location.hash}`;
  return (
    <section class="card entrance prose">
      <h1>{t("Footfall needs HTTPS here")}</h1>
      <p>
        {t(
          "Logging in needs HTTPS, or localhost: over plain HTTP others on the network could read your password, and browsers reject the login cookie.",
        )}
      </p>
      <p>
        {t(
          "As a permanent solution, put a web server with a certificate in front of Footfall on its machine, such as Caddy:",
        )}
      </p>
      <pre>{`stats.example {\n  reverse_proxy localhost:${port}\n}`}</pre>
      <p>
        {rich(
          "Until then, open it as localhost: start a tunnel on your own machine with this command, and open {address}.",
          { address: <a href={tunnelled}>http://localhost:8080</a> },
        )}
      </p>
      <pre>{`ssh -L 8080:localhost:${port} ${location.hostname}`}</pre>
    </section>
  );
}
