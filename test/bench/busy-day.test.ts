import { expect, test } from "bun:test";
import { benchBusyDay, busyDayTable } from "../../bench/busy-day.ts";
import { useExecutable } from "../support/executable.ts";

const executable = useExecutable();

test("a busy day is on the disk without its log, and its hits find their page views after a start", async () => {
  const options = { rows: 2_000, starts: 1, waitMs: 0, checkpointRecords: 1_000, executable };
  const result = await benchBusyDay(options);
  for (const kind of ["chunk", "site", "state", "manifest"]) expect(result.disk.get(kind)).toBeGreaterThan(0);
  expect(result.disk.has("wal")).toBeFalse();
  for (const ms of [result.emptyMs, result.busyMs]) expect(ms).toBeGreaterThan(0);
  expect(result.hitsMb).toBeGreaterThan(result.emptyMb);
  expect(busyDayTable(result)).toContain("on the disk without the log, MB");
});
