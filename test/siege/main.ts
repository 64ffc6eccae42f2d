/**
 * `npm run siege [-- --only names,… --hits 5000000]`: attacks a server of this machine, on the loopback only, and says
 * what became of it. The executable has to be built before.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withFolder } from "../support/folder.ts";
import { siegeNames } from "./names.ts";

const { values } = parseArgs({
  options: {
    hits: { type: "string", default: "5000000" },
    only: { type: "string", default: "names" },
    long: { type: "string", default: "400" },
  },
});
const command = [join(import.meta.dir, "..", "..", "dist", "footfall")];
const hits = Number(values.hits);

const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
  names: () => withFolder((folder) => siegeNames(command, folder, hits, 512, Number(values.long))),
};

for (const name of values.only.split(",")) {
  const attack = attacks[name];
  if (attack === undefined)
    throw new Error(`no attack is called ${name}; there are ${Object.keys(attacks).join(", ")}`);
  console.log(name, await attack());
}
