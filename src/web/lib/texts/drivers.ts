/** The sentence that says what made a day unlike others. Its values can be links. */
import { listedDimensions } from "../../../core/questions/dimension.ts";
import type { Driver, Drivers } from "../../../core/questions/answer.ts";
import type { DriverMetric } from "../../../core/questions/query.ts";
import { spanOf } from "../calendar/period.ts";
import { dateFormat } from "./format.ts";
import { driverMetric } from "../question/paths.ts";
import type { Question } from "../question/question.ts";
import { fill, locale as ownLocale, rich, t, translated } from "./words.ts";

/** A piece of the sentence: words, or a value that was named. */
export type Piece = string | Driver;

const units: Readonly<Record<DriverMetric, string>> = {
  visitors: t("{n} visitor|{n} visitors"),
  visits: t("{n} visit|{n} visits"),
  pageviews: t("{n} page view|{n} page views"),
};

const clauses: ReadonlyMap<string, string> = new Map(
  listedDimensions.map(({ name, label }) => [name, label.clause]),
);

/** The most values that share the clause of the first, and the most that have a clause of their own. */
const sharedMax = 2;
const othersMax = 2;
/** "Most" is more than half. */
const mostPercentage = 50;

/**
 * Returns a sentence such as: 412 visitors more than usual on a Tuesday: 380 from Hacker News, most of them to
 * /blog/post. Says so where nothing stands out. `nowMs`: a day that is not over is compared until now.
 */
export function driversSentence(
  question: Question,
  { base, difference, stands_out, drivers }: Drivers,
  nowMs: number,
  locale = ownLocale,
): readonly Piece[] {
  const { startMs = 0, endMs } = spanOf(question.period, question.zone, nowMs);
  const day = dateFormat({ weekday: "long", timeZone: question.zone }, locale).format(startMs);
  // They are of two days.
  const isHours = question.period.name === "24h";
  // Days on which nobody came are no base that a day could be ordinary by.
  const hasNoBase = difference === undefined || (base === 0 && !stands_out);
  if (hasNoBase) return [noBase(isHours, day)];
  const size = Math.round(Math.abs(difference));
  const isOver = nowMs >= endMs;
  if (!stands_out || size === 0) {
    if (isHours) return [t("Nothing out of the ordinary.")];
    return [
      isOver
        ? t("Nothing out of the ordinary for a {day}.", { day })
        : t("So far nothing out of the ordinary for a {day}.", { day }),
    ];
  }
  const about = { views: fill(units[driverMetric(question)], { n: size }).join(""), day };
  const more = difference > 0;
  const lead = leadOf({ isHours, isOver, more }, about);
  const [first, ...rest] = drivers;
  if (first === undefined) return [t("{lead}, and no source, page or country stands out.", { lead })];
  const shared = rest
    .filter(({ of_first_percentage: share = 0 }) => share > mostPercentage)
    .slice(0, sharedMax);
  const others = rest.filter((driver) => !shared.includes(driver) && isOwn(driver)).slice(0, othersMax);
  const clause = (driver: Driver): readonly Piece[] => {
    const places = { n: Math.round(Math.abs(driver.difference)), value: placeOf(driver) };
    return (more ? rich("{n} {value}", places) : rich("{n} fewer {value}", places)).flat();
  };
  const places = {
    first: clause(first),
    a: shared[0] && placeOf(shared[0]),
    b: shared[1] && placeOf(shared[1]),
  };
  const { a, b } = places;
  const told =
    a === undefined
      ? [places.first]
      : b === undefined
        ? rich("{first}, most of them {a}", { first: places.first, a })
        : rich("{first}, most of them {a} and {b}", { first: places.first, a, b });
  const clauses = [told.flat(), ...others.map(clause)].flatMap((pieces, at) =>
    at === 0 ? pieces : ["; ", ...pieces],
  );
  return rich("{lead}: {clauses}.", { lead, clauses }).flat();
}

/** Names the days that are missing: the figures of the page may well be compared with those of another period. */
function noBase(isHours: boolean, day: string): string {
  return isHours
    ? t("No earlier weeks to compare with yet.")
    : t("No earlier {day} to compare with yet.", { day });
}

interface Day {
  readonly isHours: boolean;
  readonly isOver: boolean;
  readonly more: boolean;
}

function leadOf(
  { isHours, isOver, more }: Day,
  about: { readonly views: string; readonly day: string },
): string {
  if (isHours)
    return more
      ? t("{views} more than usual in these 24 hours", about)
      : t("{views} fewer than usual in these 24 hours", about);
  if (isOver)
    return more
      ? t("{views} more than usual on a {day}", about)
      : t("{views} fewer than usual on a {day}", about);
  return more
    ? t("{views} more than usual by this time on a {day}", about)
    : t("{views} fewer than usual by this time on a {day}", about);
}

/** Whether less than half of it is part of the first value's difference: that half is told already. */
function isOwn({ of_first_percentage: share = 0 }: Driver): boolean {
  return share <= mostPercentage;
}

function placeOf(driver: Driver): readonly Piece[] {
  // Only no referrer is "", and has a name of several words.
  const clause =
    driver.value === "" ? t("with the referrer {value}") : translated(clauses.get(driver.dimension) ?? "");
  return fill(clause, { value: driver });
}
