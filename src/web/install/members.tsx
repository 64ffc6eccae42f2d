/** The accounts of a website: inviting others, their roles, and leaving. */
import { useEffect, useRef, useState } from "preact/hooks";
import { roles, type Role } from "../../core/role.ts";
import { navigate } from "../lib/address.ts";
import { askAgain, forgetAnswers, useAnswer } from "../lib/answer.ts";
import { call, type User } from "../lib/api.ts";
import { dateTime } from "../lib/format.ts";
import { isolated } from "../lib/label.ts";
import { invitationHref, websitesHref } from "../lib/routes.ts";
import { announce } from "../parts/announcer.tsx";
import { Copyable } from "../parts/copyable.tsx";
import { EntryTable, EntryTool, useEntryChanges } from "../parts/entry-table.tsx";
import { Form } from "../parts/form.tsx";
import { Failed, Loading } from "../parts/notice.tsx";
import { Section } from "../parts/section.tsx";
import { t } from "../lib/words.ts";

interface Member {
  readonly username: string;
  readonly role: Role;
}

interface Invitation {
  readonly id: string;
  readonly role: Role;
  /** Unix seconds. */
  readonly dateExpires: number;
}

interface Accounts {
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
}

const roleTexts: Readonly<Record<Role, string>> = {
  viewer: "Viewer: reads the statistics",
  editor: "Editor: also changes goals and the set-up",
  owner: "Owner: everything, also links and accounts",
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
      {error !== undefined && <Failed error={error} what={t("the accounts")} />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && <AccountTable path={path} accounts={data} />}
      <Invite path={path} />
    </Section>
  );
}

/** Returns what can be done to accounts and invitations, and the error of the last attempt. */
function useChanges(path: string) {
  const { error, change } = useEntryChanges();
  const memberPath = ({ username }: Member) => `${path}/members/${encodeURIComponent(username)}`;
  const setRole = (member: Member, select: HTMLSelectElement) => {
    const { value: role } = select;
    const send = () =>
      call("PATCH", memberPath(member), { body: { role } }).catch((refused: unknown) => {
        select.value = member.role;
        throw refused;
      });
    change(send, `${isolated(member.username)} is ${role} now.`);
  };
  const remove = (member: Member, button: Element) =>
    change(
      () => call("DELETE", memberPath(member)),
      `${isolated(member.username)} does not have the website any more.`,
      button,
    );
  const revoke = ({ id }: Invitation, button: Element) =>
    change(() => call("DELETE", `${path}/invitations/${id}`), "The invitation is revoked.", button);
  return { error, setRole, remove, revoke };
}

interface AccountTableProps {
  readonly path: string;
  readonly accounts: Accounts;
}

function AccountTable({ path, accounts: { members, invitations } }: AccountTableProps) {
  const { error, setRole, remove, revoke } = useChanges(path);
  const { data: self } = useAnswer<User>("/user");
  return (
    <EntryTable
      caption={t("Accounts of this website")}
      columns={["Account", "Role"]}
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
  );
}

interface MemberRowProps {
  readonly member: Member;
  readonly isSelf: boolean;
  readonly onRole: (select: HTMLSelectElement) => void;
  readonly onRemove: (button: Element) => void;
}

function MemberRow({ member: { username, role }, isSelf, onRole, onRemove }: MemberRowProps) {
  const name = isolated(username);
  return (
    <tr>
      <th scope="row">
        <span dir="auto">{username}</span>
        {isSelf && <span class="weak role">{t("you")}</span>}
      </th>
      <td>
        <select aria-label={`Role of ${name}`} value={role} onChange={(event) => onRole(event.currentTarget)}>
          {roles.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </td>
      <EntryTool
        label={isSelf ? "Leave this website" : `Remove the account ${name}`}
        text={isSelf ? "Leave" : "Remove"}
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
  const until = dateTime(dateExpires * 1_000, { dateStyle: "medium" });
  return (
    <tr>
      <th scope="row" class="weak">
        Invited, until {until}
      </th>
      <td>{role}</td>
      <EntryTool
        label={`Revoke the invitation as ${role} until ${until}`}
        text={t("Revoke")}
        onPress={onRevoke}
      />
    </tr>
  );
}

function Invite({ path }: { readonly path: string }) {
  const [href, setHref] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), [href]);
  const invite = async ({ role }: Readonly<Record<string, string>>) => {
    const { token } = await call<{ token: string }>("POST", `${path}/invitations`, { body: { role } });
    setHref(location.origin + invitationHref(token));
    askAgain();
  };
  return (
    <>
      {href !== undefined && (
        <div ref={box} class="made-link" tabIndex={-1} role="group" aria-label={t("The invitation")}>
          <p>
            <strong>{t("The invitation is made.")}</strong> Send this address to one person: it works once,
            for seven days, and is not shown again.
          </p>
          <Copyable text={href} label={t("Copy invitation")} />
        </div>
      )}
      <Form submit={t("Invite")} look="plain" onSubmit={invite}>
        <div class="field">
          <label for="invited-role">{t("Role")}</label>
          <select id="invited-role" name="role">
            {roles.map((role) => (
              <option key={role} value={role}>
                {roleTexts[role]}
              </option>
            ))}
          </select>
        </div>
      </Form>
    </>
  );
}

/** For whoever is no owner: gives the website up. */
export function Leave({ hostname }: { readonly hostname: string }) {
  const { data: self } = useAnswer<User>("/user");
  const leave = async () => {
    await call("DELETE", `${pathOf(hostname)}/members/${encodeURIComponent(self?.username ?? "")}`);
    navigate(websitesHref, "replace");
    forgetAnswers();
    announce(`You have left ${hostname}.`);
  };
  return (
    <Section title={t("Leave")}>
      <p>Your account does not see {hostname} any more then. Its owners can invite you again.</p>
      <Form submit={t("Leave website")} look="danger" ready={self !== undefined} onSubmit={leave} />
    </Section>
  );
}
