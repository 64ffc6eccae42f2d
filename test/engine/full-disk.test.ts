/** A start that finds the disk full and the last batch of the log half written. */
import { expect, test } from "bun:test";
import { readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { hitTo } from "../support/hits.ts";
import { linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { memoryIo } from "../support/memory-io.ts";
import { testWith } from "../support/needs.ts";
import { openFolder } from "../support/open-folder.ts";
import { load } from "../support/records.ts";
import { fillUp, withSmallDisk } from "../support/small-disk.ts";
import { addWebsites } from "../support/websites.ts";

const rubbish = Uint8Array.from({ length: 999 }, (_, at) => at * 37);

let { lines, logger } = linesOf();

function open(folder: string, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  ({ lines, logger } = linesOf("warn"));
  return openFolder(folder, { logger, ...more });
}

async function fill(engine: RunningEngine): Promise<void> {
  await addWebsites(engine, "a.example");
  for (let at = 0; at < 5; at++) await engine.commit(load(`b${at}`));
}

const hit = (engine: RunningEngine, b: string) =>
  hitTo(engine, { b, u: "https://a.example/", p: true, q: false });
const rowsIn = (engine: RunningEngine) =>
  engine
    .site(1)!
    .chunks.values()
    .reduce((sum, { rows }) => sum + rows, 0);

test("is a start: the half stays where it is, and each hit is counted once", async () => {
  const before = new MemoryDisk();
  const first = await open("/data", { io: memoryIo(before) });
  await fill(first);
  let disk = before.clone();
  const segment = [...disk.files.keys()].find((path) => path.endsWith(".wal"))!;
  const whole = disk.size(segment);
  disk.put(segment, new Uint8Array([...disk.read(segment), ...rubbish]));
  for (const round of [1, 2]) {
    disk = disk.clone();
    disk.fillAt(1, Infinity);
    const engine = await open("/data", { io: memoryIo(disk) });
    // The next segment says where this one ends.
    expect(lines.join().includes("incomplete bytes stay where they are, because the disk is full")).toBe(
      round === 1,
    );
    expect([...disk.files.keys()].filter((path) => path.includes("torn"))).toEqual([]);
    expect(disk.size(segment)).toBe(whole + rubbish.length);
    expect(rowsIn(engine)).toBe(4 + round);
    expect(hit(engine, "refused")).rejects.toThrow();
    disk.fillAt(Infinity, 0);
    expect(await hit(engine, `later-${round}`)).toEqual({ accepted: true });
  }
  disk = disk.clone();
  const engine = await open("/data", { io: memoryIo(disk) });
  expect(lines).toEqual([]);
  expect(rowsIn(engine)).toBe(7);
  await engine.stop();
});

testWith("mount", "is one on a real disk, too, without a name in the lock", () =>
  withSmallDisk(async (top) => {
    const [folder, ballast] = [join(top, "data"), join(top, "ballast")];
    const first = await open(folder);
    await fill(first);
    await first.stop();
    const segment = join(folder, "wal", readdirSync(join(folder, "wal")).sort().at(-1)!);
    // The end of the log is the record of the stop: without it, the tail is that of a crash.
    truncateSync(segment, Bun.file(segment).size - 1);
    truncateSync(join(folder, "LOCK"), 0);
    fillUp(ballast);
    const engine = await open(folder);
    expect(lines.join()).toContain("incomplete bytes stay where they are, because the disk is full");
    expect(open(folder)).rejects.toThrow(`${folder} is in use by another process`);
    rmSync(ballast);
    expect(await hit(engine, "later")).toEqual({ accepted: true });
    await engine.stop();
    const again = await open(folder);
    expect(rowsIn(again)).toBe(6);
    await again.stop();
  }),
);
