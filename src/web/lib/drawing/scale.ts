/**
 * The geometry of a chart, in pixels: round ticks from 0 upwards, the positions of the points, the paths through them.
 * It knows neither dates nor the page.
 */
import { hourMs, minuteMs } from "../../../core/hit.ts";
import type { Format } from "../../../core/questions/metric.ts";

const secondMs = 1_000;

/**
 * The steps in which people count. No step is more than 2.5 times the one before, so there are always at least two
 * spaces.
 */
const counted = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();
const steps: Readonly<Record<Format, readonly number[]>> = {
  ratio: Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** (power - 1))).flat(),
  count: counted,
  amount: counted,
  percentage: [1, 2, 5, 10, 25],
  duration: [
    ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * secondMs),
    ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
    ...[1, 2, 3, 6, 12, 24].map((hours) => hours * hourMs),
  ],
};
const spacesMin = 2;
const spacesMax = 4;

/** Returns 3 to 5 round values from 0 to `max` or just above; for a duration in milliseconds. */
export function ticksOf(max: number, format: Format): readonly number[] {
  const known = steps[format];
  const step = known.find((candidate) => max <= candidate * spacesMax) ?? known.at(-1)!;
  const spaces = Math.max(spacesMin, Math.ceil(max / step));
  return Array.from({ length: spaces + 1 }, (_, at) => at * step);
}

const barsMax = 3;

/**
 * Returns whether values are drawn as bars: a few show no trend, and between many zeros a line would be a comb. `count`:
 * the number of intervals with those to come.
 */
export function asBars(values: readonly (number | undefined)[], count: number): boolean {
  const zeros = values.filter((value) => value === 0).length;
  return count <= barsMax || 3 * zeros > values.length;
}

/** The area of the points, and the values that it shows. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** The number of intervals, including those that are still to come. */
  readonly count: number;
  /**
   * Whether bars are drawn. Bars are centred in their share of the width; a line, of two points at least, goes from
   * edge to edge.
   */
  readonly bars: boolean;
  /** The value at the top. */
  readonly max: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function xOf({ left, right, count, bars }: Plot, index: number): number {
  const share = bars ? (index + 0.5) / count : index / (count - 1);
  return left + share * (right - left);
}

/** An amount below 0, of a day of refunds, is drawn as 0: its number stands in the tooltip. */
export function yOf({ top, bottom, max }: Plot, value: number): number {
  return bottom - (Math.max(0, value) / max) * (bottom - top);
}

export function pointsOf(plot: Plot, values: readonly number[]): readonly Point[] {
  return values.map((value, index) => ({ x: xOf(plot, index), y: yOf(plot, value) }));
}

/** Returns the points of values that follow each other without a gap, run by run. */
export function runsOf(plot: Plot, values: readonly (number | undefined)[]): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  values.forEach((value, index) => {
    if (value === undefined) return;
    if (index === 0 || values[index - 1] === undefined) runs.push([]);
    runs.at(-1)?.push({ x: xOf(plot, index), y: yOf(plot, value) });
  });
  return runs;
}

const barWidthMax = 72;
/** A minute of a day has less than a pixel. */
const barWidthMin = 3;

export function barWidth({ left, right, count }: Plot): number {
  return Math.min(barWidthMax, Math.max(barWidthMin, ((right - left) / count) * (count > 24 ? 0.75 : 0.5)));
}

/** Returns the interval nearest to a position, among the first `among`. */
export function indexAt(plot: Plot, x: number, among: number): number {
  const share = (x - plot.left) / (plot.right - plot.left);
  const index = plot.bars ? Math.floor(share * plot.count) : Math.round(share * (plot.count - 1));
  return Math.max(0, Math.min(among - 1, index));
}

/** Rounds to a tenth of a pixel: more digits would only make the text longer. */
function pixels(value: number): number {
  return Math.round(value * 10) / 10;
}

export function linePath(points: readonly Point[]): string {
  return points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${pixels(x)} ${pixels(y)}`).join("");
}

/** Returns the path of the area between the line and `bottom`. */
export function areaPath(points: readonly Point[], bottom: number): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return "";
  return `${linePath(points)}V${pixels(bottom)}H${pixels(first.x)}Z`;
}

const tipGap = 12;

export interface TipPlace {
  readonly side: "beside" | "above" | "below";
  /** The position of its left edge. */
  readonly left: number;
}

/**
 * Returns the place of a tooltip for a position in a chart of `width`: beside the position if one half of the chart has
 * room for it, else outside the chart. `above`: how much of the window there is over the chart.
 */
export function tipPlace(
  x: number,
  tip: { readonly width: number; readonly height: number; readonly above: number },
  width: number,
): TipPlace {
  if (2 * (tip.width + tipGap) > width) {
    const left = Math.max(0, Math.min(width - tip.width, x - tip.width / 2));
    return { side: tip.above >= tip.height ? "above" : "below", left };
  }
  const right = x + tipGap;
  return { side: "beside", left: right + tip.width <= width ? right : x - tipGap - tip.width };
}

/**
 * Returns the index to which a key leads among `count` points; undefined for a key without a meaning here. While no
 * point is shown, the first step shows the outermost one on the side it comes from.
 */
export function indexAfterKey(key: string, index: number | undefined, count: number): number | undefined {
  const page = Math.max(2, Math.round(count / 10));
  const way = new Map([
    ["ArrowRight", index === undefined ? -Infinity : 1],
    ["ArrowLeft", index === undefined ? Infinity : -1],
    ["PageDown", index === undefined ? -Infinity : page],
    ["PageUp", index === undefined ? Infinity : -page],
    ["Home", -Infinity],
    ["End", Infinity],
  ]);
  const step = way.get(key);
  if (step === undefined || count === 0) return undefined;
  return Math.max(0, Math.min(count - 1, (index ?? 0) + step));
}

/** Returns at most how many pixels a line of text takes in the fonts of systems. */
export function textWidth(text: string, fontPx: number): number {
  return [...text].reduce((sum, character) => sum + emsOf(character), 0) * fontPx;
}

function emsOf(character: string): number {
  const wide = character === "%" || character === "M" || character === "W" || character >= "\u1100";
  return wide ? 1.05 : 0.66;
}
