/** How records change the lists of a website: its goals, notes, segments and saved funnels. */
import { funnelsMax } from "../../core/website/funnel.ts";
import { goalsMax, type Target } from "../../core/website/goal.ts";
import { nothingListed, type Listed } from "../../core/website/listed-entries.ts";
import { notesMax } from "../../core/website/note.ts";
import type { Outcome } from "../../core/outcome.ts";
import { segmentsMax } from "../../core/website/segment.ts";
import type { RecordOf } from "../../record/record.ts";
import type { Website } from "../account.ts";

export type ListRecord = RecordOf<
  | "goalAdded"
  | "goalRemoved"
  | "noteAdded"
  | "noteChanged"
  | "noteRemoved"
  | "segmentAdded"
  | "segmentRemoved"
  | "funnelAdded"
  | "funnelRemoved"
>;

/** The lists of a new website. */
export const noLists = {
  goals: nothingListed,
  notes: nothingListed,
  segments: nothingListed,
  funnels: nothingListed,
  subscriptions: nothingListed,
  recipients: [],
  links: [],
  members: [],
  invitations: [],
} as const;

/** Why nothing changes. */
export type Unchanged = Exclude<Outcome, "done">;

/** Returns the lists that a record changes, or the outcome if nothing changes. */
export function changedLists(
  { goals, notes, segments, funnels }: Website,
  record: ListRecord,
): Partial<Website> | Unchanged {
  switch (record.kind) {
    case "goalAdded": {
      const { goalId: id, name } = record;
      return as("goals", added(goals, { id, name, target: targetOf(record) }, goalsMax));
    }
    case "goalRemoved":
      return as("goals", removed(goals, record.goalId));
    case "noteAdded": {
      const { noteId: id, date, text } = record;
      return as("notes", added(notes, { id, date, text }, notesMax));
    }
    case "noteChanged": {
      const { noteId, date, text } = record;
      const changes = { ...(date !== null && { date }), ...(text !== null && { text }) };
      return as("notes", changed(notes, noteId, changes));
    }
    case "noteRemoved":
      return as("notes", removed(notes, record.noteId));
    case "segmentAdded": {
      const { segmentId: id, name, filters } = record;
      return as("segments", added(segments, { id, name, filters }, segmentsMax));
    }
    case "segmentRemoved":
      return as("segments", removed(segments, record.segmentId));
    case "funnelAdded": {
      const { funnelId: id, name, steps } = record;
      return as("funnels", added(funnels, { id, name, steps }, funnelsMax));
    }
    case "funnelRemoved":
      return as("funnels", removed(funnels, record.funnelId));
  }
}

function targetOf({ page, propName, propValue, amount }: RecordOf<"goalAdded">): Target {
  return propName === null ? { page } : { event: { propName, propValue, amount } };
}

function as<N extends "goals" | "notes" | "segments" | "funnels">(
  name: N,
  list: Website[N] | Unchanged,
): Partial<Website> | Unchanged {
  return typeof list === "string" ? list : { [name]: list };
}

/** An entry is "taken" if its id was given before, or there are too many. */
export function added<T extends { readonly id: number }>(
  { nextId, list }: Listed<T>,
  entry: T,
  max: number,
): Listed<T> | Unchanged {
  if (entry.id < nextId || list.length >= max) return "taken";
  return { nextId: entry.id + 1, list: [...list, entry] };
}

export function changed<T extends { readonly id: number }>(
  { nextId, list }: Listed<T>,
  id: number,
  changes: Partial<T>,
): Listed<T> | Unchanged {
  if (!list.some((entry) => entry.id === id)) return "missing";
  return { nextId, list: list.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)) };
}

function removed<T extends { readonly id: number }>(
  { nextId, list }: Listed<T>,
  id: number,
): Listed<T> | Unchanged {
  const kept = list.filter((entry) => entry.id !== id);
  return kept.length === list.length ? "missing" : { nextId, list: kept };
}
