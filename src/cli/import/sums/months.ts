/** Imports months of which only sums are known, one after the other, and reports which were taken and why others were not. */
import { dayMs } from "../../../core/hit.ts";
import type { MonthSums } from "../../../facts/month-sums.ts";
import { monthEndMs, monthNumber } from "../../../store/columns/month.ts";
import type { Control } from "../../control.ts";
import { count } from "../../progress.ts";

/** The reasons why a month is left out, in the words of the report. */
export const monthReasons = {
  imported: "already imported",
  tracked: "of months from the first page views here on",
  current: "of months that are not over for eight days",
  until: "of months that do not end before the day that --until names",
  expired: "older than what is kept",
  viewless: "of months with events, and without page views",
} as const;
export type MonthReason = keyof typeof monthReasons;

export interface ImportedMonth {
  /** Such as 2026-03. */
  readonly month: string;
  readonly days: number;
  readonly pageviews: number;
  readonly visits: number;
  readonly events: number;
  /** The reason why it was left out; undefined if it was taken. */
  readonly reason: MonthReason | undefined;
}

export interface MonthsPlan {
  readonly control: Pick<Control, "importMonth">;
  readonly hostname: string;
  /** The oldest first. */
  readonly months: readonly MonthSums[];
  /** Months that do not end before this day, counted from 1970, are left out. */
  readonly untilDay?: number | undefined;
  readonly isDryRun: boolean;
}

/** Throws Refusal, after some months perhaps: it can be repeated. */
export async function importMonths(plan: MonthsPlan): Promise<readonly ImportedMonth[]> {
  const { control, hostname, months, untilDay = Infinity, isDryRun } = plan;
  const imported: ImportedMonth[] = [];
  const isBefore = ({ monthMs }: MonthSums) => monthEndMs(monthMs) / dayMs <= untilDay;
  const hasViews = ({ days }: MonthSums) => days.some(({ all }) => all.pageviews > 0);
  const last = months.findLastIndex((month) => isBefore(month) && hasViews(month));
  for (const [at, sums] of months.entries()) {
    const { monthMs, days } = sums;
    const asked = { hostname, monthMs, sums: isDryRun ? null : sums, isLast: at === last };
    const reasonNow = async () => {
      if (!isBefore(sums)) return "until";
      return hasViews(sums) ? ((await control.importMonth(asked)) ?? undefined) : "viewless";
    };
    const reason = await reasonNow();
    const sumOf = (of: (day: MonthSums["days"][number]) => number) =>
      days.reduce((sum, day) => sum + of(day), 0);
    imported.push({
      month: monthNumber(monthMs),
      days: days.length,
      pageviews: sumOf(({ all }) => all.pageviews),
      visits: sumOf(({ all }) => all.visits),
      events: sumOf(({ events }) => events.reduce((sum, [, own]) => sum + own, 0)),
      reason,
    });
  }
  return imported;
}

export interface MonthsReport {
  readonly days: number;
  readonly pageviews: number;
  readonly visits: number;
  readonly events: number;
  readonly leftOut: readonly {
    readonly reason: MonthReason;
    readonly days: number;
    readonly months: readonly string[];
  }[];
}

export function monthsReport(months: readonly ImportedMonth[]): MonthsReport {
  const taken = months.filter(({ reason }) => reason === undefined);
  const sumOf = (field: "days" | "pageviews" | "visits" | "events", of: readonly ImportedMonth[] = taken) =>
    of.reduce((sum, month) => sum + month[field], 0);
  const reasons = (Object.keys(monthReasons) as MonthReason[]).map((reason) => ({
    reason,
    own: months.filter((month) => month.reason === reason),
  }));
  return {
    days: sumOf("days", months),
    pageviews: sumOf("pageviews"),
    visits: sumOf("visits"),
    events: sumOf("events"),
    leftOut: reasons
      .filter(({ own }) => own.length > 0)
      .map(({ reason, own }) => ({
        reason,
        days: sumOf("days", own),
        months: own.map(({ month }) => month),
      })),
  };
}

/** Returns the lines of the closing report. */
export function monthsLines(imported: readonly ImportedMonth[], hostname: string): string[] {
  const taken = imported.filter(({ reason }) => reason === undefined);
  const { days, pageviews, visits, events, leftOut } = monthsReport(imported);
  const width = days.toLocaleString("en").length;
  const row = (figure: number, text: string) => `  ${figure.toLocaleString("en").padStart(width)} ${text}`;
  const takenDays = taken.reduce((sum, month) => sum + month.days, 0);
  return [
    `${count(days, "day")} of ${count(imported.length, "month")} read`,
    row(
      takenDays,
      `taken as sums of ${hostname}: ${count(pageviews, "page view")}, ${count(visits, "visit")}, ${count(events, "event")}` +
        (taken.length === 0 ? "" : ` (${namesOf(taken.map(({ month }) => month))})`),
    ),
    ...leftOut.map((own) => row(own.days, `${monthReasons[own.reason]} (${namesOf(own.months)})`)),
  ];
}

function namesOf(months: readonly string[]): string {
  const [first, last] = [months[0], months.at(-1)];
  return first === last ? `${first}` : `${first} to ${last}`;
}
