/** The second factor of the account: switching it on with a first code, and off. */
import { useRef, useState } from "preact/hooks";
import type { User } from "../lib/api.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Copyable } from "../parts/copyable.tsx";
import { CodeField, Form } from "../parts/forms/form.tsx";
import { Made } from "../parts/made.tsx";
import { focusHeading, Section } from "../parts/section.tsx";
import { CurrentPassword, type UserProps } from "./account.tsx";
import { changeOwn } from "./own-account.ts";
import { rich, t } from "../lib/texts/words.ts";

interface Offer {
  /** In base32. */
  readonly secret: string;
  /** `otpauth://totp/…` */
  readonly url: string;
  /** The `d` of a path in a square of `size`. */
  readonly qr: { readonly size: number; readonly path: string };
}

type Fields = Readonly<Record<string, string>>;
const path = "/user/second-factor";

export function SecondFactor({ user }: UserProps) {
  const text = useRef<HTMLParagraphElement>(null);
  const onDone = (said: string) => {
    // The form goes, and the focus in it.
    focusHeading(text.current);
    announceChange(said);
  };
  const Switch = user.second_factor ? SwitchOff : SwitchOn;
  return (
    <Section title={t("Second factor")}>
      <p ref={text}>
        {user.second_factor
          ? t("It is on: a login needs a code from your app.")
          : t(
              "A login then needs a code from an authenticator app, besides the password. Switching it on ends all other sessions; API tokens and links go on.",
            )}
      </p>
      <Switch user={user} onDone={onDone} />
    </Section>
  );
}

interface SwitchProps extends UserProps {
  readonly onDone: (said: string) => void;
}

function SwitchOn({ user, onDone }: SwitchProps) {
  const [offer, setOffer] = useState<Offer>();
  const submit = async ({ current_password, code }: Fields) => {
    if (offer === undefined)
      return setOffer(await changeOwn<Offer>(user, "POST", `${path}/offer`, { current_password }));
    await changeOwn<User>(user, "POST", path, { current_password, secret: offer.secret, code });
    onDone(t("The second factor is on. All other sessions have ended."));
  };
  return (
    <Form submit={offer === undefined ? t("Switch on…") : t("Switch on")} look="plain" onSubmit={submit}>
      <CurrentPassword user={user} />
      {offer !== undefined && (
        <>
          <Offered offer={offer} />
          <CodeField />
        </>
      )}
    </Form>
  );
}

function Offered({ offer: { secret, url, qr } }: { readonly offer: Offer }) {
  return (
    <Made label={t("The secret of the codes")}>
      <p>
        {rich("Scan this with the app, {open} on this device, or type in the secret:", {
          open: <a href={url}>{t("open it")}</a>,
        })}
      </p>
      <svg
        role="img"
        aria-label={t("QR code")}
        viewBox={`0 0 ${qr.size} ${qr.size}`}
        width="200"
        height="200"
        shape-rendering="crispEdges"
      >
        <path fill="#fff" d={`M0 0h${qr.size}v${qr.size}H0z`} />
        <path fill="#000" d={qr.path} />
      </svg>
      <Copyable text={secret.replaceAll(/.{4}(?=.)/g, "$& ")} />
      <p>
        {rich(
          "Should the app be lost, this command switches the second factor off, on the server, where FOLDER is its data folder: {command}",
          { command: <code>footfall user remove-second-factor NAME --data FOLDER</code> },
        )}
      </p>
    </Made>
  );
}

function SwitchOff({ user, onDone }: SwitchProps) {
  const submit = async ({ current_password, code }: Fields) => {
    await changeOwn<User>(user, "POST", `${path}/remove`, { current_password, code });
    onDone(t("The second factor is off."));
  };
  return (
    <Form submit={t("Switch off")} look="plain" onSubmit={submit}>
      <CurrentPassword user={user} />
      <CodeField />
    </Form>
  );
}
