/**
 * `npm run siege [-- --only names,fuzz,… --hits 5000000]`: attacks servers of this machine, on the loopback only, and
 * prints what became of them beside what was to be. The exit code is 1 when a bound was missed. The executable has to be
 * built before. `FOOTFALL_SEED` repeats what is random.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seed } from "../support/seed.ts";
import { siegeApi } from "./api.ts";
import { checksTable, type Check } from "./attack.ts";
import { siegeFuzz } from "./fuzz.ts";
import { siegeLogins } from "./logins.ts";
import { siegeMalformed } from "./malformed-attack.ts";
import { siegePrivacy } from "./privacy.ts";
import { siegeSlow } from "./slow.ts";
import { siegeSoak } from "./soak.ts";
import { siegeNames } from "./names.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    /** The hits of `fuzz`. */
    fuzzed: { type: "string", default: "1000000" },
    /** The inputs of each operation of `api`. */
    inputs: { type: "string", default: "1000" },
    /** Hits of `privacy`. */
    known: { type: "string", default: "100000" },
    /** Hits of `names`, and the characters of each name. */
    hits: { type: "string", default: "5000000" },
    long: { type: "string", default: "20" },
    /** The length of `soak`; its hits and questions a second. */
    minutes: { type: "string", default: "60" },
    rate: { type: "string", default: "2000" },
    questions: { type: "string", default: "20" },
    /** Connections of `slow`. */
    slow: { type: "string", default: "10000" },
  },
});
const command = [join(import.meta.dir, "..", "..", "dist", "footfall")];

const attacks: Readonly<Record<string, () => Promise<readonly Check[]>>> = {
  fuzz: () => siegeFuzz(command, { hits: Number(values.fuzzed), seed: seed(), patienceMs: 60_000 }),
  api: () => siegeApi(command, { inputs: Number(values.inputs), seed: seed() }),
  malformed: () => siegeMalformed(command),
  slow: () => siegeSlow(command, { connections: Number(values.slow), seconds: 40, rate: 500 }),
  logins: () => siegeLogins(command, { atOnce: 200, networks: 256, seconds: 60, rate: 500 }),
  privacy: () => siegePrivacy(command, { hits: Number(values.known), seed: seed() }),
  names: () => siegeNames(command, { hits: Number(values.hits), limitMb: 512, long: Number(values.long) }),
  soak: () =>
    siegeSoak(command, {
      minutes: Number(values.minutes),
      rate: Number(values.rate),
      questions: Number(values.questions),
      seed: seed(),
    }),
};

let missed = 0;
for (const name of (values.only ?? Object.keys(attacks).join()).split(",")) {
  const attack = attacks[name];
  if (attack === undefined)
    throw new Error(`no attack is called ${name}; there are ${Object.keys(attacks).join(", ")}`);
  const checks = await attack();
  console.log(`\n${checksTable(name, checks)}`);
  missed += checks.filter(({ holds }) => !holds).length;
}
process.exit(missed === 0 ? 0 : 1);
