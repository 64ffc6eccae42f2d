/** Tells the data folder that a command needs from other people's files: nothing is made among those. */
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { Refusal } from "../core/refusal.ts";
import { lockName, whyNotNew } from "../engine/opening/new-folder.ts";
import { DiskError, systemDisk } from "../lib/disk/disk.ts";
import { otherOwner, rootKeepsWhatItMakes } from "../lib/disk/owner.ts";
import { isManifest } from "../snapshot/manifest.ts";
import { logDirectory } from "../wal/segment.ts";
import { shellWord } from "./callable.ts";

/** The names that a fresh disk and an empty folder in a repository have. */
const freshNames = ["lost+found", ".gitkeep"];
/** The names that a first start leaves when it is ended before its first checkpoint, and that a fresh disk has. */
const begun = [lockName, logDirectory, ...freshNames];

/** Returns whether a folder is certainly new: empty, or not there yet. */
export function isNewFolder(folder: string): boolean {
  try {
    return systemDisk.list(folder).every((name) => freshNames.includes(name));
  } catch (error) {
    if (error instanceof DiskError) return error.code === "ENOENT";
    throw error;
  }
}

/** Throws Refusal 403 where the user may not look into the folder, or into one above it. */
export function expectReadable(folder: string): void {
  try {
    systemDisk.list(folder);
  } catch (error) {
    if (!(error instanceof DiskError && error.code === "EACCES")) return;
    const path = resolve(folder);
    throw new Refusal(
      403,
      `this user may not look into ${path}: run this as root, or as the user of its server`,
    );
  }
}

/**
 * Returns whether the folder is still to be begun. Throws Refusal 404 unless it has data, or what is left of some: opening that
 * says what is wrong. `mayBegin`: one that is empty or not there yet is good, too. Throws what `expectReadable` does.
 */
export function expectDataFolder(folder: string, mayBegin: boolean): boolean {
  expectReadable(folder);
  const names = existsSync(folder) ? systemDisk.list(folder) : [];
  if (hasData(folder, names)) return false;
  const others = names.filter((name) => !begun.includes(name));
  if (mayBegin && others.length === 0) return true;
  const path = resolve(folder);
  throw new Refusal(
    404,
    mayBegin
      ? `${path} is no data folder, and has other files: name a data folder, or an empty or new one, with --data or FOOTFALL_DATA`
      : `${path} is no data folder: name it with --data or FOOTFALL_DATA${others.length > 0 ? "" : ", or begin one with 'footfall user add NAME'"}`,
  );
}

/**
 * Throws Refusal 409 where root would write into a folder that a server of another user had open last, or that belongs to
 * another user and was never opened: that server could not open the files that root makes. `otherwise`: what also does.
 */
export function expectOwnFolder(folder: string, otherwise = ""): void {
  const lock = join(folder, lockName);
  const refused = refusedToRoot(folder, existsSync(lock) ? lock : folder);
  if (refused === undefined) return;
  const { why, owner, word } = refused;
  throw new Refusal(
    409,
    `${why}: run this as that user${otherwise}, or as root between 'chown -R root ${word}' and 'chown -R ${owner} ${word}'`,
  );
}

/**
 * Throws Refusal 409 where root would start a server on data that a server of another user saved last. Root may begin a new
 * folder, whoever has it: the volume of a container belongs to the user of its image, and a container that runs as root begins
 * its data there. Where root's server has run before, it may again. A user that is not root is never refused here: what it
 * may not open the system refuses, and some change from start to start, as in OpenShift, and share the files by their group.
 */
export function expectOwnData(folder: string): void {
  const newest = existsSync(folder) ? systemDisk.list(folder).filter(isManifest).at(-1) : undefined;
  const refused = newest === undefined ? undefined : refusedToRoot(folder, join(folder, newest));
  if (refused === undefined) return;
  const { why, word } = refused;
  throw new Refusal(
    409,
    `${why}: start the server as that user, or give root the folder for good with 'chown -R root ${word}'`,
  );
}

/**
 * Returns why root may not write into a folder, the number of its user, and its path for a shell; undefined where it may. `path`: what
 * tells whose the folder is.
 */
function refusedToRoot(folder: string, path: string) {
  const owner = otherOwner(path);
  if (owner === undefined || !rootKeepsWhatItMakes(folder)) return undefined;
  const why = `${resolve(folder)} belongs to the user with the number ${owner}, whose server could not open what root writes there`;
  // That of a systemd unit is a link, which chown would not follow, into a folder where its user may not enter.
  return { why, owner, word: shellWord(realpathSync(folder)) };
}

/**
 * Returns the name of one of the files among which new data would begin; undefined where it would be alone, or has begun. A server
 * begins there all the same: a NAS puts folders of its own everywhere, such as `@eaDir`.
 */
export function otherFileIn(folder: string): string | undefined {
  if (isNewFolder(folder)) return undefined;
  const names = systemDisk.list(folder);
  return hasData(folder, names) ? undefined : names.find((name) => !begun.includes(name));
}

/** Whether a folder with these names has data, or what is left of some. */
function hasData(folder: string, names: readonly string[]): boolean {
  return names.some(isManifest) || (names.length > 0 && whyNotNew(systemDisk, folder) !== undefined);
}
