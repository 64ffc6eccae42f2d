/** The accounts of a website: inviting others, their roles, and leaving. */
import { useState } from "preact/hooks";
import { includesRole, roles, type Role } from "../../../core/website/role.ts";
import { navigate } from "../../lib/address.ts";
import { askAgain, useAnswer } from "../../lib/answer.ts";
import {
  call,
  displayOf,
  type Accounts,
  type Invitation,
  type Member,
  type ShownWebsite,
  type User,
} from "../../lib/api.ts";
import { shortDate } from "../../lib/texts/format.ts";
import { isolated, label } from "../../../core/questions/label.ts";
import { invitationHref, websitesHref } from "../../lib/routes.ts";
import { Copyable } from "../../parts/copyable.tsx";
import { Deletion } from "../../parts/dialogs/removal.tsx";
import { EntryTable, EntryTool, useEntryChanges, useEntryDeletion } from "../../parts/tables/entry-table.tsx";
import { Form } from "../../parts/forms/form.tsx";
import { Select } from "../../parts/forms/select.tsx";
import { Made, useMade } from "../../parts/made.tsx";
import { Pending } from "../../parts/notice.tsx";
import { Section } from "../../parts/section.tsx";
import { rich, t, translated } from "../../lib/texts/words.ts";

const roleTexts: Readonly<Record<Role, string>> = {
  viewer: t("Viewer: reads the statistics"),
  editor: t("Editor: also changes goals and the set-up"),
  owner: t("Owner: everything, also links and accounts"),
};

function pathOf(hostname: string): string {
  return `/website/${encodeURIComponent(hostname)}`;
}

export function Members({ hostname }: { readonly hostname: string }) {
  const path = pathOf(hostname);
  const { data, error } = useAnswer<Accounts>(`${path}/members`);
  return (
    <Section title={t("Accounts")}>
      <p>{t("Other accounts of this server can have this website, too.")}</p>
      <Pending data={data} error={error} what={t("the accounts")} />
      {data !== undefined && <AccountTable path={path} accounts={data} />}
      <Invite path={path} invitations={data?.invitations} />
    </Section>
  );
}

/**
 * Returns what can be done to accounts and invitations, the error of the last attempt, and the dialog that asks before
 * one is removed. `self`: the name of the account that is logged in.
 */
function useChanges(path: string, self: string | undefined) {
  const { error, change } = useEntryChanges();
  const { ask, dialog } = useEntryDeletion();
  const memberPath = ({ username }: Member) => `${path}/members/${encodeURIComponent(username)}`;
  const setRole = (member: Member, select: HTMLSelectElement) => {
    const role = select.value as Role;
    const name = isolated(label(member.username));
    const path = memberPath(member);
    const done = t("{name} is {role} now.", { name, role: translated(role) });
    // A key is enough to choose another role, which is shown once it is one.
    select.value = member.role;
    if (includesRole(role, member.role)) return change(() => call("PATCH", path, { body: { role } }), done);
    const isSelf = member.username === self;
    const question = {
      title: isSelf ? t("Change your own role?") : t("Change the role of {name}?", { name }),
      submit: t("Change role"),
      done,
      path,
      body: { role },
      children: (
        <>
          <p>
            {isSelf
              ? t("Your account has this role then, and only another owner can give it back its own:")
              : t("The account has this role then:")}
          </p>
          <p>{roleTexts[role]}</p>
        </>
      ),
    };
    // The section goes with the own role: owners alone see it.
    ask(select, question, isSelf ? document.getElementById("main") : select);
  };
  const remove = (member: Member, button: Element) => {
    const isSelf = member.username === self;
    const name = isolated(label(member.username));
    ask(button, {
      title: isSelf ? t("Leave this website?") : t("Remove the account {name}?", { name }),
      submit: isSelf ? t("Leave") : t("Remove"),
      done: t("{name} does not have the website any more.", { name }),
      path: memberPath(member),
      children: (
        <p>{t("The account does not see this website any more then, until an owner invites it again.")}</p>
      ),
    });
  };
  const revoke = ({ id }: Invitation, button: Element) =>
    ask(button, {
      title: t("Revoke the invitation?"),
      submit: t("Revoke"),
      done: t("The invitation is revoked."),
      path: `${path}/invitations/${id}`,
      children: <p>{t("Its address admits nobody any more.")}</p>,
    });
  return { error, dialog, setRole, remove, revoke };
}

interface AccountTableProps {
  readonly path: string;
  readonly accounts: Accounts;
}

function AccountTable({ path, accounts: { members, invitations } }: AccountTableProps) {
  const { data: self } = useAnswer<User>("/user");
  const { error, dialog, setRole, remove, revoke } = useChanges(path, self?.username);
  return (
    <>
      <EntryTable
        caption={t("Accounts of this website")}
        columns={[t("Account"), t("Role")]}
        tool={t("Remove")}
        error={error}
      >
        {members.map((member) => (
          <MemberRow
            key={member.username}
            member={member}
            isSelf={member.username === self?.username}
            onRole={(select) => setRole(member, select)}
            onRemove={(button) => remove(member, button)}
          />
        ))}
        {invitations.map((invitation) => (
          <InvitationRow
            key={invitation.id}
            invitation={invitation}
            onRevoke={(button) => revoke(invitation, button)}
          />
        ))}
      </EntryTable>
      {dialog}
    </>
  );
}

interface MemberRowProps {
  readonly member: Member;
  readonly isSelf: boolean;
  readonly onRole: (select: HTMLSelectElement) => void;
  readonly onRemove: (button: Element) => void;
}

function MemberRow({ member: { username, role }, isSelf, onRole, onRemove }: MemberRowProps) {
  const name = label(username);
  return (
    <tr>
      <th scope="row">
        <span dir="auto">{name}</span>
        {isSelf && <span class="weak role">{t("you")}</span>}
      </th>
      <td>
        <select
          aria-label={t("Role of {name}", { name: isolated(name) })}
          value={role}
          onChange={(event) => onRole(event.currentTarget)}
        >
          {roles.map((each) => (
            <option key={each} value={each}>
              {translated(each)}
            </option>
          ))}
        </select>
      </td>
      <EntryTool
        label={isSelf ? t("Leave this website") : t("Remove the account {name}", { name: isolated(name) })}
        text={isSelf ? t("Leave") : t("Remove")}
        onPress={onRemove}
      />
    </tr>
  );
}

interface InvitationRowProps {
  readonly invitation: Invitation;
  readonly onRevoke: (button: Element) => void;
}

function InvitationRow({ invitation: { role, dateExpires }, onRevoke }: InvitationRowProps) {
  const date = shortDate(dateExpires);
  return (
    <tr>
      <th scope="row" class="weak">
        {t("Invited, until {date}", { date })}
      </th>
      <td>{translated(role)}</td>
      <EntryTool
        label={t("Revoke the invitation as {role} until {date}", { role: translated(role), date })}
        text={t("Revoke")}
        onPress={onRevoke}
      />
    </tr>
  );
}

interface InviteProps {
  readonly path: string;
  readonly invitations: readonly Invitation[] | undefined;
}

function Invite({ path, invitations }: InviteProps) {
  const [made, setMade] = useState<Invitation & { readonly token: string }>();
  const shown = useMade(made, invitations);
  const invite = async ({ role }: Readonly<Record<string, string>>) => {
    setMade(await call("POST", `${path}/invitations`, { body: { role } }));
    askAgain();
  };
  return (
    <>
      {shown !== undefined && (
        <Made key={shown.token} label={t("The invitation")}>
          <p>
            <strong>{t("The invitation is made.")}</strong>{" "}
            {t("Send this address to one person: it works once, for seven days, and is not shown again.")}
          </p>
          <Copyable text={location.origin + invitationHref(shown.token)} label={t("Copy invitation")} />
          <p>
            {rich(
              "It makes no account. Whoever has none here needs one first, which is made on the server: {command}.",
              { command: <code>footfall user add NAME</code> },
            )}
          </p>
        </Made>
      )}
      <Form submit={t("Invite")} look="plain" onSubmit={invite}>
        <Select label={t("Role")} name="role" options={roles.map((role) => [role, roleTexts[role]])} />
      </Form>
    </>
  );
}

/** Lets a member who is no owner give the website up, after a question. */
export function Leave({ website }: { readonly website: ShownWebsite }) {
  const hostname = displayOf(website);
  const { data: self } = useAnswer<User>("/user");
  const [asking, setAsking] = useState(false);
  const rule = t("Your account does not see {hostname} any more then. Its owners can invite you again.", {
    hostname,
  });
  return (
    <Section title={t("Leave")}>
      <p>{rule}</p>
      <p>
        <button
          type="button"
          class="danger-line"
          aria-disabled={self === undefined}
          onClick={() => setAsking(self !== undefined)}
        >
          {t("Leave website…")}
        </button>
      </p>
      {asking && (
        <Deletion
          title={t("Leave this website?")}
          submit={t("Leave website")}
          done={t("You have left {hostname}.", { hostname })}
          path={`${pathOf(website.hostname)}/members/${encodeURIComponent(self?.username ?? "")}`}
          onDeleted={() => navigate(websitesHref, "replace")}
          onClose={() => setAsking(false)}
        >
          <p>{rule}</p>
        </Deletion>
      )}
    </Section>
  );
}
