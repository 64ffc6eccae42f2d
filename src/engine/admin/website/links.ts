/** The use cases of a website's links: make, revoke, open, and the password of one. */
import { isGranted, newGrant, openedLink } from "../../../accounts/links.ts";
import { hashInTurn, parsePassword } from "../../../accounts/login/password.ts";
import type { PasswordGuard } from "../../../accounts/login/password-guard.ts";
import type { Website } from "../../../accounts/registry/registry.ts";
import { hashOf, newToken } from "../../../accounts/token.ts";
import { filterNames } from "../../../core/questions/dimension.ts";
import { parseHostname } from "../../../core/addresses/hostname.ts";
import {
  frameAncestorsMax,
  linkFiltersMax,
  linkNameCharactersMax,
  linkOperandCharactersMax,
  linkOperandsMax,
  linksMax,
  type AskedFilter,
  type Link,
} from "../../../core/website/link.ts";
import { operatorIn, operatorOf } from "../../../core/questions/operator.ts";
import { badInput, Refusal, shown } from "../../../core/refusal.ts";
import type { Engine } from "../../engine.ts";
import type { Caller, WebsiteCall } from "../caller.ts";
import {
  fieldsOf,
  limitedText,
  optionalFlag,
  knownWord,
  optionalList,
  optionalText,
  requiredText,
  type Fields,
} from "../fields.ts";
import type { RequestOrigin } from "../account/sessions.ts";
import { expectRoom } from "./room-of-account.ts";
import { websiteFor, websiteStillFor, websiteToChange } from "../websites.ts";

export interface NewLink {
  readonly link: Link;
  /** The secret of the link's address; it is not stored. null for a public link. */
  readonly token: string | null;
}

/**
 * Makes a link. Takes `{name, public?, password?, filters?, frame_ancestors?}`; the name of a public link is a part of its
 * address. Throws Refusal 400, also for one too many, 403, 404, and 409 for the taken name of a public link.
 */
export async function addLink(call: WebsiteCall, body: unknown): Promise<NewLink> {
  const { engine, caller } = call;
  const { websiteId } = websiteToChange(call, "owner");
  const fields = fieldsOf(body);
  const isPublic = optionalFlag(fields, "public") ?? false;
  const name = limitedText("name", requiredText(fields, "name").trim(), linkNameCharactersMax);
  const linkId = isPublic ? publicName(name) : engine.random.bytes(8).toHex();
  const token = isPublic ? null : newToken(engine.random);
  const filters = (optionalList(fields, "filters") ?? []).map(filterOf);
  if (filters.length > linkFiltersMax)
    throw badInput("filters", filters.length, `at most ${linkFiltersMax} filters`);
  const frameAncestors = frameAncestorsOf(optionalList(fields, "frame_ancestors") ?? []);
  const password = optionalText(fields, "password");
  if (password !== undefined && frameAncestors.length > 0)
    throw new Refusal(400, "password: expected none beside frame_ancestors: a frame asks for no password");
  const isFull = () => (engine.registry.websites.get(websiteId)?.links.length ?? 0) >= linksMax;
  if (isFull()) throw tooMany();
  const passwordHash = password === undefined ? null : await hashed(parsePassword(password), caller);
  const tokenHash = token === null ? null : hashOf(token);
  // Hashing took time.
  websiteStillFor(call, "owner");
  expectRoom(engine, websiteId, { name, filters, frameAncestors });
  const outcome = await engine.commit({
    kind: "linkAdded",
    websiteId,
    linkId,
    name,
    tokenHash,
    passwordHash,
    filters,
    frameAncestors,
  });
  if (outcome === "taken") throw isFull() ? tooMany() : new Refusal(409, `name: ${shown(name)} is taken`);
  const link = websiteFor(call, "owner").links.find((each) => each.linkId === linkId);
  if (link === undefined) throw noLink(linkId);
  return { link, token };
}

/** Throws Refusal 500 where too many passwords wait. */
async function hashed(password: string, { userId, sessionId }: Caller): Promise<string> {
  const hash = await hashInTurn(password, { userId, id: sessionId });
  if (hash === undefined) throw new Refusal(500, "too many password checks at once, try again in 1 s", 1);
  return hash;
}

/** Revokes a link; `id`: as it stands in the path. Throws Refusal 400, 403, 404. */
export async function removeLink(call: WebsiteCall, linkId: string): Promise<void> {
  const { websiteId } = websiteToChange(call, "owner");
  const outcome = await call.engine.commit({ kind: "linkRemoved", websiteId, linkId });
  if (outcome === "missing") throw noLink(linkId);
}

/** A link that was opened, and the website that it shows. */
export interface OpenedLink {
  readonly website: Website;
  readonly link: Link;
}

/** The words of somebody who has a link: its id and token as `<id>` or `<id>.<token>`, and a grant of its password. */
export interface LinkSecret {
  readonly secret: string;
  readonly grant: string;
}

/**
 * Returns the link that a secret opens, of the website that gets the hits of a hostname: the address may have a name from
 * before a rename. Throws Refusal 404. Whether the link has a password is left to others.
 */
export function findLink({ registry }: Engine, hostname: string, secret: string): OpenedLink {
  const website = registry.websiteForHit(parseHostname(hostname) ?? "");
  const [linkId = "", token = ""] = secret.split(".", 2);
  const link = website && openedLink(website.links, linkId, token);
  if (website !== undefined && link !== undefined) return { website, link };
  throw new Refusal(404, "there is no such link: perhaps it was revoked, or its address was cut off");
}

/** The same, for a link whose password was given if it has one. Throws Refusal 401 and 404. */
export function openLink(engine: Engine, hostname: string, { secret, grant }: LinkSecret): OpenedLink {
  const opened = findLink(engine, hostname, secret);
  if (isGranted(opened.link, grant, engine.nowMs())) return opened;
  throw new Refusal(401, "this link needs its password");
}

/**
 * Returns what opens the link that `find` returns for some hours, in place of its password. Takes `{password}`. Throws Refusal 400; 401 for a wrong
 * password, throttled as logins are; 404.
 */
export async function grantLink(
  engine: Engine,
  guard: PasswordGuard,
  find: () => OpenedLink,
  body: unknown,
  from: RequestOrigin,
): Promise<string> {
  const password = requiredText(fieldsOf(body), "password");
  const {
    website: { websiteId },
    link,
  } = find();
  const now = () => engine.registry.websites.get(websiteId)?.links.find((each) => each === link);
  const right = await guard.check({
    // No account has a name with a line break.
    username: `link\n${websiteId}\n${link.linkId}`,
    password,
    passwordHash: () => now()?.passwordHash ?? undefined,
    from,
    refusal: (message, retryAfterS) => new Refusal(401, message, retryAfterS),
  });
  if (!right) throw new Refusal(401, "password: this is not the link's password");
  return newGrant(link, engine.nowMs());
}

/** The name of a public link is an id, and no other looks like it. */
function publicName(name: string): string {
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) return name;
  throw badInput("name", name, "lower-case letters, digits and hyphens, for it is in the address");
}

function filterOf(value: unknown): AskedFilter {
  const fields = fieldsOf(value, "filters");
  const name = knownWord("filters.name", requiredText(fields, "name", "filters.name"), filterNames);
  const word = requiredText(fields, "operator", "filters.operator");
  const operator = operatorIn("filters.operator", word);
  const operands = operandsOf(fields, operatorOf(operator).takesList ? linkOperandsMax : 1);
  return { name, operator, operands };
}

function operandsOf(fields: Fields, most: number): string[] {
  const field = "filters.operands";
  const given = optionalList(fields, "operands", field) ?? [];
  if (given.length === 0 || given.length > most)
    throw badInput(field, given.length, most === 1 ? "one text" : `1 to ${most} texts`);
  return given.map((operand) => {
    if (typeof operand !== "string" || operand.length > linkOperandCharactersMax)
      throw badInput(field, operand, `texts of at most ${linkOperandCharactersMax} characters`);
    return operand.toWellFormed();
  });
}

/** Returns sources of a Content-Security-Policy, each once: a host, perhaps with a scheme before and a port behind it. */
function frameAncestorsOf(list: readonly unknown[]): string[] {
  const field = "frame_ancestors";
  if (list.length > frameAncestorsMax)
    throw badInput(field, list.length, `at most ${frameAncestorsMax} entries`);
  const sources = list.map((entry) => {
    const text = typeof entry === "string" ? entry.trim() : "";
    const [, scheme = "", host = "", port = ""] = /^(https?:\/\/)?([^/:]+)(:\d{1,5})?\/?$/.exec(text) ?? [];
    const hostname = parseHostname(host);
    if (hostname === undefined) throw badInput(field, entry, "a host like www.example.com");
    return scheme + hostname + port;
  });
  return [...new Set(sources)];
}

function noLink(linkId: string): Refusal {
  return new Refusal(404, `id: there is no link ${shown(linkId)} of this website`);
}

function tooMany(): Refusal {
  return new Refusal(400, `links: expected at most ${linksMax} of a website: revoke one first`);
}
