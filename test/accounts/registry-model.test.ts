/** The registry against lists that are searched, on random sequences of records with few names and ids. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { isLive, type ApiToken, type Session, type User } from "../../src/accounts/account.ts";
import { Registry, type RegistryState } from "../../src/accounts/registry/registry.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { Link } from "../../src/core/website/link.ts";
import { tokenScopes } from "../../src/core/api-token.ts";
import type { Goal } from "../../src/core/website/goal.ts";
import { nothingListed, type Listed } from "../../src/core/website/listed-entries.ts";
import type { Note } from "../../src/core/website/note.ts";
import { invitationMs, roles, type Invitation, type Member, type Role } from "../../src/core/website/role.ts";
import { noRules, type Rules } from "../../src/core/website/rules.ts";
import type { Funnel } from "../../src/core/website/funnel.ts";
import type { Segment } from "../../src/core/website/segment.ts";
import type { Recipient, Subscription } from "../../src/core/website/subscription.ts";
import type { LogRecord, RecordOf } from "../../src/record/record.ts";
import {
  invitationAccepted,
  invitationAdded,
  sessionStarted,
  userAdded,
  websiteAdded,
} from "../support/account-records.ts";
import { noonMs } from "../support/records.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

interface ModelWebsite {
  readonly websiteId: number;
  /** The first owner. */
  userId: number;
  hostname: string;
  aliases: readonly string[];
  readonly imports: Record<string, { position: number; digest: string; isPartial?: true }>;
  rules: Rules;
  visits: boolean;
  goals: Listed<Goal>;
  notes: Listed<Note>;
  segments: Listed<Segment>;
  funnels: Listed<Funnel>;
  subscriptions: Listed<Subscription>;
  recipients: readonly Recipient[];
  leavingKey: string;
  links: readonly Link[];
  /** All accounts of it, in the order in which they came. */
  accounts: readonly Member[];
  invitations: readonly Invitation[];
}

class Model {
  users: User[] = [];
  websites: ModelWebsite[] = [];
  sessions: Session[] = [];
  tokens: ApiToken[] = [];
  userIds = 0;
  websiteIds = 0;

  apply(record: LogRecord): Outcome {
    const outcome = this.change(record);
    this.tokens = this.tokens.filter((token) => this.mayHold(token));
    return outcome;
  }

  private mayHold({ userId, websiteId }: Pick<ApiToken, "userId" | "websiteId">): boolean {
    if (websiteId === 0) return this.users.some((user) => user.userId === userId);
    const website = this.websites.find((other) => other.websiteId === websiteId);
    return website !== undefined && roleIn(website.accounts, userId) !== undefined;
  }

  /** Whether forms of one name have an owner in common, and not after an account has another role in these websites. */
  private parts(userId: number, websites: readonly ModelWebsite[], role: Role | undefined): boolean {
    const after = this.websites.flatMap((website) => {
      if (!websites.includes(website) || !roleIn(website.accounts, userId)) return [website];
      const changed = { ...website };
      if (setRole(changed, userId, role)) return [changed];
      return websites === this.websites ? [] : [website];
    });
    return this.websites.some(({ hostname }) => {
      const [before, left] = [this.websites, after].map((all) =>
        all.filter((other) => bareName(other.hostname) === bareName(hostname)),
      ) as [ModelWebsite[], ModelWebsite[]];
      return isOfOne(before) && !isOfOne(left);
    });
  }

  private change(record: LogRecord): Outcome {
    const user = "userId" in record && this.users.find(({ userId }) => userId === record.userId);
    const website =
      "websiteId" in record && this.websites.find(({ websiteId }) => websiteId === record.websiteId);
    const session =
      "sessionId" in record && this.sessions.find(({ sessionId }) => sessionId === record.sessionId);
    const hostTaken =
      "hostname" in record && this.websites.some(({ hostname }) => hostname === record.hostname);
    const isAliased = (name: string, own?: ModelWebsite | false) =>
      this.websites.some((other) => other !== own && other.aliases.includes(bareName(name)));
    const ofOther = (owner: number) =>
      "hostname" in record &&
      record.oneOwner &&
      this.websites.some(
        ({ hostname, userId }) => userId !== owner && bareName(hostname) === bareName(record.hostname),
      );
    switch (record.kind) {
      case "userAdded":
        if (record.userId <= this.userIds || this.nameTaken(record.username, 0)) return "taken";
        if (record.firstOnly && this.users.length > 0) return "taken";
        return this.addUser(record);
      case "userChanged":
        if (!user) return "missing";
        if (record.username !== null && this.nameTaken(record.username, user.userId)) return "taken";
        return this.changeUser(user, record);
      case "secondFactorChanged": {
        if (!user) return "missing";
        const { secondFactor, ...rest } = user;
        const { secret, usedStep } = record;
        if (secret === null && !secondFactor) return "missing";
        if (secret !== null && secondFactor) return "taken";
        const kept = this.sessions.find(({ sessionId }) => sessionId === record.keepSessionId);
        if (secret !== null && !(kept?.userId === user.userId && isLive(kept, record.timeMs)))
          return "missing";
        const changed = {
          ...rest,
          ...(secret !== null && { secondFactor: { secret, usedStep } }),
          updatedMs: record.timeMs,
        };
        this.users = this.users.map((other) => (other === user ? changed : other));
        if (secret !== null) this.keepOneSession(record);
        return "done";
      }
      case "userRemoved":
        if (user && record.oneOwner && this.parts(record.userId, this.websites, undefined)) return "parted";
        this.users = this.users.filter((other) => other !== user);
        for (const other of this.websites.filter(({ accounts }) => roleIn(accounts, record.userId)))
          if (!setRole(other, record.userId, undefined))
            this.websites = this.websites.filter((each) => each !== other);
        this.sessions = this.sessions.filter(({ userId }) => userId !== record.userId);
        return user ? "done" : "missing";
      case "websiteAdded": {
        const { websiteId, userId, hostname, visits = false } = record;
        if (!user) return "missing";
        if (hostTaken || ofOther(userId) || websiteId <= this.websiteIds) return "taken";
        if (isAliased(hostname)) return "taken";
        this.websites.push({
          websiteId,
          userId,
          hostname,
          aliases: [],
          imports: {},
          rules: noRules,
          goals: nothingListed,
          notes: nothingListed,
          segments: nothingListed,
          funnels: nothingListed,
          subscriptions: nothingListed,
          recipients: [],
          leavingKey: "",
          links: [],
          accounts: [{ userId, role: "owner" }],
          invitations: [],
          visits,
        });
        this.websiteIds = websiteId;
        return "done";
      }
      case "websiteRenamed":
        if (!website) return "missing";
        if (hostTaken && website.hostname !== record.hostname) return "taken";
        if (ofOther(website.userId) || isAliased(record.hostname, website)) return "taken";
        website.hostname = record.hostname;
        website.aliases = website.aliases.filter((alias) => alias !== bareName(record.hostname));
        return "done";
      case "websiteAliases": {
        if (!website) return "missing";
        const names = this.websites.map((other) => bareName(other.hostname));
        if (record.aliases.some((alias) => names.includes(alias) || isAliased(alias, website)))
          return "taken";
        website.aliases = record.aliases;
        return "done";
      }
      case "websiteRemoved":
        this.websites = this.websites.filter((other) => other !== website);
        return website ? "done" : "missing";
      case "websiteRules": {
        if (!website) return "missing";
        const { kind, timeMs, websiteId, visits, ...rules } = record;
        website.visits = visits ?? website.visits;
        const changes = Object.entries(rules).filter(([, rule]) => rule !== null);
        website.rules = { ...website.rules, ...Object.fromEntries(changes) };
        return "done";
      }
      case "goalAdded": {
        if (!website) return "missing";
        const { goalId: id, name, page, propName, propValue, amount } = record;
        const { nextId, list } = website.goals;
        if (id < nextId) return "taken";
        const target = propName === null ? { page } : { event: { propName, propValue, amount } };
        website.goals = { nextId: id + 1, list: [...list, { id, name, target }] };
        return "done";
      }
      case "goalRemoved": {
        if (!website || !website.goals.list.some((goal) => goal.id === record.goalId)) return "missing";
        const list = website.goals.list.filter((goal) => goal.id !== record.goalId);
        website.goals = { ...website.goals, list };
        return "done";
      }
      case "noteAdded": {
        if (!website) return "missing";
        const { noteId: id, date, text } = record;
        if (id < website.notes.nextId) return "taken";
        website.notes = { nextId: id + 1, list: [...website.notes.list, { id, date, text }] };
        return "done";
      }
      case "noteChanged": {
        const note = website && website.notes.list.find(({ id }) => id === record.noteId);
        if (!note) return "missing";
        const changed = { ...note, date: record.date ?? note.date, text: record.text ?? note.text };
        const list = website.notes.list.map((other) => (other === note ? changed : other));
        website.notes = { ...website.notes, list };
        return "done";
      }
      case "noteRemoved":
      case "segmentRemoved":
      case "funnelRemoved": {
        const [name, removed] =
          record.kind === "noteRemoved"
            ? (["notes", record.noteId] as const)
            : record.kind === "segmentRemoved"
              ? (["segments", record.segmentId] as const)
              : (["funnels", record.funnelId] as const);
        if (!website || !website[name].list.some(({ id }) => id === removed)) return "missing";
        const list: readonly { id: number }[] = website[name].list;
        website[name] = { ...website[name], list: list.filter(({ id }) => id !== removed) as never };
        return "done";
      }
      case "segmentAdded": {
        if (!website) return "missing";
        const { segmentId: id, name, filters } = record;
        if (id < website.segments.nextId) return "taken";
        website.segments = { nextId: id + 1, list: [...website.segments.list, { id, name, filters }] };
        return "done";
      }
      case "funnelAdded": {
        if (!website) return "missing";
        const { funnelId: id, name, steps } = record;
        if (id < website.funnels.nextId) return "taken";
        website.funnels = { nextId: id + 1, list: [...website.funnels.list, { id, name, steps }] };
        return "done";
      }
      case "subscriptionAdded": {
        if (!website) return "missing";
        const {
          subscriptionId: id,
          subscribed: kind,
          ofLanguage: language,
          timeMs: createdMs,
          ...more
        } = record;
        const { threshold, goalId, target, format, secret, timezone } = more;
        if (id < website.subscriptions.nextId) return "taken";
        const own = { id, kind, threshold, goalId, target, format, secret, timezone, language, createdMs };
        const list = [
          ...website.subscriptions.list,
          { ...own, lastForMs: 0, due: null, sentMs: 0, failed: null },
        ];
        website.subscriptions = { nextId: id + 1, list };
        const isKnown = website.recipients.some(({ address }) => address === target);
        const recipient = {
          address: target,
          addedMs: createdMs,
          askedMs: 0,
          tokenHash: null,
          confirmedMs: null,
        };
        if (format === null && !isKnown) website.recipients = [...website.recipients, recipient];
        return "done";
      }
      case "subscriptionRemoved":
      case "addressRemoved": {
        const isGone = ({ id, target, format }: Subscription) =>
          record.kind === "addressRemoved"
            ? format === null && target === record.recipient
            : id === record.subscriptionId;
        if (!website || !website.subscriptions.list.some(isGone)) return "missing";
        const list = website.subscriptions.list.filter((subscription) => !isGone(subscription));
        const mails = list.filter(({ format }) => format === null).map(({ target }) => target);
        website.subscriptions = { ...website.subscriptions, list };
        website.recipients = website.recipients.filter(({ address }) => mails.includes(address));
        return "done";
      }
      case "confirmationSent":
      case "confirmationFailed":
      case "addressConfirmed": {
        const known = website && website.recipients.find(({ address }) => address === record.recipient);
        if (!website || !known) return "missing";
        if (record.kind !== "addressConfirmed") {
          const { timeMs } = record;
          const failed = record.kind === "confirmationSent" ? null : { error: record.error, timeMs };
          const list = website.subscriptions.list.map((each) =>
            each.format === null && each.target === record.recipient ? { ...each, failed } : each,
          );
          website.subscriptions = { ...website.subscriptions, list };
        }
        if (record.kind === "confirmationFailed") return "done";
        if (record.kind === "confirmationSent") website.leavingKey ||= record.leavingKey ?? "";
        const confirmed =
          record.kind === "confirmationSent"
            ? { askedMs: record.timeMs, tokenHash: record.tokenHash }
            : { confirmedMs: known.confirmedMs ?? record.timeMs };
        website.recipients = website.recipients.map((each) =>
          each === known ? { ...each, ...confirmed } : each,
        );
        return "done";
      }
      case "messageDue":
      case "messageSent":
      case "messageFailed": {
        const known = website && website.subscriptions.list.find(({ id }) => id === record.subscriptionId);
        if (!website || !known) return "missing";
        const { forMs, timeMs } = record;
        let now: Subscription;
        if (record.kind === "messageDue") {
          if (known.due || forMs === known.lastForMs) return "taken";
          const { value, expected } = record;
          now = { ...known, lastForMs: forMs, due: { forMs, noticedMs: timeMs, value, expected } };
        } else {
          if (known.due?.forMs !== forMs) return "missing";
          now =
            record.kind === "messageSent"
              ? { ...known, due: null, sentMs: timeMs, failed: null }
              : {
                  ...known,
                  due: record.isLast ? null : known.due,
                  failed: { error: record.error, timeMs },
                };
        }
        const list = website.subscriptions.list.map((each) => (each === known ? now : each));
        website.subscriptions = { ...website.subscriptions, list };
        return "done";
      }
      case "linkAdded": {
        if (!website) return "missing";
        const { kind, timeMs: createdMs, websiteId, ...link } = record;
        if (website.links.some(({ linkId }) => linkId === link.linkId)) return "taken";
        website.links = [...website.links, { ...link, createdMs }];
        return "done";
      }
      case "linkRemoved": {
        if (!website || !website.links.some(({ linkId }) => linkId === record.linkId)) return "missing";
        website.links = website.links.filter(({ linkId }) => linkId !== record.linkId);
        return "done";
      }
      case "invitationAdded": {
        if (!website) return "missing";
        const { kind, timeMs: createdMs, websiteId, madeBy, ...invitation } = record;
        if (!mayMake(website, madeBy)) return "missing";
        const open = website.invitations.filter((each) => createdMs - each.createdMs < invitationMs);
        if (open.some(({ invitationId }) => invitationId === record.invitationId)) return "taken";
        website.invitations = [...open, { ...invitation, createdMs }];
        return "done";
      }
      case "invitationRemoved":
      case "invitationAccepted": {
        const found = website
          ? website.invitations.find(({ invitationId }) => invitationId === record.invitationId)
          : undefined;
        if (!website || !found) return "missing";
        if (record.kind === "invitationAccepted") {
          if (!user || record.timeMs - found.createdMs >= invitationMs) return "missing";
          if (roleIn(website.accounts, record.userId)) return "taken";
          website.accounts = [...website.accounts, { userId: record.userId, role: found.role }];
        }
        website.invitations = website.invitations.filter((each) => each !== found);
        return "done";
      }
      case "memberChanged":
      case "memberRemoved": {
        if (!website || !roleIn(website.accounts, record.userId)) return "missing";
        const role = record.kind === "memberChanged" ? record.role : undefined;
        if (user && record.oneOwner && this.parts(record.userId, [website], role)) return "parted";
        if (!mayMake(website, record.madeBy)) return "missing";
        return setRole(website, record.userId, role) ? "done" : "needed";
      }
      case "import":
        if (!website) return "missing";
        if ((website.imports[record.file]?.position ?? 0) !== record.fromPosition) return "misplaced";
        website.imports[record.file] = { position: record.position, digest: record.digest };
        if (record.isPartial)
          website.imports[record.file] = { ...website.imports[record.file], isPartial: true } as never;
        return "done";
      case "sessionStarted": {
        const { kind, timeMs, sessionsMax = 100, usedStep = null, ...fields } = record;
        if (!user) return "missing";
        if (session) return "taken";
        const { secondFactor } = user;
        if (usedStep === null && secondFactor) return "taken";
        if (usedStep !== null) {
          if (!secondFactor || secondFactor.usedStep >= usedStep) return "taken";
          const used = { ...user, secondFactor: { ...secondFactor, usedStep } };
          this.users = this.users.map((other) => (other === user ? used : other));
        }
        const live = this.sessions.filter((other) => isLive(other, timeMs));
        const kept = live
          .filter(({ userId }) => userId === record.userId)
          .toSorted((a, b) => b.renewedMs - a.renewedMs || (a.sessionId < b.sessionId ? 1 : -1))
          .slice(0, sessionsMax - 1);
        this.sessions = live.filter((other) => other.userId !== record.userId || kept.includes(other));
        this.sessions.push({ ...fields, createdMs: timeMs, renewedMs: timeMs });
        return "done";
      }
      case "sessionRenewed":
      case "sessionEnded":
        if (!session) return "missing";
        this.sessions = this.sessions.filter((other) => other !== session);
        if (record.kind === "sessionRenewed") this.sessions.push({ ...session, renewedMs: record.timeMs });
        return "done";
      case "tokenAdded": {
        const { kind, timeMs: createdMs, ...token } = record;
        if (!this.mayHold(token)) return "missing";
        if (this.tokens.some(({ tokenId }) => tokenId === record.tokenId)) return "taken";
        this.tokens.push({ ...token, createdMs, usedMs: null });
        return "done";
      }
      case "tokenUsed":
      case "tokenRemoved": {
        const token = this.tokens.find(({ tokenId }) => tokenId === record.tokenId);
        if (!token) return "missing";
        this.tokens = this.tokens.filter((other) => other !== token);
        if (record.kind === "tokenUsed") this.tokens.push({ ...token, usedMs: record.timeMs });
        return "done";
      }
      default:
        throw new Error(`the model knows no ${record.kind} record`);
    }
  }

  private nameTaken(username: string, byOtherThan: number): boolean {
    return this.users.some(
      (user) => user.userId !== byOtherThan && user.username.toLowerCase() === username.toLowerCase(),
    );
  }

  private addUser({ userId, username, passwordHash, timeMs }: RecordOf<"userAdded">): Outcome {
    this.userIds = userId;
    const settings = { language: "en", scriptType: ["default"] };
    this.users.push({ userId, username, passwordHash, ...settings, createdMs: timeMs, updatedMs: timeMs });
    return "done";
  }

  private changeUser(user: User, record: RecordOf<"userChanged">): Outcome {
    const { username, passwordHash, language, scriptType } = record;
    const given = Object.entries({ username, passwordHash, language, scriptType });
    const changes = Object.fromEntries(given.filter(([, value]) => value !== null));
    const changed = { ...user, ...changes, updatedMs: record.timeMs };
    this.users = this.users.map((other) => (other === user ? changed : other));
    if (passwordHash !== null) this.keepOneSession(record);
    return "done";
  }

  private keepOneSession(record: RecordOf<"userChanged" | "secondFactorChanged">): void {
    this.sessions = this.sessions.filter(
      ({ userId, sessionId }) => userId !== record.userId || sessionId === record.keepSessionId,
    );
  }

  /** In no particular order of lists; compared through `sorted`. */
  state(): RegistryState {
    const websites = this.websites.map(
      ({ aliases, imports, rules, visits, goals, notes, segments, subscriptions, recipients, ...others }) => {
        const { funnels, links, accounts, invitations, leavingKey, ...website } = others;
        return {
          ...website,
          ...(aliases.length > 0 && { aliases }),
          imports: Object.entries(imports).map(([file, position]) => ({ file, ...position })),
          ...(!Bun.deepEquals(rules, noRules) && { rules }),
          ...(visits && { visits }),
          ...(goals.nextId > 1 && {
            goals: {
              nextGoalId: goals.nextId,
              list: goals.list.map(({ id, ...goal }) => ({ goalId: id, ...goal })),
            },
          }),
          ...(notes.nextId > 1 && { notes }),
          ...(segments.nextId > 1 && { segments }),
          ...(funnels.nextId > 1 && { funnels }),
          ...(subscriptions.nextId > 1 && { subscriptions }),
          ...(recipients.length > 0 && { recipients }),
          ...(leavingKey !== "" && { leavingKey }),
          ...(links.length > 0 && { links }),
          ...(accounts.length > 1 && { members: accounts.filter(({ userId }) => userId !== website.userId) }),
          ...(invitations.length > 0 && { invitations }),
        };
      },
    );
    const { users, sessions, tokens } = this;
    return sorted({
      nextUserId: this.userIds + 1,
      nextWebsiteId: this.websiteIds + 1,
      users,
      websites,
      sessions,
      ...(tokens.length > 0 && { tokens }),
    });
  }
}

function bareName(hostname: string): string {
  return hostname.replace("www.", "").replace("www.", "");
}

function sorted(state: RegistryState): RegistryState {
  const websites = state.websites.map((website) => ({
    ...website,
    imports: website.imports.toSorted((a, b) => (a.file < b.file ? -1 : 1)),
  }));
  return {
    ...state,
    users: state.users.toSorted((a, b) => a.userId - b.userId),
    websites: websites.toSorted((a, b) => a.websiteId - b.websiteId),
    sessions: state.sessions.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1)),
    ...(state.tokens && { tokens: state.tokens.toSorted((a, b) => (a.tokenId < b.tokenId ? -1 : 1)) }),
  };
}

function mayMake({ accounts }: ModelWebsite, madeBy = 0): boolean {
  return madeBy === 0 || roleIn(accounts, madeBy) === "owner";
}

function roleIn(accounts: readonly Member[], userId: number): Role | undefined {
  return accounts.find((member) => member.userId === userId)?.role;
}

/** Whether the first owner of one of them is an owner of all. */
function isOfOne(websites: readonly ModelWebsite[]): boolean {
  const isOwnerOfAll = ({ userId }: ModelWebsite) =>
    websites.every(({ accounts }) => roleIn(accounts, userId) === "owner");
  return websites.length === 0 || websites.some(isOwnerOfAll);
}

/** Whether an owner is left; only then the website changes. `role`: undefined for an account that goes. */
function setRole(website: ModelWebsite, userId: number, role: Role | undefined): boolean {
  const others = website.accounts.filter((member) => member.userId !== userId);
  const accounts =
    role === undefined
      ? others
      : website.accounts.map((member) => (member.userId === userId ? { userId, role } : member));
  const owners = accounts.filter((member) => member.role === "owner");
  if (owners.length === 0) return false;
  const before = website.accounts.filter((member) => member.role === "owner");
  if (before.length > owners.length) website.invitations = [];
  const first = owners.some((owner) => owner.userId === website.userId) ? website.userId : owners[0]?.userId;
  // The first owner stands first, and another one who becomes it leaves its place.
  website.accounts = accounts.toSorted((a, b) => Number(b.userId === first) - Number(a.userId === first));
  website.userId = first as number;
  return true;
}

const usernames = ["ada", "Ada", "bob", "BOB", "eve"];
const hostnames = ["a.example", "www.a.example", "www.www.a.example", "b.example", "www.c.example"];
const id = fc.integer({ min: 1, max: 5 });
const madeBy = fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, id);
const few = fc.integer({ min: 1, max: 3 });
const username = fc.constantFrom(...usernames);
const hostname = fc.constantFrom(...hostnames);
const sessionId = fc.constantFrom("s1", "s2", "s3", "s4");
const nullOr = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const position = fc.constantFrom(0, 10, 20);
// Up to a hundred days apart, in no order: sessions expire within a sequence, and the clock steps back.
const timeMs = fc.integer({ min: 0, max: 100 }).map((days) => noonMs + days * 86_400_000);
const role = fc.constantFrom(...roles);
const linkId = fc.constantFrom("x", "y");
const token = linkId.map((text) => ({ tokenId: text, tokenHash: `hash of ${text}` }));
const address = fc.constantFrom("ada@example.com", "bob@example.com");
const ofMessage = {
  websiteId: fc.constantFrom(1, 2),
  subscriptionId: fc.constantFrom(1, 2),
  forMs: fc.constantFrom(1, 2),
};
const session = sessionId.map((text) => ({ sessionId: text, tokenHash: `hash of ${text}` }));
const fieldsByKind: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  userAdded: { userId: id, username, passwordHash: fc.string(), firstOnly: fc.boolean() },
  userChanged: {
    userId: id,
    username: nullOr(username),
    passwordHash: nullOr(fc.string()),
    keepSessionId: fc.oneof(fc.constant(""), sessionId),
    language: nullOr(fc.constant("en")),
    scriptType: nullOr(fc.constant(["click-events"])),
  },
  secondFactorChanged: {
    userId: id,
    secret: nullOr(fc.constant("secret")),
    usedStep: few,
    keepSessionId: fc.oneof(fc.constant(""), sessionId),
  },
  userRemoved: { userId: id, oneOwner: fc.boolean() },
  websiteAdded: { websiteId: id, userId: id, hostname, oneOwner: fc.boolean() },
  websiteRenamed: { websiteId: id, hostname, oneOwner: fc.boolean() },
  websiteAliases: { websiteId: id, aliases: fc.subarray(["a.example", "b.example", "c.example"]) },
  websiteRemoved: { websiteId: id },
  import: {
    websiteId: id,
    file: fc.constantFrom("x", "y"),
    fromPosition: position,
    position,
    digest: fc.string(),
    loads: fc.constant([]),
  },
  sessionStarted: {
    userId: id,
    browser: fc.constant("Firefox"),
    os: fc.constant("Linux"),
    sessionsMax: fc.constantFrom(1, 2, 100),
    usedStep: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 5 })),
  },
  websiteRules: {
    websiteId: id,
    networks: nullOr(fc.constantFrom([], ["192.0.2.7"])),
    countries: nullOr(fc.constantFrom([], ["DE", ""])),
    paths: nullOr(fc.constantFrom([], ["/a*"])),
    referrers: nullOr(fc.constantFrom([], ["spam.example"])),
    ignoredReferrers: nullOr(fc.constantFrom([], ["pay.example"])),
    countsCrawlers: nullOr(fc.boolean()),
    countsSpam: nullOr(fc.boolean()),
  },
  goalAdded: {
    websiteId: id,
    goalId: few,
    name: fc.string(),
    page: fc.constantFrom([], [{ operator: "in", operands: ["/a", "/b"] }]),
    propName: nullOr(fc.constant("signup")),
    propValue: nullOr(fc.constant("yes")),
    amount: nullOr(fc.constant("price")),
  },
  goalRemoved: { websiteId: id, goalId: few },
  noteAdded: { websiteId: id, noteId: few, date: fc.string(), text: fc.string() },
  noteChanged: { websiteId: id, noteId: few, date: nullOr(fc.string()), text: nullOr(fc.string()) },
  noteRemoved: { websiteId: id, noteId: few },
  segmentAdded: { websiteId: id, segmentId: few, name: fc.string(), filters: fc.string() },
  segmentRemoved: { websiteId: id, segmentId: few },
  funnelAdded: { websiteId: id, funnelId: few, name: fc.string(), steps: fc.array(fc.string()) },
  funnelRemoved: { websiteId: id, funnelId: few },
  subscriptionAdded: {
    websiteId: id,
    subscriptionId: few,
    subscribed: fc.constantFrom("weekly", "spike"),
    threshold: few,
    goalId: few,
    target: address,
    format: nullOr(fc.constant("json")),
    secret: fc.string(),
    timezone: fc.constant("UTC"),
    ofLanguage: fc.constant("en"),
  },
  subscriptionRemoved: { websiteId: id, subscriptionId: few },
  confirmationSent: {
    websiteId: id,
    recipient: address,
    tokenHash: fc.constantFrom("a", "b"),
    leavingKey: fc.constantFrom("", "key", "other"),
  },
  confirmationFailed: { websiteId: id, recipient: address, error: fc.string() },
  addressConfirmed: { websiteId: id, recipient: address },
  addressRemoved: { websiteId: id, recipient: address },
  messageDue: { ...ofMessage, value: few, expected: few },
  messageSent: ofMessage,
  messageFailed: { ...ofMessage, error: fc.string(), isLast: fc.boolean() },
  linkAdded: {
    websiteId: id,
    linkId,
    name: fc.string(),
    tokenHash: nullOr(fc.constant("hash")),
    passwordHash: nullOr(fc.constant("hash")),
    filters: fc.constantFrom([], [{ name: "path", operator: "eq", operands: ["/"] }]),
    frameAncestors: fc.constantFrom([], ["a.example"]),
  },
  linkRemoved: { websiteId: id, linkId },
  invitationAdded: {
    websiteId: id,
    invitationId: linkId,
    role,
    tokenHash: fc.constant("hash"),
    madeBy,
  },
  invitationRemoved: { websiteId: id, invitationId: linkId },
  invitationAccepted: { websiteId: id, invitationId: linkId, userId: id },
  memberChanged: { websiteId: id, userId: id, role, oneOwner: fc.boolean(), madeBy },
  memberRemoved: { websiteId: id, userId: id, oneOwner: fc.boolean(), madeBy },
  sessionRenewed: { sessionId },
  sessionEnded: { sessionId },
  tokenAdded: {
    websiteId: fc.integer({ min: 0, max: 3 }),
    userId: id,
    name: fc.string(),
    scope: fc.constantFrom(...tokenScopes),
  },
  tokenUsed: { tokenId: linkId },
  tokenRemoved: { tokenId: linkId },
};
const anyAccountRecord = fc.oneof(
  ...Object.entries(fieldsByKind).map(([kind, fields]) => {
    const record = fc.record({ kind: fc.constant(kind), timeMs, ...fields });
    const withSession = fc.tuple(record, session).map(([rest, ids]) => ({ ...rest, ...ids }));
    const withToken = fc.tuple(record, token).map(([rest, ids]) => ({ ...rest, ...ids }));
    const arbitrary = kind === "sessionStarted" ? withSession : kind === "tokenAdded" ? withToken : record;
    return {
      arbitrary,
      weight: /^(user|website)Removed$/.test(kind) ? 1 : /^(message|second|session)/.test(kind) ? 10 : 5,
    };
  }),
) as fc.Arbitrary<LogRecord>;

/**
 * New ids rise slowly, so that most are new and some are not. Three accounts with sessions are there at first: one owns two forms of a
 * name, each together with another one.
 */
function withRisingIds(records: readonly LogRecord[]): LogRecord[] {
  const first: LogRecord[] = [
    userAdded(1, "ada"),
    userAdded(2, "bob"),
    userAdded(3, "eve"),
    sessionStarted("s1"),
    sessionStarted("s2", { userId: 2 }),
    sessionStarted("s3", { userId: 3 }),
    websiteAdded(1, "a.example"),
    invitationAdded(1, "x"),
    invitationAccepted(1, "x", 2),
    websiteAdded(2, "www.a.example"),
    invitationAdded(2, "x"),
    invitationAccepted(2, "x", 3),
  ];
  return [...first, ...records].map((record, index) => {
    if (index < first.length) return record;
    const newId = 1 + Math.floor(index / 16);
    if (record.kind === "userAdded") return { ...record, userId: newId };
    return record.kind === "websiteAdded" ? { ...record, websiteId: newId } : record;
  });
}

/** Chance alone hardly ever has a second factor come from a session that is there. */
function fromSession(record: LogRecord, { sessions }: Model): LogRecord {
  if (record.kind !== "secondFactorChanged") return record;
  const session = sessions.find(({ userId }) => userId === record.userId);
  return session ? { ...record, timeMs: session.renewedMs, keepSessionId: session.sessionId } : record;
}

test("on any sequence of records it answers and ends as the model does", () => {
  const seen = new Map<string, number>();
  const anyRecords = fc
    .array(anyAccountRecord, { minLength: 40, maxLength: 80, size: "max" })
    .map(withRisingIds);
  const property = fc.property(anyRecords, fc.nat(80), (records, restartAt) => {
    let registry = new Registry();
    const model = new Model();
    for (const [index, drawn] of records.entries()) {
      const record = index % 2 === 0 ? drawn : fromSession(drawn, model);
      // A restart from a checkpoint in the middle must not show.
      if (index === restartAt)
        registry = Registry.load(JSON.parse(JSON.stringify(registry.save())) as RegistryState);
      const outcome = registry.apply(record);
      expect(outcome).toBe(model.apply(record));
      registry.check();
      expect(registry.save()).toEqual(model.state());
      const name = `${record.kind} ${outcome}`;
      seen.set(name, (seen.get(name) ?? 0) + 1);
    }
    expectSameAnswers(registry, model);
  });
  fc.assert(property, { seed: seed(), numRuns: rounds(2_000, 2_000) });
  // 41 kinds are done, all but userAdded can be missing, 17 taken, 2 needed, 3 parted, 1 misplaced: nothing goes untested.
  expect(seen.size).toBe(41 + 40 + 17 + 2 + 3 + 1);
});

function expectSameAnswers(registry: Registry, model: Model): void {
  for (const name of usernames) {
    const same = ({ username: other }: User) => other.toLowerCase() === name.toLowerCase();
    expect(registry.userByName(name)).toEqual(model.users.find(same));
  }
  for (const host of hostnames) {
    const website = model.websites.find((other) => other.hostname === host);
    expect(registry.websiteByHost(host)?.websiteId).toBe(website?.websiteId);
  }
  for (const { tokenHash, renewedMs } of model.sessions)
    expect(registry.sessionByTokenHash(tokenHash, renewedMs)?.tokenHash).toBe(tokenHash);
}
