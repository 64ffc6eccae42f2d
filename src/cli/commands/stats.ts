/** The command that shows the figures of a website in the terminal, or as JSON or CSV. */
import { statisticsNames } from "../../http/own-statistics.ts";
import type { Journeys, NamedSummary } from "../../core/questions/answer.ts";
import { beginsWithin } from "../../core/questions/recorded-from.ts";
import { csvOf } from "../../query/answers/csv.ts";
import { Refusal } from "../../core/refusal.ts";
import type { Command } from "../command.ts";
import { withControl } from "../control/control.ts";
import { askedPeriod, periodsText, usualPeriod, type AskedPeriod } from "../stats/period.ts";
import { localZone, timeZoneFlag } from "../stats/zone.ts";
import { hasAny, journeyRows, shownRow, tableOf, totalsOf, type Row } from "../stats/table.ts";
import { visibleJson } from "../terminal/visible.ts";

const usualRows = "20";

export const stats: Command = {
  words: ["stats"],
  operands: ["HOST"],
  optional: "LIST",
  flags: [
    {
      name: "period",
      placeholder: "PERIOD",
      description: `One of ${periodsText} (default: ${usualPeriod})`,
    },
    {
      name: "filter",
      placeholder: "FILTER",
      repeats: true,
      description: "As in the API, such as 'country[eq]=Germany' or 'path[starts_with]=/blog'",
    },
    {
      name: "step",
      placeholder: "STEP",
      repeats: true,
      description:
        "Of a funnel, 2 to 8 of them: page:/pricing, 'page[starts_with]:/blog/', event:signup, event:plan=pro, or goal:3 by the id that goals --json says",
    },
    {
      name: "name",
      placeholder: "NAME",
      description: "Of a saved funnel, in place of its steps",
    },
    {
      name: "goal",
      placeholder: "GOAL",
      description: "The id or the name of a goal: its conversions, their rate and the amount beside each row",
    },
    {
      name: "page",
      placeholder: "PATH",
      description: "Of journeys: the page after which people went to the pages of the list",
    },
    {
      name: "direction",
      placeholder: "DIRECTION",
      description: "Of journeys: next (default), or previous for the pages that they came from",
    },
    timeZoneFlag,
    {
      name: "limit",
      placeholder: "ROWS",
      description: `Rows of a list at the most (default: ${usualRows})`,
    },
    {
      name: "json",
      description: "The answer of the API, and no table",
    },
    { name: "csv", description: "Comma-separated values, and no table" },
  ],
  description: `Show the totals of a website, or a list: ${statisticsNames.join(", ")}`,
  run: async (call) => {
    const { terminal, flags, lists, operands, clock } = call;
    if (flags.has("json") && flags.has("csv"))
      throw new Refusal(400, "--json and --csv are two forms of one answer: expected one of them");
    const [hostname = "", list = "summary"] = operands;
    const zone = localZone(flags);
    const { words, compareWords, ...period } = askedPeriod(
      flags.get("period") ?? usualPeriod,
      zone,
      clock.nowMs(),
    );
    const input = {
      hostname,
      list,
      filters: lists.get("filter") ?? [],
      steps: lists.get("step") ?? [],
      funnel: flags.get("name"),
      goal: flags.get("goal"),
      page: flags.get("page"),
      direction: flags.get("direction"),
      limit: flags.get("limit") ?? usualRows,
      ...period,
    };
    const answer = await withControl(call, (control) => control.statistics(input));
    if (flags.has("json")) return terminal.printData(visibleJson(JSON.stringify(answer, null, 2)));
    if (flags.has("csv")) return terminal.printData(csvOf(answer).trimEnd());
    terminal.print(`${hostname}, ${list}, ${words} (${zone})`);
    if (list === "summary" && compareWords !== undefined)
      terminal.print(comparedText(answer as NamedSummary, compareWords, period, zone));
    for (const line of linesOf(list, answer)) terminal.printData(line);
  },
};

function comparedText(
  { previous, recorded_from }: NamedSummary,
  other: string,
  { compareStart = "", compareEnd = "" }: Pick<AskedPeriod, "compareStart" | "compareEnd">,
  zone: string,
): string {
  if (!hasAny(previous)) return `nothing to compare with: ${other} has no visits`;
  const compared = { startMs: Date.parse(compareStart), endMs: Date.parse(compareEnd) };
  if (recorded_from === undefined || !beginsWithin(compared, recorded_from)) return `compared with ${other}`;
  const first = Temporal.Instant.from(recorded_from).toZonedDateTimeISO(zone).toPlainDate();
  return `compared with ${other}, in which figures begin on ${first}`;
}

/** `answer`: as the endpoint gives it. */
function linesOf(list: string, answer: unknown): string[] {
  if (Array.isArray(answer)) {
    const rows = (answer as Row[]).map((row) => shownRow(list, row));
    return rows.length === 0 ? ["nothing was found"] : tableOf(rows);
  }
  if (list === "journeys") return tableOf(journeyRows(answer as Journeys));
  const { current, previous } = answer as { current: Row; previous?: Row };
  return totalsOf(current, previous);
}
