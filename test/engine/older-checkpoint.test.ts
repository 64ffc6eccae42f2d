/**
 * Damage of a file that only the newest checkpoint has, found under a running engine: the older checkpoint and the log have
 * what was in it, and stay until a start or a repair takes it from there. An engine on real files.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayMs } from "../../src/core/hit.ts";
import { systemIo, type EngineIo } from "../../src/engine/checkpoint/io.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { TestClock } from "../support/clock.ts";
import { middleOfSection } from "../support/damage.ts";
import { withFolder } from "../support/folder.ts";
import { linesOf } from "../support/log-lines.ts";
import { openFolder } from "../support/open-folder.ts";
import { imported, load, noonMs } from "../support/records.ts";
import { listOf } from "../support/site.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

const rows = 2_000;

async function open(folder: string, smallRows = 1e9) {
  const { lines, logger } = linesOf();
  const engine = await openFolder(folder, { clock: new TestClock(noonMs + 60_000), logger, smallRows });
  return { engine, lines };
}

/** Begins a folder whose newest checkpoint has a chunk that the older one lacks, and damages its file. */
async function damaged(folder: string, smallRows?: number) {
  const { engine, lines } = await open(folder, smallRows);
  await addWebsites(engine, "a.example");
  await engine.commit(load("a"));
  await engine["checkpointer"].make();
  await engine.commit(imported(Array.from({ length: rows }, (_, at) => noonMs - 60 * dayMs + at * 1_000)));
  await engine["checkpointer"].make();
  const chunks = join(folder, "chunks/1");
  const path = join(chunks, readdirSync(chunks).find((name) => /^2026-01.*\.chunk$/.test(name)) as string);
  const whole = readFileSync(path);
  const at = middleOfSection(systemDisk, path, "flags");
  writeFileSync(path, whole.with(at, whole[at]! ^ 1));
  const restore = () => writeFileSync(path, whole);
  return { engine, lines, restore, path };
}

/** An engine that finds a bit of a chunk's file flipped, if `flip` says so, as soon as a checkpoint has written it. */
async function flipping(folder: string) {
  const flip = { next: false };
  const { lines, logger } = linesOf();
  const writeCheckpoint: EngineIo["writeCheckpoint"] = async (...given) => {
    const manifest = await systemIo.writeCheckpoint(...given);
    for (const { name } of flip.next ? manifest.files.filter((file) => file.name.endsWith(".chunk")) : []) {
      const path = join(folder, name);
      const at = middleOfSection(systemDisk, path, "flags");
      writeFileSync(path, readFileSync(path).with(at, readFileSync(path)[at]! ^ 1));
    }
    flip.next = false;
    return manifest;
  };
  const clock = new TestClock(noonMs + 60_000);
  const fileMinimums = { beaconRunMin: 1, openRowsMin: 1, basedRowsMin: 1 };
  const engine = await openFolder(folder, {
    ...{ clock, logger, fileMinimums },
    io: { ...systemIo, writeCheckpoint },
  });
  await addWebsites(engine, "a.example");
  return { engine, lines, flip };
}

async function viewsOf(engine: RunningEngine): Promise<number> {
  const list = JSON.parse((await engine.ask(1, listOf("pages"))).json) as { pageviews: number }[];
  return list.reduce((sum, { pageviews }) => sum + pageviews, 0);
}

const failed = expect.stringMatching(
  /a checkpoint failed; .*is damaged or gone, but an older checkpoint and the log/,
);

describe("a damaged file that only the newest checkpoint has", () => {
  /** It selects some rows, so that facts do not answer it. */
  const filtered = {
    ...listOf("pages"),
    filters: [{ name: "path", operator: "neq", operands: ["/3"] }],
  } as const;
  const question = async (engine: RunningEngine) => {
    expect(await engine.ask(1, filtered).catch(String)).toContain("wrong section checksum");
  };
  test.each([
    ["a question", 1e9, question],
    ["a question in the Worker", 0, question],
    ["a pass over all files", 1e9, (engine: RunningEngine) => engine["scrubber"].pass()],
  ])("is made again by the next start once %s has found it, also after a clean stop", (_, smallRows, find) =>
    withFolder(async (folder) => {
      const { engine, lines } = await damaged(folder, smallRows);
      await find(engine);
      // The Worker says so after it has answered.
      await until(() => lines.some((line) => line.includes("a file is damaged")), "it is found");
      await engine.commit(load("b"));
      await engine.stop();
      // A stop on a slow disk tells that after all else.
      expect(lines.findLast((line) => !line.includes("the disk is slow"))).toEqual(failed);
      const again = await open(folder);
      expect(again.lines[0]).toContain("a damaged checkpoint was skipped");
      expect(await viewsOf(again.engine)).toBe(rows + 2);
      await again.engine.stop();
    }),
  );

  test("is made again by the next start if a pass finds that it went", () =>
    withFolder(async (folder) => {
      const { engine, path } = await damaged(folder);
      rmSync(path);
      await engine["scrubber"].pass();
      await engine.commit(load("b"));
      await engine.stop();
      const again = await open(folder);
      expect(await viewsOf(again.engine)).toBe(rows + 2);
      await again.engine.stop();
    }));

  test("hinders no checkpoint once it is back", () =>
    withFolder(async (folder) => {
      const { engine, restore } = await damaged(folder);
      await question(engine);
      await engine.commit(load("b"));
      expect(String(await engine["checkpointer"].make().catch(String))).toContain("footfall repair");
      restore();
      await engine["checkpointer"].make();
      expect(await viewsOf(engine)).toBe(rows + 2);
      await engine.stop();
    }));

  test("hinders no deletion", () =>
    withFolder(async (folder) => {
      const { engine } = await damaged(folder);
      await question(engine);
      await engine.commit(load("b"));
      await engine.purge();
      await engine.stop();
    }));

  test("hinders no checkpoint while memory has all that was in it", () =>
    withFolder(async (folder) => {
      const { engine, lines, flip } = await flipping(folder);
      await engine.commit(load("a"));
      await engine["checkpointer"].make();
      flip.next = true;
      await engine.commit(load("b"));
      await engine["checkpointer"].make();
      expect(lines.filter((line) => line.includes("a file is damaged"))).toHaveLength(1);
      await engine.commit(load("c"));
      await engine["checkpointer"].make();
      await engine.stop();
      const again = await open(folder);
      expect(again.lines).toEqual([]);
      expect(await viewsOf(again.engine)).toBe(3);
      await again.engine.stop();
    }));
});
