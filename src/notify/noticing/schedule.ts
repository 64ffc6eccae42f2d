/** The times of reports: weekly on Monday, monthly on the first, at 08:00 of a time zone. */
import type { Period } from "../../core/questions/query.ts";
import type { ReportKind } from "../../core/website/subscription.ts";

const hour = 8;

export interface ReportPeriod {
  readonly from: Temporal.PlainDate;
  /** The last day. */
  readonly to: Temporal.PlainDate;
  readonly span: Period;
  /** The week or the calendar month before, as the dashboard compares. */
  readonly before: Period;
}

/** Returns the date at a moment. */
export function dateIn(zone: string, ms: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate();
}

function startOf(date: Temporal.PlainDate, zone: string): number {
  return date.toZonedDateTime(zone).epochMilliseconds;
}

/** Returns the start of the day at a moment. */
export function dayStartMs(zone: string, ms: number): number {
  return startOf(dateIn(zone, ms), zone);
}

function firstDay(kind: ReportKind, date: Temporal.PlainDate): Temporal.PlainDate {
  return kind === "weekly" ? date.subtract({ days: date.dayOfWeek - 1 }) : date.with({ day: 1 });
}

const step = { weekly: { weeks: 1 }, monthly: { months: 1 } } as const;

/** Returns the latest time at which a report was due. */
export function lastDueMs(kind: ReportKind, zone: string, nowMs: number): number {
  const today = firstDay(kind, dateIn(zone, nowMs));
  const [due = 0, before = 0] = [today, today.subtract(step[kind])].map(
    (day) =>
      day.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from({ hour }) }).epochMilliseconds,
  );
  return due <= nowMs ? due : before;
}

/** Returns the whole week or month before the time at which the report about it was due. */
export function periodOf(kind: ReportKind, zone: string, dueMs: number): ReportPeriod {
  const next = firstDay(kind, dateIn(zone, dueMs));
  const from = next.subtract(step[kind]);
  const spanOf = (first: Temporal.PlainDate, after: Temporal.PlainDate): Period => ({
    startMs: startOf(first, zone),
    endMs: startOf(after, zone) - 1,
  });
  return {
    from,
    to: next.subtract({ days: 1 }),
    span: spanOf(from, next),
    before: spanOf(from.subtract(step[kind]), from),
  };
}
