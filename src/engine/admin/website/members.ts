/** The use cases of a website's accounts: invite, accept, change a role, remove. */
import { roleOf } from "../../../accounts/members.ts";
import type { User, Website } from "../../../accounts/registry/registry.ts";
import { hashOf, newToken } from "../../../accounts/token.ts";
import { Refusal, shown } from "../../../core/refusal.ts";
import { invitationsMax, membersMax, roles, type Invitation, type Role } from "../../../core/website/role.ts";
import type { Engine } from "../../engine.ts";
import { assertMayChange, goneRefusal, type Caller, type WebsiteCall } from "../caller.ts";
import { commitOwners } from "../common-owner.ts";
import { fieldsOf, knownWord, requiredText } from "../fields.ts";
import { expectRoom } from "./room-of-account.ts";
import { websiteFor, websiteStillFor, websiteToChange } from "../websites.ts";

export interface NewInvitation {
  readonly invitation: Invitation;
  /** The secret of the invitation's address; it is not stored. */
  readonly token: string;
}

/** Invites whoever gets the token. Takes `{role}`. Throws Refusal 400, also for one too many, 403, 404. */
export async function invite(call: WebsiteCall, body: unknown): Promise<NewInvitation> {
  const { engine, caller } = call;
  const { websiteId } = websiteToChange(call, "owner");
  const role = roleIn(body);
  const invitationId = engine.random.bytes(8).toHex();
  const token = newToken(engine.random);
  const timeMs = engine.nowMs();
  const tokenHash = hashOf(token);
  const invitation = { invitationId, role, tokenHash, createdMs: timeMs };
  expectRoom(engine, websiteId, invitation);
  const madeBy = makerOf(caller);
  const record = { timeMs, websiteId, invitationId, role, tokenHash, madeBy };
  const outcome = await engine.commit({ kind: "invitationAdded", ...record });
  if (outcome === "taken")
    throw new Refusal(400, `invitations: expected at most ${invitationsMax} that wait: revoke one first`);
  if (outcome === "missing") {
    websiteStillFor(call, "owner");
    throw goneRefusal();
  }
  return { invitation, token };
}

/** Revokes an invitation; `invitationId`: as it stands in the path. Throws Refusal 400, 403, 404. */
export async function removeInvitation(call: WebsiteCall, invitationId: string): Promise<void> {
  const { websiteId } = websiteToChange(call, "owner");
  const outcome = await call.engine.commit({ kind: "invitationRemoved", websiteId, invitationId });
  if (outcome === "missing")
    throw new Refusal(404, `id: there is no invitation ${shown(invitationId)} of this website`);
}

/**
 * Makes the caller a member. Takes `{token}`. Throws Refusal 400, 403; 404 for an invitation that is none, is spent or has
 * expired, and 409 for who is a member already.
 */
export async function acceptInvitation(engine: Engine, caller: Caller, body: unknown): Promise<Website> {
  assertMayChange(engine, caller);
  const tokenHash = hashOf(requiredText(fieldsOf(body), "token"));
  const { userId } = caller;
  const isIt = (invitation: Invitation) => invitation.tokenHash === tokenHash;
  // Compared first: many wait, and nothing is made of those that are others.
  const found = engine.registry.websites.values().find(({ invitations }) => invitations.some(isIt));
  const invitationId = found?.invitations.find(isIt)?.invitationId;
  if (found === undefined || invitationId === undefined) throw noInvitation();
  const { websiteId } = found;
  const outcome = await engine.commit({ kind: "invitationAccepted", websiteId, invitationId, userId });
  const website = engine.registry.websites.get(websiteId);
  if (outcome === "missing" || website === undefined) throw noInvitation();
  if (outcome === "done") return website;
  if (roleOf(website, userId) !== undefined) throw isMemberAlready();
  throw new Refusal(409, `members: expected at most ${membersMax} of a website`);
}

/** Makes an account a member, by an invitation that nobody else sees. Takes `{role}`. Throws Refusal 400, 403, 404, 409. */
export async function addMember(
  call: WebsiteCall,
  { userId }: Pick<User, "userId">,
  body: unknown,
): Promise<void> {
  if (roleOf(websiteToChange(call, "owner"), userId) !== undefined) throw isMemberAlready();
  const { invitation, token } = await invite(call, body);
  try {
    await acceptInvitation(call.engine, { userId, sessionId: "" }, { token });
  } catch (error) {
    // Nobody has its token, and it would take one of the places of those that wait.
    await removeInvitation(call, invitation.invitationId);
    throw error;
  }
}

/**
 * Gives an account of a website another role. Takes `{role}`. Throws Refusal 400, also where the next first owner has no
 * room for the website, 403, 404, and 409 for the last owner, of all `www.` forms too.
 */
export async function changeMember(call: WebsiteCall, username: string, body: unknown): Promise<void> {
  const { engine, caller } = call;
  const website = websiteToChange(call, "owner");
  const role = roleIn(body);
  const { userId } = memberNamed(engine, website, username);
  const { websiteId } = website;
  const madeBy = makerOf(caller);
  const change = { kind: "memberChanged", timeMs: engine.nowMs(), websiteId, userId, role, madeBy } as const;
  const outcome = await commitOwners(engine, caller, change);
  if (outcome === "needed") throw lastOwner();
  if (outcome !== "missing") return;
  websiteStillFor(call, "owner");
  throw noMember(username);
}

/**
 * Takes a website from an account; everybody may leave one. Throws Refusal 400, also where the next first owner has no room
 * for it, 403, 404, and 409 for the last owner, of all `www.` forms too.
 */
export async function removeMember(call: WebsiteCall, username: string): Promise<void> {
  const { engine, caller } = call;
  assertMayChange(engine, caller);
  const isOwn = engine.registry.userByName(username)?.userId === caller.userId;
  const website = websiteFor(call, isOwn ? "viewer" : "owner");
  const { userId } = memberNamed(engine, website, username);
  const { websiteId } = website;
  const madeBy = isOwn ? 0 : makerOf(caller);
  const removal = { kind: "memberRemoved", timeMs: engine.nowMs(), websiteId, userId, madeBy } as const;
  const outcome = await commitOwners(engine, caller, removal);
  if (outcome === "needed") throw lastOwner();
  if (outcome !== "missing") return;
  if (!isOwn) websiteStillFor(call, "owner");
  throw noMember(username);
}

/** The account that has to be an owner still when its record is applied; 0 for the operator. */
function makerOf({ userId, sessionId }: Caller): number {
  return sessionId === "" ? 0 : userId;
}

function roleIn(body: unknown): Role {
  return knownWord("role", requiredText(fieldsOf(body), "role"), roles);
}

/** An account that the website does not have is the same as none: nobody learns which names there are. */
function memberNamed({ registry }: Engine, website: Website, username: string): User {
  const user = registry.userByName(username);
  if (user === undefined || roleOf(website, user.userId) === undefined) throw noMember(username);
  return user;
}

function noMember(username: string): Refusal {
  return new Refusal(404, `username: ${shown(username)} is no account of this website`);
}

function isMemberAlready(): Refusal {
  return new Refusal(409, "this account has the website already");
}

function noInvitation(): Refusal {
  return new Refusal(404, "token: this invitation is not valid: it was used or revoked, or it is too old");
}

function lastOwner(): Refusal {
  return new Refusal(409, "role: this is the last owner of the website: make another account an owner first");
}
