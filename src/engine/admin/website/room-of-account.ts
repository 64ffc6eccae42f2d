/**
 * Bounds what the websites of one account keep beside their statistics: goals, notes, segments, links and the like are all in
 * memory, and every checkpoint writes them. Imported files have a room of their own, as nobody can remove them one by one. What is
 * there already stays, however much it is.
 */
import type { Website } from "../../../accounts/registry.ts";
import { Refusal } from "../../../core/refusal.ts";
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
  const known = registry.websitesOf(userId).reduce((sum, website) => sum + website.imports.size, 0);
  if (known >= filesOfAccountMax)
    throw new Refusal(
      400,
      `imported files: expected at most ${filesOfAccountMax} in all that an account owns: append new lines to one of them and import that, or have the server's operator import them`,
    );
}

function expectCharacters({ registry }: Engine, websiteId: number, grows: number): void {
  const ownerId = registry.ownerOf(websiteId);
  if (grows <= 0 || ownerId === undefined) return;
  const kept = registry.websitesOf(ownerId).reduce((sum, website) => sum + keptBy(website), 0);
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
