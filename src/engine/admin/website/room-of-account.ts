/**
 * Bounds what the websites of one account keep beside their statistics: goals, notes, segments, links and the like are all in
 * memory, and every checkpoint writes them. Imported files have a room of their own, as nobody can remove them one by one. What is
 * there already stays, however much it is.
 */
import type { Website } from "../../../accounts/registry/registry.ts";
import { Refusal, shown } from "../../../core/refusal.ts";
import {
  filesOfAccountMax,
  filesOfWebsiteMax,
  keptCharactersMax,
  websitesMax,
} from "../../../core/website/room.ts";
import type { Engine } from "../../engine.ts";
import type { Caller } from "../caller.ts";

/** Refuses one website too many, but to the operator. Throws Refusal 400. */
export function expectRoomForWebsite({ registry }: Engine, { userId, sessionId }: Caller): void {
  if (sessionId === "" || registry.websitesOf(userId).length < websitesMax) return;
  throw new Refusal(400, `websites: expected at most ${websitesMax} of an account: remove one first`);
}

/** Refuses what is more than there is room for. `replaced`: what goes when it comes. Throws Refusal 400. */
export function expectRoom(engine: Engine, websiteId: number, added: object, replaced?: object): void {
  const grows = JSON.stringify(added).length - (replaced ? charactersOf(replaced) : 0);
  expectCharacters(engine, websiteId, grows);
}

/**
 * Refuses another file that is uploaded where a website, or all that its first owner has, knows as many as it may. One that is
 * known goes on. The operator's command asks for no room. Throws Refusal 400.
 */
export function expectRoomForFile({ registry }: Engine, { userId, imports }: Website, file: string): void {
  if (imports.has(file)) return;
  if (imports.size >= filesOfWebsiteMax)
    throw new Refusal(
      400,
      `imported files: expected at most ${filesOfWebsiteMax} of a website: append new lines to one of them and import that, or have the server's operator import them`,
    );
  const known = sumOf(registry.websitesOf(userId), ({ imports: files }) => files.size);
  if (known >= filesOfAccountMax)
    throw new Refusal(
      400,
      `imported files: expected at most ${filesOfAccountMax} in all that an account owns: append new lines to one of them and import that, or have the server's operator import them`,
    );
}

/**
 * Refuses that websites pass on to an account that has no room for them. `passed`: as they are afterwards, each with its next first
 * owner. Throws Refusal 400.
 */
export function expectRoomForPassed({ registry }: Engine, passed: readonly Website[]): void {
  for (const [userId, added] of Map.groupBy(passed, (website) => website.userId)) {
    const own = registry.websitesOf(userId);
    const hasRoom = rooms.every(({ of, max }) => {
      const grows = sumOf(added, of);
      return grows === 0 || sumOf(own, of) + grows <= max;
    });
    if (hasRoom) continue;
    const [host, name] = [added[0]?.hostname ?? "", registry.users.get(userId)?.username ?? ""].map(shown);
    throw new Refusal(
      400,
      `hostname: ${host} would go to ${name}, who has no room for it (at most ${websitesMax} websites, ${keptCharactersMax} characters of goals, notes, segments, links and the like, and ${filesOfAccountMax} imported files): make that account an editor first, or have some removed there`,
    );
  }
}

/** The rooms of an account: how much a website takes of each, and how large they are. */
const rooms: readonly { readonly of: (website: Website) => number; readonly max: number }[] = [
  { of: () => 1, max: websitesMax },
  { of: keptBy, max: keptCharactersMax },
  { of: ({ imports }) => imports.size, max: filesOfAccountMax },
];

function sumOf(websites: readonly Website[], of: (website: Website) => number): number {
  return websites.reduce((sum, website) => sum + of(website), 0);
}

function expectCharacters({ registry }: Engine, websiteId: number, grows: number): void {
  const ownerId = registry.ownerOf(websiteId);
  if (grows <= 0 || ownerId === undefined) return;
  const kept = sumOf(registry.websitesOf(ownerId), keptBy);
  if (kept + grows <= keptCharactersMax) return;
  const what = `websites: expected at most ${keptCharactersMax} characters of goals, notes, segments, links and the like`;
  throw new Refusal(400, `${what} in all that an account owns: remove some first`);
}

/** The characters of websites, and of what they keep: none of it changes, another one takes its place. */
const known = new WeakMap<object, number>();

function keptBy(website: Website): number {
  return remembered(website, () => {
    const { goals, notes, segments, funnels, subscriptions, links, rules, invitations, recipients } = website;
    const listed = [goals, notes, segments, funnels, subscriptions].flatMap(
      ({ list }): readonly object[] => list,
    );
    const parts = [...listed, ...links, ...invitations, ...recipients, rules];
    return parts.reduce((sum, part) => sum + charactersOf(part), 0);
  });
}

function charactersOf(part: object): number {
  return remembered(part, () => JSON.stringify(part).length);
}

function remembered(value: object, count: () => number): number {
  const characters = known.get(value) ?? count();
  known.set(value, characters);
  return characters;
}
