/**
 * Kills the process at every disk call of a life (life.ts), starts another one, which takes hits, and then cuts the power.
 * A killed process leaves bytes that were written and not synced: the next one sees them, and the disk may forget them
 * still. All that was acknowledged, before the kill and after it, is there.
 */
import { MemoryDisk } from "../support/memory-disk.ts";
import { randomFrom } from "../support/random.ts";
import { load, noonMs, valuesOf } from "../support/records.ts";
import { expectKept } from "./kept.ts";
import { Ledger, Life, openLife } from "./life.ts";
import type { Torture } from "./torture.ts";

const hitsAfter = 3;
const cutsPerKill = 2;

interface Killed {
  readonly disk: MemoryDisk;
  /** The moment of the ledger. */
  readonly now: number;
  /** The call before which the process is killed. */
  readonly call: string;
}

/** Lives once; returns the disk as the next process finds it after a kill at some of its calls. */
async function killsOfALife(random: () => number, ledger: Ledger, share: number): Promise<Killed[]> {
  const disk = new MemoryDisk();
  const killed: Killed[] = [];
  disk.onCall = () => {
    if (random() >= share) return;
    const call = `call ${disk.calls}, after ${disk.history.at(-1)}`;
    killed.push({ disk: disk.afterKill(), now: ledger.now, call });
  };
  await new Life(disk, ledger, random).run();
  return killed;
}

/** Goes on after the kill, and cuts the power. */
export async function continueAndCut(disk: MemoryDisk, ledger: Ledger, random: () => number): Promise<void> {
  const engine = await openLife(disk);
  if (engine.registry.websites.has(1))
    for (let at = 0; at < hitsAfter; at++) {
      const path = `/keep/again${at}`;
      const hit = load(`again${at}`, { timeMs: noonMs + at, values: valuesOf(path) });
      await ledger.step({ paths: [path] }, async () => (await engine.commit(hit)) === "done");
    }
  const { now } = ledger;
  // One keeps little of what was not synced, the others are chance.
  for (let cut = 0; cut < cutsPerKill; cut++)
    await expectKept(disk.crash(cut === 0 ? () => 0.1 : random), ledger, [now, now]);
}

export const killsThenCuts: Torture = {
  about: "kills at disk calls of a life, a start that takes hits, and a power cut",
  rounds: { full: 5_000, short: 60 },
  run: async ({ rounds, seed }) => {
    let [kills, lives] = [0, 0];
    for (; kills < rounds; lives++) {
      const random = randomFrom(seed + lives);
      const ledger = new Ledger();
      const found = await killsOfALife(random, ledger, rounds < 1_000 ? 0.05 : 0.5);
      for (const { disk, now, call } of found.slice(0, rounds - kills)) {
        kills++;
        await continueAndCut(disk, ledger.until(now), random).catch((cause: unknown) => {
          throw new Error(`the process was killed at ${call}`, { cause });
        });
      }
    }
    return `${kills} kills of ${lives} lives, each with a start, hits and ${cutsPerKill} power cuts: nothing acknowledged is lost`;
  },
};
