/** Writes figures and their changes for people, as the dashboard does (web/lib/texts/format.ts). */
import type { Format } from "../core/questions/metric.ts";
import type { Words } from "../core/words/translated-words.ts";

function durationText({ t }: Words, ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const two = (value: number) => String(value).padStart(2, "0");
  if (seconds < 60) return t("{s}s", { s: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("{m}m {s}s", { m: minutes, s: two(seconds % 60) });
  return t("{h}h {m}m", { h: Math.floor(minutes / 60), m: two(minutes % 60) });
}

function decimal({ language }: Words, value: number): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value);
}

function amountText({ language }: Words, value: number): string {
  const digits = Number.isInteger(value) ? 0 : 2;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, format).format(value);
}

function shareText({ language }: Words, value: number): string {
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(value / 100);
}

/** Returns “–” for a figure that nobody knows. */
export function figureText(words: Words, format: Format, value: number | undefined): string {
  if (value === undefined) return "–";
  if (format === "duration") return durationText(words, value);
  if (format === "percentage") return shareText(words, value);
  if (format === "amount") return amountText(words, value);
  return format === "ratio" ? decimal(words, value) : words.number(value);
}

/**
 * Returns a change such as +12%, or in points for a percentage, of the exact figures; ±0 where both are written the same,
 * and "" without a base.
 */
export function changeText(
  words: Words,
  format: Format,
  now: number | undefined,
  before: number | undefined,
): string {
  if (now === undefined || before === undefined) return "";
  const isPoints = format === "percentage";
  if (!isPoints && before <= 0) return "";
  const same = figureText(words, format, now) === figureText(words, format, before);
  const moved = same ? 0 : Math.round(isPoints ? now - before : ((now - before) / before) * 100);
  const sign = moved > 0 ? "+" : moved < 0 ? "−" : "±";
  const size = Math.abs(moved);
  if (!isPoints) return sign + shareText(words, size);
  return words.t("{points} point|{points} points", { n: size, points: sign + words.number(size) });
}
