/**
 * An executable of an earlier revision, built from what git has of it. No revision with nodes knew fewer kinds of records than
 * the first of them, so the newest kinds are taken out of it: it says that it understands kinds up to `level`, and refuses
 * to read any above.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "../../bench/idle.ts";
import { thisCheckout } from "../../bench/scale-folder.ts";

/** The first that has nodes. */
export const firstWithNodes = "1f2741778fb02fbf643dbd4c5ac4b9abf69e5c9d";

const greatest = "Math.max(...Object.values(recordKinds).map(({ number }) => number))";
const allKinds = "(Object.keys(recordKinds) as RecordKind[]).map(";

/** Builds it in `folder`, and returns its path. Throws where git does not have the revision, or has other lines in it. */
export function buildOlder(folder: string, revision: string, level: number): string {
  const checkout = join(folder, "older");
  mkdirSync(checkout);
  const archive = Bun.spawnSync(["git", "archive", revision], { cwd: thisCheckout });
  if (!archive.success)
    throw new Error(`git has no ${revision}: name an older executable by --older; ${archive.stderr}`);
  const unpacked = Bun.spawnSync(["tar", "-x", "-C", checkout], { stdin: archive.stdout });
  if (!unpacked.success) throw new Error(`tar: ${unpacked.stderr}`);
  symlinkSync(join(thisCheckout, "node_modules"), join(checkout, "node_modules"));
  replace(join(checkout, "src", "cluster", "record-level.ts"), greatest, String(level));
  const known = `(Object.keys(recordKinds) as RecordKind[]).filter((kind) => recordKinds[kind].number <= ${level}).map(`;
  replace(join(checkout, "src", "record", "codec.ts"), allKinds, known);
  return build(join(folder, "footfall-older"), checkout);
}

function replace(file: string, text: string, by: string): void {
  const before = readFileSync(file, "utf8");
  const parts = before.split(text);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times ${text}, expected once`);
  writeFileSync(file, parts.join(by));
}
