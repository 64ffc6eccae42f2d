/**
 * The functions that commands may call on a data folder, in one table. A running server answers them through its
 * socket; if none holds the folder, the command opens it and calls the same functions.
 */
import { resolve } from "node:path";
import { accountsOf, roleOf, withoutMember } from "../../accounts/members.ts";
import { dimensions } from "../../core/questions/dimension.ts";
import { sortedBy } from "../../accounts/registry/saved-registry.ts";
import { Refusal } from "../../core/refusal.ts";
import { addToken, removeToken } from "../../engine/admin/account/tokens.ts";
import { addUser, changePassword, deleteUser } from "../../engine/admin/account/users.ts";
import { addWebsite, changeWebsite, removeWebsite } from "../../engine/admin/websites.ts";
import { exported } from "../../engine/admin/export.ts";
import { addMember, changeMember, invite, removeMember } from "../../engine/admin/website/members.ts";
import { removeRows } from "../../engine/admin/remove-rows.ts";
import { takeSecondFactor } from "../../engine/admin/account/second-factor.ts";
import { fieldsOf, optionalFlag, requiredText } from "../../engine/admin/fields.ts";
import type { Engine } from "../../engine/engine.ts";
import { openEngine } from "../../engine/opening/open.ts";
import { assert } from "../../lib/assert.ts";
import { silentLogger } from "../../lib/log.ts";
import type { ImportedSums } from "../../store/state/reduced-month.ts";
import type { RemovedCounts } from "../../store/state/removal/removed-values.ts";
import type { Call } from "../command.ts";
import { expectDataFolder, expectOwnFolder } from "../data-folder.ts";
import { pageviewsByDay, type DayPageviews, type DaysInput } from "../import/day-pageviews.ts";
import { importMonth, type MonthInput, type MonthOutcome } from "../import/sums/import-month.ts";
import { statisticsFor, type StatsInput } from "../stats/asked.ts";
import { subscriptionLines } from "./subscription-lines.ts";
import { removeImportedSums } from "./imported-sums.ts";
import { parsePurge, type PurgeInput } from "./purge-input.ts";
import type {
  ExportInput,
  ImportBatch,
  ImportState,
  MemberEntry,
  PageAddress,
  Place,
  UserEntry,
  WebsiteEntry,
} from "./control-entries.ts";
import { websiteForHit, type ImportTarget } from "./import-target.ts";
import { accountNamed, accountOf, expectHas, websiteIn } from "./named.ts";
import { tokensOf, type TokenEntry } from "./token-entry.ts";
import { callServer, ownServerListens, type Callable } from "../socket.ts";

/** Every function throws Refusal if it cannot do its work. What a command has made of files or flags, it has checked. */
export interface Control {
  addUser(input: { username: string; password: string }): Promise<void>;
  /** Changes a password, and ends all sessions of the account. */
  changePassword(input: { username: string; password: string }): Promise<void>;
  /** Switches off the second factor of an account. */
  removeSecondFactor(input: { username: string }): Promise<void>;
  /** Returns all accounts, the oldest first. */
  users(input: null): Promise<readonly UserEntry[]>;
  /** Returns the hostnames of the websites that nobody but this account owns, sorted. */
  ownedAlone(input: { username: string }): Promise<readonly string[]>;
  /** Removes an account, and the websites of which it is the only owner with their statistics. */
  removeUser(input: { username: string }): Promise<void>;
  /** Adds a website. `username` "" means the oldest account. */
  addWebsite(input: { hostname: string; username: string; visits: boolean }): Promise<WebsiteEntry>;
  /** Returns all websites, sorted by hostname. */
  websites(input: null): Promise<readonly WebsiteEntry[]>;
  /** Gives a website another hostname. Returns whether hits of the old one still count for it. */
  renameWebsite(input: { hostname: string; to: string }): Promise<boolean>;
  removeWebsite(input: { hostname: string }): Promise<void>;
  /** Returns the answer of a list, or of `summary`, as the API has it. */
  statistics(input: StatsInput): Promise<unknown>;
  /** Returns the bytes of an export. */
  exportWebsite(input: ExportInput): Promise<AsyncGenerator<Uint8Array>>;
  /** Returns the progress of an import. `file`: SHA-256 of the file up to its first line of data. */
  importState(input: { hostname: string; file: string }): Promise<ImportState>;
  importBatch(input: ImportBatch): Promise<void>;
  /** Returns who counts on the website that takes what was for this hostname, and its other hostnames. */
  importTarget(input: { hostname: string }): Promise<ImportTarget>;
  /** Adds a month of which only sums are known, or returns why it is left out; without `sums` it adds none. */
  importMonth(input: MonthInput): Promise<MonthOutcome>;
  /** Returns the page views of each UTC day from a first to a last millisecond; without these the sum of all, at time 0. */
  pageviewsByDay(input: DaysInput): Promise<readonly DayPageviews[]>;
  /** Makes a page that gives another account this role on a website, once. */
  inviteMember(input: { hostname: string; role: string }): Promise<PageAddress>;
  /** Gives an account this role on a website. `mayChange`: also one that has another role there. */
  addMember(input: { hostname: string; username: string; role: string; mayChange: boolean }): Promise<void>;
  /** Returns the accounts of a website, the first owner first. */
  members(input: { hostname: string }): Promise<readonly MemberEntry[]>;
  /** Returns a line for each report and alert: kind, target, and its state in words. */
  subscriptions(input: { hostname: string }): Promise<readonly (readonly string[])[]>;
  removeMember(input: { hostname: string; username: string }): Promise<void>;
  /** Makes an API token and returns it. `username` "" means the oldest account; `hostname` null all of its websites. */
  addToken(input: {
    name: string;
    scope: string;
    hostname: string | null;
    username: string;
  }): Promise<string>;
  /** Returns the API tokens of an account, the oldest first; `username` "": of all accounts. */
  tokens(input: { username: string }): Promise<readonly TokenEntry[]>;
  removeToken(input: { id: string }): Promise<void>;
  /** Returns what a purge takes, and removes it unless it is a dry run. */
  purgeWebsite(input: PurgeInput): Promise<RemovedCounts>;
  /** Returns what months were imported as sums, and removes them unless it is a dry run; null if there are none. */
  removeImportedSums(input: { hostname: string; isDryRun: boolean }): Promise<ImportedSums | null>;
}

type Functions = {
  readonly [K in keyof Control]: (engine: Engine, input: unknown, place: Place) => ReturnType<Control[K]>;
};

const functions: Functions = {
  addUser: async (engine, input) => {
    await addUser(engine, input);
  },
  changePassword: async (engine, input) => {
    await changePassword(engine, input);
  },
  removeSecondFactor: async (engine, input) => {
    await takeSecondFactor(engine, accountNamed(engine, requiredText(fieldsOf(input), "username")));
  },
  users: async ({ registry }) => {
    const websites = new Map<number, number>();
    for (const { userId } of registry.websites.values().flatMap(accountsOf))
      websites.set(userId, (websites.get(userId) ?? 0) + 1);
    return Array.from(registry.users.values(), ({ userId, username, secondFactor }) => ({
      username,
      websites: websites.get(userId) ?? 0,
      hasSecondFactor: secondFactor !== undefined,
    }));
  },
  ownedAlone: async (engine, input) => {
    const { userId } = accountNamed(engine, requiredText(fieldsOf(input), "username"));
    const own = engine.registry.websitesOf(userId);
    return own
      .filter((website) => withoutMember(website, { userId }) === "needed")
      .map(({ hostname }) => hostname);
  },
  removeUser: async (engine, input) => {
    const { userId } = accountNamed(engine, requiredText(fieldsOf(input), "username"));
    await deleteUser(engine, { userId, sessionId: "" });
  },
  addWebsite: async (engine, input) => {
    const { userId, username } = accountOf(engine, requiredText(fieldsOf(input), "username"));
    const { hostname } = await addWebsite(engine, { userId, sessionId: "" }, input);
    return { hostname, username };
  },
  websites: async ({ registry }) =>
    sortedBy(registry.websites.values(), ({ hostname }) => hostname).map(({ hostname, userId }) => ({
      hostname,
      username: registry.users.get(userId)?.username ?? "",
    })),
  renameWebsite: async (engine, input) => {
    const { asked } = websiteIn(engine, input);
    const to = requiredText(fieldsOf(input), "to");
    const { websiteId } = await changeWebsite(asked, { hostname: to });
    return engine.registry.websiteForHit(asked.hostname)?.websiteId === websiteId;
  },
  removeWebsite: (engine, input) => removeWebsite(websiteIn(engine, input).asked),
  statistics: async (engine, input) => {
    const { website } = websiteIn(engine, input);
    return statisticsFor(engine, website, input);
  },
  exportWebsite: async (engine, input) => {
    const { of, ending, start, end } = input as ExportInput;
    const { websiteId } = websiteIn(engine, input).website;
    const startMs = start === undefined ? -Infinity : Date.parse(start);
    const endMs = end === undefined ? Infinity : Date.parse(end);
    return exported(engine, { websiteId, of, ending, period: { startMs, endMs } });
  },
  importState: async (engine, input) => {
    const file = requiredText(fieldsOf(input), "file");
    const website = websiteForHit(engine, input);
    const { websiteId, hostname, imports, visits } = website;
    const keptFromMs = engine.keptFromMs();
    const { position = 0, digest = "", isPartial = false } = imports.get(file) ?? {};
    return { websiteId, hostname, position, digest, isPartial, visits, keptFromMs };
  },
  importBatch: async (engine, input) => {
    const batch = input as ImportBatch;
    // A node of another version may have passed it on, which has another number of dimensions.
    assert(
      batch.loads.every(({ values }) => values.length === dimensions.length),
      "a page view has a value of each dimension",
    );
    const outcome = await engine.commit({ kind: "import", ...batch });
    if (outcome === "missing") throw new Refusal(404, "the website was removed while the file was imported");
    if (outcome === "misplaced") throw new Refusal(409, "another import of the same file is under way");
  },
  importTarget: async (engine, input) => {
    const { rules, aliases } = websiteForHit(engine, input);
    return { rules, aliases };
  },
  importMonth: (engine, input) => importMonth(engine, websiteForHit(engine, input), input as MonthInput),
  pageviewsByDay: async (engine, input) =>
    pageviewsByDay(engine, websiteForHit(engine, input), input as DaysInput),
  purgeWebsite: async (engine, input) => {
    const { asked, website } = websiteIn(engine, input);
    const { selection, isDryRun } = parsePurge(input, website.visits);
    return removeRows(asked, selection, isDryRun);
  },
  removeImportedSums: async (engine, input) =>
    removeImportedSums(engine, websiteIn(engine, input), fieldsOf(input)["isDryRun"] !== false),
  inviteMember: async (engine, input, { base, url }) => {
    const { asked } = websiteIn(engine, input);
    const { token } = await invite(asked, input);
    return { path: `/dashboard/invitation#${token}`, base, url };
  },
  addMember: async (engine, input) => {
    const { asked, website } = websiteIn(engine, input);
    const user = accountNamed(engine, requiredText(fieldsOf(input), "username"));
    const isChange = optionalFlag(fieldsOf(input), "mayChange") && roleOf(website, user.userId) !== undefined;
    if (isChange) await changeMember(asked, user.username, input);
    else await addMember(asked, user, input);
  },
  members: async (engine, input) => {
    const { website } = websiteIn(engine, input);
    return accountsOf(website).map(({ userId, role }) => ({
      username: engine.registry.users.get(userId)?.username ?? "",
      role,
    }));
  },
  subscriptions: async (engine, input) => {
    const { website } = websiteIn(engine, input);
    return subscriptionLines(website);
  },
  removeMember: async (engine, input) => {
    const { asked } = websiteIn(engine, input);
    await removeMember(asked, requiredText(fieldsOf(input), "username"));
  },
  addToken: async (engine, input) => {
    const fields = fieldsOf(input);
    const user = accountOf(engine, requiredText(fields, "username"));
    if (typeof fields.hostname === "string") expectHas(user, websiteIn(engine, input).website);
    return (await addToken(engine, { userId: user.userId, sessionId: "" }, input)).secret;
  },
  tokens: async (engine, input) => {
    const username = requiredText(fieldsOf(input), "username");
    const users = username === "" ? engine.registry.users.values() : [accountNamed(engine, username)];
    return [...users].flatMap((user) => tokensOf(engine, user));
  },
  removeToken: async (engine, input) => {
    const id = requiredText(fieldsOf(input), "id");
    const userId = engine.registry.tokens.rows.get(id)?.userId ?? 0;
    await removeToken(engine, { userId, sessionId: "" }, id);
  },
};

/** Returns the functions in the form in which a socket calls them. `place` is that of the server, if there is one. */
export function callables(engine: Engine, place: Place = { base: "" }): Record<keyof Control, Callable> {
  const names = Object.keys(functions) as (keyof Control)[];
  return Object.fromEntries(
    names.map((name) => [name, (input: unknown) => functions[name](engine, input, place)]),
  ) as Record<keyof Control, Callable>;
}

/**
 * Uses the functions of the server that holds the folder, or of the folder itself. `mayBegin`: a folder that is empty
 * or not there yet is made one, and said to be. Throws Refusal 404 for any other that is no data folder, and 409 for the
 * server of another build.
 */
export async function withControl<T>(
  call: Call,
  use: (control: Control) => Promise<T>,
  mayBegin = false,
): Promise<T> {
  const { clock, random, terminal } = call;
  const { folder, retention, rows } = call.settings;
  if (await ownServerListens(folder)) return use(remoteControl(folder));
  const isNew = expectDataFolder(folder, mayBegin);
  expectOwnFolder(folder, ", or while the server runs");
  const engine = await openEngine({
    folder,
    clock,
    random,
    logger: silentLogger,
    demo: false,
    retentionMonths: retention,
    rowsMonths: rows,
  });
  if (isNew)
    terminal.note(
      `this began a new data folder, ${resolve(folder)}: name that of a server elsewhere with --data`,
    );
  try {
    return await use(callables(engine, call.settings) as Control);
  } finally {
    await engine.stop();
  }
}

function remoteControl(folder: string): Control {
  const names = Object.keys(functions);
  return Object.fromEntries(
    names.map((name) => [name, (input: unknown) => callServer(folder, name, input)]),
  ) as unknown as Control;
}
