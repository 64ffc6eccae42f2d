/** The times of reports and the periods that they are about, in zones whose clocks change. */
import { expect, test } from "bun:test";
import { lastDueMs, periodOf } from "../../src/notify/noticing/schedule.ts";
import { msBefore } from "../../src/query/calendar/weeks-before.ts";

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString();

test("a weekly report is due on Monday at eight of the zone", () => {
  const due = (zone: string, now: string) => iso(lastDueMs("weekly", zone, at(now)));
  expect(due("Europe/Berlin", "2026-03-16T06:59:59Z")).toBe("2026-03-09T07:00:00.000Z");
  expect(due("Europe/Berlin", "2026-03-16T07:00:00Z")).toBe("2026-03-16T07:00:00.000Z");
  // Summer time has begun on the Sunday before.
  expect(due("Europe/Berlin", "2026-03-30T06:00:00Z")).toBe("2026-03-30T06:00:00.000Z");
  expect(due("Pacific/Auckland", "2026-11-22T19:00:00Z")).toBe("2026-11-22T19:00:00.000Z");
  expect(due("America/Los_Angeles", "2026-11-23T15:59:59Z")).toBe("2026-11-16T16:00:00.000Z");
});

test("a monthly report is due on the first, and is about the month before, beside the one before that", () => {
  const dueMs = lastDueMs("monthly", "America/New_York", at("2026-03-20T00:00:00Z"));
  expect(iso(dueMs)).toBe("2026-03-01T13:00:00.000Z");
  const { from, to, span, before } = periodOf("monthly", "America/New_York", dueMs);
  expect([from.toString(), to.toString()]).toEqual(["2026-02-01", "2026-02-28"]);
  expect([span, before].map(({ startMs, endMs }) => [iso(startMs), iso(endMs)])).toEqual([
    ["2026-02-01T05:00:00.000Z", "2026-03-01T04:59:59.999Z"],
    ["2026-01-01T05:00:00.000Z", "2026-02-01T04:59:59.999Z"],
  ]);
});

test("a week has seven days of the calendar, whatever its hours", () => {
  const { span } = periodOf("weekly", "Europe/Berlin", at("2026-03-30T06:00:00Z"));
  expect((span.endMs + 1 - span.startMs) / 3_600_000).toBe(7 * 24 - 1);
});

test("the same hour weeks before is that of the clock", () => {
  expect(iso(msBefore("Europe/Berlin", at("2026-03-30T06:00:00Z"), 1))).toBe("2026-03-23T07:00:00.000Z");
});
