import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseDateTime, parseHttpDate } from "../../src/core/date-time.ts";
import { seed } from "../support/seed.ts";

const leapSecondMs = Date.UTC(2017, 0, 1);

describe("parseDateTime", () => {
  test.each([
    ["2026-01-31T08:00:00Z", Date.UTC(2026, 0, 31, 8)],
    ["2026-01-31t08:00:00z", Date.UTC(2026, 0, 31, 8)],
    ["2026-01-31T08:00:00+02:00", Date.UTC(2026, 0, 31, 6)],
    ["2026-01-31T08:00:00 02:00", Date.UTC(2026, 0, 31, 6)],
    ["2026-01-31T08:00:00-05:30", Date.UTC(2026, 0, 31, 13, 30)],
    ["2026-01-31T08:00:00-00:00", Date.UTC(2026, 0, 31, 8)],
    ["2026-01-31T08:00:00.5Z", Date.UTC(2026, 0, 31, 8, 0, 0, 500)],
    ["2026-01-31T08:00:00.123999999Z", Date.UTC(2026, 0, 31, 8, 0, 0, 123)],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["1969-12-31T23:59:59.999Z", -1],
    ["0050-01-01T00:00:00Z", Date.parse("0050-01-01T00:00:00Z")],
    ["2016-12-31T23:59:60Z", leapSecondMs],
    ["2017-01-01T00:59:60+01:00", leapSecondMs],
  ])("%p", (text, ms) => {
    expect(parseDateTime(text)).toBe(ms);
  });

  test.each([
    "",
    "2026-01-31",
    "2026-01-31T08:00:00",
    "2026-01-31T08:00Z",
    "2026-01-31 08:00:00Z",
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:61Z",
    "2026-01-01T12:00:60Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00,5Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+01:60",
    "2026-01-01T00:00:00+0100",
    "2026-01-01T00:00:00Z ",
    " 2026-01-01T00:00:00Z",
    "+002026-01-01T00:00:00Z",
    "1767225600",
    "now",
    "2026-01-01T00:00:00Z\n",
    "２０２６-01-01T00:00:00Z",
  ])("refuses %p", (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  test("reads every instant that toISOString writes, in any offset", () => {
    const from = Date.parse("0001-01-02T00:00:00Z");
    const to = Date.parse("9999-12-30T00:00:00Z");
    const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    fc.assert(
      fc.property(fc.integer({ min: from, max: to }), offset, (ms, minutes) => {
        const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1);
        const digits = (value: number) => String(value).padStart(2, "0");
        const size = Math.abs(minutes);
        const written = `${minutes < 0 ? "-" : "+"}${digits(Math.floor(size / 60))}:${digits(size % 60)}`;
        expect(parseDateTime(local + written)).toBe(ms);
      }),
      { seed: seed() },
    );
  });
});

describe("parseHttpDate", () => {
  const nowMs = Date.UTC(2026, 2, 15);
  const classicMs = Date.UTC(1994, 10, 6, 8, 49, 37);

  // The three examples of RFC 9110, 5.6.7.
  test.each([
    ["Sun, 06 Nov 1994 08:49:37 GMT", classicMs],
    ["Sunday, 06-Nov-94 08:49:37 GMT", classicMs],
    ["Sun Nov  6 08:49:37 1994", classicMs],
    ["Thursday, 06-Nov-75 08:49:37 GMT", Date.UTC(2075, 10, 6, 8, 49, 37)],
    ["Thursday, 06-Nov-76 08:49:37 GMT", Date.UTC(2076, 10, 6, 8, 49, 37)],
    ["Sunday, 06-Nov-77 08:49:37 GMT", Date.UTC(1977, 10, 6, 8, 49, 37)],
    ["Mon, 06 Nov 1994 08:49:37 GMT", classicMs],
  ])("%p", (text, ms) => {
    expect(parseHttpDate(text, nowMs)).toBe(ms);
  });

  test.each([
    "",
    "yesterday",
    "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37",
    "06 Nov 1994 08:49:37 GMT",
    "1994-11-06T08:49:37Z",
  ])("refuses %p", (text) => {
    expect(parseHttpDate(text, nowMs)).toBeUndefined();
  });

  test("reads every date that toUTCString writes", () => {
    const second = fc.integer({ min: 0, max: 253_402_300_799 });
    fc.assert(
      fc.property(second, (seconds) => {
        const ms = seconds * 1_000;
        expect(parseHttpDate(new Date(ms).toUTCString(), nowMs)).toBe(ms);
      }),
      { seed: seed() },
    );
  });
});
