/**
 * A bit that flips in a file which the first hit reads: the start finds it, and takes the older checkpoint, or does without
 * that website alone. An engine on real files.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileMinimums } from "../../src/engine/checkpoint/file-minimums.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { TestClock } from "../support/clock.ts";
import { withFolder } from "../support/folder.ts";
import { hitTo } from "../support/hits.ts";
import { linesOf } from "../support/log-lines.ts";
import { openFolder } from "../support/open-folder.ts";
import { load, noonMs, unload } from "../support/records.ts";
import { refusalOf } from "../support/refusals.ts";
import { listOf } from "../support/site.ts";
import { addWebsites } from "../support/websites.ts";

const fileMinimums: FileMinimums = { beaconRunMin: 20, openRowsMin: 50, basedRowsMin: 1e9 };

async function open(folder: string): Promise<{ engine: RunningEngine; lines: string[] }> {
  const { lines, logger } = linesOf();
  const clock = new TestClock(noonMs + 60_000);
  return { engine: await openFolder(folder, { clock, logger, fileMinimums }), lines };
}

/** Page views of both websites. */
async function take(engine: RunningEngine, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++)
    for (const websiteId of [1, 2])
      await engine.commit(load(`${websiteId}-${at}`, { websiteId, timeMs: noonMs + at }));
}

/** Fills a folder with a checkpoint that has 60 page views of each website, and a newer one that has 90. */
async function fill(folder: string): Promise<RunningEngine> {
  const { engine } = await open(folder);
  await addWebsites(engine, "1.example", "2.example");
  await take(engine, 0, 60);
  await engine["checkpointer"].make();
  await take(engine, 60, 90);
  await engine["checkpointer"].make();
  return engine;
}

/** The files of a kind, the newest last. */
function filesOf(folder: string, directory: string, suffix: string): string[] {
  const names = readdirSync(join(folder, directory)).filter((name) => name.endsWith(suffix));
  const inOrder = names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return inOrder.map((name) => join(folder, directory, name));
}

/** Flips a bit in the middle of each file. Returns what puts them back. */
function damage(...files: readonly string[]): () => void {
  const whole = files.map((file) => [file, readFileSync(file)] as const);
  for (const [file, bytes] of whole) {
    const damaged = Buffer.from(bytes);
    damaged[damaged.length >> 1]! ^= 1;
    writeFileSync(file, damaged);
  }
  return () => {
    for (const [file, bytes] of whole) writeFileSync(file, bytes);
  };
}

async function viewsOf(engine: RunningEngine, websiteId: number): Promise<number> {
  const rows = JSON.parse((await engine.ask(websiteId, listOf("pages"))).json) as { pageviews: number }[];
  return rows.reduce((sum, { pageviews }) => sum + pageviews, 0);
}

const hit = (engine: RunningEngine, body: object) => hitTo(engine, body);

async function expectAllTaken(folder: string): Promise<void> {
  const { engine, lines } = await open(folder);
  expect(lines).toEqual([expect.stringContaining("a damaged checkpoint was skipped")]);
  for (const websiteId of [1, 2]) {
    const body = { b: `new-${websiteId}`, u: `https://${websiteId}.example/`, p: true };
    expect(await hit(engine, body)).toEqual({ accepted: true });
    expect(await viewsOf(engine, websiteId)).toBe(91);
  }
  engine.check();
  await engine.stop();
}

const kinds = [
  ["a chunk that still changes", "chunks/1", ".chunk"],
  ["the changes of one", "chunks/1", ".changes"],
  ["beacons", "beacons", ".beacons"],
] as const;

describe.each(kinds)("in the newest checkpoint's file of %s", (_, directory, suffix) => {
  /** Makes a checkpoint that has changes beside a chunk, if they are to be damaged. */
  const changed = async (engine: RunningEngine) => {
    if (suffix !== ".changes") return;
    await engine.commit(unload("1-1", { timeMs: noonMs + 100, visibleMs: 5 }));
    await engine["checkpointer"].make();
  };
  const damageNewest = (folder: string) => damage(filesOf(folder, directory, suffix).at(-1) as string);

  test("after a stop: the older one is used, and every hit is taken", () =>
    withFolder(async (folder) => {
      const engine = await fill(folder);
      await changed(engine);
      await engine.stop();
      damageNewest(folder);
      await expectAllTaken(folder);
    }));

  test("after a crash, with log that needs the file: the same", () =>
    withFolder(async (folder) => {
      const engine = await fill(folder);
      await changed(engine);
      await engine.commit(unload("1-2", { timeMs: noonMs + 130, visibleMs: 6 }));
      await withFolder(async (copy) => {
        Bun.spawnSync(["cp", "-r", `${folder}/.`, copy]);
        damageNewest(copy);
        await expectAllTaken(copy);
      });
      await engine.stop();
    }));
});

test("in files of both checkpoints: that website alone is unavailable, and has everything once they are back", () =>
  withFolder(async (folder) => {
    await fill(folder).then((engine) => engine.stop());
    const restore = damage(...filesOf(folder, "chunks/1", ".chunk"));
    const { engine, lines } = await open(folder);
    expect(lines).toEqual([expect.stringContaining("a website is unavailable")]);
    expect((await refusalOf(() => engine.ask(1, listOf("pages")))).message).toContain(
      "this website is unavailable",
    );
    for (const websiteId of [1, 2])
      expect(
        await hit(engine, { b: `new-${websiteId}`, u: `https://${websiteId}.example/`, p: true }),
      ).toEqual({
        accepted: true,
      });
    expect(await viewsOf(engine, 2)).toBe(91);
    await engine.stop();
    restore();
    const again = await open(folder);
    for (const websiteId of [1, 2]) expect(await viewsOf(again.engine, websiteId)).toBe(91);
    again.engine.check();
    await again.engine.stop();
  }));
