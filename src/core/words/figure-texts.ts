/** Writes figures and their changes for people, the same in the dashboard, in what the server sends, and in the terminal. */
import type { Format } from "../questions/metric.ts";
import type { Places } from "./filler.ts";

/** Returns a text, which is spelt out where this is called, in the language of whoever reads it. */
type Translate = (text: string, places?: Places<never>) => string;

/** `value`: a percentage is from 0 to 100, a duration in milliseconds. */
export type Writers = Readonly<Record<Format, (value: number) => string>>;

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

export function figureWriters(locale: string, t: Translate): Writers {
  const whole = new Intl.NumberFormat(locale);
  const tenth = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const cents = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const two = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 });
  const share = shareFormat(locale);
  return {
    count: (value) => whole.format(value),
    // Writes cents where there are some: 1,234 or 1,234.50.
    amount: (value) => (Number.isInteger(value) ? whole : cents).format(value),
    // Writes 2.4, 2.0 and 1,234.5: below each other their points are in line.
    ratio: (value) => tenth.format(said.ratio(value)),
    // A value other than zero is never shown as zero.
    percentage: (value) =>
      value > 0 && value < 0.05 ? `<${share.format(0.001)}` : share.format(said.percentage(value) / 100),
    // Writes 45s, 2m 05s and 1h 03m.
    duration: (ms) => {
      const seconds = said.duration(ms) / 1_000;
      if (seconds < 60) return t("{s}s", { s: ms > 0 && seconds === 0 ? "<1" : seconds });
      const minutes = Math.floor(seconds / 60);
      if (minutes < 60) return t("{m}m {s}s", { m: minutes, s: two.format(seconds % 60) });
      return t("{h}h {m}m", { h: Math.floor(minutes / 60), m: two.format(minutes % 60) });
    },
  };
}

/**
 * Returns what writes the change between two figures, such as +12% or −3 points: percentages change by points. Points are
 * those between the two texts, which stand beside them: whoever subtracts these gets them. Any other change is that of the
 * exact figures: 1.04 to 1.15 is +11%, though they read 1.0 and 1.2. It is ±0 only where both texts are the same. Undefined
 * without a base, and where figures are too small to say by how much they differ.
 */
export function changeWriter(locale: string, t: Translate) {
  const oneDecimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const share = shareFormat(locale);
  const isRightToLeft = t("ltr") === "rtl";
  // A sign stays before its number where text goes from right to left.
  const inOrder = (text: string) => (isRightToLeft ? `\u2066${text}\u2069` : text);
  return (now: number, before: number, format: Format): string | undefined => {
    const points = format === "percentage";
    const [is, was] = [said[format](now), said[format](before)];
    if (!points && was <= 0) return undefined;
    const same = is === was;
    if (same && isTiny(now, is) !== isTiny(before, was)) return undefined;
    const moved = same ? 0 : points ? is - was : ((now - before) / before) * 100;
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
  };
}

function shareFormat(locale: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
}

/** Returns whether a figure is written as less than the smallest one. */
function isTiny(value: number, rounded: number): boolean {
  return value > 0 && rounded === 0;
}
