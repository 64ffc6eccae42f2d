/**
 * The files of tests that take longest, by what `npm test` measured. They begin first, so that no process is still at one of
 * them when the others have ended. Most of them start processes or wait for servers, and a short run has an eighth of these.
 * A file that is missing here costs some seconds, and nothing else.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { isDrawn } from "./rounds.ts";

/** Each run has these; below `test`, without `.test.ts`. */
const always = [
  "cluster/model",
  "cluster/nodes",
  "executable",
  "query/facts-model",
  "siege/siege",
  "torture/torture",
  "tracker/browser",
  "web/dashboard",
  "web/states",
];
/** Patterns of the others, of which a short run has some. */
const sometimes = [
  "accounts/registry-model",
  "chosen-texts",
  "cli/backup*",
  "cli/cluster-*",
  "cli/data-folder",
  "cli/full-disk",
  "cli/import/*",
  "cli/lost-*",
  "cli/other-build",
  "cli/output-file",
  "cli/repair",
  "cli/stats",
  "cli/trusted-by-all",
  "cli/visible",
  "cli/website-purge",
  "cluster/*",
  "engine/admin/invitations",
  "engine/based-chunks",
  "engine/check-folder",
  "engine/event-ids",
  "engine/facts*",
  "engine/folding",
  "engine/golden-folder",
  "engine/memory",
  "engine/merge",
  "engine/month-import",
  "engine/names",
  "engine/open-chunk-damage",
  "engine/reduction",
  "engine/removal",
  "engine/retention",
  "engine/sealed",
  "engine/unread-files",
  "engine/visits",
  "facts/months-together",
  "http/export",
  "http/guessing",
  "http/rows",
  "main",
  "notify/mail-trouble",
  "notify/messenger",
  "package",
  "query/month-goals",
  "query/months-model",
  "query/span-visits",
  "removal-model",
  "tracker/clicks",
  "tracker/loading",
  "tracker/recipes",
  "tracker/routers",
  "tracker/truth",
  "web/courses",
  "web/explain",
  "web/left-open",
  "web/live",
  "web/looks",
  "web/periods",
  "web/saved-funnels",
  "web/sharing",
];
/** Milliseconds that only say which is longer. */
const [longMs, otherMs] = [6_000, 300];

const isInAll = new Set(always.map((name) => `test/${name}.test.ts`));

const isLike = (pattern: string, path: string) => new Bun.Glob(`test/${pattern}.test.ts`).match(path);

const isInSome = (path: string) => !isInAll.has(path) && sometimes.some((pattern) => isLike(pattern, path));

/** Returns the paths of all tests from the root of the project. */
export function testPaths(root: string): readonly string[] {
  for (const path of isInAll) statSync(join(root, path));
  const paths = [...new Bun.Glob("test/**/*.test.ts").scanSync(root)].toSorted();
  for (const pattern of sometimes)
    if (!paths.some((path) => isLike(pattern, path))) throw new Error(`no file of tests is ${pattern}`);
  return paths;
}

/** Returns which of these paths a short run has. */
export function inShortRun(paths: readonly string[], seed: number): readonly string[] {
  return paths.filter((path) => !isInSome(path) || isDrawn(path, seed));
}

/** Returns the content of the file that Bun's `--timings` reads. */
export function timings(paths: readonly string[]): string {
  const isLong = (path: string) => isInAll.has(path) || isInSome(path);
  const files = Object.fromEntries(paths.map((path) => [path, isLong(path) ? longMs : otherMs]));
  return JSON.stringify({ version: 1, files });
}
