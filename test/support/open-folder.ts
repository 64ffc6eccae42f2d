import { openEngine } from "../../src/engine/opening/open.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { seededRandom, TestClock } from "./clock.ts";

/** The real engine on a folder, with a clock of the test and chance that is always the same, unless `more` has others. */
export function openFolder(folder: string, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  const [clock, random] = [new TestClock(), seededRandom(1)];
  return openEngine({ folder, clock, random, logger: silentLogger, demo: false, ...more });
}
