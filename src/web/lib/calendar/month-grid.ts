/** A month as a grid of weeks, and the date to which a key leads in it. */
import { lastOfMonth, shifted, type CalendarDate } from "../../../core/calendar/date.ts";
import { isoDate, shiftedWeekday } from "./zone.ts";
import type { Weekday } from "./week.ts";

/** Returns the weeks of a month, each with seven dates: the first and the last have dates of the months beside it. */
export function weeksOf({ year, month }: CalendarDate, weekStart: Weekday): CalendarDate[][] {
  const last = isoDate(lastOfMonth({ year, month, day: 1 }));
  const weeks: CalendarDate[][] = [];
  let first = shiftedWeekday({ year, month, day: 1 }, weekStart);
  for (; isoDate(first) <= last; first = shifted(first, 7)) {
    const begin = first;
    weeks.push(Array.from({ length: 7 }, (_, day) => shifted(begin, day)));
  }
  return weeks;
}

/** Returns the same day of another month, or its last one if it has no such day. */
export function shiftedMonths({ year, month, day }: CalendarDate, months: number): CalendarDate {
  const last = lastOfMonth(shifted({ year, month, day: 1 }, 0, months));
  return { ...last, day: Math.min(day, last.day) };
}

interface Stroke {
  readonly key: string;
  readonly shiftKey: boolean;
}

/**
 * Returns the date to which a key leads, as the ARIA pattern of a grid of dates has it; undefined for other keys.
 * `isRightToLeft`: whether the next day stands on the left.
 */
export function dateAfterKey(
  { key, shiftKey }: Stroke,
  date: CalendarDate,
  weekStart: Weekday,
  isRightToLeft = false,
): CalendarDate | undefined {
  const weekFirst = shiftedWeekday(date, weekStart);
  switch (key) {
    case "ArrowLeft":
      return shifted(date, isRightToLeft ? 1 : -1);
    case "ArrowRight":
      return shifted(date, isRightToLeft ? -1 : 1);
    case "ArrowUp":
      return shifted(date, -7);
    case "ArrowDown":
      return shifted(date, 7);
    case "Home":
      return weekFirst;
    case "End":
      return shifted(weekFirst, 6);
    case "PageUp":
      return shiftedMonths(date, shiftKey ? -12 : -1);
    case "PageDown":
      return shiftedMonths(date, shiftKey ? 12 : 1);
    default:
      return undefined;
  }
}

/** Returns the date, or the nearest one from `first` to `last`. */
export function within(date: CalendarDate, first: CalendarDate, last: CalendarDate): CalendarDate {
  if (isoDate(date) < isoDate(first)) return first;
  return isoDate(date) > isoDate(last) ? last : date;
}
