/** Runs a table of tortures with the executable, as the command line says, and prints what each of them found. */
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isThere } from "../support/needs.ts";
import type { Torture } from "./torture.ts";

/** Returns how many failed. `after` is called behind each of them. */
export async function runTable(
  table: Readonly<Record<string, Torture>>,
  after: () => Promise<void> = async () => {},
): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      seed: { type: "string" },
      rounds: { type: "string" },
      full: { type: "boolean" },
    },
  });
  const command = [join(import.meta.dir, "..", "..", "dist", "footfall")];
  const seed = Number(values.seed ?? Math.floor(Math.random() * 0xffffffff));
  console.log(`--seed ${seed}, on ${cpus().length} × ${cpus()[0]?.model}`);
  let failed = 0;
  for (const name of values.only?.split(",") ?? Object.keys(table)) {
    const torture = table[name];
    if (torture === undefined)
      throw new Error(`nothing is called ${name}; there are ${Object.keys(table).join(", ")}`);
    if (torture.needs !== undefined && !isThere(torture.needs)) {
      console.log(`${name}: left out, for want of ${torture.needs}`);
      continue;
    }
    const rounds = Number(values.rounds ?? torture.rounds.full);
    const startMs = performance.now();
    const result = await torture
      .run({ rounds, seed, command, isFull: values.full ?? values.rounds === undefined })
      .catch((error: unknown) => {
        failed++;
        return `FAILED with --seed ${seed}: ${Bun.inspect(error)}`;
      });
    await after();
    console.log(`${name}: ${result} (${((performance.now() - startMs) / 1_000).toFixed(1)} s)`);
  }
  return failed;
}
