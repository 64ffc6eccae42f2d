/** The names of a checkpoint's files, and of everything that their writer knows. */
import type { Registry } from "../../accounts/registry.ts";
import { storedDimensions } from "../../core/dimension.ts";
import { noRules } from "../../core/rules.ts";
import { numbered, type FileEntry, type StoredNames } from "../../snapshot/manifest.ts";
import { rowFlag } from "../../store/columns/chunk.ts";
import { savedSections } from "../../store/files/save-chunk.ts";

const namesOfEvery: StoredNames = {
  dimensions: storedDimensions.map(({ name }) => name),
  columns: savedSections,
  flags: Object.keys(rowFlag),
};

/**
 * The names of what a checkpoint's files may contain. A manifest lists them, so that a program that knows less refuses
 * the files.
 */
export const storedNames: StoredNames = { ...namesOfEvery, registry: ["rules"] };

/**
 * Returns the names for the manifest of a state. A program that does not know rules would lose them, and count what is
 * blocked: it is kept off only while there are some.
 */
export function namesFor({ websites }: Registry): StoredNames {
  return websites.values().some(({ rules }) => rules !== noRules) ? storedNames : namesOfEvery;
}

/** Returns the website of a file `chunks/<website>/<name>`; NaN for any other file. */
export function websiteOf(name: string): number {
  return Number.parseInt(name.slice("chunks/".length));
}

export function stateName(seq: number): string {
  return `${numbered(seq)}.state`;
}

export function byName(entries: readonly FileEntry[]): ReadonlyMap<string, FileEntry> {
  return new Map(entries.map((entry) => [entry.name, entry]));
}

export function isChunk(name: string): boolean {
  return name.endsWith(".chunk");
}

export function isIncrement(name: string): boolean {
  return name.endsWith(".site");
}
