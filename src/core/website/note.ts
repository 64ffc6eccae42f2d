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
