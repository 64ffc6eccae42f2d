/** Imports months of which only sums are known, one after the other, and reports which were taken and why others were not. */
import { dayMs } from "../../../core/hit.ts";
import type { DaySums, MonthSums } from "../../../facts/months/month-sums.ts";
import { monthEndMs, monthNumber } from "../../../store/chunks/month.ts";
import type { Control } from "../../control/control.ts";
import type { MonthOutcome } from "./import-month.ts";
import { count } from "../../terminal/progress.ts";
import type { DaySpan } from "../options.ts";
import { utcDate } from "../../../core/calendar/date.ts";

/** The reasons why a month is left out, in the words of the report. */
const monthReasons = {
  imported: "already imported",
  tracked: "of months from the first page views here on",
  waiting: "before the first page view here",
  begun: "from the day of the first page views here on",
  current: "of months that are not over for eight days",
  from: "of months that begin before the day that --from names",
  until: "of months that do not end before the day that --until names",
  expired: "older than what is kept",
  viewless: "of months with events, and without page views",
} as const;
export type MonthReason = keyof typeof monthReasons;

/** A month, or those of its days that were taken, or left out for a reason. */
export interface ImportedMonth {
  /** The month, such as 2026-03. */
  readonly month: string;
  readonly days: number;
  /** The first and the last of them. */
  readonly dates: readonly [first: string, last: string];
  /** Whether these are those of the month. */
  readonly isWhole: boolean;
  readonly pageviews: number;
  readonly visits: number;
  readonly events: number;
  /** The reason why it was left out; undefined if it was taken. */
  readonly reason: MonthReason | undefined;
  /** The day from which on they can be taken, such as 2026-12-06; undefined unless they wait for it. */
  readonly againFrom: string | undefined;
}

/** Months that have days before `fromDay`, or from `untilDay` on, are left out. */
export interface MonthsPlan extends DaySpan {
  readonly control: Pick<Control, "importMonth">;
  readonly hostname: string;
  /** The oldest first. */
  readonly months: readonly MonthSums[];
  readonly isDryRun: boolean;
}

/** Throws Refusal, after some months perhaps: it can be repeated. */
export async function importMonths(plan: MonthsPlan): Promise<readonly ImportedMonth[]> {
  const { control, hostname, months, fromDay = -Infinity, untilDay = Infinity, isDryRun } = plan;
  const imported: ImportedMonth[] = [];
  const outside = ({ monthMs, days }: MonthSums): MonthReason | undefined => {
    if (monthMs / dayMs < fromDay) return "from";
    if (monthEndMs(monthMs) / dayMs > untilDay) return "until";
    return days.some(({ all }) => all.pageviews > 0) ? undefined : "viewless";
  };
  const last = months.findLastIndex((month) => outside(month) === undefined);
  for (const [at, sums] of months.entries()) {
    const { monthMs } = sums;
    const asked = { hostname, monthMs, sums: isDryRun ? null : sums, isLast: at === last };
    const reason = outside(sums);
    const outcome =
      reason === undefined ? await control.importMonth(asked) : { reason, untilMs: null, againMs: null };
    imported.push(...partsOf(sums, outcome));
  }
  return imported;
}

/** Returns the days of a month that were taken, and those that were not, or are to come. */
function partsOf(
  { monthMs, days }: MonthSums,
  { reason, untilMs, againMs }: Omit<MonthOutcome, "reason"> & { readonly reason: MonthReason | null },
): readonly ImportedMonth[] {
  if (reason !== null && reason !== "waiting") return [monthOf(monthMs, days, reason)];
  const [own = [], others = []] = [true, false].map((isOwn) =>
    days.filter(({ day }) => day * dayMs < (untilMs ?? Infinity) === isOwn),
  );
  // Nothing but events may be left before the first page views here.
  if (own.every(({ all }) => all.pageviews === 0)) return [monthOf(monthMs, days, "tracked")];
  return [
    monthOf(monthMs, own, reason ?? undefined, againMs),
    ...(others.length === 0 ? [] : [monthOf(monthMs, others, "begun")]),
  ];
}

function monthOf(
  monthMs: number,
  days: readonly DaySums[],
  reason: MonthReason | undefined,
  againMs: number | null = null,
): ImportedMonth {
  const sumOf = (of: (day: DaySums) => number) => days.reduce((sum, day) => sum + of(day), 0);
  const dates = [days[0], days.at(-1)].map((own) => utcDate((own?.day ?? 0) * dayMs)) as [string, string];
  return {
    month: monthNumber(monthMs),
    days: days.length,
    dates,
    isWhole: dates[0].endsWith("-01") && ((days.at(-1)?.day ?? 0) + 1) * dayMs === monthEndMs(monthMs),
    pageviews: sumOf(({ all }) => all.pageviews),
    visits: sumOf(({ all }) => all.visits),
    events: sumOf(({ events }) => events.reduce((sum, [, own]) => sum + own, 0)),
    reason,
    againFrom: againMs === null ? undefined : utcDate(againMs),
  };
}

export interface MonthsReport {
  readonly days: number;
  /** The first and the last day that was taken; undefined if none was. */
  readonly takenDates: readonly [first: string, last: string] | undefined;
  readonly pageviews: number;
  readonly visits: number;
  readonly events: number;
  readonly leftOut: readonly {
    readonly reason: MonthReason;
    readonly againFrom: string | undefined;
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
    takenDates: taken.length === 0 ? undefined : [taken[0]!.dates[0], taken.at(-1)!.dates[1]],
    pageviews: sumOf("pageviews"),
    visits: sumOf("visits"),
    events: sumOf("events"),
    leftOut: reasons
      .filter(({ own }) => own.length > 0)
      .map(({ reason, own }) => ({
        reason,
        // Page views begin in one month only.
        againFrom: own[0]?.againFrom,
        days: sumOf("days", own),
        months: own.map(({ month }) => month),
      })),
  };
}

/** Returns the words of a reason, with what is to be done. */
export function monthReasonText({
  reason,
  againFrom,
}: Pick<ImportedMonth, "againFrom"> & { reason: MonthReason }) {
  const again = againFrom === undefined ? "" : `: import the file again from ${againFrom} on`;
  return monthReasons[reason] + again;
}

/** Returns the lines of the closing report. */
export function monthsLines(imported: readonly ImportedMonth[], hostname: string): string[] {
  const taken = imported.filter(({ reason }) => reason === undefined);
  const { days, pageviews, visits, events, leftOut } = monthsReport(imported);
  const width = days.toLocaleString("en").length;
  const row = (figure: number, text: string) => `  ${figure.toLocaleString("en").padStart(width)} ${text}`;
  const takenDays = taken.reduce((sum, month) => sum + month.days, 0);
  return [
    `${count(days, "day")} of ${count(new Set(imported.map(({ month }) => month)).size, "month")} read`,
    row(
      takenDays,
      `taken as sums of ${hostname}: ${count(pageviews, "page view")}, ${count(visits, "visit")}, ${count(events, "event")}` +
        (taken.length === 0 ? "" : ` (${namesOf(taken.map(({ month }) => month))})`),
    ),
    ...partly(taken),
    ...leftOut.map((own) => row(own.days, `${monthReasonText(own)} (${namesOf(own.months)})`)),
  ];
}

/** Says of the first and of the last month which days it has, if these are not all: an export seldom begins on the first. */
function partly(taken: readonly ImportedMonth[]): string[] {
  const ends = [...new Set([taken[0], taken.at(-1)])];
  return ends.flatMap((own) =>
    own === undefined || own.isWhole
      ? []
      : [`  ${own.month} has days from ${own.dates[0]} to ${own.dates[1]} only`],
  );
}

function namesOf(months: readonly string[]): string {
  const [first, last] = [months[0], months.at(-1)];
  return first === last ? `${first}` : `${first} to ${last}`;
}
