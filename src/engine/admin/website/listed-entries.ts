/** Adds to, and changes, the lists of a website whose entries have ids. */
import type { Website } from "../../../accounts/registry/registry.ts";
import { funnelsMax } from "../../../core/website/funnel.ts";
import { goalsMax } from "../../../core/website/goal.ts";
import { notesMax } from "../../../core/website/note.ts";
import { segmentsMax } from "../../../core/website/segment.ts";
import { subscriptionsMax } from "../../../core/website/subscription.ts";
import { Refusal, shown } from "../../../core/refusal.ts";
import type { NewRecord } from "../../../record/record.ts";
import type { Engine } from "../../engine.ts";
import type { WebsiteCall } from "../caller.ts";
import { commitNew } from "../commit-new.ts";
import { websiteToChange } from "../websites.ts";
import { expectRoom } from "./room-of-account.ts";

/** The most entries of each list. */
const most = {
  goals: goalsMax,
  notes: notesMax,
  segments: segmentsMax,
  funnels: funnelsMax,
  subscriptions: subscriptionsMax,
};
type ListName = keyof typeof most;
type EntryOf<N extends ListName> = Website[N]["list"][number];

/** Commits a record that adds an entry with a new id, and returns the entry. Throws Refusal 400 for one too many, 404. */
export async function addListed<N extends ListName>(
  { engine, hostname }: WebsiteCall,
  websiteId: number,
  list: N,
  record: (id: number) => NewRecord,
): Promise<EntryOf<N>> {
  let id = 0;
  const next = () => record((id = nextIdOf(engine, websiteId, list)));
  expectPlace(engine, websiteId, list, next);
  const outcome = await commitNew(engine, next, () => isFull(engine, websiteId, list));
  if (outcome === "taken") throw tooMany(list);
  const entry = engine.registry.websites.get(websiteId)?.[list].list.find((each) => each.id === id);
  if (entry === undefined) throw new Refusal(404, `hostname: there is no website ${shown(hostname)}`);
  return entry;
}

/** Throws Refusal 400 for an entry too many, or one that there is no room for; also what `record` throws. */
export function expectPlace(
  engine: Engine,
  websiteId: number,
  list: ListName,
  record: (id: number) => NewRecord,
): void {
  if (isFull(engine, websiteId, list)) throw tooMany(list);
  expectRoom(engine, websiteId, record(nextIdOf(engine, websiteId, list)));
}

function isFull({ registry }: Engine, websiteId: number, list: ListName): boolean {
  return (registry.websites.get(websiteId)?.[list].list.length ?? 0) >= most[list];
}

function nextIdOf({ registry }: Engine, websiteId: number, list: ListName): number {
  return registry.websites.get(websiteId)?.[list].nextId ?? 1;
}

function tooMany(list: ListName): Refusal {
  return new Refusal(400, `${list}: expected at most ${most[list]} of a website: remove one first`);
}

interface Named<N extends ListName> {
  readonly list: N;
  /** One of them in words. */
  readonly what: string;
  /** The id as it stands in the path. */
  readonly id: string;
}

/** Commits a record about an entry, and returns the entry as it was. Throws Refusal 404. */
export async function commitListed<N extends ListName>(
  engine: Engine,
  website: Website,
  { list, what, id }: Named<N>,
  record: (entry: EntryOf<N>) => NewRecord,
): Promise<EntryOf<N>> {
  const none = () => new Refusal(404, `id: there is no ${what} ${shown(id)} of this website`);
  const entries: readonly EntryOf<N>[] = website[list].list;
  const entry = entries.find((known) => String(known.id) === id);
  if (entry === undefined) throw none();
  const outcome = await engine.commit(record(entry));
  if (outcome === "missing") throw none();
  return entry;
}

/** The record that removes an entry with this id, by the list. */
const removals = {
  goals: (goalId: number) => ({ kind: "goalRemoved" as const, goalId }),
  notes: (noteId: number) => ({ kind: "noteRemoved" as const, noteId }),
  segments: (segmentId: number) => ({ kind: "segmentRemoved" as const, segmentId }),
  funnels: (funnelId: number) => ({ kind: "funnelRemoved" as const, funnelId }),
};

/** Removes a goal, note, segment or funnel; `id`: as it stands in the path. Throws Refusal 403, 404. */
export async function removeListed(
  call: WebsiteCall,
  list: keyof typeof removals,
  id: string,
): Promise<void> {
  const website = websiteToChange(call, "editor");
  const { websiteId } = website;
  await commitListed(call.engine, website, { list, what: list.slice(0, -1), id }, (entry) => ({
    ...removals[list](entry.id),
    websiteId,
  }));
}
