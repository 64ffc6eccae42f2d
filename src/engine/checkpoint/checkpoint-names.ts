/** The names of a checkpoint's files, and of everything that their writer knows. */
import type { Registry, Website } from "../../accounts/registry/registry.ts";
import { storedDimensions } from "../../core/questions/stored-dimension.ts";
import { noRules } from "../../core/website/rules.ts";
import { numbered, type FileEntry, type StoredNames } from "../../snapshot/manifest.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import { savedSections } from "../../store/files/save-chunk.ts";

const namesOfEvery: StoredNames = {
  dimensions: storedDimensions.map(({ name }) => name),
  columns: savedSections,
  flags: Object.keys(rowFlag),
};

/** An earlier program would lose these of a website: by name, whether the website has some. */
const laterNames = {
  rules: ({ rules }: Website) => rules !== noRules,
  "ignored referrers": ({ rules }: Website) => rules.ignoredReferrers.length > 0,
  aliases: ({ aliases }: Website) => aliases.length > 0,
  goals: ({ goals }: Website) => goals.nextId > 1,
  notes: ({ notes }: Website) => notes.nextId > 1,
  segments: ({ segments }: Website) => segments.nextId > 1,
  funnels: ({ funnels }: Website) => funnels.nextId > 1,
  subscriptions: ({ subscriptions }: Website) => subscriptions.nextId > 1,
  links: ({ links }: Website) => links.length > 0,
  members: ({ members, invitations }: Website) => members.length + invitations.length > 0,
};

/** A program may know months that gave up their rows, and not each later format of their files. */
const namesOfMonths = ["months", "months 2", "months 3"];

/**
 * The names of what a checkpoint's files may contain. A manifest lists them, so that a program that knows less refuses
 * the files.
 */
export const storedNames: StoredNames = {
  ...namesOfEvery,
  registry: [
    ...Object.keys(laterNames),
    "tokens",
    "second factors",
    "unavailable",
    ...namesOfMonths,
    "stream",
  ],
};

/**
 * Returns the names for the manifest of a state. A program refuses a manifest with a name that it does not know: it
 * would lose what the name stands for, and without rules count what is blocked. A name is there only while there is
 * such a thing. `isPartial`: whether websites are unavailable; an earlier program would not keep their records.
 * `hasMonths`: whether months gave up their rows. `isCopy`: whether the log is elsewhere; an earlier program would
 * begin another one.
 */
export function namesFor(
  { users, websites, tokens }: Registry,
  isPartial: boolean,
  hasMonths: boolean,
  isCopy: boolean,
): StoredNames {
  const names = Object.entries(laterNames).flatMap(([name, has]) =>
    websites.values().some(has) ? [name] : [],
  );
  if (tokens.rows.size > 0) names.push("tokens");
  if (users.values().some(({ secondFactor }) => secondFactor)) names.push("second factors");
  if (isPartial) names.push("unavailable");
  if (hasMonths) names.push(...namesOfMonths);
  if (isCopy) names.push("stream");
  return names.length === 0 ? namesOfEvery : { ...namesOfEvery, registry: names };
}

const chunks = "chunks/";

/** Returns the website of a file `chunks/<website>/<name>`; NaN for any other file. */
export function websiteOf(name: string): number {
  return name.startsWith(chunks) ? Number.parseInt(name.slice(chunks.length)) : NaN;
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
