/** Formats figures, dates and durations for people, by Intl in the language of the page. */
import type { Format } from "../../../core/questions/metric.ts";
import { isRightToLeft, locale as ownLocale, t } from "./words.ts";

const whole = new Intl.NumberFormat(ownLocale);
const short = new Intl.NumberFormat(ownLocale, { notation: "compact", maximumFractionDigits: 1 });
const oneDecimal = new Intl.NumberFormat(ownLocale, { maximumFractionDigits: 1 });
const tenth = new Intl.NumberFormat(ownLocale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const cents = new Intl.NumberFormat(ownLocale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const two = new Intl.NumberFormat(ownLocale, { minimumIntegerDigits: 2 });
const share = new Intl.NumberFormat(ownLocale, { style: "percent", maximumFractionDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

/** Returns an amount such as 1,234 or 1,234.50. */
export function amount(value: number): string {
  return (Number.isInteger(value) ? whole : cents).format(value);
}

/** Returns a number such as 2.4, 2.0 or 1,234.5: below each other their points are in line. */
export function ratio(value: number): string {
  return tenth.format(said.ratio(value));
}

/** Returns a count such as 1.2K or 3.4M. */
export function shortCount(value: number): string {
  return value < 10_000 ? whole.format(value) : short.format(value);
}

/** Returns a whole number as a narrow place has room for it: from `least` on, such as a million, it is short, such as 1.2M. */
export function narrowCount(value: number, least = 1_000_000): string {
  return (Math.abs(value) < least ? whole : short).format(value);
}

/** `value`: 0 to 100, or any number for a change. A value other than zero is never shown as zero. */
export function percent(value: number): string {
  if (value > 0 && value < 0.05) return `<${share.format(0.001)}`;
  return share.format(said.percentage(value) / 100);
}

/** Returns `ms` to the second, such as 45s, 2m 05s or 1h 03m. */
export function duration(ms: number): string {
  const seconds = said.duration(ms) / 1_000;
  if (seconds < 60) return t("{s}s", { s: ms > 0 && seconds === 0 ? "<1" : seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("{m}m {s}s", { m: minutes, s: two.format(seconds % 60) });
  return t("{h}h {m}m", { h: Math.floor(minutes / 60), m: two.format(minutes % 60) });
}

/** Returns a round duration, such as 30s, 5m or 1h; others in full. */
export function shortDuration(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes > 0 && minutes % 60 === 0) return t("{h}h", { h: minutes / 60 });
  return minutes > 0 && minutes < 60 && Number.isInteger(minutes) ? t("{m}m", { m: minutes }) : duration(ms);
}

/** Rounds a figure to the number that its text says. */
export const said: Readonly<Record<Format, (value: number) => number>> = {
  count: (value) => value,
  amount: (value) => value,
  ratio: tenths,
  percentage: (value) => (Math.abs(value) < 9.95 ? tenths(value) : Math.round(value)),
  duration: (ms) => {
    const seconds = Math.round(ms / 1_000);
    return (seconds < 3_600 ? seconds : seconds - (seconds % 60)) * 1_000;
  },
};

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/**
 * Returns the change between two figures, such as +12% or −3 points: percentages change by points. It is that of the
 * exact figures, not of their texts: 1.04 to 1.15 is +11%, though they read 1.0 and 1.2. It is ±0 only where both texts
 * are the same. Undefined without a base, and where figures are too small to say by how much they differ.
 */
export function changeText(now: number, before: number, format: Format): string | undefined {
  const points = format === "percentage";
  const [is, was] = [said[format](now), said[format](before)];
  if (!points && was <= 0) return undefined;
  const same = is === was;
  if (same && isTiny(now, is) !== isTiny(before, was)) return undefined;
  const moved = same ? 0 : points ? now - before : ((now - before) / before) * 100;
  const whole = Math.round(moved);
  // A decimal tells a small change from none, and stands beside percentages that have one.
  const isFine = points && Math.abs(moved) < 9.95 && Math.min(is, was) < 10;
  const size = Math.abs(whole === 0 || isFine ? tenths(moved) : whole);
  const sign = moved > 0 ? "+" : moved < 0 ? "−" : "±";
  const tiny = moved !== 0 && size === 0;
  const shown = tiny ? 0.1 : size;
  // The change that is too small for a decimal reads −0.0.
  const signed = (text: string) => inOrder(sign + (tiny ? text.replace("1", "0") : text));
  if (!points) return signed(share.format(shown / 100));
  return t("{points} point|{points} points", { n: shown, points: signed(oneDecimal.format(shown)) });
}

/** Keeps a sign before its number where text goes from right to left. */
function inOrder(text: string): string {
  return isRightToLeft ? `\u2066${text}\u2069` : text;
}

/** Returns whether a figure is written as less than the smallest one. */
function isTiny(value: number, rounded: number): boolean {
  return value > 0 && rounded === 0;
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
