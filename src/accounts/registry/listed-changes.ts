/** The lists of a website, such as its goals, and how an entry comes, changes and goes. */
import { nothingListed, type Listed } from "../../core/website/listed-entries.ts";
import type { Unchanged } from "../account.ts";

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

export function removed<T extends { readonly id: number }>(
  { nextId, list }: Listed<T>,
  id: number,
): Listed<T> | Unchanged {
  const kept = list.filter((entry) => entry.id !== id);
  return kept.length === list.length ? "missing" : { nextId, list: kept };
}
