/** An export during which chunks are merged, or page views are removed, has each page view once. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { exported } from "../../src/engine/admin/export.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { Site } from "../../src/store/state/site.ts";
import { TestClock } from "../support/clock.ts";
import { useFolder } from "../support/folder.ts";
import { openFolder } from "../support/open-folder.ts";
import { imported, valuesOf } from "../support/records.ts";
import { addWebsites } from "../support/websites.ts";

const top = useFolder();

const nowMs = Date.UTC(2026, 6, 15);
const secondMs = Date.UTC(2026, 2, 3, 12);

/** Opens an engine with one page view that is later than all others, so that an export has another piece. */
async function opened(name: string): Promise<RunningEngine> {
  const engine = await openFolder(join(top, name), { clock: new TestClock(nowMs) });
  await addWebsites(engine, "a.example");
  await importFile(engine, "later", 1, secondMs + 1_000);
  return engine;
}

/** Imports page views of one second, whose paths begin with the file's name, into a chunk of their own. */
async function importFile(
  engine: RunningEngine,
  file: string,
  count: number,
  timeMs = secondMs,
): Promise<void> {
  const loads = Array.from({ length: count }, (_, at) => ({
    timeMs,
    unique: false,
    seen: false,
    values: valuesOf(`/${file}/${at}`),
  }));
  await engine.commit(imported([], { timeMs: nowMs, loads, file, fromPosition: 0, position: count }));
  await engine.purge();
}

const rowsOfChunks = (engine: RunningEngine) =>
  [...(engine.site(1) as Site).chunks.values()].map(({ rows }) => rows);

/** Calls `between` behind the first piece, and returns all paths in their order. */
async function exportedPaths(engine: RunningEngine, between: () => Promise<void>): Promise<string[]> {
  const period = { startMs: -Infinity, endMs: Infinity };
  const pieces: Uint8Array[] = [];
  for await (const bytes of exported(engine, { websiteId: 1, of: "page-views", ending: "jsonl", period })) {
    if (pieces.push(bytes) === 1) await between();
  }
  expect(pieces.length).toBeGreaterThan(1);
  const lines = Buffer.concat(pieces).toString().trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { path: string }).path);
}

test("a merge that passes over a chunk repeats and skips no page view", async () => {
  const engine = await opened("merged");
  // The second has too many to be merged with the others, and the first piece ends among them.
  for (const [file, count] of Object.entries({ one: 100, two: 500, three: 100 }))
    await importFile(engine, file, count);
  expect(rowsOfChunks(engine)).toEqual([1, 100, 500, 100]);
  const paths = await exportedPaths(engine, async () => {
    for (let time = 0; time < 3; time++) await engine.purge();
    expect(rowsOfChunks(engine)).toEqual([201, 500]);
  });
  expect(new Set(paths).size).toBe(701);
  expect(paths.length).toBe(701);
  await engine.stop();
});

test("a removal of page views that were passed on skips none of the others", async () => {
  const engine = await opened("removed");
  await importFile(engine, "one", 700);
  const path = Array.from({ length: 100 }, (_, at) => `/one/${at}`);
  const paths = await exportedPaths(engine, async () => {
    await engine.commit({
      kind: "rowsRemoved",
      timeMs: nowMs,
      websiteId: 1,
      startMs: null,
      endMs: null,
      having: [{ name: "path", values: path }],
    });
    await engine.purge();
  });
  expect(paths.length).toBe(701);
  await engine.stop();
});
