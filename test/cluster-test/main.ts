/**
 * `npm run cluster-test [-- --only faults --seed 7 --rounds 9 --full --older PATH]`: three machines, each with a nats-server and a node,
 * under load, while whatever can fail fails; prints what was found (docs/cluster.md). `--rounds` alone is a small load,
 * `--full` the whole one. The exit code is 1 when something did not hold. The executable has to be built before.
 */
import { runTable } from "../torture/run-table.ts";
import { clusterTests } from "./tests.ts";

const program = {
  name: "npm run cluster-test",
  about: "Three machines under load, while whatever can fail fails (docs/cluster.md).",
  table: clusterTests,
  takesOlder: true,
};
process.exit((await runTable(program)) === 0 ? 0 : 1);
