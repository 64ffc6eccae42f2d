/** Runs a table of tortures with the executable, as the command line says, and prints what each of them found. */
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { isThere } from "../support/needs.ts";
import { optionsOf } from "../support/options.ts";
import type { Torture } from "./torture.ts";

interface TableProgram {
  /** The command, such as `npm run torture`. */
  readonly name: string;
  readonly about: string;
  readonly table: Readonly<Record<string, Torture>>;
  /** Whether some of them take an older executable. */
  readonly takesOlder?: boolean;
}

/** Returns how many failed. `after` is called behind each of them. */
export async function runTable(
  { name: program, about, table, takesOlder = false }: TableProgram,
  after: () => Promise<void> = async () => {},
): Promise<number> {
  const values = optionsOf({
    name: program,
    about,
    table: {
      only: {
        value: "NAMES",
        words: Object.keys(table),
        about: "Runs only these, with commas between them.",
      },
      seed: { value: "N", about: "Repeats what is random; a run prints its own." },
      rounds: { value: "N", about: "So many rounds of each, in place of its own number." },
      full: { about: "The whole load, though --rounds is given." },
      ...(takesOlder && {
        older: {
          value: "PATH",
          about: "The older executable of an upgrade, in place of an earlier revision.",
        },
      }),
    },
  });
  const command = [join(import.meta.dir, "..", "..", "dist", "footfall")];
  const seed = Number(values.seed ?? Math.floor(Math.random() * 0xffffffff));
  console.log(`--seed ${seed}, on ${cpus().length} × ${cpus()[0]?.model}`);
  let failed = 0;
  for (const name of values.only?.split(",") ?? Object.keys(table)) {
    const torture = table[name] as Torture;
    if (torture.needs !== undefined && !isThere(torture.needs)) {
      console.log(`${name}: left out, for want of ${torture.needs}`);
      continue;
    }
    const rounds = Number(values.rounds ?? torture.rounds.full);
    const startMs = performance.now();
    const result = await torture
      .run({
        rounds,
        seed,
        command,
        isFull: values.full || values.rounds === undefined,
        ...(typeof values.older === "string" && { older: [resolve(values.older)] }),
      })
      .catch((error: unknown) => {
        failed++;
        return `FAILED with --seed ${seed}: ${Bun.inspect(error)}`;
      });
    await after();
    console.log(`${name}: ${result} (${((performance.now() - startMs) / 1_000).toFixed(1)} s)`);
  }
  return failed;
}
