/** The commands for the accounts with which a website is shared. */
import { roles } from "../../../core/website/role.ts";
import type { Command } from "../../command.ts";
import { withControl } from "../../control/control.ts";
import { printSecret } from "../../terminal/terminal.ts";

const defaultRole = "viewer";

const roleFlag = {
  name: "role",
  placeholder: roles.join("|"),
  description: `what the account may do; without it ${defaultRole}, who only looks`,
};

export const websiteInvite: Command = {
  words: ["website", "invite"],
  operands: ["HOST"],
  flags: [roleFlag],
  description: "Print a link that gives another account a website, once",
  run: async (call) => {
    const input = { hostname: call.operands[0]!, role: call.flags.get("role") ?? defaultRole };
    const { path, ...server } = await withControl(call, (control) => control.inviteMember(input));
    const url = call.settings.url ?? server.url;
    printSecret(
      call.terminal,
      (url ?? server.base) + path,
      "the invitation was made, and nobody has seen it: revoke it in the website's settings, or let it end in 7 days",
    );
    if (url === undefined)
      call.terminal.note("Put the address of the server before it, or name it with --url or FOOTFALL_URL.");
  },
};

export const websiteAddMember: Command = {
  words: ["website", "add-member"],
  operands: ["HOST", "NAME"],
  flags: [roleFlag],
  description: "Give another account a website, without an invitation; with --role also another role",
  run: async (call) => {
    const [hostname = "", username = ""] = call.operands;
    const role = call.flags.get("role") ?? defaultRole;
    // Who names no role takes none away from an account that has the website.
    const mayChange = call.flags.has("role");
    await withControl(call, (control) => control.addMember({ hostname, username, role, mayChange }));
    call.terminal.print(`${username} has ${hostname} as ${role} now`);
  },
};

export const websiteMembers: Command = {
  words: ["website", "members"],
  operands: ["HOST"],
  description: "List the accounts of a website with their roles, separated by a tab",
  run: async (call) => {
    const hostname = call.operands[0]!;
    const members = await withControl(call, (control) => control.members({ hostname }));
    for (const { username, role } of members) call.terminal.print(`${username}\t${role}`);
  },
};

export const websiteRemoveMember: Command = {
  words: ["website", "remove-member"],
  operands: ["HOST", "NAME"],
  description: "Take a website from an account; its last owner stays",
  run: async (call) => {
    const [hostname = "", username = ""] = call.operands;
    await withControl(call, (control) => control.removeMember({ hostname, username }));
    call.terminal.print(`${username} has ${hostname} no more`);
  },
};
