/** The starts of intervals in the form in which the server writes them. */
import type { IntervalName } from "../../src/core/questions/query.ts";
import { endOf } from "../../src/web/lib/calendar/intervals.ts";
import { offsetMs, parseDate, startOfDate } from "../../src/web/lib/calendar/zone.ts";

/** RFC 3339 with the offset of a zone. */
export function written(zone: string, ms: number): string {
  const offset = offsetMs(zone, ms) / 60_000;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const far = Math.abs(offset);
  const local = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
  return `${local}${offset < 0 ? "-" : "+"}${two(far / 60)}:${two(far % 60)}`;
}

/** `count` intervals from the first instant of a local date. */
export function datesFrom(zone: string, first: string, interval: IntervalName, count: number): string[] {
  const date = parseDate(first);
  if (date === undefined) throw new Error(`${first} is no date`);
  const dates: string[] = [];
  for (let ms = startOfDate(zone, date); dates.length < count; ms = endOf(dates.at(-1) ?? "", interval, zone))
    dates.push(written(zone, ms));
  return dates;
}
