/** The registry as a plain JSON value, for the checkpoint. It is canonical: the same state gives the same JSON. */
import type { ImportPosition, Session, User, Website } from "./account.ts";

export interface SavedWebsite extends Omit<Website, "imports"> {
  readonly imports: readonly (ImportPosition & { readonly file: string })[];
}

export interface RegistryState {
  readonly nextUserId: number;
  readonly nextWebsiteId: number;
  /** In the order of their ids, as are the websites and sessions. */
  readonly users: readonly User[];
  readonly websites: readonly SavedWebsite[];
  readonly sessions: readonly Session[];
}

export function saveWebsite({ imports, ...website }: Website): SavedWebsite {
  const positions = [...imports].map(([file, position]) => ({ file, ...position }));
  return { ...website, imports: sortedBy(positions, ({ file }) => file) };
}

export function loadWebsite({ imports, ...website }: SavedWebsite): Website {
  return { ...website, imports: new Map(imports.map(({ file, ...position }) => [file, position])) };
}

/** Returns a sorted copy, by number or by UTF-16 code units. */
export function sortedBy<T>(values: Iterable<T>, keyOf: (value: T) => number | string): T[] {
  return [...values].sort((a, b) => compare(keyOf(a), keyOf(b)));
}

function compare(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
