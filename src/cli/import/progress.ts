/** Shows the progress of an import to somebody who watches it, and its result to everybody. */
import type { Clock } from "../../lib/clock.ts";
import type { Terminal } from "../terminal.ts";
import { leftOutReasons, type ImportReport, type LeftOut } from "./log-import.ts";
import type { LogSource } from "./source.ts";

const barCharacters = 30;
const refreshMs = 100;

/** Returns a function that shows the state of an import, at most ten times a second. */
export function progressOf(source: LogSource, clock: Clock, terminal: Terminal) {
  let shownMs = -Infinity;
  return (report: ImportReport): void => {
    const nowMs = clock.monotonicMs();
    if (nowMs - shownMs < refreshMs) return;
    shownMs = nowMs;
    terminal.status(progressLine(source, report));
  };
}

export function progressLine(
  { bytesRead, bytesTotal }: Pick<LogSource, "bytesRead" | "bytesTotal">,
  report: ImportReport,
): string {
  const figures = `${count(report.lines, "line")}, ${count(report.taken, "page view")}`;
  if (!bytesTotal) return figures;
  const share = Math.min(1, bytesRead / bytesTotal);
  const bar = "#".repeat(Math.round(share * barCharacters)).padEnd(barCharacters, ".");
  return `[${bar}] ${Math.floor(share * 100)} %  ${figures}`;
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

/** Returns a number of things in words. */
export function count(figure: number, noun: string): string {
  return `${figure.toLocaleString("en")} ${noun}${figure === 1 ? "" : "s"}`;
}
