/**
 * An executable of an earlier revision, built from what git has of it. It knows what this program knows, so some kinds of
 * records are taken out of it: it says that it does not understand them, and refuses to read any.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "../../bench/idle.ts";
import { thisCheckout } from "../../bench/scale-folder.ts";

const revision = "a18ee84777ec7369fc0b235cf869ec303e6a5b7e";

const allKinds = "(Object.keys(recordKinds) as RecordKind[]).map(";
const allFormats = "Object.values(recordKinds).map(";

/**
 * Builds it in `folder` without these kinds, and returns its path. Throws where git does not have the revision, or has other
 * lines in it.
 */
export function buildOlder(folder: string, without: readonly number[]): string {
  const checkout = join(folder, "older");
  mkdirSync(checkout);
  const archive = Bun.spawnSync(["git", "archive", revision], { cwd: thisCheckout });
  if (!archive.success)
    throw new Error(`git has no ${revision}: name an older executable by --older; ${archive.stderr}`);
  const unpacked = Bun.spawnSync(["tar", "-x", "-C", checkout], { stdin: archive.stdout });
  if (!unpacked.success) throw new Error(`tar: ${unpacked.stderr}`);
  symlinkSync(join(thisCheckout, "node_modules"), join(checkout, "node_modules"));
  const isLeftOut = `${JSON.stringify(without)}.includes`;
  const kinds = `(Object.keys(recordKinds) as RecordKind[]).filter((kind) => !${isLeftOut}(recordKinds[kind].number)).map(`;
  replace(join(checkout, "src", "record", "codec.ts"), allKinds, kinds);
  const formats = `Object.values(recordKinds).filter(({ number }) => !${isLeftOut}(number)).map(`;
  replace(join(checkout, "src", "record", "format.ts"), allFormats, formats);
  return build(join(folder, "footfall-older"), checkout);
}

function replace(file: string, text: string, by: string): void {
  const before = readFileSync(file, "utf8");
  const parts = before.split(text);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times ${text}, expected once`);
  writeFileSync(file, parts.join(by));
}
