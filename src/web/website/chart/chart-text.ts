/** A chart in words: its ticks, a summary in one sentence, and one interval for the tooltip and for a screen reader. */
import type { Format } from "../../../core/questions/metric.ts";
import type { NamedInterval } from "../../../core/questions/answer.ts";
import type { IntervalName } from "../../../core/questions/query.ts";
import { changeText, percent, ratio, shortCount, shortDuration } from "../../lib/texts/format.ts";
import { isolated, label } from "../../../core/questions/label.ts";
import type { Figure } from "../../lib/texts/metric.ts";
import type { NotesByInterval } from "../../lib/texts/notes.ts";
import type { Course } from "../../lib/calendar/intervals.ts";
import { fill, t } from "../../lib/texts/words.ts";

/** Returns the text of a tick. Round values need fewer characters: 10K, 5m. */
export function tickText(format: Format, value: number): string {
  return { duration: shortDuration, count: shortCount, amount: shortCount, ratio, percentage: percent }[
    format
  ](value);
}

const titles: Readonly<Record<IntervalName, string>> = {
  minute: t("{figure} by minute"),
  hour: t("{figure} by hour"),
  day: t("{figure} by day"),
  week: t("{figure} by week"),
  month: t("{figure} by month"),
};

/** Returns a title such as: Visitors by day. */
export function byInterval(figure: string, interval: IntervalName): string {
  return fill(titles[interval], { figure }).join("");
}

export interface Told {
  readonly course: Course<NamedInterval>;
  /** The one that the chart shows, and all that the website has. */
  readonly figure: Figure;
  readonly figures: readonly Figure[];
  /** The figure of the whole period: intervals that share a visit have more together. */
  readonly total: number | undefined;
  readonly interval: IntervalName;
  readonly nameOf: (date: string) => string;
  /** Whether only a part of an interval counts: the period begins or ends within it, or it is not over. */
  readonly isPart: (date: string) => boolean;
  /** The same of the period before. */
  readonly nameBefore: (date: string) => string;
  /** Whether an interval of the period and one of the period before have as many days, where either is only a part. */
  readonly isAlike: (date: string, before: string) => boolean;
  readonly notes: NotesByInterval;
}

/**
 * Returns a summary such as: Visitors by day, 1 to 3 November: 12 in all, highest 9 on the 2nd, lowest 0 on the 1st.
 */
export function chartSummary(told: Told): string {
  const { course, figure, total, interval, nameOf } = told;
  const { label, format, write } = figure;
  const title = byInterval(label, interval);
  const { begun } = course;
  const [first, last] = [begun[0], begun.at(-1)];
  if (first === undefined || last === undefined)
    return t("{title}: nothing has been counted yet.", { title });
  const parts = [
    // Neither shares nor medians add up.
    ...(format === "count" ? [t("{figure} in all", { figure: write(total) })] : []),
    ...extremes(told),
  ];
  const period =
    first === last
      ? nameOf(first.date)
      : t("{from} to {to}", { from: nameOf(first.date), to: nameOf(last.date) });
  return `${title}, ${period}: ${parts.join(", ")}.`;
}

/** Returns the highest and the lowest figure in words, among the intervals that have one. */
function extremes({ course: { begun }, figure: { name, write }, nameOf, isPart }: Told): readonly string[] {
  const known = begun.flatMap((row) => {
    const value = row[name];
    return value === undefined ? [] : [{ value, row, text: `${write(value)} (${nameOf(row.date)})` }];
  });
  const [first] = known;
  if (first === undefined) return [t("no figure")];
  const highest = known.reduce((best, one) => (one.value > best.value ? one : best));
  // The whole of an interval may have more than a part, so a part cannot be the lowest.
  const whole = known.filter(({ row }) => !isPart(row.date));
  const lowest = (whole.length > 0 ? whole : known).reduce((best, one) =>
    one.value < best.value ? one : best,
  );
  const steady = known.length === begun.length && known.every(({ value }) => value === highest.value);
  return steady
    ? [t("always {figure}", { figure: write(highest.value) })]
    : [t("highest {figure}", { figure: highest.text }), t("lowest {figure}", { figure: lowest.text })];
}

export interface PointText {
  readonly name: string;
  /** The figures of the interval; `current` marks the chart's metric. */
  readonly figures: readonly { readonly label: string; readonly text: string; readonly current: boolean }[];
  /** The same interval of the period before. There is no change while it is not over, or where not as many days of both count. */
  readonly before:
    { readonly name: string; readonly text: string; readonly change: string | undefined } | undefined;
  /** The texts of the notes on days of the interval. */
  readonly notes: readonly string[];
}

export function pointText(
  told: Told,
  index: number,
  earlier: NamedInterval | undefined,
): PointText | undefined {
  const { course, figure, figures, nameOf, nameBefore } = told;
  const row = course.begun[index];
  if (row === undefined) return undefined;
  const soFar = course.running && index === course.begun.length - 1;
  const { name: shown, format, write } = figure;
  const [now, was] = [row[shown], earlier?.[shown]];
  const isAlike = !soFar && earlier && told.isAlike(row.date, earlier.date);
  const compared = isAlike && now !== undefined && was !== undefined;
  return {
    name: soFar ? t("{interval}, so far", { interval: nameOf(row.date) }) : nameOf(row.date),
    figures: figures.map((one) => ({
      label: one.label,
      text: one.write(row[one.name]),
      current: one.name === shown,
    })),
    before: earlier && {
      name: nameBefore(earlier.date),
      text: write(was),
      change: compared ? changeText(now, was, format) : undefined,
    },
    notes: told.notes.get(index)?.map(({ text }) => isolated(label(text))) ?? [],
  };
}

/** Returns the text that is spoken: the chart's metric comes first. */
export function spoken({ name, figures, before, notes }: PointText): string {
  const ordered = [...figures].sort((a, b) => Number(b.current) - Number(a.current));
  const now = `${name}: ${ordered.map(({ label, text }) => `${label} ${text}`).join(", ")}.`;
  const change = before?.change;
  const earlier =
    before &&
    (change === undefined
      ? t("Before, {interval}: {figure}.", { interval: before.name, figure: before.text })
      : t("Before, {interval}: {figure}, change {change}.", {
          interval: before.name,
          figure: before.text,
          change,
        }));
  return [now, earlier, ...notes.map((text) => t("Note: {text}.", { text }))].filter(Boolean).join(" ");
}
