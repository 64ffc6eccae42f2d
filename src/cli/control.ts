/**
 * The functions that commands may call on a data folder, in one table. A running server answers them through its
 * socket; if none holds the folder, the command opens it and calls the same functions.
 */
import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { accountsOf } from "../accounts/members.ts";
import { parseHostname } from "../core/hostname.ts";
import { Refusal, shown } from "../core/refusal.ts";
import {
  addUser,
  addWebsite,
  changePassword,
  changeWebsite,
  deleteUser,
  invite,
  removeMember,
  removeRows,
  removeWebsite,
} from "../engine/admin/admin.ts";
import type { Role } from "../core/website/role.ts";
import { fieldsOf, requiredText } from "../engine/admin/fields.ts";
import type { Engine } from "../engine/engine.ts";
import { openEngine } from "../engine/open.ts";
import { silentLogger } from "../lib/log.ts";
import type { RemovedCounts } from "../store/state/removal/removed-values.ts";
import type { Call } from "./command.ts";
import { parseBatch, parseHash, type ImportBatch } from "./import/batch.ts";
import { statisticsFor, type StatsInput } from "./stats/asked.ts";
import { parsePurge, type PurgeInput } from "./purge-input.ts";
import { callServer, serverListens, type Callable } from "./socket.ts";

export interface WebsiteEntry {
  readonly hostname: string;
  readonly username: string;
}

export interface UserEntry {
  readonly username: string;
  /** How many websites it can read. */
  readonly websites: number;
}

export interface MemberEntry {
  readonly username: string;
  readonly role: Role;
}

/**
 * The progress of a log's import: the position reached, and the SHA-256 (hex) of the file up to there; 0 and "" for
 * none.
 */
export interface ImportState {
  readonly websiteId: number;
  /** The website's hostname as it is registered. */
  readonly hostname: string;
  readonly position: number;
  readonly digest: string;
  /** The page views of visits that went on at the position are not imported yet. */
  readonly isPartial: boolean;
  /** Whether the website has visits. */
  readonly visits: boolean;
  /** Page views before this are not kept, in milliseconds since 1970; 0 keeps all. */
  readonly keptFromMs: number;
}

/** Every function throws Refusal if it cannot do its work. */
export interface Control {
  addUser(input: { username: string; password: string }): Promise<null>;
  /** Changes a password, and ends all sessions of the account. */
  changePassword(input: { username: string; password: string }): Promise<null>;
  /** Returns all accounts, the oldest first. */
  users(input: null): Promise<readonly UserEntry[]>;
  /** Removes an account, and the websites of which it is the only owner with their statistics. */
  removeUser(input: { username: string }): Promise<null>;
  /** Adds a website. `username` "" means the oldest account. */
  addWebsite(input: { hostname: string; username: string; visits: boolean }): Promise<WebsiteEntry>;
  /** Returns all websites, sorted by hostname. */
  websites(input: null): Promise<readonly WebsiteEntry[]>;
  /** Gives a website another hostname. */
  renameWebsite(input: { hostname: string; to: string }): Promise<null>;
  /** Removes a website with its statistics. */
  removeWebsite(input: { hostname: string }): Promise<null>;
  /** Returns the answer of a list, or of `summary`, as the API has it. */
  statistics(input: StatsInput): Promise<unknown>;
  /** Returns the progress of an import. `file`: SHA-256 of the log's first line. */
  importState(input: { hostname: string; file: string }): Promise<ImportState>;
  importBatch(input: ImportBatch): Promise<null>;
  /** Returns the path of a page that gives another account this role on a website, once. */
  inviteMember(input: { hostname: string; role: string }): Promise<string>;
  /** Returns the accounts of a website, the first owner first. */
  members(input: { hostname: string }): Promise<readonly MemberEntry[]>;
  removeMember(input: { hostname: string; username: string }): Promise<null>;
  /** Returns what a purge takes, and removes it unless it is a dry run. */
  purgeWebsite(input: PurgeInput): Promise<RemovedCounts>;
}

type Functions = {
  readonly [K in keyof Control]: (engine: Engine, input: unknown) => ReturnType<Control[K]>;
};

const functions: Functions = {
  addUser: async (engine, input) => {
    await addUser(engine, input);
    return null;
  },
  changePassword: async (engine, input) => {
    await changePassword(engine, input);
    return null;
  },
  users: async ({ registry }) =>
    Array.from(registry.users.values(), ({ userId, username }) => ({
      username,
      websites: registry.websitesOf(userId).length,
    })),
  removeUser: async (engine, input) => {
    const { userId } = accountNamed(engine, requiredText(fieldsOf(input), "username"));
    await deleteUser(engine, { userId, sessionId: "" });
    return null;
  },
  addWebsite: async (engine, input) => {
    const { userId, username } = accountOf(engine, requiredText(fieldsOf(input), "username"));
    const { hostname } = await addWebsite(engine, { userId, sessionId: "" }, input);
    return { hostname, username };
  },
  websites: async ({ registry }) =>
    registry.users
      .values()
      .toArray()
      .flatMap(({ userId, username }) =>
        registry.websitesOf(userId).map(({ hostname }) => ({ hostname, username })),
      )
      .sort((a, b) => (a.hostname < b.hostname ? -1 : 1)),
  renameWebsite: async (engine, input) => {
    const fields = fieldsOf(input);
    const { owner, hostname } = websiteNamed(engine, requiredText(fields, "hostname"));
    await changeWebsite(engine, owner, hostname, { hostname: requiredText(fields, "to") });
    return null;
  },
  removeWebsite: async (engine, input) => {
    const { owner, hostname } = websiteNamed(engine, requiredText(fieldsOf(input), "hostname"));
    await removeWebsite(engine, owner, hostname);
    return null;
  },
  statistics: async (engine, input) => {
    const { website } = websiteNamed(engine, requiredText(fieldsOf(input), "hostname"));
    return statisticsFor(engine, website, input);
  },
  importState: async (engine, input) => {
    const fields = fieldsOf(input);
    const asked = requiredText(fields, "hostname");
    const file = parseHash("file", requiredText(fields, "file"));
    const website = engine.registry.websiteForHit(parseHostname(asked) ?? "");
    if (website === undefined)
      throw new Refusal(404, `there is no website ${shown(asked)}: add it with 'footfall website add'`);
    const { websiteId, hostname, imports, visits } = website;
    const keptFromMs = engine.keptFromMs();
    const { position = 0, digest = "", isPartial = false } = imports.get(file) ?? {};
    return { websiteId, hostname, position, digest, isPartial, visits, keptFromMs };
  },
  importBatch: async (engine, input) => {
    const batch = parseBatch(input);
    const outcome = await engine.commit({ kind: "import", timeMs: engine.nowMs(), ...batch });
    if (outcome === "missing") throw new Refusal(404, "the website was removed while the file was imported");
    if (outcome === "misplaced") throw new Refusal(409, "another import of the same file is under way");
    return null;
  },
  purgeWebsite: async (engine, input) => {
    const { hostname: asked, selection, isDryRun } = parsePurge(input);
    const { owner, hostname } = websiteNamed(engine, asked);
    return removeRows(engine, owner, hostname, selection, isDryRun);
  },
  inviteMember: async (engine, input) => {
    const { owner, hostname } = websiteNamed(engine, requiredText(fieldsOf(input), "hostname"));
    const { token } = await invite(engine, owner, hostname, input);
    return `/dashboard/invitation#${token}`;
  },
  members: async (engine, input) => {
    const { website } = websiteNamed(engine, requiredText(fieldsOf(input), "hostname"));
    return accountsOf(website).map(({ userId, role }) => ({
      username: engine.registry.users.get(userId)?.username ?? "",
      role,
    }));
  },
  removeMember: async (engine, input) => {
    const fields = fieldsOf(input);
    const { owner, hostname } = websiteNamed(engine, requiredText(fields, "hostname"));
    await removeMember(engine, owner, hostname, requiredText(fields, "username"));
    return null;
  },
};

/** Returns the functions in the form in which a socket calls them. */
export function callables(engine: Engine): Record<keyof Control, Callable> {
  const names = Object.keys(functions) as (keyof Control)[];
  return Object.fromEntries(
    names.map((name) => [name, (input: unknown) => functions[name](engine, input)]),
  ) as Record<keyof Control, Callable>;
}

/**
 * Uses the functions of the server that holds the folder, or of the folder itself. `mayBegin`: a folder that is not there
 * yet is made. Throws Refusal 404 where it is not.
 */
export async function withControl<T>(
  call: Call,
  use: (control: Control) => Promise<T>,
  mayBegin = false,
): Promise<T> {
  const { clock, random } = call;
  const { folder, retention } = call.settings;
  if (await serverListens(folder)) return use(remoteControl(folder));
  if (!mayBegin && (!existsSync(folder) || readdirSync(folder).length === 0))
    throw new Refusal(404, `${resolve(folder)} is no data folder: name it with --data or FOOTFALL_DATA`);
  const engine = await openEngine({
    folder,
    clock,
    random,
    logger: silentLogger,
    demo: false,
    retentionMonths: retention,
  });
  try {
    return await use(callables(engine) as Control);
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

/** Returns a website, and the operator in the name of its first owner. */
function websiteNamed({ registry }: Engine, asked: string) {
  const website = registry.websiteByHost(parseHostname(asked) ?? "");
  if (website === undefined) throw new Refusal(404, `there is no website ${shown(asked)}`);
  const { userId, hostname } = website;
  return { website, hostname, owner: { userId, sessionId: "" } };
}

/** Returns the account of that name; `username` "" means the oldest account. */
function accountOf(engine: Engine, username: string) {
  if (username !== "") return accountNamed(engine, username);
  const { oldestUser } = engine.registry;
  if (oldestUser !== undefined) return oldestUser;
  throw new Refusal(404, "there is no account yet: add one with 'footfall user add'");
}

function accountNamed({ registry }: Engine, username: string) {
  const user = registry.userByName(username);
  if (user === undefined) throw new Refusal(404, `there is no account ${shown(username)}`);
  return user;
}
