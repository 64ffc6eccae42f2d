/** The account's API tokens: making one, copying it, and revoking it. */
import { useState } from "preact/hooks";
import { tokenNameCharactersMax, tokenScopes, type TokenScope } from "../../core/api-token.ts";
import { askAgain, useAnswer } from "../lib/answer.ts";
import { displayOf, type Website } from "../lib/api.ts";
import { dateTime } from "../lib/texts/format.ts";
import { Copyable } from "../parts/copyable.tsx";
import {
  EntryCell,
  EntryTable,
  EntryTool,
  useEntryDeletion,
  type Ask,
} from "../parts/tables/entry-table.tsx";
import { Field, Form } from "../parts/forms/form.tsx";
import { Select } from "../parts/forms/select.tsx";
import { Made, useMade } from "../parts/made.tsx";
import { Pending } from "../parts/notice.tsx";
import { Section } from "../parts/section.tsx";
import type { UserProps } from "./account.tsx";
import { changeOwn } from "./own-account.ts";
import { t } from "../lib/texts/words.ts";

interface Token {
  readonly id: string;
  readonly name: string;
  readonly scope: TokenScope;
  /** null for all websites. */
  readonly hostname: string | null;
  /** Unix seconds; null for one that was never used. */
  readonly dateUsed: number | null;
}

interface MadeToken extends Token {
  readonly token: string;
}

const path = "/user/tokens";
/** The server notes the first use of each UTC day: the date says so. */
const usedFormat = {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
  timeZoneName: "short",
} as const;
const scopeTexts: Readonly<Record<TokenScope, string>> = {
  read: t("Read: see the statistics"),
  send: t("Send: count hits from a server or an app"),
  admin: t("Admin: change what you may change, but for passwords, sessions, tokens and accounts"),
};

export function Tokens({ user }: UserProps) {
  const { data, error } = useAnswer<readonly Token[]>(path);
  const [made, setMade] = useState<MadeToken>();
  const shown = useMade(made, data);
  const { ask, dialog } = useEntryDeletion();
  return (
    <Section title={t("API tokens")}>
      <p>{t("With a token, a program asks the API in your name. Give each program its own.")}</p>
      <Pending data={data} error={error} what={t("the tokens")} />
      {data !== undefined && data.length > 0 && <TokenTable tokens={data} ask={ask} />}
      {dialog}
      {shown !== undefined && (
        <Made key={shown.token} label={t("The token {name}", { name: shown.name })}>
          <p>
            <strong>{t("The token is made.")}</strong> {t("Copy it now: it is not shown again.")}
          </p>
          <Copyable text={shown.token} label={t("Copy token")} />
        </Made>
      )}
      <NewToken key={made?.id} user={user} onMade={setMade} />
    </Section>
  );
}

interface TokenTableProps {
  readonly tokens: readonly Token[];
  readonly ask: Ask;
}

function TokenTable({ tokens, ask }: TokenTableProps) {
  const revoke = ({ id, name }: Token, button: Element) =>
    ask(button, {
      title: t("Revoke the token {name}?", { name }),
      submit: t("Revoke"),
      done: t("The token {name} opens nothing any more.", { name }),
      path: `${path}/${encodeURIComponent(id)}`,
      children: (
        <p>
          {t("Programs that use it are refused from then on. A token that is revoked does not come back.")}
        </p>
      ),
    });
  return (
    <EntryTable
      caption={t("Your API tokens")}
      columns={[t("Name"), t("May"), t("Website"), t("Last use")]}
      tool={t("Revoke")}
    >
      {tokens.map((token) => (
        <tr key={token.id}>
          <th scope="row">{token.name}</th>
          <EntryCell column={t("May")}>{scopeTexts[token.scope]}</EntryCell>
          <EntryCell column={t("Website")}>{token.hostname ?? t("All websites")}</EntryCell>
          <EntryCell column={t("Last use")} class="date">
            {token.dateUsed === null ? "–" : dateTime(token.dateUsed * 1_000, usedFormat)}
          </EntryCell>
          <EntryTool
            label={t("Revoke the token {name}", { name: token.name })}
            text={t("Revoke")}
            onPress={(button) => revoke(token, button)}
          />
        </tr>
      ))}
    </EntryTable>
  );
}

interface NewTokenProps extends UserProps {
  readonly onMade: (token: MadeToken) => void;
}

function NewToken({ user, onMade }: NewTokenProps) {
  const { data: websites = [] } = useAnswer<readonly Website[]>("/websites");
  const make = async ({ name = "", scope = "", hostname = "" }: Readonly<Record<string, string>>) => {
    const body = { name, scope, ...(hostname !== "" && { hostname }) };
    onMade(await changeOwn<MadeToken>(user, "POST", path, body));
    askAgain();
  };
  return (
    <Form submit={t("Make token")} look="plain" onSubmit={make}>
      <Field
        label={t("Name")}
        name="name"
        hint={t("For you, to tell tokens apart.")}
        autocomplete="off"
        maxLength={tokenNameCharactersMax}
        required
      />
      <Select
        label={t("May")}
        name="scope"
        options={tokenScopes.map((scope) => [scope, scopeTexts[scope]])}
      />
      <Select
        label={t("Website")}
        name="hostname"
        options={[
          ["", t("All websites")],
          ...websites.map((website) => [website.hostname, displayOf(website)] as const),
        ]}
      />
    </Form>
  );
}
