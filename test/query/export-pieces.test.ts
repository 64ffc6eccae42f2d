/** The pieces of an export: how long they may be, and that each page view is in one of them. */
import { expect, test } from "bun:test";
import type { ExportPlace } from "../../src/core/questions/exported.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { answerExport } from "../../src/query/export/lines.ts";
import type { Site } from "../../src/store/state/site.ts";
import { noonMs } from "../support/records.ts";
import { addView, everything, siteOf } from "../support/site.ts";

function piecesOf(site: Site): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from: ExportPlace | undefined;
  do {
    const query = { ...everything, list: "export", of: "page-views", format: "jsonl", from } as const;
    const { bytes, next } = answerExport(query, new QueryContext(site));
    pieces.push(bytes);
    from = next;
  } while (from !== undefined);
  return pieces;
}

test("long page views of one millisecond come in several pieces, each of them once", () => {
  const site = siteOf();
  const value = "v".repeat(2_000);
  for (let view = 0; view < 200; view++) {
    const properties = Array.from({ length: 30 }, (_, at) => [`${at}`, `${value} ${at}`] as const);
    addView(site, { timeMs: noonMs, path: `/${view}`, properties });
  }
  const pieces = piecesOf(site);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2 ** 22 + 2 ** 17);
  const lines = Buffer.concat(pieces).toString().trim().split("\n");
  const paths = lines.map((line) => (JSON.parse(line) as { path: string }).path);
  expect(paths).toEqual(Array.from({ length: 200 }, (_, view) => `/${view}`));
});

test("short page views of one millisecond come in one piece", () => {
  const site = siteOf();
  for (let view = 0; view < 1_024; view++) addView(site, { timeMs: noonMs, path: `/${view}` });
  addView(site, { timeMs: noonMs + 1, path: "/later" });
  expect(piecesOf(site).map((piece) => Buffer.from(piece).toString().trim().split("\n").length)).toEqual([
    1_024, 1,
  ]);
});
