/** Everything that `npm run torture` does, in short. */
import { afterAll, describe, test } from "bun:test";
import { isThere, nameWith } from "../support/needs.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { useExecutable } from "../support/executable.ts";
import { endServers } from "./sender.ts";
import type { Torture } from "./torture.ts";
import { tortures } from "./tortures.ts";

const command = [useExecutable()];

afterAll(endServers);

describe("the torture", () => {
  for (const { about, rounds: counts, run, needs } of Object.values<Torture>(tortures))
    test.skipIf(needs !== undefined && !isThere(needs))(
      needs === undefined ? about : nameWith(needs, about),
      async () => void (await run({ rounds: rounds(counts.short), seed: seed(), command })),
    );
});
