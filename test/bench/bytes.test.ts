/** Holds the documentation's figures of the disk: 26 to 29 bytes a page view, nine of them for visits, and 14 to 23 more in facts. */
import { expect, test } from "bun:test";
import { addPageView, endMs, pageViews } from "../../bench/data.ts";
import { buildFacts } from "../../src/facts/making/build.ts";
import { lookUps } from "../../src/query/names/look-ups.ts";
import { encodedBytes } from "../../src/snapshot/section.ts";
import { chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import { saveChunk } from "../../src/store/files/save-chunk.ts";
import { Site } from "../../src/store/state/site.ts";
import { mergeAll } from "../support/some-facts.ts";

test("a page view takes 26 to 29 bytes, and 14 to 23 more in facts", () => {
  const site = new Site(1);
  // The first days of a website with ten million a year: four full chunks.
  for (const row of pageViews(10_000_000).take(4 * chunkRowsMax)) addPageView(site, row);
  site.seal(endMs);
  const bytesPerRow = () => {
    const chunks = [...site.chunks.values()];
    const sum = (of: (chunk: (typeof chunks)[number]) => number) =>
      chunks.reduce((all, chunk) => all + of(chunk), 0) / (4 * chunkRowsMax);
    const rows = sum((chunk) => encodedBytes(saveChunk(chunk)));
    return {
      chunks: chunks.length,
      rows,
      facts: sum((chunk) => encodedBytes(buildFacts(site, chunk, lookUps))),
    };
  };
  const parts = bytesPerRow();
  mergeAll(site, endMs);
  const merged = bytesPerRow();
  expect([parts.chunks, merged.chunks]).toEqual([4, 1]);
  for (const { rows, facts } of [parts, merged]) {
    expect(rows).toBeGreaterThan(26);
    expect(rows).toBeLessThan(29);
    expect(facts).toBeGreaterThan(14);
    expect(facts).toBeLessThan(23);
  }
});
