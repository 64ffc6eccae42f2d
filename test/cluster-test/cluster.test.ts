/** Everything that `npm run cluster-test` does, in short. Most of it is waiting, for which `npm test` has no time. */
import { describe, test } from "bun:test";
import { useExecutable } from "../support/executable.ts";
import { isThere, nameWith } from "../support/needs.ts";
import { seed } from "../support/seed.ts";
import { clusterTests } from "./tests.ts";

const command = [useExecutable()];

describe("a cluster", () => {
  for (const { about, rounds, run } of Object.values(clusterTests)) {
    if (rounds.short === 0) continue;
    const need = isThere("nats") ? "time" : "nats";
    test.skipIf(!isThere(need))(
      nameWith(need, about),
      async () => void (await run({ rounds: rounds.short, seed: seed(), command })),
    );
  }
});
