/** What the README says of the disk: 17 to 20 bytes a page view, and 22 to 26 more in aggregates. */
import { expect, test } from "bun:test";
import { addPageView, endMs, pageViews } from "../../bench/data.ts";
import { encodedBytes } from "../../src/snapshot/section.ts";
import { chunkRowsMax } from "../../src/store/chunk.ts";
import { aggregatesOf } from "../../src/store/chunk-aggregates.ts";
import { monthAggregates } from "../../src/store/month-aggregates.ts";
import { saveChunk } from "../../src/store/save-chunk.ts";
import { Site } from "../../src/store/site.ts";
import { madeOf } from "../support/some-aggregates.ts";

test("a page view takes 17 to 20 bytes, and 22 to 26 more once it is added up", () => {
  const site = new Site(1);
  // The first days of a website with ten million a year: four full chunks.
  for (const row of pageViews(10_000_000).take(4 * chunkRowsMax)) addPageView(site, row);
  site.seal(endMs);
  const chunks = [...site.chunks.values()];
  expect(chunks.map(({ rows, sealed }) => [rows, sealed])).toEqual(Array(4).fill([chunkRowsMax, true]));
  const expectPerRow = (bytes: number, least: number, most: number) => {
    expect(bytes / (4 * chunkRowsMax)).toBeGreaterThan(least);
    expect(bytes / (4 * chunkRowsMax)).toBeLessThan(most);
  };
  expectPerRow(
    chunks.reduce((sum, chunk) => sum + encodedBytes(saveChunk(chunk)), 0),
    17,
    20,
  );
  const ofChunks = chunks.reduce((sum, chunk) => sum + encodedBytes(aggregatesOf(site, chunk)), 0);
  const making = monthAggregates(site, chunks, (chunk) => madeOf(site, chunk));
  let step = making.next();
  while (!step.done) step = making.next();
  expectPerRow(ofChunks + encodedBytes(step.value), 22, 26);
});
