import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { dayStart, isTimeZone } from "../../src/http/parsing/day-start.ts";
import { seed } from "../support/seed.ts";

describe("dayStart", () => {
  test.each([
    ["UTC", "2026-03-15T12:34:56.789Z", "2026-03-15T00:00:00Z"],
    ["UTC", "2026-03-15T00:00:00.000Z", "2026-03-15T00:00:00Z"],
    ["UTC", "2026-03-14T23:59:59.999Z", "2026-03-14T00:00:00Z"],
    ["Europe/Berlin", "2026-03-15T22:59:59Z", "2026-03-14T23:00:00Z"],
    ["Europe/Berlin", "2026-03-15T23:00:00Z", "2026-03-15T23:00:00Z"],
    // 25 hours long.
    ["Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-24T22:00:00Z"],
    ["America/Los_Angeles", "2026-07-01T06:59:59Z", "2026-06-30T07:00:00Z"],
    ["Asia/Kathmandu", "2026-07-01T00:00:00Z", "2026-06-30T18:15:00Z"],
    ["Pacific/Kiritimati", "2026-07-01T12:00:00Z", "2026-07-01T10:00:00Z"],
    // Midnight does not exist: the clock goes from 23:59:59 to 01:00:00.
    ["Africa/Cairo", "2026-04-24T10:00:00Z", "2026-04-23T22:00:00Z"],
    // A whole day does not exist: 30 December 2011.
    ["Pacific/Apia", "2011-12-30T12:00:00Z", "2011-12-30T10:00:00Z"],
    ["Nowhere/Land", "2026-03-15T12:00:00Z", "2026-03-15T00:00:00Z"],
    ["", "2026-03-15T12:00:00Z", "2026-03-15T00:00:00Z"],
    ["Zone".repeat(20), "2026-03-15T12:00:00Z", "2026-03-15T00:00:00Z"],
    ["+05:00", "2026-03-15T12:00:00Z", "2026-03-15T00:00:00Z"],
  ])("%s at %s", (zone, now, start) => {
    expect(new Date(dayStart(zone, Date.parse(now))).toISOString()).toBe(new Date(start).toISOString());
  });

  test("is the first millisecond of the local date, in every zone at any time", () => {
    const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
    const time = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) });
    fc.assert(
      fc.property(zone, time, (timeZone, nowMs) => {
        const { format } = new Intl.DateTimeFormat("en", { timeZone, dateStyle: "short" });
        const startMs = dayStart(timeZone, nowMs);
        expect(format(startMs)).toBe(format(nowMs));
        expect(format(startMs - 1)).not.toBe(format(nowMs));
        expect(startMs).toBeLessThanOrEqual(nowMs);
        expect(dayStart(timeZone, nowMs)).toBe(startMs);
      }),
      { seed: seed() },
    );
  });
});

test("isTimeZone knows names, not offsets", () => {
  for (const name of [
    "UTC",
    "Europe/Berlin",
    "europe/BERLIN",
    "America/Argentina/Ushuaia",
    "Etc/GMT+5",
    "EST5EDT",
  ])
    expect(isTimeZone(name)).toBe(true);
  for (const name of [
    "",
    "+02:00",
    "-0500",
    "Mars/Olympus",
    "Europe/Berlin ",
    "T10[Europe/Berlin]",
    "Z",
    "x".repeat(10_000),
  ])
    expect(isTimeZone(name)).toBe(false);
});

test("names in any case are one zone, and take no memory that is worth a thought", () => {
  const script = `
    import { dayStart } from ${JSON.stringify(join(import.meta.dir, "../../src/http/parsing/day-start.ts"))};
    const nowMs = Date.UTC(2026, 2, 15, 12);
    dayStart("UTC", nowMs);
    const before = process.memoryUsage.rss();
    let different = 0;
    for (const name of Intl.supportedValuesOf("timeZone"))
      for (const written of [name, name.toLowerCase(), name.toUpperCase()])
        different += Number(dayStart(written, nowMs) !== dayStart(name, nowMs));
    console.log(JSON.stringify({ different, isSmall: process.memoryUsage.rss() - before < 12e6 }));`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", script]);
  expect(JSON.parse(stdout.toString())).toEqual({ different: 0, isSmall: true });
});
