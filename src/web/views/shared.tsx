/**
 * The page of a link: the statistics of its website for whoever has it, without an account. It asks for the password of
 * a link that has one.
 */
import { useState } from "preact/hooks";
import type { Filter } from "../../core/questions/query.ts";
import { askAgain, useAnswer } from "../lib/answer.ts";
import { call, loggedIn, readByLink, type ShownWebsite } from "../lib/api.ts";
import { route } from "../lib/address.ts";
import { isolated, label } from "../../core/questions/label.ts";
import { Form, PasswordField } from "../parts/forms/form.tsx";
import { isMissing, MissingLink } from "../parts/missing.tsx";
import { Pending } from "../parts/notice.tsx";
import { Statistics } from "./website.tsx";
import { t } from "../lib/texts/words.ts";

interface SharedWebsite extends ShownWebsite {
  readonly filters: readonly Filter[];
}

/** The secret of the link. It is after the hash, which no server log ever sees. */
const token = location.hash.slice(1);

interface SharedProps {
  readonly hostname: string;
  /** The id of the link. */
  readonly link: string;
}

export function Shared({ hostname, link }: SharedProps) {
  useState(() => readWith(link, keptGrant(link)));
  const path = `/website/${encodeURIComponent(hostname)}/shared`;
  const { data, error } = useAnswer<SharedWebsite>(path);
  if (error?.status === 401 || loggedIn.value === false) return <Locked path={path} link={link} />;
  if (isMissing(error)) return <MissingLink />;
  if (data === undefined) return <Pending data={data} error={error} what={isolated(label(hostname))} />;
  return <Statistics website={data} shared={{ id: link, token, filters: data.filters }} />;
}

function Locked({ path, link }: { readonly path: string; readonly link: string }) {
  const unlock = async ({ password }: Readonly<Record<string, string>>) => {
    const { grant } = await call<{ grant: string }>("POST", path, { body: { password } });
    readWith(link, grant);
    keepGrant(link, grant);
    loggedIn.value = true;
    askAgain();
  };
  return (
    <section class="card entrance">
      <h1>{t("These statistics have a password")}</h1>
      <Form submit={t("Open")} onSubmit={unlock}>
        <PasswordField label={t("Password")} name="password" autocomplete="off" autoFocus required />
      </Form>
    </section>
  );
}

function readWith(link: string, grant: string): void {
  readByLink({
    "footfall-link": token === "" ? link : `${link}.${token}`,
    ...(grant !== "" && { "footfall-grant": grant }),
  });
}

const grantKey = (link: string) => `footfall.grant.${link}`;

/** Returns the grant that this tab has kept; "" without one. A browser may forbid storage. */
function keptGrant(link: string): string {
  try {
    return sessionStorage.getItem(grantKey(link)) ?? "";
  } catch {
    return "";
  }
}

function keepGrant(link: string, grant: string): void {
  try {
    sessionStorage.setItem(grantKey(link), grant);
  } catch {
    // It lasts as long as the page.
  }
}

addEventListener("hashchange", () => {
  // Another token in the address is another link.
  if (route.value.view === "shared") location.reload();
});
