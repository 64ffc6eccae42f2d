/** A check of millions of rows finds what is wrong, and takes no memory for those that are right. */
import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { Site } from "../../src/store/state/site.ts";
import { noonMs, valuesOf } from "../support/records.ts";

function siteOf(rows: number): Site {
  const site = new Site(1);
  const values = valuesOf("/page");
  for (let at = 0; at < rows; at++) site.addRow(noonMs + at, values, 0, {});
  return site;
}

test("rows that are right leave no garbage", () => {
  const site = siteOf(200_000);
  Bun.gc(true);
  const before = heapStats().heapCapacity;
  site.check();
  // A text for each rule and row would be 12 MB at any time.
  expect(heapStats().heapCapacity - before).toBeLessThan(2 * 1024 * 1024);
});

test("a row that is wrong is named", () => {
  const site = siteOf(10);
  const [chunk] = site.chunks.values();
  chunk!.flags[3] = 255;
  expect(() => site.check()).toThrow("row 3: known flags");
  chunk!.flags[3] = 0;
  chunk!.ids.path.values[7] = 60_000;
  expect(() => site.check()).toThrow("path, row 7: known id");
});
