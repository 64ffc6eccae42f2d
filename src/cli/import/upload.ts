/** Imports a file that was uploaded to the running server, with the same recognition and report as the command. */
import { Collector } from "../../collect/fact.ts";
import { utcDate } from "../../core/calendar/date.ts";
import { badInput, Refusal } from "../../core/refusal.ts";
import { expectRoomForFile } from "../../engine/admin/website/room-of-account.ts";
import type { Engine } from "../../engine/engine.ts";
import type { FileImporter, FileReport, ImportedFile } from "../../http/transport/file-import.ts";
import { callables, type Control } from "../control/control.ts";
import { websiteForHit } from "../control/import-target.ts";
import {
  expectedOfUpload,
  expectZipFormat,
  formatNamed,
  plausibleName,
  recognised,
} from "./formats/formats.ts";
import { Import } from "./import.ts";
import { byFrequency } from "./report/foreign-hosts.ts";
import { leftOutReasons, leftOutText, type ImportReport, type LeftOut } from "./report/report.ts";
import type { Format } from "./formats/format.ts";
import { headOf, joined, LogSource, uploadName } from "./source.ts";
import { importMonth } from "./sums/import-month.ts";
import { importMonths, monthReasonText, monthsReport } from "./sums/months.ts";
import { plausibleExport, plausibleText, type SumsLimits } from "./sums/plausible.ts";
import { bytesInMemory, isZip } from "./sums/zip.ts";
import { daySpan, takenSpan, trackedDays } from "./tracked-days.ts";
import { Visitors } from "./visitors.ts";
import { nextTurn } from "../../lib/threads/turn.ts";

/** The most bytes of text in a packed file. Some bytes can be packed text without an end. */
const textBytesMax = 20 * 1024 * 1024 * 1024;
/** Logs pack to a tenth or a thirtieth. More than so much text may be no more than so many times the packed bytes. */
const plainBytesMax = 4 * 1024 * 1024;
const unpackedFactorMax = 100;
/** The most bytes of text that are read at once. */
const pieceBytes = 64 * 1024;
/** The most visitors of the days that are known, with the pages of each: 20 to 40 MB of memory. */
const visitorsMax = 500_000;
/** A row is read in one turn. One of a page view that is open for a day has this room for an event every nine seconds. */
const rowLimits = { bytes: 1024 * 1024, properties: 10_000 };
/** The most bytes of a ZIP, which is in memory until all of it is read. */
const zipBytesMax = 16 * 1024 * 1024;
/** A value takes some 2 KB while the facts of its month are made. */
const zipLimits: SumsLimits = { textBytesMax: zipBytesMax, valuesMax: 100_000 };

/** The most hosts that a report names. */
const foreignHostsMax = 10;

/** The reasons whose words on the command line name a flag. */
const uploadReasons: Readonly<Partial<Record<string, string>>> = {
  imported: "already imported",
  from: "before that day",
  until: "from that day on",
  unfinished: "a last line without a line feed, which is not complete",
};

export const importUpload: FileImporter = async (engine, file) => {
  const pieces = file.bytes[Symbol.asyncIterator]();
  const head = await headOf(pieces);
  const bytes = joined(head, { [Symbol.asyncIterator]: () => pieces });
  return isZip(head) ? importZip(engine, { ...file, bytes }) : importLines(engine, { ...file, bytes });
};

/** Imports the export of a product that knows sums of days only: a ZIP, whose list of files is at its end. */
async function importZip(
  engine: Engine,
  { bytes, hostname, isDryRun, expectAllowed, from, until, format }: ImportedFile,
): Promise<FileReport> {
  expectZipFormat("format", format);
  const span = daySpan({ from, until });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    if ((size += chunk.length) > zipBytesMax)
      throw badInput("body", `a ZIP of more than ${zipBytesMax} bytes`, "a smaller file");
    chunks.push(chunk);
  }
  const zip = bytesInMemory(Buffer.concat(chunks));
  const names = { hostname, shownPath: uploadName };
  const { months, foreignHosts } = await plausibleExport(zip, names, engine.nowMs(), zipLimits);
  const importOwn: Control["importMonth"] = (input) => {
    expectAllowed();
    return importMonth(engine, websiteForHit(engine, input), input);
  };
  const imported = await importMonths({
    control: { importMonth: importOwn },
    hostname,
    months,
    ...span,
    isDryRun,
  });
  const { days, takenDates, pageviews, events, leftOut } = monthsReport(imported);
  return {
    format: plausibleName,
    description: plausibleText,
    unit: "day",
    lines: days,
    pageviews,
    events,
    ...spanFields(takenDates),
    left_out: leftOut.map((own) => ({
      reason: own.reason,
      text: uploadReasons[own.reason] ?? monthReasonText(own),
      lines: own.days,
      ...(own.againFrom !== undefined && { again_from: own.againFrom }),
    })),
    unreadable_line: 0,
    disordered_lines: 0,
    tracked_days: [],
    ...(foreignHosts.length > 0 && { foreign_hosts: foreignHosts.slice(0, foreignHostsMax) }),
  };
}

async function importLines(
  engine: Engine,
  { bytes, hostname, isDryRun, isAnew, expectAllowed, from, until, format: name }: ImportedFile,
): Promise<FileReport> {
  const control = callables(engine) as unknown as Control;
  const span = daySpan({ from, until });
  const source = new LogSource("-", bytes, null);
  const format =
    name === undefined
      ? recognised(await source.firstLines(), uploadName, expectedOfUpload)
      : formatNamed(name, "format");
  expectAllowed();
  const one = new Import({
    control: {
      importState: async (input) => {
        expectAllowed();
        expectRoomForFile(engine, websiteForHit(engine, input), input.file);
        return control.importState(input);
      },
      importBatch: async (batch) => {
        expectAllowed();
        if (!isDryRun) await control.importBatch(batch);
      },
    },
    collector: new Collector(),
    visitors: new Visitors(visitorsMax),
    hostname,
    format,
    ...(await control.importTarget({ hostname })),
    ...span,
    nowMs: () => engine.nowMs(),
    rowLimits,
    isAnew: () => isAnew,
    isComplete: () => source.packing !== undefined,
  });
  const report = await one.run(bounded(source), () => {});
  expectAllowed();
  const tracked = await trackedDays(control, hostname, one.days, !isDryRun);
  const tracked_days = tracked.map(({ timeMs }) => utcDate(timeMs));
  return { ...linesReport(format, report), ...spanFields(takenSpan(one.days)), tracked_days };
}

/** Returns what a report says of the lines, without days. */
function linesReport(format: Format, report: ImportReport): Omit<FileReport, "tracked_days"> {
  const { unit, lines, taken: pageviews, events, values, leftOut } = report;
  const { disordered, troubles, proxyAddress } = report;
  const reasons = (Object.keys(leftOutReasons) as LeftOut[]).filter((reason) => leftOut[reason] > 0);
  return {
    format: format.name,
    description: format.description,
    unit,
    lines,
    pageviews,
    events,
    ...(values !== undefined && { event_values: values }),
    left_out: reasons.map((reason) => ({
      reason,
      text: uploadReasons[reason] ?? leftOutText(reason, report),
      lines: leftOut[reason],
      ...(reason === "host" && report.hosts !== undefined && { host: byFrequency(report.hosts)[0]! }),
    })),
    unreadable_line: report.unreadableAt,
    ...(troubles !== undefined && { unreadable: [...troubles] }),
    disordered_lines: disordered,
    ...(proxyAddress !== undefined && { proxy_address: proxyAddress }),
  };
}

function spanFields(span: readonly [first: string, last: string] | undefined) {
  return span && { first_day: span[0], last_day: span[1] };
}

/** Yields the text, as long as its size is one of a log or export. */
async function* bounded(source: LogSource): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source.chunks()) {
    bytes += chunk.length;
    if (bytes > plainBytesMax && bytes > unpackedFactorMax * source.bytesRead)
      throw new Refusal(400, "the file is much larger unpacked than any log: unpack it first");
    if (bytes > textBytesMax)
      throw badInput("body", `more than ${textBytesMax} bytes unpacked`, "a smaller file");
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      yield chunk.subarray(at, at + pieceBytes);
      // Whatever else came meanwhile is answered first: a few packed bytes can be many lines.
      await nextTurn();
    }
  }
}
