/** Shows the progress of an import to somebody who watches it, and its result to everybody. */
import type { Clock } from "../../lib/clock.ts";
import { count, nowAndThen, progressBar } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import { leftOutReasons, type ImportReport, type LeftOut } from "./log-import.ts";
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
  const figures = `${count(report.lines, "line")}, ${count(report.taken, "page view")}`;
  if (!bytesTotal) return figures;
  return `${progressBar(bytesRead / bytesTotal)}  ${figures}`;
}

/** Returns the lines of the closing report. */
export function reportLines(report: ImportReport, hostname: string, seconds: number): string[] {
  const reasons = (Object.keys(leftOutReasons) as LeftOut[]).filter((reason) => report.leftOut[reason] > 0);
  const width = report.lines.toLocaleString("en").length;
  const row = (figure: number, text: string) => `  ${figure.toLocaleString("en").padStart(width)} ${text}`;
  return [
    `${count(report.lines, "line")} read in ${seconds.toFixed(1)} s`,
    row(report.taken, `taken as page views of ${hostname}`),
    ...reasons.map((reason) => row(report.leftOut[reason], leftOutReasons[reason])),
  ];
}
