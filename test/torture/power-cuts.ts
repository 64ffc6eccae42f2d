/**
 * Cuts the power at every disk call of a life (life.ts), and again at a call of the recovery. What the disk has forgotten
 * is chance: any name, any sector. Every such disk starts, has what was acknowledged, and counts nothing twice.
 */
import { assert } from "../../src/lib/assert.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { randomFrom } from "../support/random.ts";
import { expectBackup, expectKept } from "./kept.ts";
import { Ledger, Life } from "./life.ts";
import type { Torture } from "./torture.ts";

/** The calls of a recovery, of which one is the last before the power goes again. */
const recoveryCalls = 60;

interface CrashState {
  readonly disk: MemoryDisk;
  /** The moment of the ledger. */
  readonly now: number;
  /** The call before which the power goes. */
  readonly call: string;
}

/** Lives once; returns the disk as each call of the life may find it after a power cut. */
async function statesOfALife(random: () => number, ledger: Ledger): Promise<CrashState[]> {
  const disk = new MemoryDisk();
  const states: CrashState[] = [];
  const note = () =>
    states.push({
      disk: disk.crash(random),
      now: ledger.now,
      call: `call ${disk.calls}, after ${disk.history.at(-1)}`,
    });
  disk.onCall = note;
  await new Life(disk, ledger, random).run();
  note();
  assert(
    disk.history.some((call) => call.includes(".month")),
    "a month gave up its rows",
  );
  return states;
}

/** Verifies one state, and the one of another power cut on the way. Returns how many that were. */
async function verify(
  { disk, now, call }: CrashState,
  ledger: Ledger,
  random: () => number,
): Promise<number> {
  const cutAt = 1 + Math.floor(random() * recoveryCalls);
  let again: MemoryDisk | undefined;
  disk.onCall = () => {
    if (disk.calls === cutAt) again = disk.crash(random);
  };
  try {
    const kind = random() < 0.5 ? "archive" : "store";
    if (random() < 0.2) await expectBackup(disk.crash(random), ledger, now, kind);
    await expectKept(disk, ledger, [now, now]);
    if (again === undefined) return 1;
    await expectKept(again, ledger, [now, now]);
    return 2;
  } catch (error) {
    throw new Error(`the power was cut at ${call}, and at call ${cutAt} of the recovery`, { cause: error });
  }
}

export const powerCuts: Torture = {
  about: "power cuts at every disk call, and again during the recovery",
  rounds: { full: 100_000, short: 120 },
  run: async ({ rounds, seed }) => {
    let [states, lives] = [0, 0];
    for (; states < rounds; lives++) {
      const random = randomFrom(seed + lives);
      const ledger = new Ledger();
      const found = await statesOfALife(random, ledger);
      // Fewer than a life has are chosen by chance.
      const share = Math.max(1, found.length / rounds);
      for (let at = 0; at < found.length && states < rounds; at += 1 + Math.floor(random() * 2 * (share - 1)))
        states += await verify(found[at] as CrashState, ledger, random);
    }
    return `${states} crash states of ${lives} lives: all start, nothing acknowledged is lost, nothing counted twice`;
  },
};
