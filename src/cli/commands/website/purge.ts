/**
 * The command that removes page views and events of a website that should not have been counted. It says what would go
 * and asks; `--yes` does not ask, and `--dry-run` only says. Times are UTC days or RFC 3339, both inclusive.
 */
import { badInput } from "../../../core/refusal.ts";
import type { RemovedCounts } from "../../../store/state/removal/removed-values.ts";
import type { Call, Command } from "../../command.ts";
import { withControl } from "../../control/control.ts";
import { count } from "../../terminal/progress.ts";
import { confirmed } from "../../terminal/terminal.ts";

export const websitePurge: Command = {
  words: ["website", "purge"],
  operands: ["HOST"],
  flags: [
    {
      name: "filter",
      placeholder: "FILTER",
      repeats: true,
      description: "as in a URL of the dashboard; a page view goes that all of them select",
    },
    {
      name: "from",
      placeholder: "TIME",
      description: "the first moment: a UTC day like 2026-01-31, or a time like 2026-01-31T08:00:00Z",
    },
    {
      name: "to",
      placeholder: "TIME",
      description: "the last moment; a day goes as a whole",
    },
    {
      name: "by-hit",
      description:
        "filters on sources ask what each page view said of itself, also without a visit; without it, where its visit came from",
    },
    { name: "imported-sums", description: "all months that were imported as sums, and nothing else" },
    { name: "dry-run", description: "only says what would go" },
    { name: "yes", description: "removes without a question" },
  ],
  description: "Remove page views for good that filters like 'path[contains]=wp-login' select; asks first",
  run: async (call) => {
    const { terminal, flags, lists } = call;
    const hostname = call.operands[0]!;
    if (flags.has("imported-sums")) return purgeSums(call, hostname);
    const filters = lists.get("filter") ?? [];
    if (filters.length === 0 && !flags.has("from") && !flags.has("to") && !flags.has("dry-run"))
      throw badInput("filter", undefined, "--filter, --from or --to: else remove the website instead");
    const isByHit = flags.has("by-hit");
    const input = { hostname, filters, from: flags.get("from") ?? "", to: flags.get("to") ?? "", isByHit };
    await withControl(call, async ({ purgeWebsite }) => {
      const counts = await purgeWebsite({ ...input, isDryRun: true });
      terminal.print(`${textOf(counts)} of ${hostname}`);
      if (counts.pageviews + counts.events === 0 || !(await isWanted(call))) return;
      terminal.print(`removed ${textOf(await purgeWebsite({ ...input, isDryRun: false }))} of ${hostname}`);
    });
  },
};

async function purgeSums(call: Call, hostname: string): Promise<void> {
  const { terminal, flags, lists } = call;
  for (const name of ["filter", "from", "to", "by-hit"])
    if (flags.has(name) || lists.has(name))
      throw badInput(name, flags.get(name) ?? lists.get(name)?.[0], "none beside --imported-sums");
  await withControl(call, async ({ removeImportedSums }) => {
    const sums = await removeImportedSums({ hostname, isDryRun: true });
    if (sums === null) return terminal.print(`${hostname} has no imported sums`);
    const { months, pageviews, first_day, last_day } = sums;
    const text = `${count(months, "month")} of imported sums with ${count(pageviews, "page view")}, ${first_day} to ${last_day}, of ${hostname}`;
    terminal.print(text);
    if (!(await isWanted(call))) return;
    await removeImportedSums({ hostname, isDryRun: false });
    terminal.print(`removed ${text}`);
  });
}

/** Asks, unless the command line says whether what was counted goes. */
async function isWanted({ terminal, flags }: Call): Promise<boolean> {
  if (flags.has("dry-run")) return false;
  return flags.has("yes") || confirmed(terminal, "Remove them for good? Only backups have them then.");
}

function textOf({ pageviews, visitors, events }: RemovedCounts): string {
  return `${count(pageviews, "page view")}, ${count(visitors, "visitor")} and ${count(events, "event")}`;
}
