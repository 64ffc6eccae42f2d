/**
 * `npm run siege [-- --only names,fuzz,… --hits 5000000]`: attacks servers of this machine, on the loopback only, and
 * prints what became of them beside what was to be. The exit code is 1 when a bound was missed. It builds the executable
 * of this checkout first. `FOOTFALL_SEED` repeats what is random.
 */
import { join } from "node:path";
import { build } from "../../bench/idle.ts";
import { withFolder } from "../support/folder.ts";
import { optionsOf } from "../support/options.ts";
import { seed } from "../support/seed.ts";
import { siegeApi } from "./api.ts";
import { checksTable, type Check } from "./attack.ts";
import { siegeFuzz } from "./fuzz.ts";
import { siegeHeld } from "./held.ts";
import { siegeLogins } from "./logins.ts";
import { siegeMalformed } from "./malformed-attack.ts";
import { siegePrivacy } from "./privacy.ts";
import { siegeRepeats } from "./repeats.ts";
import { siegeSlow } from "./slow.ts";
import { siegeSoak } from "./soak.ts";
import { siegeNames } from "./names.ts";

type Attack = (command: readonly string[]) => Promise<readonly Check[]>;

const attacks: Readonly<Record<string, Attack>> = {
  fuzz: (command) => siegeFuzz(command, { hits: Number(values.fuzzed), seed: seed(), patienceMs: 60_000 }),
  api: (command) => siegeApi(command, { inputs: Number(values.inputs), seed: seed() }),
  malformed: (command) => siegeMalformed(command),
  repeats: (command) => siegeRepeats(command, { hits: Number(values.repeated) }),
  slow: (command) =>
    siegeSlow(command, {
      connections: Number(values.slow),
      seconds: Number(values["slow-seconds"]),
      rate: 500,
    }),
  held: (command) =>
    siegeHeld(command, {
      connections: Number(values.held),
      seconds: Number(values["held-seconds"]),
      memoryMb: 256,
      ownMbMax: 256,
    }),
  logins: (command) => siegeLogins(command, { atOnce: 200, networks: 256, seconds: 60, rate: 500 }),
  privacy: (command) => siegePrivacy(command, { hits: Number(values.known), seed: seed() }),
  names: (command) =>
    siegeNames(command, {
      hits: Number(values.hits),
      limitMb: 512,
      long: Number(values.long),
      connections: Number(values.connections),
    }),
  soak: (command) =>
    siegeSoak(command, {
      minutes: Number(values.minutes),
      rate: Number(values.rate),
      questions: Number(values.questions),
      limitMb: 512,
      seed: seed(),
    }),
};

const values = optionsOf({
  name: "npm run siege",
  about: "Attacks the executable on the loopback (docs/security.md). FOOTFALL_SEED repeats what is random.",
  table: {
    only: {
      value: "NAMES",
      words: Object.keys(attacks),
      about: "Runs only these attacks, with commas between them.",
    },
    fuzzed: { value: "N", fallback: "1000000", about: "The hits of fuzz." },
    inputs: { value: "N", fallback: "1000", about: "The inputs of each operation of api." },
    repeated: { value: "N", fallback: "100000", about: "The hits of each kind of repeats." },
    known: { value: "N", fallback: "100000", about: "The hits of privacy." },
    hits: { value: "N", fallback: "5000000", about: "The hits of names." },
    long: { value: "N", fallback: "20", about: "The characters of each name of names." },
    connections: { value: "N", fallback: "512", about: "The connections that names sends its hits through." },
    minutes: { value: "N", fallback: "60", about: "The length of soak." },
    rate: { value: "N", fallback: "2000", about: "The hits of soak in a second." },
    questions: { value: "N", fallback: "20", about: "The questions of soak in a second." },
    slow: { value: "N", fallback: "10000", about: "The connections of slow." },
    held: { value: "N", fallback: "15000", about: "The connections of held." },
    "held-seconds": { value: "N", fallback: "30", about: "How long held holds connections of each kind." },
    "slow-seconds": { value: "N", fallback: "40", about: "How long slow sends hits before and while." },
  },
});

const isHeld = await withFolder(async (folder) => {
  const command = [build(join(folder, "footfall"))];
  let missed = 0;
  for (const name of (values.only ?? Object.keys(attacks).join()).split(",")) {
    const checks = await attacks[name]!(command);
    console.log(`\n${checksTable(name, checks)}`);
    missed += checks.filter(({ holds }) => !holds).length;
  }
  return missed === 0;
});
process.exit(isHeld ? 0 : 1);
