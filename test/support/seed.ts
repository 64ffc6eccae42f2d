import { randomFrom } from "./random.ts";

let chosen: number | undefined;

/** The seed of this run's random tests: FOOTFALL_SEED, or chance; printed once, so that a failure can be repeated. */
export function seed(): number {
  if (chosen === undefined) {
    const given = process.env["FOOTFALL_SEED"];
    chosen = given === undefined ? Math.floor(Math.random() * 0xffffffff) : Number(given);
    console.log(`FOOTFALL_SEED=${chosen}`);
  }
  return chosen;
}

/** Numbers from 0 up to 1 that the seed of this run repeats: each call begins anew. */
export function randomBySeed(): () => number {
  return randomFrom(seed());
}
