/**
 * The command that removes page views and events of a website that should not have been counted. It says what would go
 * and asks; `--yes` does not ask, and `--dry-run` only says. Times are UTC days or RFC 3339, both inclusive.
 */
import type { RemovedCounts } from "../../store/state/removal/removed-values.ts";
import type { Command } from "../command.ts";
import { withControl } from "../control.ts";
import { count } from "../terminal/progress.ts";
import { confirmed } from "../terminal/terminal.ts";

export const websitePurge: Command = {
  words: ["website", "purge"],
  operands: ["HOST"],
  flags: [
    { name: "filter", placeholder: "FILTER", required: false, repeats: true },
    { name: "from", placeholder: "TIME", required: false },
    { name: "to", placeholder: "TIME", required: false },
    { name: "dry-run", placeholder: null, required: false },
    { name: "yes", placeholder: null, required: false },
  ],
  description: "Remove page views for good that filters like 'path[contains]=wp-login' select; asks first",
  run: async (call) => {
    const { terminal, flags, lists } = call;
    const hostname = call.operands[0]!;
    const filters = lists.get("filter") ?? [];
    const input = { hostname, filters, from: flags.get("from") ?? "", to: flags.get("to") ?? "" };
    await withControl(call, async ({ purgeWebsite }) => {
      const counts = await purgeWebsite({ ...input, isDryRun: true });
      terminal.print(`${textOf(counts)} of ${hostname}`);
      if (flags.has("dry-run") || counts.pageviews + counts.events === 0) return;
      const question = "Remove them for good? They are in no file then but in backups.";
      if (!flags.has("yes") && !(await confirmed(terminal, question))) return;
      terminal.print(`removed ${textOf(await purgeWebsite({ ...input, isDryRun: false }))} of ${hostname}`);
    });
  },
};

function textOf({ pageviews, visitors, events }: RemovedCounts): string {
  return `${count(pageviews, "page view")}, ${count(visitors, "visitor")} and ${count(events, "event")}`;
}
