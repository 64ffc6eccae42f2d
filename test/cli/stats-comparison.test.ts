/** That the terminal compares a period with the same dates as the dashboard, in zones where days are not always of 24 hours. */
import { expect, test } from "bun:test";
import { askedPeriod } from "../../src/cli/stats/period.ts";
import { comparedSpans } from "../../src/web/lib/calendar/comparison.ts";
import { periodNames, type PeriodChoice } from "../../src/web/lib/calendar/period.ts";
import { parseDate } from "../../src/web/lib/calendar/zone.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";

const zones = ["UTC", "Europe/Berlin", "America/Santiago", "Asia/Kolkata", "Pacific/Apia", "Africa/Cairo"];
const dayMs = 86_400_000;

interface Asked {
  readonly text: string;
  readonly choice: PeriodChoice;
  readonly zone: string;
  readonly nowMs: number;
}

/** Periods by name, and from a day to a day; every second of these encloses whole months. Most of them are not over. */
function* randomPeriods(count: number): Generator<Asked> {
  const random = randomBySeed();
  const below = (end: number) => Math.floor(random() * end);
  const names = periodNames.filter((name) => name !== "24h" && name !== "all" && name !== "custom");
  for (let round = 0; round < count; round++) {
    const zone = zones[below(zones.length)]!;
    const nowMs = Date.parse("2016-01-01T00:00:00Z") + below(12 * 365 * dayMs);
    if (round % 3 === 0) {
      const name = names[below(names.length)]!;
      yield { text: name, choice: { name }, zone, nowMs };
      continue;
    }
    const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone).toPlainDate();
    const isMonths = round % 3 === 1;
    const before = { days: below(40), months: isMonths ? below(14) : 0 };
    const start = today.subtract(isMonths ? { months: before.months } : { days: before.days });
    const from = isMonths ? start.with({ day: 1 }) : start;
    const to = isMonths
      ? from.add({ months: 1 + below(14) }).subtract({ days: 1 })
      : from.add({ days: below(70) });
    const [first, last] = [parseDate(`${from}`)!, parseDate(`${to}`)!];
    yield { text: `${from}..${to}`, choice: { name: "custom", from: first, to: last }, zone, nowMs };
  }
}

function spansOf({ choice, zone, nowMs }: Asked) {
  return comparedSpans({ choice, comparison: { name: "previous" }, zone, nowMs, weekStart: 1 })!;
}

const at = (ms: number) => new Date(ms).toISOString();

test("it is the same other period, and the words say as much of it as is compared", () => {
  for (const asked of randomPeriods(rounds(600))) {
    const {
      whole: { startMs, endMs },
      sameTime,
    } = spansOf(asked);
    const { compareStart, compareWords } = askedPeriod(asked.text, asked.zone, asked.nowMs);
    const textOf = (ms: number, length: number) =>
      `${Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(asked.zone).toPlainDateTime()}`
        .replace("T", " ")
        .slice(0, length);
    const dates = [...new Set([textOf(startMs, 10), textOf(endMs, 10)])];
    const until = `${textOf(startMs, 10)} until ${textOf(sameTime.endMs + 1, 16)}`;
    expect({ ...asked, compareStart, compareWords }).toEqual({
      ...asked,
      compareStart: at(startMs),
      compareWords:
        sameTime.endMs < endMs ? until.replace(/^(\S+) until \1 /, "$1 until ") : dates.join(" to "),
    });
  }
});

/** A period is asked for at every moment of its life: most are over, some go on, a few have not begun. */
test("as much of it is compared as has gone of this one", () => {
  for (const asked of randomPeriods(rounds(1_200))) {
    const { endMs } = spansOf(asked).sameTime;
    const { compareEnd } = askedPeriod(asked.text, asked.zone, asked.nowMs);
    expect({ ...asked, compareEnd }).toEqual({ ...asked, compareEnd: at(endMs) });
  }
});
