import type { NeedName } from "../support/needs.ts";

/** One row of the table of what must hold whatever happens. */
export interface TortureOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Whether this is all of it, and not a part or the short form. */
  readonly isFull?: boolean;
  /** The command that runs the executable. */
  readonly command: readonly string[];
  /** The command that runs an older executable, where one was named. */
  readonly older?: readonly string[];
}

export interface Torture {
  /** Something that not every machine has. */
  readonly needs?: NeedName;
  readonly about: string;
  /** How many rounds `npm run torture` has, and `npm test`. */
  readonly rounds: { readonly full: number; readonly short: number };
  /** Returns a sentence on what was found; throws for anything that must not be. */
  readonly run: (options: TortureOptions) => Promise<string>;
}
