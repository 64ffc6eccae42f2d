/**
 * Fails the n-th call of a life (life.ts), each in turn, with each error, once and for good. Nothing is acknowledged that
 * is not kept; memory and log say the same; a check of the folder finds nothing.
 */
import { checkFolder } from "../../src/engine/opening/check-folder.ts";
import { dumpLines } from "../../src/engine/dump.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { assert } from "../../src/lib/assert.ts";
import { dumpOf } from "../support/dump.ts";
import { MemoryDisk, type Fault } from "../support/memory-disk.ts";
import { randomFrom } from "../support/random.ts";
import { load, valuesOf } from "../support/records.ts";
import { expectKept } from "./kept.ts";
import { Ledger, Life, openLife } from "./life.ts";
import type { Torture } from "./torture.ts";

/** A write that is cut short has written so much. */
const shortBytes = 7;
const errors: readonly Omit<Fault, "call" | "forGood">[] = [
  { code: "EIO" },
  { code: "ENOSPC" },
  { code: "EMFILE" },
  { code: "ENOSPC", writtenBytes: shortBytes },
];
const faultsPerCall = errors.length * 2;

/** The numbers of the calls of a life, but of those that do the same with the same file one after the other only the first and last. */
async function callsOfALife(random: () => number): Promise<number[]> {
  const disk = new MemoryDisk();
  await new Life(disk, new Ledger(), random).run();
  const { history } = disk;
  const isOne = (at: number) => history[at] !== history[at - 1] || history[at] !== history[at + 1];
  return history
    .keys()
    .filter(isOne)
    .map((at) => at + 1)
    .toArray();
}

/** Takes one more hit, after which the log goes on, and asserts that the state in memory is that of the files. */
async function expectSame(engine: RunningEngine, disk: MemoryDisk, ledger: Ledger): Promise<void> {
  const path = "/keep/last";
  await ledger.step({ paths: [path] }, async () => {
    const outcome = await engine.commit(load("last", { values: valuesOf(path) }));
    return outcome === "done";
  });
  engine.check();
  const memory = [...dumpLines(engine["state"])];
  assert(Bun.deepEquals(memory, dumpOf(disk)), "memory differs from the log");
}

function expectSound(disk: MemoryDisk): void {
  const onFault = (fault: string) => assert(false, fault);
  checkFolder({ disk, folder: "/data", files: undefined, onFault, onProgress() {} });
}

/** Lives with the fault, then mends the disk: the engine goes on if it still runs, or starts again. */
async function liveWith(fault: Fault, random: () => number): Promise<void> {
  const disk = new MemoryDisk();
  const ledger = new Ledger();
  disk.failAt(fault);
  const life = new Life(disk, ledger, random);
  await life.run().catch(() => {});
  disk.failAt(undefined);
  const engine = await openLife(disk);
  await expectSame(engine, disk, ledger);
  // A sync that failed has dropped what the next process still saw.
  await expectKept(disk.crash(random), ledger, [ledger.now, ledger.now]);
  await engine.purge();
  await engine.stop();
  expectSound(disk);
  assert(disk.openFiles.length === 0, `${disk.openFiles.join(" ")} left open`);
  const { now } = ledger;
  await expectKept(disk.crash(random), ledger, [now, now]);
}

export const failures: Torture = {
  about: "a disk call that fails, each in turn, with each error, once and for good",
  rounds: { full: Infinity, short: 10 },
  run: async ({ rounds, seed }) => {
    const random = randomFrom(seed);
    const calls = await callsOfALife(random);
    const all = calls.length * faultsPerCall;
    const count = Math.min(rounds, all);
    for (let round = 0; round < count; round++) {
      const chosen = count === all ? round : Math.floor(random() * all);
      const kind = chosen % faultsPerCall;
      const error = errors[kind >> 1] as (typeof errors)[number];
      const fault = {
        ...error,
        call: calls[Math.floor(chosen / faultsPerCall)] as number,
        forGood: kind % 2 === 1,
      };
      await liveWith(fault, randomFrom(seed + round)).catch((cause: unknown) => {
        throw new Error(`with ${JSON.stringify(fault)}`, { cause });
      });
    }
    return `${count} of ${all} failures of ${calls.length} calls: no false 200, memory as the log, the check finds nothing`;
  },
};
