/** Held against Temporal, which knows the same time zones by other code. */
import { shifted } from "../../src/core/calendar/date.ts";
import { describe, expect, test } from "bun:test";
import {
  dateIn,
  isoDate,
  isZone,
  offsetMs,
  ownZone,
  parseDate,
  placeOf,
  startOfDate,
  zonesLike,
} from "../../src/web/lib/calendar/zone.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

const zones = Intl.supportedValuesOf("timeZone");
const dayMs = 86_400_000;
const from1970To2040 = 70 * 365 * dayMs;

function zoned(zone: string, ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
}

function start(zone: string, date: string): string {
  return new Date(startOfDate(zone, parseDate(date) ?? { year: 0, month: 0, day: 0 })).toISOString();
}

/** The days around every change of a zone's clocks. */
function daysOfChange(zone: string): Temporal.PlainDate[] {
  const days: Temporal.PlainDate[] = [];
  let at = zoned(zone, 0).getTimeZoneTransition("next");
  while (at !== null && at.epochMilliseconds < from1970To2040) {
    const day = at.toPlainDate();
    days.push(day.subtract({ days: 1 }), day, day.add({ days: 1 }));
    at = at.getTimeZoneTransition("next");
  }
  return days;
}

describe("the start of a date", () => {
  test("is midnight, by summer time and by winter time", () => {
    expect(start("UTC", "2026-03-29")).toBe("2026-03-29T00:00:00.000Z");
    expect(start("Europe/Berlin", "2026-03-29")).toBe("2026-03-28T23:00:00.000Z");
    expect(start("Europe/Berlin", "2026-03-30")).toBe("2026-03-29T22:00:00.000Z");
    expect(start("Europe/Berlin", "2026-10-25")).toBe("2026-10-24T22:00:00.000Z");
    expect(start("Europe/Berlin", "2026-10-26")).toBe("2026-10-25T23:00:00.000Z");
    expect(start("Asia/Kathmandu", "2026-01-01")).toBe("2025-12-31T18:15:00.000Z");
  });
  test("is where the clocks were set, when they were set over midnight", () => {
    // At midnight they were set to one.
    expect(start("America/Sao_Paulo", "2018-11-04")).toBe("2018-11-04T03:00:00.000Z");
    expect(dateIn("America/Sao_Paulo", Date.parse("2018-11-04T03:00:00Z") - 1).day).toBe(3);
  });
  test("is the first of two midnights", () => {
    // At one they were set back to midnight.
    expect(start("America/Havana", "2026-11-01")).toBe("2026-11-01T04:00:00.000Z");
  });
  test("of a date that was left out is that of the next", () => {
    expect(start("Pacific/Apia", "2011-12-30")).toBe("2011-12-30T10:00:00.000Z");
    expect(start("Pacific/Apia", "2011-12-31")).toBe("2011-12-30T10:00:00.000Z");
  });
  test("is that of Temporal around the changes of every zone", () => {
    const random = randomFrom(seed());
    const wrong: string[] = [];
    for (const zone of zones) {
      const days = daysOfChange(zone);
      const looked = Array.from({ length: 12 }, () => days[Math.floor(random() * days.length)]);
      for (const day of new Set(looked)) {
        if (day === undefined) continue;
        const expected = day.toZonedDateTime(zone).epochMilliseconds;
        if (startOfDate(zone, day) !== expected) wrong.push(`${zone} ${day.toString()}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("at a random instant in a random zone", () => {
  test("offset and date are those of Temporal", () => {
    const random = randomFrom(seed());
    for (let round = 0; round < 2_000; round++) {
      const zone = zones[Math.floor(random() * zones.length)] as string;
      const ms = Math.floor(random() * from1970To2040);
      const expected = zoned(zone, ms);
      const found = { zone, ms, offsetMs: offsetMs(zone, ms), date: isoDate(dateIn(zone, ms)) };
      expect(found).toEqual({
        zone,
        ms,
        offsetMs: expected.offsetNanoseconds / 1e6,
        date: expected.toPlainDate().toString(),
      });
    }
  });
});

test("dates are shifted by days and months as calendars are", () => {
  const random = randomFrom(seed());
  expect(shifted({ year: 2026, month: 1, day: 1 }, -1)).toEqual({ year: 2025, month: 12, day: 31 });
  expect(shifted({ year: 2026, month: 11, day: 1 }, 0, -11)).toEqual({ year: 2025, month: 12, day: 1 });
  expect(shifted({ year: 2028, month: 2, day: 1 }, -1, 1)).toEqual({ year: 2028, month: 2, day: 29 });
  for (let round = 0; round < 200; round++) {
    const day = Temporal.PlainDate.from("1970-01-01").add({ days: Math.floor(random() * 25_000) });
    const days = Math.floor((random() - 0.5) * 2_000);
    expect(isoDate(shifted(day, days))).toBe(day.add({ days }).toString());
  }
});

test("a text is a date only if the calendar has it", () => {
  expect(parseDate("2028-02-29")).toEqual({ year: 2028, month: 2, day: 29 });
  for (const text of [
    "",
    "2026-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-04-31",
    "2026-4-1",
    "26-04-01",
    "0026-04-01",
    " 2026-04-01",
    "2026-04-01T00:00",
    "12026-04-01",
  ])
    expect({ text, date: parseDate(text) }).toEqual({ text, date: undefined });
});

test("zones are names: offsets and what nobody knows are none", () => {
  for (const zone of ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", ownZone])
    expect(isZone(zone)).toBe(true);
  for (const zone of ["", "+02:00", "-0300", "Europe/Atlantis", "Berlin", "<b>"])
    expect({ zone, isZone: isZone(zone) }).toEqual({ zone, isZone: false });
});

test("a zone is called by its place", () => {
  expect(placeOf("America/Argentina/Buenos_Aires")).toBe("Buenos Aires");
  expect(placeOf("UTC")).toBe("UTC");
});

test("zones are found by a part of the name, with spaces as people write it", () => {
  expect(zonesLike("berlin")).toEqual(["Europe/Berlin"]);
  expect(zonesLike(" new york ")).toEqual(["America/New_York"]);
  expect(zonesLike("atlantis")).toEqual([]);
  const all = zonesLike("");
  expect(all).toContain("UTC");
  expect(new Set(all).size).toBe(all.length);
  expect(all.every(isZone)).toBe(true);
});
