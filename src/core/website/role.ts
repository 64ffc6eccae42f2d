/** The roles of accounts on a website: its owners, and those with whom they share it. */

/** Each role may do what those before it may. */
export const roles = ["viewer", "editor", "owner"] as const;
export type Role = (typeof roles)[number];

export function includesRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** An account with whom a website is shared. */
export interface Member {
  readonly userId: number;
  readonly role: Role;
}

/** An invitation that nobody has accepted; whoever has its token may, once. */
export interface Invitation {
  readonly invitationId: string;
  readonly role: Role;
  /** SHA-256 of the token, hex. */
  readonly tokenHash: string;
  readonly createdMs: number;
}

export const invitationMs = 7 * 86_400_000;
/** The most accounts of a website, and the most invitations that wait. */
export const membersMax = 100;
export const invitationsMax = 50;

export function isOpen({ createdMs }: Invitation, nowMs: number): boolean {
  return nowMs - createdMs < invitationMs;
}
