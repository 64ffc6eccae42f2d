/** The commands for websites. */
import type { Command } from "../command.ts";
import { withControl } from "../control.ts";

export const websiteAdd: Command = {
  words: ["website", "add"],
  operands: ["HOST"],
  flags: [
    { name: "user", placeholder: "NAME", required: false },
    { name: "no-visits", placeholder: null, required: false },
  ],
  description: "Add a website to an account, by default the oldest one; --no-visits tells no visits apart",
  run: async (call) => {
    const input = {
      hostname: call.operands[0] as string,
      username: call.flags.get("user") ?? "",
      visits: !call.flags.has("no-visits"),
    };
    const { hostname, username } = await withControl(call, (control) => control.addWebsite(input));
    call.terminal.print(`added ${hostname} to ${username}`);
  },
};

export const websiteList: Command = {
  words: ["website", "list"],
  operands: [],
  flags: [],
  description: "List the websites with their accounts, separated by a tab",
  run: async (call) => {
    const websites = await withControl(call, (control) => control.websites(null));
    for (const { hostname, username } of websites) call.terminal.print(`${hostname}\t${username}`);
  },
};
