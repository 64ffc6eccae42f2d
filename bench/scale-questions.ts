/**
 * The questions asked of a server at every size: each list, time, properties, summary and the day chart of twelve
 * months.
 */
import { listedDimensions } from "../src/core/questions/dimension.ts";
import type { Period } from "../src/core/questions/query.ts";
import { dayMs } from "../src/core/hit.ts";
import { endMs, startMs } from "./data.ts";
import { hostname } from "./folder.ts";

export interface ScaleQuestion {
  readonly name: string;
  /** The path in the API, without filters. */
  readonly path: string;
}

const limit = 100;
/** Twelve whole months. */
const whole: Period = { startMs, endMs };
/** Ten days and some hours less at either end. */
const ragged: Period = { startMs: startMs + 10.4 * dayMs, endMs: endMs - 10.3 * dayMs };
/** A period without page views. */
const before: Period = { startMs: startMs - 2 * dayMs, endMs: startMs - dayMs };

export const scaleQuestions: readonly ScaleQuestion[] = [
  ...listedDimensions.map(({ list }) => question(list, list, whole)),
  question("time", "time", whole),
  question("time, ragged period", "time", ragged),
  question("properties", "properties", whole),
  question("summary", "summary", whole),
  question("days, UTC", "summary", whole, "&interval=day"),
];

/** Every way to answer: each reads other columns. */
export const coldQuestions = scaleQuestions.filter(({ name }) =>
  ["pages", "browsers", "time", "summary", "days, UTC"].includes(name),
);

/** Reads no row, so that what the first question of a process takes beside reading is over. */
export const warmUp = question("warm-up", "pages", before).path;

/** The two filters of bench/questions.ts. */
export const twoFilters = "&browser[eq]=Chrome&country[eq]=Germany";

/** Lets the same rows through as two filters, and is another selection for each `run`. */
export function freshFilters(run: number): string {
  return `${twoFilters}&browser[neq]=run-${run}`;
}

function question(name: string, list: string, period: Period, more = ""): ScaleQuestion {
  const [start, end] = [period.startMs, period.endMs].map((ms) => new Date(ms).toISOString());
  return { name, path: `/website/${hostname}/${list}?start=${start}&end=${end}&limit=${limit}${more}` };
}
