/** When the query worker has garbage collected: now and then, and at once where half of its budget is in use. */
import { expect, test } from "bun:test";
import type { Clock } from "../../src/lib/clock.ts";
import { scratch } from "../../src/lib/memory/scratch.ts";
import { QueryWorker } from "../../src/query-worker/query-worker.ts";
import { Signals } from "../../src/query-worker/signals.ts";
import type { FileEntry } from "../../src/snapshot/manifest.ts";
import { SitePublisher } from "../../src/store/mirror/site-publisher.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { noonMs } from "../support/records.ts";
import { listOf, siteOf } from "../support/site.ts";

const values = 5_000;
/** The bytes that a list of so many values takes at the least: a count of page views and one of visitors, by value. */
const scratchMin = values * 8;

const noFile = (): FileEntry => {
  throw new Error("no chunk is in a file here");
};

/**
 * Asks for a list of many values; returns for each collection whether it was at once. `stepMs`: of each look at the clock.
 * `mappedBytes`: of files that are mapped.
 */
function collections(memoryBytes: number, stepMs: number, mappedBytes = 0): boolean[] {
  scratch.clear();
  let ms = 0;
  const clock: Clock = { nowMs: () => noonMs, monotonicMs: () => (ms += stepMs) };
  const collected: boolean[] = [];
  const options = {
    folder: "/data",
    memoryBytes,
    cacheBytes: memoryBytes / 4,
    signals: new Signals().memory,
  };
  const worker = new QueryWorker(new MemoryDisk(), clock, options, (now) => collected.push(now));
  worker["mapped"]["mappedBytes"] = mappedBytes;
  const site = siteOf(...Array.from({ length: values }, (_, at) => ({ path: `/${at}` })));
  const delta = new SitePublisher(site).next(noFile);
  const questions = [{ id: 1, question: listOf("pages") }];
  const rows: number[] = [];
  const reply = worker.handle({ kind: "ask", page: 1, delta, factsMade: 0, questions }, ({ answer }) =>
    rows.push((JSON.parse(answer?.json ?? "[]") as unknown[]).length),
  );
  expect([reply.failed, rows]).toEqual([undefined, [values]]);
  return collected;
}

test("a question that takes no time leaves its garbage to the runtime", () => {
  expect(collections(scratchMin, 0)).toEqual([]);
});

test("a long one has it collected soon, where there is room", () => {
  const collected = collections(2 ** 30, 100);
  expect(collected.length).toBeGreaterThan(0);
  expect(collected).not.toContain(true);
});

test("and at once where half of the budget is in use", () => {
  expect(collections(scratchMin, 100).at(-1)).toBe(true);
});

test("but not because mapped files take it", () => {
  const memoryBytes = 2 ** 30;
  const collected = collections(memoryBytes, 100, (7 / 8) * memoryBytes);
  expect(collected.length).toBeGreaterThan(0);
  expect(collected).not.toContain(true);
});
