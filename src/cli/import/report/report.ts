/** The report of an import: what was read, what was taken, and why the rest was not. */
import { shown } from "../../../core/refusal.ts";
import { addHost, byFrequency, type HostCounts } from "./foreign-hosts.ts";

/** The reasons why a line is left out, in the words of the report. */
export const leftOutReasons = {
  imported: "already imported (--anew takes them again, once purged)",
  unreadable: "could not be read",
  method: "not a GET request",
  status: "answered with an error or a redirect",
  asset: "for a file that is no page",
  other: "neither a page view nor an event",
  future: "from the future",
  from: "before the day that --from names",
  until: "from the day on that --until names",
  expired: "older than what is kept",
  host: "for another host",
  crawler: "from a crawler",
  referrer_spam: "with a spam referrer",
  blocked: "blocked by the website's rules",
  unfinished: "without a line feed at the end: not complete yet (--complete takes it, if it can be read)",
} as const;
export type LeftOut = keyof typeof leftOutReasons;

export interface ImportReport {
  readonly unit: "line" | "row";
  /** The number of lines; those of a header or of a row that goes on are none. */
  readonly lines: number;
  /** How many were taken as page views. */
  readonly taken: number;
  /** How many were taken as events. */
  readonly events: number;
  /** How many values came with these events beside their names, where the format has such. */
  readonly values?: number;
  /** The number of lines by reason; `lines` is the sum of `taken`, `events` and all of these. */
  readonly leftOut: Readonly<Record<LeftOut, number>>;
  /** The first line that could not be read, counted from 1; 0 for none. */
  readonly unreadableAt: number;
  /** How many new lines of known visitors come more than half an hour after later ones, which may be those of files before. */
  readonly disordered: number;
  /** The other hosts whose lines were left out as such, if any say one. */
  readonly hosts?: HostCounts;
  /** The first lines with what is wrong with them, where the format can say it. */
  readonly troubles?: readonly string[];
  /** The address of a proxy that most page views of a log have: its visitors cannot be told apart. */
  readonly proxyAddress?: string | undefined;
}

export const noneLeftOut = Object.fromEntries(
  Object.keys(leftOutReasons).map((reason) => [reason, 0]),
) as Readonly<Record<LeftOut, number>>;

/** Returns the words of a reason, with what the report knows of it. */
export function leftOutText(reason: LeftOut, { hosts }: ImportReport): string {
  const host = reason === "host" && hosts !== undefined ? byFrequency(hosts)[0] : undefined;
  return leftOutReasons[reason] + (host === undefined ? "" : `, most often ${shown(host)}`);
}

/** Returns the reports of several files as one. */
export function summed(reports: readonly ImportReport[]): ImportReport {
  const sumOf = (figure: (report: ImportReport) => number) =>
    reports.reduce((sum, report) => sum + figure(report), 0);
  const reasons = Object.keys(leftOutReasons) as LeftOut[];
  const troubles = reports.flatMap((report) => report.troubles ?? []);
  const values = sumOf((report) => report.values ?? 0);
  const { proxyAddress } = reports.find((report) => report.proxyAddress !== undefined) ?? {};
  const hosts = new Map<string, number>();
  for (const report of reports) for (const [host, rows] of report.hosts ?? []) addHost(hosts, host, rows);
  return {
    unit: reports.every(({ unit }) => unit === "row") ? "row" : "line",
    lines: sumOf(({ lines }) => lines),
    taken: sumOf(({ taken }) => taken),
    events: sumOf(({ events }) => events),
    leftOut: Object.fromEntries(
      reasons.map((reason) => [reason, sumOf(({ leftOut }) => leftOut[reason])]),
    ) as ImportReport["leftOut"],
    unreadableAt: reports.length === 1 ? (reports[0]?.unreadableAt ?? 0) : 0,
    disordered: sumOf(({ disordered }) => disordered),
    ...(values > 0 && { values }),
    ...(hosts.size > 0 && { hosts }),
    ...(troubles.length > 0 && { troubles }),
    proxyAddress,
  };
}
