/**
 * The registry's data about a user, a website, a session and an API token. Plain values; times are milliseconds of the log's clock.
 */
import type { TokenScope } from "../core/api-token.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Funnels } from "../core/website/funnel.ts";
import type { Goals } from "../core/website/goal.ts";
import type { Notes } from "../core/website/note.ts";
import type { Link } from "../core/website/link.ts";
import type { Invitation, Member } from "../core/website/role.ts";
import type { Rules } from "../core/website/rules.ts";
import type { Segments } from "../core/website/segment.ts";
import type { Recipient, Subscriptions } from "../core/website/subscription.ts";

/** The second thing that a login needs, besides the password (login/totp.ts). */
export interface SecondFactor {
  /** 160 bits in base32. */
  readonly secret: string;
  /** The step of the latest code that was used: it and all before it count no more. */
  readonly usedStep: number;
}

export interface User {
  readonly userId: number;
  readonly username: string;
  /** An argon2id hash in PHC form. */
  readonly passwordHash: string;
  /** The dashboard's language, one of `languages`. */
  readonly language: string;
  /** The tracker's features, of `scriptTypes`. */
  readonly scriptType: readonly string[];
  readonly createdMs: number;
  readonly updatedMs: number;
  /** Missing while it is off. */
  readonly secondFactor?: SecondFactor;
}

/** Numbers of visits that a file got: from `first` on, for its own from `index` times as many on. */
export interface VisitBlock {
  readonly index: number;
  readonly first: number;
}

/**
 * The progress of an access log's import: the position after the last line, and the SHA-256 (hex) of the file up to
 * there.
 */
export interface ImportPosition {
  readonly position: number;
  readonly digest: string;
  /** The page views of visits that went on at the position are not imported yet. */
  readonly isPartial?: true;
  /** The blocks of numbers that its visits got; missing of a file whose visits have no numbers. */
  readonly visitBlocks?: readonly VisitBlock[];
}

export interface Website {
  readonly websiteId: number;
  /** The id of the account that is the first of its owners. */
  readonly userId: number;
  readonly hostname: string;
  /** Its other hostnames, whose page views count here too; without `www.`, each stands for both forms. */
  readonly aliases: readonly string[];
  /** By file, which is known by the SHA-256 (hex) of its first line. */
  readonly imports: ReadonlyMap<string, ImportPosition>;
  readonly rules: Rules;
  /** Whether the visits of its visitors are told apart. */
  readonly visits: boolean;
  readonly goals: Goals;
  readonly notes: Notes;
  readonly segments: Segments;
  readonly funnels: Funnels;
  /** The mail addresses of subscriptions are those of `recipients`, in the order in which they came. */
  readonly subscriptions: Subscriptions;
  readonly recipients: readonly Recipient[];
  /** The key of the links by which they leave, random; "" before the first of them was asked. */
  readonly leavingKey: string;
  /** In the order in which they were made. */
  readonly links: readonly Link[];
  /** All other accounts that may read it, in the order in which they came. */
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
}

/** Why a record changes nothing. */
export type Unchanged = Exclude<Outcome, "done">;
/** The fields of a website that a record changes, or why it changes none. */
export type Changes = Partial<Website> | Unchanged;

export interface Session {
  readonly sessionId: string;
  readonly userId: number;
  /** SHA-256 of the token, hex; only the browser has the token itself. */
  readonly tokenHash: string;
  readonly createdMs: number;
  readonly renewedMs: number;
  readonly browser: string;
  readonly os: string;
}

export interface ApiToken {
  readonly tokenId: string;
  readonly userId: number;
  /** The one website that it is for; 0 for all of the account. */
  readonly websiteId: number;
  readonly name: string;
  readonly scope: TokenScope;
  /** SHA-256 of the token, hex; only its program has the token itself. */
  readonly tokenHash: string;
  readonly createdMs: number;
  /** The first use on the latest UTC day on which it was used; null for none. */
  readonly usedMs: number | null;
}

/** How long a session lives after its start or last renewal; also the cookie's `Max-Age`. */
export const sessionLifetimeMs = 30 * 86_400_000;
/** The most live sessions of one account; one more ends the one renewed longest ago. */
export const sessionsPerUserMax = 20;
/** The same in demo mode, where everybody has one account and only memory sets a limit. */
export const demoSessionsMax = 10_000;

export function isLive(session: Session, nowMs: number): boolean {
  return nowMs - session.renewedMs < sessionLifetimeMs;
}
