/**
 * The files of tests that take longest, by what `npm test` measured: they begin first, so that no process is still at
 * one of them when the others have ended. A file that is missing here costs some seconds, and nothing else.
 */
import { statSync } from "node:fs";
import { join } from "node:path";

/** Below `test`, without `.test.ts`. */
const longest = [
  "cli/backup",
  "cli/backup-increments",
  "cli/backup-schedule",
  "cli/import/command",
  "cli/import/import",
  "cli/import/plausible",
  "cli/repair",
  "cli/stats",
  "cluster/agreement",
  "cluster/failover",
  "cluster/joining",
  "cluster/model",
  "cluster/nodes",
  "cluster/stopping",
  "cluster/sync-check",
  "engine/facts",
  "engine/sealed",
  "engine/unread-files",
  "executable",
  "facts/months-together",
  "http/export",
  "http/guessing",
  "query/facts-model",
  "siege/siege",
  "torture/torture",
  "tracker/browser",
  "web/dashboard",
  "web/sharing",
  "web/states",
];
/** Milliseconds that only say which is longer. */
const [longMs, otherMs] = [6_000, 300];

/** The content of the file that Bun's `--timings` reads. `root`: the folder of the project. */
export function timings(root: string): string {
  const isLong = new Set(longest.map((name) => `test/${name}.test.ts`));
  for (const path of isLong) statSync(join(root, path));
  const paths = [...new Bun.Glob("test/**/*.test.ts").scanSync(root)];
  const files = Object.fromEntries(paths.map((path) => [path, isLong.has(path) ? longMs : otherMs]));
  return JSON.stringify({ version: 1, files });
}
