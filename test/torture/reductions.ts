/**
 * Kills a process with -9 while months give up their rows, at moments of chance. After each kill the folder is whole and has
 * the answers that it had; the next process goes on to the end, and no file of a chunk is left of these months then.
 */
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkFolder } from "../../src/engine/opening/check-folder.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { assert } from "../../src/lib/assert.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { TestClock } from "../support/clock.ts";
import { withFolder } from "../support/folder.ts";
import { openFolder } from "../support/open-folder.ts";
import { randomFrom } from "../support/random.ts";
import { imported } from "../support/records.ts";
import { listOf } from "../support/site.ts";
import { addWebsites } from "../support/websites.ts";
import type { Torture } from "./torture.ts";

const aprilMs = Date.UTC(2026, 3, 20);
const viewsOfAMonth = 3_000;
const monthsReduced = /\/2026-0[12]-[^/]*\.month$/;
const chunksOfThose = /\/2026-0[12]-[^/]*\.(chunk|changes)$/;

function open(folder: string): Promise<RunningEngine> {
  return openFolder(folder, { clock: new TestClock(aprilMs) });
}

/** Page views of January, February and March, all in files of sealed chunks. */
async function fill(folder: string): Promise<void> {
  const engine = await open(folder);
  await addWebsites(engine, "a.example");
  for (const month of [0, 1, 2]) {
    const times = Array.from(
      { length: viewsOfAMonth },
      (_, at) => Date.UTC(2026, month, 1) + at * ((27 * 86_400_000) / viewsOfAMonth),
    );
    await engine.commit(imported(times.map(Math.floor), { file: `${month}.log` }));
  }
  await engine.purge();
  await engine.stop();
}

async function answersIn(folder: string): Promise<string[]> {
  const engine = await open(folder);
  engine.check();
  const asked = ["pages", "referrers", "browsers", "countries", "channels"] as const;
  const answers = await Promise.all(asked.map((list) => engine.ask(1, listOf(list))));
  await engine.stop();
  return answers.map(({ json }) => json);
}

function filesIn(folder: string, like: RegExp): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).filter((name) => like.test(`/${name}`));
}

function expectSound(folder: string): void {
  const onFault = (fault: string) => assert(false, fault);
  checkFolder({ disk: systemDisk, folder, files: undefined, onFault, onProgress() {} });
}

/** Reduces the months in another process, and kills it after `killedAfterMs`; returns how long it took to its end. */
async function reduce(folder: string, killedAfterMs = Infinity): Promise<number> {
  const script = join(import.meta.dir, "reducing.ts");
  const child = Bun.spawn([process.execPath, script, folder, String(aprilMs)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const reader = child.stdout.getReader();
  await reader.read();
  const began = performance.now();
  if (killedAfterMs < Infinity) {
    await Bun.sleep(killedAfterMs);
    child.kill("SIGKILL");
  } else await reader.read();
  const took = performance.now() - began;
  await child.exited;
  return took;
}

export const reductions: Torture = {
  about: "a process killed with -9 while months give up their rows",
  rounds: { full: 300, short: 2 },
  run: ({ rounds, seed }) =>
    withFolder(async (top) => {
      const random = randomFrom(seed);
      const [filled, work] = [join(top, "filled"), join(top, "work")];
      mkdirSync(filled);
      await fill(filled);
      const expected = await answersIn(filled);
      cpSync(filled, work, { recursive: true });
      const wholeMs = await reduce(work);
      let [midst, done] = [0, 0];
      for (let round = 0; round < rounds; round++) {
        const folder = join(top, `round ${round}`);
        cpSync(filled, folder, { recursive: true });
        await reduce(folder, random() * wholeMs);
        const reduced = filesIn(folder, monthsReduced).length;
        if (reduced > 0 && filesIn(folder, chunksOfThose).length > 0) midst++;
        else if (reduced > 0) done++;
        assert(Bun.deepEquals(await answersIn(folder), expected), `round ${round}: other answers`);
        expectSound(folder);
        await reduce(folder);
        assert(Bun.deepEquals(await answersIn(folder), expected), `round ${round}: other answers at the end`);
        expectSound(folder);
        assert(filesIn(folder, monthsReduced).length === 2, "both months gave up their rows");
        assert(filesIn(folder, chunksOfThose).length === 0, "no file has the rows any more");
        rmSync(folder, { recursive: true });
      }
      return `${rounds} kills, ${midst} of them in the midst and ${done} near the end: the same answers after each, and no rows left`;
    }),
};
