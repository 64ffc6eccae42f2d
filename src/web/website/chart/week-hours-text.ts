/** The hours of a week in words: the heads of a table, the text of a cell, and one hour in a sentence. */
import { dayMs, hourMs } from "../../../core/hit.ts";
import type { WeekHour } from "../../lib/calendar/week-hours.ts";
import type { Weekday } from "../../lib/calendar/week.ts";
import { said } from "../../../core/words/figure-texts.ts";
import { dateFormat, percent, ratio, shortCount } from "../../lib/texts/format.ts";
import { noFigure, type Figure } from "../../lib/texts/metric.ts";
import { t } from "../../lib/texts/words.ts";

/** A Monday. */
const mondayMs = Date.UTC(2024, 0, 1);

export function weekdayText(weekday: Weekday, style: "short" | "long"): string {
  return dateFormat({ weekday: style, timeZone: "UTC" }).format(mondayMs + (weekday - 1) * dayMs);
}

/** Returns an hour as the head of a narrow column: 14, or 2 PM where clocks have twelve hours. */
export function hourHead(hour: number): string {
  const parts = dateFormat({ hour: "numeric", timeZone: "UTC" }).formatToParts(mondayMs + hour * hourMs);
  return parts
    .flatMap(({ type, value }) => (type === "hour" || type === "dayPeriod" ? [value] : []))
    .join(" ");
}

/** Returns an average as a narrow cell has room for it: 0.4, 12.3, 1.2K, 7.5%, 45s or 3m; "" without one. */
export function cellText(value: number | undefined, { format }: Pick<Figure, "format">): string {
  if (value === undefined) return "";
  switch (format) {
    case "percentage":
      return percent(value);
    case "duration":
      return value < 59_500
        ? t("{s}s", { s: said.duration(value) / 1_000 })
        : value < 59.5 * 60_000
          ? t("{m}m", { m: Math.round(value / 60_000) })
          : t("{h}h", { h: Math.round(value / hourMs) });
    case "ratio":
    case "count":
    case "amount":
      return value === 0 ? "0" : value < 99.95 ? averageText(value) : shortCount(Math.round(value));
  }
}

function averageText(value: number): string {
  return value < 0.05 ? `<${ratio(0.1)}` : ratio(value);
}

/** Returns one hour of the week in words, such as: Monday, 14:00 – 15:00: 12.3 visitors… */
export function hourText({ weekday, hour, times, value }: WeekHour, figure: Figure): string {
  const clock = dateFormat({ hour: "numeric", minute: "2-digit", timeZone: "UTC" });
  const startMs = mondayMs + hour * hourMs;
  const place = t("{weekday}, {time}", {
    weekday: weekdayText(weekday, "long"),
    // A range that ends at midnight would be written with its dates.
    time: `${clock.format(startMs)} – ${clock.format(startMs + hourMs)}`,
  });
  if (times === 0) return t("{hour}: none in this period.", { hour: place });
  const { format, label, write } = figure;
  const counts = format === "count" || format === "amount";
  const text = value === undefined ? noFigure : counts ? cellText(value, figure) : write(value);
  return t(
    "{hour}: {figure} {value}, on average of {n} such hour.|{hour}: {figure} {value}, on average of {n} such hours.",
    {
      hour: place,
      figure: label,
      value: text,
      n: times,
    },
  );
}
