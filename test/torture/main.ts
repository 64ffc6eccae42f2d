/**
 * `npm run torture [-- --only power-cuts,kills --seed 7 --rounds 1000]`: what must hold whatever the disk, the power, the
 * clock and the owner do, many times over, and prints what was found (docs/durability.md). The exit code is 1 when
 * something did not hold. The executable has to be built before. The seed repeats what is random.
 */
import { runTable } from "./run-table.ts";
import { endServers } from "./sender.ts";
import { tortures } from "./tortures.ts";

const program = {
  name: "npm run torture",
  about:
    "Tries what must hold whatever the disk, the power, the clock and the owner do (docs/durability.md).",
  table: tortures,
};
process.exit((await runTable(program, endServers)) === 0 ? 0 : 1);
