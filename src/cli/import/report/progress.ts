/** Shows the progress of an import to somebody who watches it, and its result to everybody. */
import { propertiesMax } from "../../../core/hit.ts";
import type { Clock } from "../../../lib/clock.ts";
import { count, nowAndThen, progressBar } from "../../terminal/progress.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { EventData } from "../formats/umami-data.ts";
import { leftOutReasons, leftOutText, type ImportReport, type LeftOut } from "./report.ts";
import type { LogSource } from "../source.ts";

/** Returns a function that shows the state of an import. */
export function progressOf(source: LogSource, clock: Clock, terminal: Terminal) {
  const show = nowAndThen(clock, terminal);
  return (report: ImportReport): void => show(() => progressLine(source, report));
}

/** Returns the line that shows how far an import is. Exported for tests. */
export function progressLine(
  { bytesRead, bytesTotal }: Pick<LogSource, "bytesRead" | "bytesTotal">,
  report: ImportReport,
): string {
  const figures = `${count(report.lines, report.unit)}, ${count(report.taken, "page view")}`;
  if (!bytesTotal) return figures;
  return `${progressBar(bytesRead / bytesTotal)}  ${figures}`;
}

/** Returns the lines of the closing report. `span`: the first and the last UTC day of the page views that were taken. */
export function reportLines(
  report: ImportReport,
  hostname: string,
  seconds: number,
  span?: readonly [first: string, last: string],
): string[] {
  const { lines, unit, taken, events, values, leftOut, unreadableAt, disordered, troubles = [] } = report;
  const { proxyAddress } = report;
  const reasons = (Object.keys(leftOutReasons) as LeftOut[]).filter((reason) => leftOut[reason] > 0);
  const width = lines.toLocaleString("en").length;
  const row = (figure: number, text: string) => `  ${figure.toLocaleString("en").padStart(width)} ${text}`;
  const withValues = values === undefined ? "" : `, with ${count(values, "value")}`;
  const first = unreadableAt > 0 ? `, the first of them line ${unreadableAt}` : "";
  const disorder =
    `${count(disordered, unit)} came more than half an hour after later ones: visits, and visitors of files with several days, ` +
    "are counted too often. Sort the file by time, or all files into one";
  const proxied =
    `most page views have the address ${proxyAddress}, which is that of a proxy or container: all with the same browser ` +
    "are one visitor a day. Import the proxy's own log, or one with X-Forwarded-For";
  return [
    `${count(lines, unit)} read in ${seconds.toFixed(1)} s`,
    row(taken, `taken as page views of ${hostname}${span === undefined ? "" : `, ${span.join(" to ")}`}`),
    ...(events > 0 ? [row(events, `taken as events${withValues}`)] : []),
    ...reasons.map((reason) =>
      row(leftOut[reason], leftOutText(reason, report) + (reason === "unreadable" ? first : "")),
    ),
    ...troubles.map((trouble) => `  ${trouble}`),
    ...(disordered > 0 ? [disorder] : []),
    ...(proxyAddress === undefined ? [] : [proxied]),
  ];
}

/** Returns the lines about the file with the values of events; `taken`: how many of them were. */
export function valueLines({ rows, unreadable }: EventData, taken: number): string[] {
  const others = rows - taken - unreadable;
  const width = rows.toLocaleString("en").length;
  const row = (figure: number, text: string) => `  ${figure.toLocaleString("en").padStart(width)} ${text}`;
  return [
    `${count(rows, "value")} of events read`,
    row(taken, "taken with their events"),
    ...(unreadable > 0 ? [row(unreadable, leftOutReasons.unreadable)] : []),
    ...(others > 0
      ? [row(others, `of events that were not taken now, or past the ${propertiesMax - 1} of one event`)]
      : []),
  ];
}
