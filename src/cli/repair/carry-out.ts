/**
 * Carries a plan out. Everything that it changes is copied aside first. A file in the data folder says so until all is
 * done: a start refuses the folder as long as it is there, and the next repair first puts the copies back.
 */
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { repairingName } from "../../engine/opening/open.ts";
import { Refusal } from "../../core/refusal.ts";
import { diskCall, replaceFile, systemDisk, unfinishedName, writeFile } from "../../lib/disk/disk.ts";
import { removeTree } from "../../lib/disk/tree.ts";
import { checkedFolder } from "../checked-folder.ts";
import type { RepairPlan } from "./plan.ts";

/** The way back from a repair that is under way. */
interface Undo {
  /** The folder with the copies. */
  readonly aside: string;
  /** The files that were not there before. */
  readonly added: readonly string[];
}

/** Throws Refusal and DiskError; the folder is as it was then, or the next repair makes it so. */
export function carryOut(folder: string, plan: RepairPlan, aside: string): void {
  const { written, cut, removed } = plan;
  const changed = [...written.keys(), ...(cut === undefined ? [] : [cut.path]), ...removed];
  const before = changed.filter((name) => existsSync(join(folder, name)));
  const undo: Undo = { aside, added: changed.filter((name) => !before.includes(name)) };
  try {
    for (const name of before) copy(join(folder, name), join(aside, name));
    syncTree(aside);
    systemDisk.syncDirectory(dirname(aside));
    replaceFile(systemDisk, join(folder, repairingName), Buffer.from(JSON.stringify(undo)));
  } catch (error) {
    // Nothing is changed yet. Each attempt on a full disk would leave copies that take more of it.
    removeTree(aside);
    systemDisk.remove(unfinishedName(join(folder, repairingName)));
    throw error;
  }
  systemDisk.syncDirectory(folder);
  change(folder, plan);
  const [fault] = checkedFolder(folder).faults;
  if (fault !== undefined) {
    undoInterrupted(folder);
    throw new Refusal(500, `the repaired folder would not be sound, so it is as it was: ${fault}`);
  }
  finish(folder);
}

function change(folder: string, { written, cut, removed }: RepairPlan): void {
  for (const [name, bytes] of written) {
    systemDisk.makeDirectory(dirname(join(folder, name)));
    removeTree(join(folder, name));
    replaceFile(systemDisk, join(folder, name), bytes);
  }
  if (cut !== undefined) systemDisk.truncate(join(folder, cut.path), cut.bytes);
  for (const name of removed) if (!written.has(name)) removeTree(join(folder, name));
  for (const name of [...written.keys(), ...removed])
    if (existsSync(dirname(join(folder, name)))) systemDisk.syncDirectory(dirname(join(folder, name)));
}

/** Puts back what an interrupted repair has changed; returns the folder of the copies if there was one. Throws DiskError. */
export function undoInterrupted(folder: string): string | undefined {
  const path = join(folder, repairingName);
  if (!existsSync(path)) return undefined;
  const { aside, added } = JSON.parse(Buffer.from(systemDisk.read(path)).toString()) as Undo;
  for (const name of added) systemDisk.remove(join(folder, name));
  for (const name of filesIn(aside)) {
    removeTree(join(folder, name));
    copy(join(aside, name), join(folder, name));
    systemDisk.syncDirectory(dirname(join(folder, name)));
  }
  finish(folder);
  return aside;
}

function finish(folder: string): void {
  systemDisk.remove(join(folder, repairingName));
  systemDisk.syncDirectory(folder);
}

/** Copies a file durably. A directory that somebody put in a file's place is copied with all that it has. */
function copy(from: string, to: string): void {
  systemDisk.makeDirectory(dirname(to));
  if (isDirectory(from)) diskCall("copy", from, () => cpSync(from, to, { recursive: true }));
  else writeFile(systemDisk, to, systemDisk.read(from));
}

function filesIn(folder: string): string[] {
  const names = diskCall("list", folder, () => readdirSync(folder, { recursive: true, encoding: "utf8" }));
  return names.filter((name) => !isDirectory(join(folder, name)));
}

function syncTree(folder: string): void {
  for (const name of systemDisk.list(folder))
    if (isDirectory(join(folder, name))) syncTree(join(folder, name));
  systemDisk.syncDirectory(folder);
}

function isDirectory(path: string): boolean {
  return diskCall("list", path, () => statSync(path).isDirectory());
}
