/** The table of what must hold of a cluster whatever happens to its machines. */
import type { Torture } from "../torture/torture.ts";
import { faultsUnderLoad } from "./faults.ts";
import { join } from "./join.ts";
import { outages, powerCuts } from "./outages.ts";
import { rolling } from "./rolling.ts";
import { speed } from "./speed.ts";
import { rollingUpgrade } from "./upgrade.ts";

export const clusterTests: Readonly<Record<string, Torture>> = {
  faults: faultsUnderLoad,
  outages,
  "power-cuts": powerCuts,
  rolling,
  upgrade: rollingUpgrade,
  join,
  speed,
};
