/** The commands for websites. */
import type { Command } from "../../command.ts";
import { withControl } from "../../control/control.ts";
import { confirmed, printRows } from "../../terminal/terminal.ts";

export const websiteAdd: Command = {
  words: ["website", "add"],
  operands: ["HOST"],
  flags: [{ name: "user", placeholder: "NAME" }, { name: "no-visits" }],
  description: "Add a website to an account, by default the oldest one; --no-visits switches visits off",
  run: async (call) => {
    const input = {
      hostname: call.operands[0]!,
      username: call.flags.get("user") ?? "",
      visits: !call.flags.has("no-visits"),
    };
    const { hostname, username } = await withControl(call, (control) => control.addWebsite(input));
    call.terminal.print(`added ${hostname} to ${username}`);
  },
};

export const websiteList: Command = {
  words: ["website", "list"],
  description: "List the websites, each with the first of its owners, separated by a tab",
  run: async (call) => {
    const websites = await withControl(call, (control) => control.websites(null));
    const rows = websites.map(({ hostname, username }) => [hostname, username]);
    printRows(call.terminal, rows, "no website yet: 'footfall website add HOST' adds one");
  },
};

export const websiteRename: Command = {
  words: ["website", "rename"],
  operands: ["HOST", "TO"],
  description:
    "Give a website another hostname, where it has moved. Its statistics stay; from then on hits from the old name count, and " +
    "links with it open, only if it is one of the other hostnames: put the new line of its set-up page into its pages",
  run: async (call) => {
    const [hostname = "", to = ""] = call.operands;
    const stillCounts = await withControl(call, (control) => control.renameWebsite({ hostname, to }));
    call.terminal.print(`${hostname} is ${to} now`);
    if (stillCounts) return;
    call.terminal.print(
      `Hits from ${hostname} count from now on, and links with it open, only if it is one of the other hostnames: put the new line of its set-up page into its pages.`,
    );
  },
};

export const websiteRemove: Command = {
  words: ["website", "remove"],
  operands: ["HOST"],
  flags: [{ name: "yes" }],
  description: "Remove a website with all of its statistics; asks first",
  run: async (call) => {
    const hostname = call.operands[0]!;
    const question = `Remove ${hostname} with all of its statistics for good? Only backups have them then.`;
    const isRemoved = await withControl(call, async (control) => {
      // It says so if there is no such website, before anything is asked.
      await control.members({ hostname });
      if (!call.flags.has("yes") && !(await confirmed(call.terminal, question))) return false;
      await control.removeWebsite({ hostname });
      return true;
    });
    if (!isRemoved) return;
    call.terminal.print(`removed ${hostname}`);
  },
};
