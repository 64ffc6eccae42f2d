/** Everything that `npm run cluster-test` does, in short. */
import { describe, setDefaultTimeout, test } from "bun:test";
import { useExecutable } from "../support/executable.ts";
import { isThere, nameWith } from "../support/needs.ts";
import { seed } from "../support/seed.ts";
import { testTimeoutMs } from "../support/timeout.ts";
import { clusterTests } from "./tests.ts";

setDefaultTimeout(testTimeoutMs);

const command = [useExecutable()];

/** Has processes of either kind killed and cut off under load; the others mostly wait, and `npm test` has no time for that. */
const always = "faults";

describe("a cluster", () => {
  for (const [name, { about, rounds, run }] of Object.entries(clusterTests)) {
    if (rounds.short === 0) continue;
    const need = !isThere("nats") || name === always ? "nats" : "time";
    test.skipIf(!isThere(need))(
      nameWith(need, about),
      async () => void (await run({ rounds: rounds.short, seed: seed(), command })),
    );
  }
});
