/** The command that imports access logs and the exports of other products into a website. */
import { Collector } from "../../collect/fact.ts";
import type { Call, Command } from "../command.ts";
import { withControl, type Control } from "../control/control.ts";
import type { ImportState } from "../control/control-entries.ts";
import type { ImportTarget } from "../control/import-target.ts";
import { formatNamed, formatNames, formats, plausibleName } from "../import/formats/formats.ts";
import { filesInOrder, withEventData, type ImportFile } from "../import/files.ts";
import type { EventData } from "../import/formats/umami-data.ts";
import { umami, umamiFormat } from "../import/formats/umami.ts";
import { Import } from "../import/import.ts";
import type { DaySpan } from "../import/options.ts";
import { progressOf, reportLines, valueLines } from "../import/report/progress.ts";
import { summed, type ImportReport } from "../import/report/report.ts";
import { mayCountTwice } from "../import/report/questions.ts";
import { importZip, inputLine } from "../import/sums/import-zip.ts";
import { isZipFile } from "../import/sums/zip.ts";
import { Refusal, shown } from "../../core/refusal.ts";
import {
  daySpan,
  leavingOut,
  noViews,
  takenSpan,
  trackedDays,
  trackedText,
  type DayViews,
} from "../import/tracked-days.ts";
import { Visitors } from "../import/visitors.ts";

export const importFiles: Command = {
  words: ["import"],
  operands: ["HOST", "FILE"],
  takesMore: true,
  flags: [
    {
      name: "format",
      placeholder: "NAME",
      description: `Reads the files as ${formatNames}, instead of telling by their first lines`,
    },
    {
      name: "from",
      placeholder: "DATE",
      description: "Begins with this day, such as 2026-11-20; what was before counts as imported then",
    },
    {
      name: "until",
      placeholder: "DATE",
      description: "Stops before this day, such as 2026-11-20: the first one that was tracked here",
    },
    {
      name: "complete",
      description: "Takes a last line without a line feed, which a server may still be writing",
    },
    {
      name: "yes",
      description:
        "Takes days that were tracked here already, which count twice then, and a ZIP of another host",
    },
    {
      name: "anew",
      description: "Takes files from their start again that were imported before, and purged since",
    },
    {
      name: "dry-run",
      description: "Only says what would be taken",
    },
  ],
  description:
    "Import access logs or the export of another product, plain, gzip or zstd, - for standard input; nothing is taken twice",
  details: [
    ...formats.flatMap(({ name, example, madeBy }) => [
      [name, example] as const,
      ...(madeBy === undefined ? [] : [[`${name} is made by`, madeBy] as const]),
    ]),
    [plausibleName, "the ZIP that its export makes: imported_visitors_….csv and the others"],
  ],
  run: async (call) => {
    const { terminal } = call;
    const [hostname = "", ...paths] = call.operands;
    const { flags } = call;
    const name = flags.get("format");
    const span = daySpan({ from: flags.get("from"), until: flags.get("until") }, "--");
    if (paths.some(isZipFile)) return importZip(call, hostname, paths, span);
    const format = typeof name === "string" ? formatNamed(name) : undefined;
    const collector = new Collector();
    const { others, empty, data } = await withEventData(paths, collector, inputLine(call));
    const found = await filesInOrder(others, terminal.input, collector, format, inputLine(call));
    const files = found.map((file) =>
      file.format.name === umami.name && data !== undefined ? { ...file, format: umamiFormat(data) } : file,
    );
    for (const path of empty) terminal.print(`${path} is empty`);
    for (const { path, format } of files)
      terminal.print(`${path === "-" ? "standard input" : path} is ${format.description}`);
    const plan = { files, hostname, span, collector, data };
    await withControl(call, async (control) => {
      const target = await control.importTarget({ hostname });
      await runPlan(call, control, { ...plan, target });
    }).finally(() => terminal.status(""));
  },
};

interface Plan {
  readonly files: readonly ImportFile[];
  readonly hostname: string;
  readonly span: DaySpan;
  readonly collector: Collector;
  /** The values of Umami's events, where they came in a file of their own. */
  readonly data: EventData | undefined;
  readonly target: ImportTarget;
}

async function runPlan(call: Call, control: Control, plan: Plan): Promise<void> {
  const { terminal, flags } = call;
  const { hostname } = plan;
  const isDryRun = flags.has("dry-run");
  const trackedOf = ({ days }: Read, isImported = false) => trackedDays(control, hostname, days, isImported);
  const readOnly = () => readAll(call, withoutImport(control), plan);
  // Standard input can be read only once: its days are known afterwards.
  const isOnce = isDryRun || isInput(plan);
  if (!isDryRun && (await hasPageviews(control, hostname))) {
    const looked = isOnce ? undefined : await readOnly();
    const tracked = looked === undefined ? [] : await trackedOf(looked);
    if (!(await mayCountTwice(call, hostname, tracked, looked?.days ?? new Map(), isBlind(plan)))) return;
  }
  const startMs = call.clock.monotonicMs();
  const read = isDryRun ? await readOnly() : await readAll(call, control, plan);
  const tracked = isOnce ? await trackedOf(read, !isDryRun) : [];
  if (tracked.length > 0) terminal.note(trackedText(tracked, hostname, leavingOut(tracked, read.days)));
  const seconds = (call.clock.monotonicMs() - startMs) / 1_000;
  const report = summed(read.reports);
  for (const line of reportLines(report, hostname, seconds, takenSpan(read.days))) terminal.print(line);
  for (const line of plan.data === undefined ? [] : valueLines(plan.data, report.values ?? 0))
    terminal.print(line);
  if (lacksValues(plan, report)) terminal.note(valuesText);
  if (isDryRun) terminal.print("a dry run: nothing was imported");
  for (const [at, report] of read.reports.entries()) expectRead(report, plan.files[at] as ImportFile);
}

const valuesText =
  "these events have no values: where Umami has some, they are in event_data, which has to be named beside this file. " +
  "What was imported without them never gets them";

/** Returns whether Umami's events came alone, as in the first file of Umami Cloud's export, without a column for their values. */
function lacksValues({ files, data }: Plan, { events, values }: ImportReport): boolean {
  const isAlone = ({ format, firstLines }: ImportFile) =>
    format.name === umami.name && !firstLines.some((line) => line.includes("event_data"));
  return data === undefined && events > 0 && values === undefined && files.some(isAlone);
}

/** Returns what imports nothing, and answers as if it had: a file that is named twice has nothing new then. */
function withoutImport({ importState }: Control): ImportControl {
  const reached = new Map<string, Pick<ImportState, "position" | "digest" | "isPartial">>();
  return {
    importState: async (input) => ({ ...(await importState(input)), ...reached.get(input.file) }),
    importBatch: async ({ file, position, digest, isPartial = false }) => {
      reached.set(file, { position, digest, isPartial });
    },
  };
}

/** Throws Refusal if a file has nothing that could be read: it is not of the format that was named. */
function expectRead({ lines, leftOut, unit }: ImportReport, { path, format }: ImportFile): void {
  if (leftOut.unreadable === 0 || leftOut.unreadable + leftOut.unfinished < lines) return;
  const expected = `expected is one like ${format.example}`;
  throw new Refusal(400, `${shown(path)}: no ${unit} of it is of the format ${format.name}: ${expected}`);
}

function isInput({ files }: Plan): boolean {
  return files.some(({ path }) => path === "-");
}

/** Whether days of standard input that were tracked already are neither known before it is read nor left out. */
function isBlind(plan: Plan): boolean {
  const { fromDay, untilDay } = plan.span;
  return isInput(plan) && fromDay === undefined && untilDay === undefined;
}

async function hasPageviews(control: Control, hostname: string): Promise<boolean> {
  const [all] = await control.pageviewsByDay({ hostname });
  return all !== undefined && all.pageviews > 0;
}

type ImportControl = Pick<Control, "importState" | "importBatch">;

/** The outcome of reading all files. */
interface Read {
  readonly reports: readonly ImportReport[];
  readonly days: ReadonlyMap<number, DayViews>;
}

async function readAll(
  { clock, terminal, flags }: Call,
  control: ImportControl,
  { files, hostname, span, collector, target }: Plan,
): Promise<Read> {
  const visitors = new Visitors();
  const [isComplete, isAnew] = [flags.has("complete"), flags.has("anew")];
  const common = { control, collector, visitors, hostname, ...target, ...span, nowMs: () => clock.nowMs() };
  const reports: ImportReport[] = [];
  const days = new Map<number, DayViews>();
  const known = new Set<string>();
  for (const { format, open } of files) {
    const source = open();
    // Nobody writes to a packed file any more.
    const one = new Import({
      ...common,
      format,
      isAnew: (file) => isAnew && !known.has(file),
      isComplete: () => isComplete || source.packing !== undefined,
    });
    reports.push(await one.run(source.chunks(), progressOf(source, clock, terminal)));
    for (const [day, { taken, imported, ownDay, lastOwnDay }] of one.days) {
      const before = days.get(day) ?? noViews;
      // A file that is named twice has its earlier rows counted once.
      const more = known.has(one.file) ? 0 : imported;
      days.set(day, {
        taken: before.taken + taken,
        imported: before.imported + more,
        ownDay: Math.min(before.ownDay, ownDay),
        lastOwnDay: Math.max(before.lastOwnDay, lastOwnDay),
      });
    }
    known.add(one.file);
  }
  return { reports, days };
}
