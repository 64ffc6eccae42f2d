/** The registry as a plain JSON value, for the checkpoint. It is canonical: the same state gives the same JSON. */
import type { Funnels } from "../../core/website/funnel.ts";
import type { Goal, Goals } from "../../core/website/goal.ts";
import { nothingListed } from "../../core/website/listed-entries.ts";
import type { Notes } from "../../core/website/note.ts";
import type { Link } from "../../core/website/link.ts";
import type { Invitation, Member } from "../../core/website/role.ts";
import { noRules, type Rules } from "../../core/website/rules.ts";
import type { Segments } from "../../core/website/segment.ts";
import type { ApiToken, ImportPosition, Session, User, Website } from "../account.ts";
import type { Recipient, Subscriptions } from "../../core/website/subscription.ts";

/** Goals had the names of their ids before the other lists came. */
interface SavedGoals {
  readonly nextGoalId: number;
  readonly list: readonly (Omit<Goal, "id"> & { readonly goalId: number })[];
}

export interface SavedWebsite extends Pick<Website, "websiteId" | "userId" | "hostname"> {
  /** The website's other hostnames; missing if it has none, and in files from before it could have any. */
  readonly aliases?: readonly string[];
  readonly imports: readonly (ImportPosition & { readonly file: string })[];
  /** The website's rules; missing if it has none, and in files from before there were any. */
  readonly rules?: FirstRules;
  /** The website has visits; missing if it has none, and in files from before there were any. */
  readonly visits?: true;
  /** The website's goals; missing if it never had one, and in files from before there were any. */
  readonly goals?: SavedGoals;
  /** The same of notes, segments, funnels and subscriptions. */
  readonly notes?: Notes;
  readonly segments?: Segments;
  readonly funnels?: Funnels;
  readonly subscriptions?: Subscriptions;
  /** The mail addresses of the website; missing if it has none, and in files from before there were any. */
  readonly recipients?: readonly Recipient[];
  /** Missing if the website has no key yet, and in files from before it could have one. */
  readonly leavingKey?: string;
  /** The website's links; missing if it has none, and in files from before there were any. */
  readonly links?: readonly Link[];
  /** The website's members; missing if it is shared with nobody, and in files from before it could be. */
  readonly members?: readonly Member[];
  readonly invitations?: readonly Invitation[];
}

export interface RegistryState {
  readonly nextUserId: number;
  readonly nextWebsiteId: number;
  /** In the order of their ids, as are the websites and sessions. */
  readonly users: readonly User[];
  readonly websites: readonly SavedWebsite[];
  readonly sessions: readonly Session[];
  /** The API tokens; missing if there are none, and in files from before there were any. */
  readonly tokens?: readonly ApiToken[];
}

/** The fields that every checkpoint has. */
type FirstUser = Pick<
  User,
  "userId" | "username" | "passwordHash" | "language" | "scriptType" | "createdMs" | "updatedMs"
>;
type FirstSession = Pick<
  Session,
  "sessionId" | "userId" | "tokenHash" | "createdMs" | "renewedMs" | "browser" | "os"
>;
type FirstRules = Pick<
  Rules,
  "networks" | "countries" | "paths" | "referrers" | "countsCrawlers" | "countsSpam"
> &
  Partial<Pick<Rules, "ignoredReferrers">>;
type FirstToken = Pick<
  ApiToken,
  "tokenId" | "userId" | "websiteId" | "name" | "scope" | "tokenHash" | "createdMs" | "usedMs"
>;

/**
 * A field that came later gets its value for checkpoints from before it here, behind the saved fields. A field of a record
 * that the state keeps has the same value here as in `appended`.
 */
export function loadUser(saved: FirstUser): User {
  return saved;
}

export function loadSession(saved: FirstSession): Session {
  return saved;
}

export function loadToken(saved: FirstToken): ApiToken {
  return saved;
}

function loadRules(saved: FirstRules): Rules {
  return { ...saved, ignoredReferrers: saved.ignoredReferrers ?? [] };
}

export function saveWebsite(all: Website): SavedWebsite {
  const { aliases, imports, rules, visits, goals, notes, segments, links, members, invitations, ...others } =
    all;
  const { funnels, subscriptions, recipients, leavingKey, ...website } = others;
  const positions = [...imports].map(([file, position]) => ({ file, ...position }));
  return {
    ...website,
    imports: sortedBy(positions, ({ file }) => file),
    ...(aliases.length > 0 && { aliases }),
    ...(rules !== noRules && { rules }),
    ...(visits && { visits }),
    ...(goals.nextId > 1 && { goals: savedGoals(goals) }),
    ...(notes.nextId > 1 && { notes }),
    ...(segments.nextId > 1 && { segments }),
    ...(funnels.nextId > 1 && { funnels }),
    ...(subscriptions.nextId > 1 && { subscriptions }),
    ...(recipients.length > 0 && { recipients }),
    ...(leavingKey !== "" && { leavingKey }),
    ...(links.length > 0 && { links }),
    ...(members.length > 0 && { members }),
    ...(invitations.length > 0 && { invitations }),
  };
}

export function loadWebsite(saved: SavedWebsite): Website {
  const { imports, rules: savedRules, visits = false, goals: savedOnes, ...rest } = saved;
  const { notes = nothingListed, segments = nothingListed, ...others } = rest;
  const { funnels = nothingListed, subscriptions = nothingListed, ...website } = others;
  const goals = savedOnes === undefined ? nothingListed : loadedGoals(savedOnes);
  const rules = savedRules === undefined ? noRules : loadRules(savedRules);
  const positions = new Map(imports.map(({ file, ...position }) => [file, position]));
  const lists = { aliases: [], recipients: [], leavingKey: "", links: [], members: [], invitations: [] };
  const listed = { goals, notes, segments, funnels, subscriptions };
  return { ...lists, ...website, imports: positions, rules, visits, ...listed };
}

function savedGoals({ nextId, list }: Goals): SavedGoals {
  return { nextGoalId: nextId, list: list.map(({ id, ...goal }) => ({ goalId: id, ...goal })) };
}

function loadedGoals({ nextGoalId, list }: SavedGoals): Goals {
  return { nextId: nextGoalId, list: list.map(({ goalId, ...goal }) => ({ id: goalId, ...goal })) };
}

/** Returns a sorted copy, by number or by UTF-16 code units. */
export function sortedBy<T>(values: Iterable<T>, keyOf: (value: T) => number | string): T[] {
  return [...values].sort((a, b) => compare(keyOf(a), keyOf(b)));
}

function compare(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
