/** The use cases of websites: find one for a role, add, change, remove. */
import { roleOf } from "../../accounts/members.ts";
import type { Website } from "../../accounts/registry/registry.ts";
import { hostnameCharactersMax, parseHostname, wwwForms } from "../../core/addresses/hostname.ts";
import { badInput, Refusal, shown } from "../../core/refusal.ts";
import { includesRole, type Role } from "../../core/website/role.ts";
import type { Engine } from "../engine.ts";
import { assertMayChange, goneRefusal, type Caller, type WebsiteCall } from "./caller.ts";
import { commitNew } from "./commit-new.ts";
import { fieldsOf, optionalFlag, optionalList, optionalText, requiredText, type Fields } from "./fields.ts";
import { purge } from "./purge-files.ts";
import { callersUser } from "./account/users.ts";
import { expectRoomForWebsite } from "./website/room-of-account.ts";

/** The most other hostnames of a website. */
export const aliasesMax = 20;

/** The rules stay as they are. */
const sameRules = {
  networks: null,
  countries: null,
  paths: null,
  referrers: null,
  countsCrawlers: null,
  countsSpam: null,
} as const;

/**
 * Returns the website of that name, for a caller who has a role there. Throws Refusal 400; 403 if `least` is more than the
 * role; 404 both for no website and for one where the caller has no role.
 */
export function websiteFor({ engine, caller, hostname }: WebsiteCall, least: Role): Website {
  const website = engine.registry.websiteByHost(hostnameOf(hostname));
  const { userId, onlyWebsiteId = website?.websiteId } = caller;
  const role = website && roleOf(website, userId);
  if (website === undefined || website.websiteId !== onlyWebsiteId || role === undefined)
    throw noWebsite(hostname);
  if (includesRole(role, least)) return website;
  throw new Refusal(
    403,
    `hostname: expected an ${least} of ${shown(website.hostname)}, got ${role === "editor" ? "an" : "a"} ${role}`,
  );
}

/** Does the same for a change, which also throws Refusal 403 in demo mode. */
export function websiteToChange(call: WebsiteCall, least: Role): Website {
  assertMayChange(call.engine, call.caller);
  return websiteFor(call, least);
}

/**
 * Does the same after work that took time: the caller may have been logged out meanwhile, or have lost the role. Throws
 * Refusal 401, too.
 */
export function websiteStillFor(call: WebsiteCall, least: Role): Website {
  callersUser(call.engine, call.caller);
  return websiteFor(call, least);
}

/**
 * Adds a website. Takes `{hostname, visits?}`; it has visits unless the field is false. Throws Refusal 400,
 * also for one too many, 401, 403, and 409 if the name belongs to anybody, or a `www.` form of it to somebody else.
 */
export async function addWebsite(engine: Engine, caller: Caller, body: unknown): Promise<Website> {
  assertMayChange(engine, caller);
  const fields = fieldsOf(body);
  const hostname = hostnameOf(requiredText(fields, "hostname"));
  const visits = optionalFlag(fields, "visits") ?? true;
  const { registry } = engine;
  expectRoomForWebsite(engine, caller);
  const outcome = await commitNew(
    engine,
    () => ({
      kind: "websiteAdded",
      websiteId: registry.nextWebsiteId,
      userId: caller.userId,
      hostname,
      oneOwner: true,
      visits,
    }),
    () => registry.hostnames.isTaken(hostname, caller.userId),
  );
  if (outcome === "missing") throw goneRefusal();
  if (outcome === "taken")
    throw new Refusal(409, `hostname: ${shown(hostname)} is taken${takenBy(engine, caller, hostname)}`);
  return websiteFor({ engine, caller, hostname }, "owner");
}

/** Says of which website of the caller a name is one of the other hostnames; "" for none. Others' websites are not told. */
function takenBy({ registry }: Engine, { userId }: Caller, hostname: string): string {
  const website = registry.hostnames.aliasedBy(hostname);
  if (website === undefined || roleOf(website, userId) === undefined) return "";
  return `: its hits count for ${shown(website.hostname)}`;
}

/**
 * Changes a website. Takes `{hostname?, visits?, aliases?}`: its new name, whether it has visits, and its other hostnames;
 * what is missing stays as it is. Only an owner changes names: whoever adds a website under an old one gets the hits that
 * still come. Throws Refusal 400 (also for a taken name, and where a `www.` form of it is not the caller's), 403, 404.
 */
export async function changeWebsite(call: WebsiteCall, body: unknown): Promise<Website> {
  const website = websiteToChange(call, "editor");
  const { engine, caller, hostname } = call;
  const fields = fieldsOf(body);
  const given = optionalText(fields, "hostname");
  const renamed = given === undefined ? website.hostname : hostnameOf(given);
  const visits = optionalFlag(fields, "visits") ?? website.visits;
  const aliases = aliasesOf(fields);
  if (renamed !== website.hostname || aliases !== undefined) websiteFor(call, "owner");
  if (aliases !== undefined) expectAliases(engine, caller, { ...website, hostname: renamed }, aliases);
  if (renamed !== website.hostname) await renameWebsite(engine, caller, website, renamed);
  if (aliases !== undefined) await changeAliases(engine, website.websiteId, aliases);
  const { websiteId } = website;
  if (visits !== website.visits)
    await engine.commit({ kind: "websiteRules", websiteId, ...sameRules, visits });
  const changed = engine.registry.websites.get(websiteId);
  if (changed === undefined) throw noWebsite(hostname);
  return changed;
}

async function renameWebsite(
  engine: Engine,
  caller: Caller,
  website: Website,
  hostname: string,
): Promise<void> {
  const { websiteId } = website;
  const taken = badInput("hostname", hostname, "a name that no other website has");
  if (!ownsOtherForms(engine, caller, website, hostname)) throw taken;
  const outcome = await engine.commit({ kind: "websiteRenamed", websiteId, hostname, oneOwner: true });
  if (outcome === "taken") throw taken;
}

/** Whether the caller owns each other website that has a `www.` form of the name, whose hits the name may take. */
function ownsOtherForms(
  { registry }: Engine,
  { userId, onlyWebsiteId }: Caller,
  website: Website,
  hostname: string,
): boolean {
  return wwwForms(hostname)
    .map((form) => registry.websiteByHost(form) ?? website)
    .filter((other) => other !== website)
    .every((other) => onlyWebsiteId === undefined && roleOf(other, userId) === "owner");
}

/** Returns the other hostnames without `www.`, each once; undefined if the field is missing. Throws Refusal 400. */
function aliasesOf(fields: Fields): readonly string[] | undefined {
  const list = optionalList(fields, "aliases");
  if (list === undefined) return undefined;
  if (list.length > aliasesMax) throw badInput("aliases", list.length, `at most ${aliasesMax} hostnames`);
  const hostnames = list.map((entry) => {
    const hostname = typeof entry === "string" ? parseHostname(entry.trim()) : undefined;
    if (hostname === undefined) throw badInput("aliases", entry, "a hostname like shop.example.com");
    return wwwForms(hostname)[0] ?? hostname;
  });
  return [...new Set(hostnames)];
}

/** `website`: as it will be called. Throws Refusal 400 for a hostname that another has, or that is a form of its name. */
function expectAliases(
  { registry: { hostnames } }: Engine,
  { userId, onlyWebsiteId }: Caller,
  website: Website,
  aliases: readonly string[],
): void {
  for (const alias of aliases) {
    if (hostnames.mayBeAlias(alias, website)) continue;
    const holder = hostnames.holderOf(alias, website);
    const isHidden = onlyWebsiteId !== undefined;
    if (isHidden || holder === undefined || roleOf(holder, userId) === undefined) throw takenAlias(alias);
    const [host, name] = [shown(alias), shown(holder.hostname)];
    throw new Refusal(
      400,
      `aliases: hits of ${host} count for ${name}: rename or remove that website, or change it, first`,
    );
  }
}

function takenAlias(alias: string | undefined): Refusal {
  return badInput("aliases", alias, "a hostname that no website has, with or without www.");
}

async function changeAliases(engine: Engine, websiteId: number, aliases: readonly string[]): Promise<void> {
  const website = engine.registry.websites.get(websiteId);
  if (website === undefined || Bun.deepEquals(website.aliases, aliases)) return;
  const outcome = await engine.commit({ kind: "websiteAliases", websiteId, aliases });
  if (outcome === "taken") throw takenAlias(aliases[0]);
}

/** Removes a website with all its data; resolves when no file contains it any more. Throws Refusal 400, 403, 404. */
export async function removeWebsite(call: WebsiteCall): Promise<void> {
  const { engine } = call;
  const { websiteId } = websiteToChange(call, "owner");
  await engine.commit({ kind: "websiteRemoved", websiteId });
  await purge(engine);
}

function hostnameOf(text: string): string {
  const hostname = parseHostname(text);
  if (hostname !== undefined) return hostname;
  const expected = `a hostname of letters, digits, hyphens and dots, without port, 1 to ${hostnameCharactersMax} characters`;
  throw badInput("hostname", text, expected);
}

function noWebsite(hostname: string): Refusal {
  return new Refusal(404, `hostname: there is no website ${shown(hostname)}`);
}
