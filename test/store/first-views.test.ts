/** First views that are removed: the answers are tested against the model (removal-model.test.ts), here what is kept meanwhile. */
import { expect, test } from "bun:test";
import { rowEdit } from "../../src/store/columns/row-edits.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { FirstViews } from "../../src/store/state/removal/first-views.ts";
import { Site } from "../../src/store/state/site.ts";
import { noonMs, valuesOf } from "../support/records.ts";

test("of millions of removed page views only those are remembered that a kept one may follow", () => {
  const site = new Site(1);
  const rows = 5_000;
  const first = rowFlag.unique | rowFlag.first;
  for (let row = 0; row < rows; row++) site.addRow(noonMs + row, valuesOf(`/${row}`), first);
  // The last one is kept: another visitor's, or the next page view of one whose first is removed.
  const { chunk, row } = site.addRow(noonMs + rows, valuesOf("/7"), 0);
  const edits = new Uint8Array(rows + 1).fill(rowEdit.remove, 0, rows);
  const firsts = new FirstViews(site);
  firsts.noteDays(chunk, edits, 0, rows + 1);
  firsts.noteLater(chunk, edits, 0, rows + 1);
  firsts.noteRemoved(chunk, edits, 0, rows + 1);
  const [day] = firsts["days"].values();
  expect(day?.visitors.size).toBe(1);
  // Two pages may have the same hash, though hardly ever.
  expect(day?.pages.size).toBeWithin(1, 5);
  firsts.noteKept(chunk, edits, 0, rows + 1);
  expect(firsts.next.map((next) => [next.row, next.edit])).toEqual([
    [row, rowEdit.first],
    [row, rowEdit.unique],
  ]);
});
