/**
 * The labels under a chart of intervals: as many as there is room for, at times that people count in, and never one
 * over another. Local times are read from the dates themselves, which include the offset of their zone.
 */
import type { IntervalName } from "../../../core/questions/query.ts";
import { dateFormat } from "../texts/format.ts";
import { textWidth } from "./scale.ts";
import { locale as ownLocale } from "../texts/words.ts";

export interface Label {
  readonly text: string;
  /** The position of its middle. */
  readonly x: number;
}

export interface Axis {
  /** The starts of the intervals, RFC 3339 with the offset of `zone`. */
  readonly dates: readonly string[];
  readonly interval: IntervalName;
  readonly zone: string;
  readonly xOf: (index: number) => number;
  /** Labels stay between 0 and this. */
  readonly width: number;
  readonly fontPx: number;
  readonly locale?: string;
}

/** A choice of the intervals to label, and what the labels show. */
interface Choice {
  readonly indexes: readonly number[];
  readonly shows: "time" | "day" | "month";
}

const minuteSteps = [1, 5, 15, 30, 60, 120, 180, 360, 720] as const;
const daySteps = [1, 2, 7, 14, 28, 56, 91, 182, 364, 728, 1_820, 3_640] as const;
const weekSteps = [1, 2, 4, 8, 13, 26, 52, 104, 260, 520, 1_040] as const;
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200] as const;
/** The least width of a label, in characters. */
const charactersMin = 4;

/** Returns the choices from many labels to few; the last has a single label. */
function choicesOf({ dates, interval }: Axis): readonly Choice[] {
  const all = [...dates.keys()];
  const every = (steps: readonly number[], ordinalOf: (index: number) => number, shows: Choice["shows"]) =>
    steps.map((step) => ({ indexes: all.filter((index) => ordinalOf(index) % step === 0), shows }));
  const one: Choice = { indexes: [0], shows: interval === "month" ? "month" : "day" };
  switch (interval) {
    case "minute":
    case "hour": {
      const days = all.filter((index) => beginsDay(dates, index));
      const byDay = daySteps.map((step) => ({
        indexes: days.filter((_, at) => at % step === 0),
        shows: "day" as const,
      }));
      return [...every(minuteSteps, (index) => minuteOf(dates[index] ?? ""), "time"), ...byDay, one];
    }
    case "day":
      return [...every(daySteps, (index) => index, "day"), one];
    case "week":
      return [...every(weekSteps, (index) => index, "day"), one];
    case "month":
      return [...every(monthSteps, (index) => monthOf(dates[index] ?? ""), "month"), one];
  }
}

function minuteOf(date: string): number {
  return Number(date.slice(11, 13)) * 60 + Number(date.slice(14, 16));
}

function monthOf(date: string): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
}

/** Returns whether an interval begins a day; not every day of every zone has a midnight. */
function beginsDay(dates: readonly string[], index: number): boolean {
  return dates[index]?.slice(0, 10) !== dates[index - 1]?.slice(0, 10);
}

export function timeLabels(axis: Axis): readonly Label[] {
  if (axis.dates.length === 0) return [];
  const textOf = texts(axis);
  const room = axis.width / textWidth(" ".repeat(charactersMin), axis.fontPx);
  for (const { indexes, shows } of choicesOf(axis)) {
    if (indexes.length === 0 || indexes.length > room) continue;
    const labels = placed(axis, indexes, (index) => textOf(index, shows));
    if (labels !== undefined) return labels;
  }
  return [];
}

function texts({
  dates,
  interval,
  zone,
  locale = ownLocale,
}: Axis): (index: number, shows: Choice["shows"]) => string {
  const format = (options: Intl.DateTimeFormatOptions) => dateFormat({ ...options, timeZone: zone }, locale);
  const [first = "", last = ""] = [dates[0], dates.at(-1)];
  const oneYear = first.slice(0, 4) === last.slice(0, 4);
  const oneDay = first.slice(0, 10) === last.slice(0, 10);
  const day = { day: "numeric", month: "short" } as const;
  // With a 12-hour clock 2 PM is enough; with a 24-hour clock it is 14:00.
  const wholeHours = interval === "hour" && format({ timeStyle: "short" }).resolvedOptions().hour12;
  const formats = {
    time: format(wholeHours ? { hour: "numeric" } : { timeStyle: "short" }),
    day: format(oneYear ? day : { ...day, year: "numeric" }),
    month: format({ month: "short", year: "numeric" }),
  };
  return (index, shows) => {
    // Among the hours of several days, the first of each day shows the date.
    const kind = shows === "time" && !oneDay && beginsDay(dates, index) ? "day" : shows;
    return formats[kind].format(Date.parse(dates[index] ?? ""));
  };
}

/** Returns the labels with their positions; undefined if two would touch. */
function placed(
  { xOf, width, fontPx }: Axis,
  indexes: readonly number[],
  textOf: (index: number) => string,
): readonly Label[] | undefined {
  const labels: Label[] = [];
  let free = 0;
  for (const index of indexes) {
    const text = textOf(index);
    // The hour to which clocks are set back comes twice.
    if (text === labels.at(-1)?.text) continue;
    const half = textWidth(text, fontPx) / 2;
    const x = Math.max(half, Math.min(width - half, xOf(index)));
    if (x - half < free || 2 * half > width) {
      // Only the last label, moved by the edge, may be closer to its neighbour; it is left out.
      if (labels.length > 0 && x < xOf(index)) break;
      return undefined;
    }
    labels.push({ text, x });
    free = x + half + fontPx;
  }
  return labels;
}
