/**
 * The state of users, websites, sessions and tokens. Only log records change it, and it takes time only from them, so that
 * replay gives the same state. Ids are never reused; names are unique; a removed user's websites, sessions and tokens go too.
 * Hashing, ownership and messages are left to the use cases, the statistics of a website to the store.
 */
import type { Outcome } from "../../core/outcome.ts";
import { noRules } from "../../core/website/rules.ts";
import { assert } from "../../lib/assert.ts";
import { sessionsMaxBefore } from "../../record/account-kinds.ts";
import type { LogRecord, RecordOf } from "../../record/record.ts";
import { isOfRegistry } from "../../record/traits.ts";
import { ApiTokens } from "./api-tokens.ts";
import { isLive, type Session, type User, type Website } from "../account.ts";
import {
  loadSession,
  loadUser,
  loadWebsite,
  saveWebsite,
  sortedBy,
  type RegistryState,
} from "./saved-registry.ts";
import { checkIds, Table } from "./table.ts";
import { WebsiteTable, withoutForms, type Hostnames } from "./website-table.ts";
import { usernameKey } from "../username.ts";
import { partedBy } from "./common-owner.ts";
import { accountsOf, roleOf, withoutMember } from "../members.ts";
import { changedUser, endsSessions, mayComeFrom, withUsedStep } from "./user-changes.ts";
import { changesOf, type WebsiteRecord } from "./website-changes.ts";
import { noLists } from "./listed-changes.ts";

export type { Session, User, Website } from "../account.ts";
export type { RegistryState } from "./saved-registry.ts";

const firstSettings = { language: "en", scriptType: ["default"] } as const;

export class Registry {
  private readonly userTable = new Table<number, User>(
    ({ userId }) => userId,
    ({ username }) => [usernameKey(username)],
  );
  private readonly websiteTable = new WebsiteTable();
  private readonly sessionTable = new Table<string, Session>(
    ({ sessionId }) => sessionId,
    ({ tokenHash }) => [tokenHash],
  );
  /** By id, oldest first. */
  readonly users = this.userTable.rows;
  readonly websites = this.websiteTable.rows;
  /** Finds websites by their names and other hostnames. */
  readonly hostnames: Hostnames = this.websiteTable;
  /** Includes expired ones, until the next session starts. */
  readonly sessions = this.sessionTable.rows;
  readonly tokens = new ApiTokens();
  private userIdBound = 1;
  private websiteIdBound = 1;

  /** The least id that no user ever had; a record with a lower one is "taken". */
  get nextUserId(): number {
    return this.userIdBound;
  }

  get nextWebsiteId(): number {
    return this.websiteIdBound;
  }

  /** Applies a RegistryRecord; any other fails an assertion. An outcome other than "done" means that nothing changed. */
  apply(record: LogRecord): Outcome {
    switch (record.kind) {
      case "userAdded":
        return this.addUser(record);
      case "userChanged":
      case "secondFactorChanged":
        return this.changeUser(record);
      case "userRemoved":
        return this.removeUser(record);
      case "websiteAdded":
        return this.addWebsite(record);
      case "websiteRenamed":
        return this.renameWebsite(record);
      case "websiteAliases":
        return this.changeAliases(record);
      case "websiteRemoved":
        return this.removeWebsite(record);
      case "sessionStarted":
        return this.startSession(record);
      case "sessionRenewed":
      case "sessionEnded":
        return this.changeSession(record);
      case "tokenAdded":
      case "tokenRemoved":
      case "tokenUsed":
        return this.tokens.apply(record, this);
      default:
        assert(isOfRegistry(record), `the registry knows no ${record.kind} record`);
        return this.changeWebsite(record);
    }
  }

  userByName(username: string): User | undefined {
    return this.userTable.find(usernameKey(username));
  }

  get oldestUser(): User | undefined {
    return this.users.values().next().value;
  }

  websiteByHost(hostname: string): Website | undefined {
    return this.websiteTable.named(hostname);
  }

  /** Returns the website for the hostname of a hit, or of a link's address. */
  websiteForHit(hostname: string): Website | undefined {
    return this.websiteTable.forHit(hostname);
  }

  /** Returns the account that is the first owner of a website. */
  ownerOf(websiteId: number): number | undefined {
    return this.websites.get(websiteId)?.userId;
  }

  /** Returns the websites that an account may read, sorted by hostname. */
  sharedWith(userId: number): Website[] {
    const shared = this.websites.values().filter((website) => roleOf(website, userId) !== undefined);
    return sortedBy(shared, ({ hostname }) => hostname);
  }

  /** Returns the websites of which an account is the first owner, sorted by hostname. */
  websitesOf(userId: number): Website[] {
    const own = this.websites.values().filter((website) => website.userId === userId);
    return sortedBy(own, ({ hostname }) => hostname);
  }

  /** Returns the live sessions of an account, the one renewed longest ago first. */
  sessionsOf(userId: number, nowMs: number): Session[] {
    const own = this.sessions
      .values()
      .filter((session) => session.userId === userId && isLive(session, nowMs));
    const byId = sortedBy(own, ({ sessionId }) => sessionId);
    return sortedBy(byId, ({ renewedMs }) => renewedMs);
  }

  sessionByTokenHash(tokenHash: string, nowMs: number): Session | undefined {
    const session = this.sessionTable.find(tokenHash);
    return session !== undefined && isLive(session, nowMs) ? session : undefined;
  }

  save(): RegistryState {
    return {
      nextUserId: this.nextUserId,
      nextWebsiteId: this.nextWebsiteId,
      users: [...this.users.values()],
      websites: [...this.websites.values()].map(saveWebsite),
      sessions: sortedBy(this.sessions.values(), ({ sessionId }) => sessionId),
      ...(this.tokens.rows.size > 0 && { tokens: this.tokens.save() }),
    };
  }

  static load(state: RegistryState): Registry {
    const registry = new Registry();
    for (const user of state.users) registry.userTable.put(loadUser(user));
    for (const website of state.websites) registry.websiteTable.put(loadWebsite(website));
    for (const session of state.sessions) registry.sessionTable.put(loadSession(session));
    registry.tokens.load(state.tokens ?? []);
    registry.userIdBound = state.nextUserId;
    registry.websiteIdBound = state.nextWebsiteId;
    return registry;
  }

  check(): void {
    for (const table of [this.userTable, this.websiteTable, this.sessionTable]) table.check();
    checkIds(this.users.keys(), this.nextUserId);
    checkIds(this.websites.keys(), this.nextWebsiteId);
    this.tokens.check(this);
    for (const { userId } of this.sessions.values())
      assert(this.users.has(userId), `user ${userId} of a session exists`);
    for (const website of this.websites.values())
      for (const { userId } of accountsOf(website))
        assert(this.users.has(userId), `user ${userId} of website ${website.websiteId} exists`);
  }

  private addUser(record: RecordOf<"userAdded">): Outcome {
    const { timeMs, userId, username, passwordHash, firstOnly } = record;
    if (firstOnly && this.users.size > 0) return "taken";
    if (userId < this.userIdBound || this.userByName(username) !== undefined) return "taken";
    this.userIdBound = userId + 1;
    const times = { createdMs: timeMs, updatedMs: timeMs };
    this.userTable.put({ userId, username, passwordHash, ...firstSettings, ...times });
    return "done";
  }

  private changeUser(record: RecordOf<"userChanged" | "secondFactorChanged">): Outcome {
    const user = this.users.get(record.userId);
    const changed = user === undefined ? "missing" : changedUser(user, record);
    if (typeof changed === "string") return changed;
    if ((this.userByName(changed.username) ?? user) !== user) return "taken";
    const { userId, keepSessionId } = record;
    if (!mayComeFrom(this.sessions.get(keepSessionId), record)) return "missing";
    this.userTable.put(changed);
    if (endsSessions(record))
      this.endSessions((session) => session.userId === userId && session.sessionId !== keepSessionId);
    return "done";
  }

  private removeUser(record: RecordOf<"userRemoved">): Outcome {
    const { userId } = record;
    if (!this.users.has(userId)) return "missing";
    if (record.oneOwner && partedBy(this.websiteTable, record).length > 0) return "parted";
    this.endSessions((session) => session.userId === userId);
    for (const website of this.sharedWith(userId)) {
      const changes = withoutMember(website, { userId });
      if (typeof changes === "string") this.websiteTable.remove(website.websiteId);
      else this.websiteTable.put({ ...website, ...changes });
    }
    this.userTable.remove(userId);
    this.tokens.endLost(this);
    return "done";
  }

  private addWebsite(record: RecordOf<"websiteAdded">): Outcome {
    const { websiteId, userId, hostname, oneOwner, visits = false } = record;
    if (!this.users.has(userId)) return "missing";
    if (websiteId < this.websiteIdBound || this.hostnames.isTaken(hostname, oneOwner ? userId : undefined))
      return "taken";
    this.websiteIdBound = websiteId + 1;
    const rest = { aliases: [], imports: new Map(), rules: noRules, ...noLists, leavingKey: "", visits };
    this.websiteTable.put({ websiteId, userId, hostname, ...rest });
    return "done";
  }

  private renameWebsite({ websiteId, hostname, oneOwner }: RecordOf<"websiteRenamed">): Outcome {
    const website = this.websites.get(websiteId);
    if (website === undefined) return "missing";
    if (this.hostnames.isTaken(hostname, oneOwner ? website.userId : undefined, website)) return "taken";
    this.websiteTable.put({ ...website, hostname, aliases: withoutForms(website.aliases, hostname) });
    return "done";
  }

  private changeAliases({ websiteId, aliases }: RecordOf<"websiteAliases">): Outcome {
    const website = this.websites.get(websiteId);
    if (website === undefined) return "missing";
    if (!aliases.every((alias) => this.hostnames.mayBeAlias(alias, website))) return "taken";
    this.websiteTable.put({ ...website, aliases });
    return "done";
  }

  private removeWebsite({ websiteId }: RecordOf<"websiteRemoved">): Outcome {
    if (!this.websites.has(websiteId)) return "missing";
    this.websiteTable.remove(websiteId);
    this.tokens.endLost(this);
    return "done";
  }

  private changeWebsite(record: WebsiteRecord): Outcome {
    const website = this.websites.get(record.websiteId);
    if (website === undefined || ("userId" in record && !this.users.has(record.userId))) return "missing";
    if ("oneOwner" in record && record.oneOwner && partedBy(this.websiteTable, record).length > 0)
      return "parted";
    const changes = changesOf(website, record);
    if (typeof changes === "string") return changes;
    this.websiteTable.put({ ...website, ...changes });
    if (record.kind === "memberRemoved") this.tokens.endLost(this);
    return "done";
  }

  private startSession(record: RecordOf<"sessionStarted">): Outcome {
    const { timeMs, sessionId, userId, tokenHash, browser, os, sessionsMax = sessionsMaxBefore } = record;
    const { usedStep = null } = record;
    const user = this.users.get(userId);
    if (user === undefined) return "missing";
    if (this.sessions.has(sessionId) || this.sessionTable.find(tokenHash) !== undefined) return "taken";
    const changed = withUsedStep(user, usedStep);
    if (changed === "taken") return changed;
    this.userTable.put(changed);
    this.endSessions((session) => !isLive(session, timeMs));
    const own = this.sessionsOf(userId, timeMs);
    const surplus = Math.max(0, own.length + 1 - sessionsMax);
    for (const session of own.slice(0, surplus)) this.sessionTable.remove(session.sessionId);
    const times = { createdMs: timeMs, renewedMs: timeMs };
    this.sessionTable.put({ sessionId, userId, tokenHash, ...times, browser, os });
    return "done";
  }

  private changeSession(record: RecordOf<"sessionRenewed" | "sessionEnded">): Outcome {
    const session = this.sessions.get(record.sessionId);
    if (session === undefined) return "missing";
    if (record.kind === "sessionEnded") this.sessionTable.remove(record.sessionId);
    else this.sessionTable.put({ ...session, renewedMs: record.timeMs });
    return "done";
  }

  private endSessions(which: (session: Session) => boolean): void {
    for (const session of this.sessions.values())
      if (which(session)) this.sessionTable.remove(session.sessionId);
  }
}
