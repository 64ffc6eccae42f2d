/**
 * Files of a data folder that are deleted, swapped, duplicated, cut, emptied, renamed, set back, or taken from another
 * folder: every kind of file in every such way. All is noticed or harmless. Nothing sound is deleted: with the right files
 * back in their places, everything is there.
 */
import { assert } from "../../src/lib/assert.ts";
import type { MemoryDisk } from "../support/memory-disk.ts";
import { randomFrom } from "../support/random.ts";
import { soundDisk } from "../support/sound-folder.ts";
import { expectSaid, judge, sound, type Sound } from "./damage.ts";
import type { Torture } from "./torture.ts";

interface Case {
  readonly what: string;
  /** The paths that it changes or makes. */
  readonly paths: readonly string[];
  readonly damage: (disk: MemoryDisk) => void;
}

const kindOf = (path: string) => path.split(".").at(-1) as string;

/** Puts other bytes, or none, in the place of files. */
function moved(what: string, files: Readonly<Record<string, Uint8Array | undefined>>): Case {
  const damage = (disk: MemoryDisk) => {
    for (const [path, bytes] of Object.entries(files)) {
      if (bytes === undefined) disk.take(path);
      else disk.put(path, bytes);
    }
  };
  return { what, paths: Object.keys(files), damage };
}

function casesOf(files: ReadonlyMap<string, Uint8Array>, other: ReadonlyMap<string, Uint8Array>): Case[] {
  const cases: Case[] = [];
  for (const [path, bytes] of files) {
    const add = (what: string, changes: Readonly<Record<string, Uint8Array | undefined>>) =>
      cases.push(moved(`${path} ${what}`, changes));
    add("deleted", { [path]: undefined });
    add("emptied", { [path]: new Uint8Array() });
    add("cut in half", { [path]: bytes.subarray(0, bytes.length >> 1) });
    add("twice as long", { [path]: new Uint8Array([...bytes, ...bytes]) });
    add("of zeros", { [path]: new Uint8Array(bytes.length) });
    add("of another folder", { [path]: other.get(path) ?? new Uint8Array() });
    for (const number of ["0000000000000001", "0000000000000999"])
      add(`also as ${number}`, { [path.replace(/\d{16}/, number)]: bytes });
    for (const number of ["0000000000000002", "0000000000000998"])
      add(`renamed to ${number}`, { [path]: undefined, [path.replace(/\d{16}/, number)]: bytes });
    for (const [second, others] of files) {
      if (second === path || (kindOf(second) === kindOf(path) && second < path)) continue;
      if (kindOf(second) === kindOf(path)) add(`and ${second} swapped`, { [path]: others, [second]: bytes });
      else add(`replaced by ${second}`, { [path]: others });
    }
  }
  for (const kind of new Set([...files.keys()].map(kindOf))) {
    const all = [...files.keys()].filter((path) => kindOf(path) === kind);
    cases.push(moved(`every .${kind} deleted`, Object.fromEntries(all.map((path) => [path, undefined]))));
    const ofOther = all.map((path) => [path, other.get(path)] as const);
    cases.push(moved(`every .${kind} of another folder`, Object.fromEntries(ofOther)));
  }
  return cases;
}

async function expectNoticed(whole: Sound, { what, paths, damage }: Case): Promise<void> {
  const disk = whole.disk.clone();
  damage(disk);
  const judged = await judge(disk);
  const isLog = paths.some((path) => path.endsWith(".wal"));
  const isOfFacts = paths.every((path) => path.endsWith(".facts"));
  await expectSaid(judged, whole, isLog, isOfFacts);
  for (const path of paths) {
    const own = whole.disk.files.get(path);
    if (own === undefined) disk.take(path);
    else disk.put(path, own);
  }
  // The log went on from where it seemed to end: its segment is no longer the one that was taken away.
  if (isLog && judged.answers !== undefined) return;
  const { answers, lines } = await judge(disk);
  assert(
    Bun.deepEquals(answers, whole.answers),
    `${what}: with the files back, answers differ: ${lines.join("; ")}`,
  );
}

export const movedFiles: Torture = {
  about: "files that are deleted, swapped, duplicated, cut, renamed, or of another folder",
  rounds: { full: Infinity, short: 25 },
  run: async ({ rounds, seed }) => {
    const random = randomFrom(seed);
    const [whole, other] = [await sound(), await soundDisk(8)];
    const cases = casesOf(whole.disk.files, other.files);
    const kinds = new Set(cases.map(({ what }) => what.replace(/\/data\/\S*?\.(\w+)(?=\s|$)/g, ".$1"))).size;
    const count = Math.min(rounds, cases.length);
    for (let round = 0; round < count; round++) {
      const one = cases[count === cases.length ? round : Math.floor(random() * cases.length)] as Case;
      await expectNoticed(whole, one).catch((cause: unknown) => {
        throw new Error(one.what, { cause });
      });
    }
    return `${count} of ${cases.length} changes of ${kinds} kinds: noticed or harmless, nothing sound is deleted`;
  },
};
