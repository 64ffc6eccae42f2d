/**
 * The accounts of a website, and how records change them. `userId` of the website is the first of its owners, and
 * `members` are all others. There is always an owner.
 */
import { invitationsMax, isOpen, membersMax, type Member, type Role } from "../core/website/role.ts";
import type { RecordOf } from "../record/record.ts";
import type { Changes, Website } from "./account.ts";

/** Returns all accounts of a website, the first owner first. */
export function accountsOf({ userId, members }: Website): readonly Member[] {
  return [{ userId, role: "owner" }, ...members];
}

export function roleOf(website: Website, userId: number): Role | undefined {
  return accountsOf(website).find((member) => member.userId === userId)?.role;
}

/** Whether a record is made by an account that is no owner any more: an owner who is demoted could come back by it. */
export function isOfNoOwner(website: Website, { madeBy = 0 }: { readonly madeBy?: number }): boolean {
  return madeBy !== 0 && roleOf(website, madeBy) !== "owner";
}

/** An invitation is "taken" if another one has its id, or there are too many. Those that have expired go. */
export function withInvitation({ invitations }: Website, record: RecordOf<"invitationAdded">): Changes {
  const { kind, websiteId, timeMs: createdMs, madeBy, ...invitation } = record;
  const open = invitations.filter((other) => isOpen(other, createdMs));
  const isTaken = open.some(({ invitationId }) => invitationId === invitation.invitationId);
  if (isTaken || open.length >= invitationsMax) return "taken";
  return { invitations: [...open, { ...invitation, createdMs }] };
}

export function withoutInvitation(
  { invitations }: Website,
  { invitationId }: Pick<RecordOf<"invitationRemoved">, "invitationId">,
): Changes {
  const kept = invitations.filter((other) => other.invitationId !== invitationId);
  return kept.length === invitations.length ? "missing" : { invitations: kept };
}

/** It is "taken" by an account that the website has already; then it stays. */
export function withAccepted(website: Website, record: RecordOf<"invitationAccepted">): Changes {
  const { timeMs, invitationId, userId } = record;
  const invitation = website.invitations.find((other) => other.invitationId === invitationId);
  if (invitation === undefined || !isOpen(invitation, timeMs)) return "missing";
  const accounts = accountsOf(website);
  if (roleOf(website, userId) !== undefined || accounts.length >= membersMax) return "taken";
  const left = withoutInvitation(website, record) as Partial<Website>;
  return { ...left, members: [...website.members, { userId, role: invitation.role }] };
}

export function withRole(website: Website, { userId, role }: RecordOf<"memberChanged">): Changes {
  if (roleOf(website, userId) === undefined) return "missing";
  return changed(
    website,
    accountsOf(website).map((member) => (member.userId === userId ? { userId, role } : member)),
  );
}

export function withoutMember(website: Website, { userId }: { readonly userId: number }): Changes {
  if (roleOf(website, userId) === undefined) return "missing";
  return changed(
    website,
    accountsOf(website).filter((member) => member.userId !== userId),
  );
}

/**
 * The owner who comes first stays it for as long as it is one. Without an owner the change is "needed". Where somebody
 * ceases to be an owner, all invitations end: that account may have kept one.
 */
function changed(website: Website, accounts: readonly Member[]): Changes {
  const owners = accounts.filter(isOwner);
  const first = owners.find(({ userId }) => userId === website.userId) ?? owners[0];
  if (first === undefined) return "needed";
  const hasLostOne = accountsOf(website).filter(isOwner).length > owners.length;
  return {
    userId: first.userId,
    members: accounts.filter((member) => member !== first),
    ...(hasLostOne && { invitations: [] }),
  };
}

function isOwner({ role }: Member): boolean {
  return role === "owner";
}
