/** The page of an invitation: whoever is logged in accepts it. */
import { navigate } from "../lib/address.ts";
import { call } from "../lib/api.ts";
import { websiteHref } from "../lib/routes.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Form } from "../parts/forms/form.tsx";
import { t, translated } from "../lib/texts/words.ts";

/** The secret of the invitation. It is after the hash, which no server log ever sees. */
const token = location.hash.slice(1);

export function InvitationView() {
  const accept = async () => {
    const { hostname, role } = await call<{ hostname: string; role: string }>("POST", "/invitations/accept", {
      body: { token },
    });
    navigate(websiteHref(hostname), "replace");
    announceChange(t("You have {hostname} as {role}.", { hostname, role: translated(role) }));
  };
  return (
    <section class="card entrance">
      <h1>{t("You are invited to a website")}</h1>
      <p>{t("The account that you are logged in with gets its statistics.")}</p>
      <Form submit={t("Accept")} onSubmit={accept} />
    </section>
  );
}
