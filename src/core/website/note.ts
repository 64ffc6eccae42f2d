/** Notes on days of a website: what its owner did, or what happened, that the figures do not know. */
import type { Listed } from "./listed-entries.ts";

export interface Note {
  readonly id: number;
  /** The day in the calendar of whoever wrote it, such as 2026-11-03. */
  readonly date: string;
  readonly text: string;
}

export type Notes = Listed<Note>;

/** The most notes of a website. */
export const notesMax = 500;
export const noteCharactersMax = 300;

/** Returns whether a text is a day of the calendar, from 1970-01-01 to 9999-12-31. */
export function isDay(text: string): boolean {
  if (!/^(?:19[7-9]\d|[2-9]\d{3})-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  // A date such as 31 June is taken for the first of July.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
