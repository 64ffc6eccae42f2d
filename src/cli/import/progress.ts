/** Shows the progress of an import to somebody who watches it, and its result to everybody. */
import type { Clock } from "../../lib/clock.ts";
import { count, nowAndThen, progressBar } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import { leftOutReasons, type ImportReport, type LeftOut } from "./report.ts";
import type { LogSource } from "./source.ts";

/** Returns a function that shows the state of an import. */
export function progressOf(source: LogSource, clock: Clock, terminal: Terminal) {
  const show = nowAndThen(clock, terminal);
  return (report: ImportReport): void => show(() => progressLine(source, report));
}

export function progressLine(
  { bytesRead, bytesTotal }: Pick<LogSource, "bytesRead" | "bytesTotal">,
  report: ImportReport,
): string {
  const figures = `${count(report.lines, report.unit)}, ${count(report.taken, "page view")}`;
  if (!bytesTotal) return figures;
  return `${progressBar(bytesRead / bytesTotal)}  ${figures}`;
}

/** Returns the lines of the closing report. */
export function reportLines(report: ImportReport, hostname: string, seconds: number): string[] {
  const { lines, unit, taken, events, leftOut, unreadableAt, disordered, troubles = [] } = report;
  const reasons = (Object.keys(leftOutReasons) as LeftOut[]).filter((reason) => leftOut[reason] > 0);
  const width = lines.toLocaleString("en").length;
  const row = (figure: number, text: string) => `  ${figure.toLocaleString("en").padStart(width)} ${text}`;
  const first = unreadableAt > 0 ? `, the first of them line ${unreadableAt}` : "";
  const disorder =
    `${count(disordered, unit)} came more than a day after later ones: visitors and visits of such days are ` +
    "counted too often. Sort the file by time";
  return [
    `${count(lines, unit)} read in ${seconds.toFixed(1)} s`,
    row(taken, `taken as page views of ${hostname}`),
    ...(events > 0 ? [row(events, "taken as events")] : []),
    ...reasons.map((reason) =>
      row(leftOut[reason], leftOutReasons[reason] + (reason === "unreadable" ? first : "")),
    ),
    ...troubles.map((trouble) => `  ${trouble}`),
    ...(disordered > 0 ? [disorder] : []),
  ];
}
