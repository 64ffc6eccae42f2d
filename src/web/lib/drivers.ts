/** The sentence that says what made a day unlike others. Its values can be links. */
import type { Driver, DriverMetric, Drivers } from "../../core/query.ts";
import { count } from "./format.ts";
import { spanOf } from "./calendar/period.ts";
import { listPath } from "./question/paths.ts";
import type { Question } from "./question/question.ts";

/** A piece of the sentence: words, or a value that was named. */
export type Piece = string | Driver;

const units: Readonly<Record<DriverMetric, readonly [one: string, many: string]>> = {
  visitors: ["visitor", "visitors"],
  visits: ["visit", "visits"],
  pageviews: ["page view", "page views"],
};

/** The words between a number of visitors and a value. Only no referrer is "", and has a name of several words. */
const words: Readonly<Record<Driver["dimension"], string>> = {
  path: "to",
  referrer: "from",
  utm_source: "with the source",
  utm_medium: "with the medium",
  utm_campaign: "with the campaign",
  utm_content: "with the content",
  utm_term: "with the term",
  channel: "by way of",
  country: "in",
  language: "in",
  browser: "with",
  os: "on",
  device: "on",
};

/** So many values share the clause of the first, and so many have one of their own. */
const sharedMax = 2;
const othersMax = 2;
/** "Most" is more than half. */
const mostPercentage = 50;

function metricOf({ metric }: Question): DriverMetric {
  return metric === "visits" || metric === "pageviews" ? metric : "visitors";
}

/** Returns the path of the drivers of the day that is shown; undefined if the period is none. */
export function driversPath(question: Question, nowMs = Date.now()): string | undefined {
  const { startMs, endMs } = spanOf(question.period, question.zone, nowMs);
  // A day in which the clocks change has up to 25 hours.
  const isDay = startMs !== undefined && endMs - startMs < 26 * 3_600_000;
  if (!isDay) return undefined;
  const more = { metric: metricOf(question), timezone: question.zone };
  return listPath({ ...question, goal: undefined }, "drivers", more, nowMs);
}

/**
 * Returns a sentence such as: 412 visitors more than usual on a Tuesday: 380 from Hacker News, most of them to
 * /blog/post. Returns undefined where nothing stands out. `nowMs`: a day that is not over is compared until now.
 */
export function driversSentence(
  question: Question,
  { difference = 0, stands_out, drivers }: Drivers,
  nowMs: number,
  locale?: string,
): readonly Piece[] | undefined {
  const size = Math.round(Math.abs(difference));
  if (!stands_out || size === 0) return undefined;
  const { startMs = 0, endMs } = spanOf(question.period, question.zone, nowMs);
  const day = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: question.zone }).format(startMs);
  const [one, many] = units[metricOf(question)];
  const moreOrFewer = difference > 0 ? "more" : "fewer";
  const time = nowMs < endMs ? "by this time " : "";
  const lead = `${count(size)} ${size === 1 ? one : many} ${moreOrFewer} than usual ${time}on a ${day}`;
  const [first, ...rest] = drivers;
  if (first === undefined) return [`${lead}, and no source, page or country stands out.`];
  const shared = rest
    .filter(({ of_first_percentage: share = 0 }) => share > mostPercentage)
    .slice(0, sharedMax);
  const others = rest.filter((driver) => !shared.includes(driver) && isOwn(driver)).slice(0, othersMax);
  const of = difference > 0 ? "" : "fewer ";
  const clause = (driver: Driver): Piece[] => [
    `${count(Math.round(Math.abs(driver.difference)))} ${of}${wordsOf(driver)}`,
    driver,
  ];
  return [
    `${lead}: `,
    ...clause(first),
    ...shared.flatMap((driver, at): Piece[] => [
      `${at === 0 ? ", most of them " : " and "}${wordsOf(driver)}`,
      driver,
    ]),
    ...others.flatMap((driver): Piece[] => ["; ", ...clause(driver)]),
    ".",
  ];
}

/** Whether less than half of it is part of the first value's difference: that half is told already. */
function isOwn({ of_first_percentage: share = 0 }: Driver): boolean {
  return share <= mostPercentage;
}

function wordsOf({ dimension, value }: Driver): string {
  return `${value === "" ? "with the referrer" : words[dimension]} `;
}
