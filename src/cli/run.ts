/** Runs the program once: parses command line and environment into a command, and turns its end into an exit code. */
import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { onFolder } from "./callable.ts";
import { explain, explainedExitCode } from "./failure.ts";
import { ReaderGone } from "./terminal/output.ts";
import { commandHelp, groupHelp, helpText } from "./terminal/help.ts";
import { backup, restore } from "./commands/backup.ts";
import { check } from "./commands/check.ts";
import { clusterMove } from "./commands/cluster-move.ts";
import { clusterStatus } from "./commands/cluster.ts";
import { dump } from "./commands/dump.ts";
import { exportRows } from "./commands/export.ts";
import { healthcheck } from "./commands/healthcheck.ts";
import { importFiles } from "./commands/import.ts";
import { licenses } from "./commands/licenses.ts";
import { repair } from "./commands/repair.ts";
import { serve } from "./commands/serve.ts";
import { readSettings, type Environment } from "./settings/settings.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { stats } from "./commands/stats.ts";
import { tokenAdd, tokenList, tokenRemove } from "./commands/token.ts";
import { userAdd, userList, userPassword, userRemove, userRemoveSecondFactor } from "./commands/user.ts";
import { buildCommit, version } from "./version.ts";
import { websiteAdd, websiteList, websiteRemove, websiteRename } from "./commands/website/websites.ts";
import {
  websiteAddMember,
  websiteInvite,
  websiteMembers,
  websiteRemoveMember,
} from "./commands/website/members.ts";
import { websitePurge } from "./commands/website/purge.ts";
import { websiteSubscriptions } from "./commands/website/subscriptions.ts";

/** All commands. The first one runs if none is named. Exported for tests. */
export const commands: readonly Command[] = [
  serve,
  stats,
  userAdd,
  userList,
  userPassword,
  userRemoveSecondFactor,
  userRemove,
  tokenAdd,
  tokenList,
  tokenRemove,
  websiteAdd,
  websiteList,
  websiteRename,
  websiteRemove,
  websitePurge,
  websiteInvite,
  websiteAddMember,
  websiteMembers,
  websiteRemoveMember,
  websiteSubscriptions,
  importFiles,
  exportRows,
  backup,
  restore,
  check,
  repair,
  dump,
  clusterStatus,
  clusterMove,
  healthcheck,
  licenses,
];

/** Returns the exit code. Throws errors that are not explained failures. */
export async function run(
  argv: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<number> {
  let folder: string | undefined;
  try {
    const parsed = parseArguments(argv, commands);
    if (parsed === "help") terminal.print(helpText(commands));
    else if (parsed === "version") terminal.print(`footfall ${version} (${buildCommit()})`);
    else if ("help" in parsed) terminal.print(commandHelp(parsed.help));
    else if ("group" in parsed) terminal.print(groupHelp(parsed.group));
    else {
      const { command, settingFlags, ...given } = parsed;
      ({ folder } = settingFlags);
      const settings = readSettings(settingFlags, environment);
      const call = { settings, environment, ...given, terminal, clock: systemClock, random: systemRandom };
      return (await command.run(call)) ?? 0;
    }
    return 0;
  } catch (error) {
    if (error instanceof ReaderGone) return explainedExitCode;
    const explanation = explain(error);
    if (explanation === undefined) throw error;
    terminal.note(folder === undefined ? explanation : onFolder(explanation, folder));
    return explainedExitCode;
  }
}
