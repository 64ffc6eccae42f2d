/**
 * How much is tried. A whole run tries all that is tried for every change. `npm test` is short, because somebody waits
 * for it: it has a fifth of the rounds, some of what lists hold, and no test that needs `time` (needs.ts).
 * `FOOTFALL_ROUNDS=4 npm test` tries four times as much as a whole run.
 */
import { randomBySeed } from "./seed.ts";

/** Names the factor. Without it a run is whole. */
export const roundsVariable = "FOOTFALL_ROUNDS";
export const shortRounds = "0.2";

const factor = Number(process.env[roundsVariable] ?? 1);

export const isWhole = factor >= 1;

/** `count`: of rounds in a whole run; `least`: in any. */
export function rounds(count: number, least = 1): number {
  return Math.max(least, Math.round(count * factor));
}

/** A short run has one of so many groups of what takes long, by its seed. Exported for tests. */
export const groups = 8;

/** Whether a short run has this. A hash of the names makes groups that take about as long. */
export function isDrawn(name: string, seed: number): boolean {
  return (seed + Bun.hash.murmur32v2(name)) % groups === 0;
}

/** All of a list, or some of it in a short run: others with another seed, in their order. */
export function someOf<T>(all: readonly T[], least = 1): readonly T[] {
  let wanted = rounds(all.length, least);
  if (wanted >= all.length) return all;
  const random = randomBySeed();
  return all.filter((_, at) => {
    const isWanted = random() * (all.length - at) < wanted;
    if (isWanted) wanted--;
    return isWanted;
  });
}
