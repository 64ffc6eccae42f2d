/** The command that makes a folder that starts of a damaged one, and says what is lost by that. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { restoringName } from "../../engine/opening/new-folder.ts";
import { expectAllFiles, lockFolder, repairingName } from "../../engine/opening/open.ts";
import { orRefused } from "../../engine/refused.ts";
import { Refusal } from "../../core/refusal.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import { acquireLock, acquireReadLock } from "../../lib/disk/lock.ts";
import { isManifest } from "../../snapshot/manifest.ts";
import { carryOut, undoInterrupted } from "../repair/carry-out.ts";
import { planRepair, type RepairPlan } from "../repair/plan.ts";
import { checkedFolder } from "../checked-folder.ts";
import type { Call, Command } from "../command.ts";
import { expectOwnFolder, expectReadable } from "../data-folder.ts";
import { expectOutside } from "../output-file.ts";
import { bytesNowAndThen } from "../terminal/progress.ts";
import { serverListens } from "../socket.ts";
import { logPath } from "../../wal/segment.ts";

const damagedExitCode = 3;

const insteadOfRepair =
  "start the node with an empty folder, which is filled from the newest backup and the stream. A repair is for where " +
  "neither is left: it makes the copy the folder of a single machine, and no node starts from it";

export const repair: Command = {
  words: ["repair"],
  flags: [
    {
      name: "accept-loss",
      description: "Change the folder; without it, nothing is changed",
    },
    {
      name: "aside",
      placeholder: "FOLDER",
      description: "New folder for copies of what is changed (default: one beside the data folder)",
    },
  ],
  description: "Say what a repair of a damaged folder loses; with --accept-loss do it, copying aside first",
  exitCodes: {
    0: "nothing is damaged, or the repair is done",
    [damagedExitCode]: "something is damaged, and nothing was changed: see --accept-loss",
  },
  run: async (call) => {
    const { settings, flags, terminal } = call;
    const { folder } = settings;
    if (await serverListens(folder)) throw new Refusal(409, `a server runs on ${folder}: stop it first`);
    expectReadable(folder);
    const hasManifest = systemDisk.list(folder).some(isManifest);
    if (!hasManifest && !existsSync(logPath(folder)))
      throw new Refusal(404, `${folder} is no data folder: it has neither a checkpoint nor a log`);
    // The manifest is what a restore moves last: a folder that has one has everything.
    if (!hasManifest && existsSync(join(folder, restoringName)))
      throw new Refusal(409, `${folder} has a backup that was not restored to its end: restore it again`);
    const accepts = flags.has("accept-loss");
    if (accepts) expectOwnFolder(folder);
    if (existsSync(join(folder, repairingName))) putBack(call, accepts);
    const plan = lookAt(call);
    if (plan === undefined) {
      terminal.print("nothing is damaged, and nothing was changed");
      return 0;
    }
    if (!accepts) {
      terminal.print("a repair would keep that, and nothing was changed: run it with --accept-loss");
      return damagedExitCode;
    }
    const aside = resolve(flags.get("aside") ?? defaultAside(call));
    expectOutside(aside, folder);
    if (existsSync(aside)) throw new Refusal(409, `${aside} exists: choose a new folder with --aside`);
    {
      using _lock = lockFolder(folder, acquireLock);
      systemDisk.makeDirectory(aside);
      carryOut(folder, plan, aside);
    }
    const now = plan.leavesStream ? ". It is the folder of a single machine now" : "";
    terminal.print(`repaired ${folder}; what was changed is as it was in ${aside}${now}`);
    return 0;
  },
};

function defaultAside({ settings, clock }: Call): string {
  const time = new Date(clock.nowMs()).toISOString().replaceAll(/[:.]/g, "");
  return `${resolve(settings.folder)}.before-repair-${time}`;
}

/** Puts back what an interrupted repair has changed. Throws Refusal unless changes are accepted. */
function putBack({ settings, terminal }: Call, accepts: boolean): void {
  const { folder } = settings;
  if (!accepts)
    throw new Refusal(409, `a repair of ${folder} was interrupted: run it again, with --accept-loss`);
  using _lock = lockFolder(folder, acquireLock);
  terminal.note(`put back from ${undoInterrupted(folder)} what an interrupted repair had changed`);
}

/** Says what is wrong and what a repair would do; returns undefined if nothing is wrong. */
function lookAt({ settings, terminal, clock }: Call): RepairPlan | undefined {
  const { folder } = settings;
  using _lock = lockFolder(folder, acquireReadLock);
  expectAllFiles(systemDisk, folder);
  const { faults } = checkedFolder(folder, bytesNowAndThen(clock, terminal));
  terminal.status("");
  // A folder without manifests has nothing to compare.
  if (faults.length === 0 && systemDisk.list(folder).some(isManifest)) return undefined;
  for (const fault of faults) terminal.print(`damaged: ${fault}`);
  terminal.status("looking for what can be kept");
  const plan = orRefused(() => planRepair(systemDisk, folder), "restore a backup of the folder");
  terminal.status("");
  terminal.print(`kept: ${plan.takes}`);
  for (const loss of plan.losses) terminal.print(`lost: ${loss}`);
  if (plan.losses.length === 0) terminal.print("lost: nothing");
  if (plan.leavesStream) terminal.print(`${folder} is a node's copy: ${insteadOfRepair}`);
  return plan;
}
