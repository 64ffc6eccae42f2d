/** The command that says who is told what about a website, and whether that works. */
import type { Command } from "../../command.ts";
import { withControl } from "../../control/control.ts";
import { printRows } from "../../terminal/terminal.ts";

export const websiteSubscriptions: Command = {
  words: ["website", "subscriptions"],
  operands: ["HOST"],
  description: "List the reports and alerts of a website: to whom, when last sent, what is wrong",
  run: async (call) => {
    const hostname = call.operands[0]!;
    const subscriptions = await withControl(call, (control) => control.subscriptions({ hostname }));
    printRows(call.terminal, subscriptions, `${hostname} has no report and no alert`);
  },
};
