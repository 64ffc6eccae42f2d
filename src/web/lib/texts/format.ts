/** Formats figures, dates and durations for people, by Intl in the language of the page. */
import { changeWriter, figureWriters } from "../../../core/words/figure-texts.ts";
import { locale as ownLocale, t } from "./words.ts";

const short = new Intl.NumberFormat(ownLocale, { notation: "compact", maximumFractionDigits: 1 });

export const writers = figureWriters(ownLocale, t);
export const { count, amount, ratio, percentage: percent, duration } = writers;
export const changeText = changeWriter(ownLocale, t);

/** Returns a count such as 1.2K or 3.4M. */
export function shortCount(value: number): string {
  return value < 10_000 ? count(value) : short.format(value);
}

/** Returns a whole number as a narrow place has room for it: from `least` on, such as a million, it is short, such as 1.2M. */
export function narrowCount(value: number, least = 1_000_000): string {
  return Math.abs(value) < least ? count(value) : short.format(value);
}

/** Returns a round duration, such as 30s, 5m or 1h; others in full. */
export function shortDuration(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes > 0 && minutes % 60 === 0) return t("{h}h", { h: minutes / 60 });
  return minutes > 0 && minutes < 60 && Number.isInteger(minutes) ? t("{m}m", { m: minutes }) : duration(ms);
}

/** Returns the UTC date of a time that the API writes, such as May 1, 2026. */
export function utcDate(time: string): string {
  return dateTime(Date.parse(time), { dateStyle: "medium", timeZone: "UTC" });
}

/** Returns the day of seconds since 1970, such as May 1, 2026. Its words can stand below each other in a narrow column. */
export function shortDate(seconds: number, locale = ownLocale): string {
  return dateFormat({ day: "numeric", month: "short", year: "numeric" }, locale).format(seconds * 1_000);
}

export function dateTime(ms: number, options: Intl.DateTimeFormatOptions): string {
  return dateFormat(options).format(ms);
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** Returns a format of dates. To make one takes as long as to write dates with it a thousand times, so it is kept. */
export function dateFormat(options: Intl.DateTimeFormatOptions, locale = ownLocale): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  dateFormats.set(key, format);
  return format;
}
