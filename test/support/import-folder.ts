/** A real folder with an account, for tests that import files into websites of their own. */
import { afterAll, beforeAll } from "bun:test";
import { callables, type Control } from "../../src/cli/control/control.ts";
import { Collector } from "../../src/collect/fact.ts";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { ownStatistics } from "../../src/http/own-statistics.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { useFolder } from "./folder.ts";
import { openFolder } from "./open-folder.ts";

type Rows = readonly Readonly<Record<string, string | number>>[];

/** Opens the folder before the tests of a file, and returns a function that adds a website, for imports and questions. */
export function importFolder() {
  let engine: Engine;
  let userId: number;
  afterAll(() => engine.stop());
  const folder = useFolder();
  beforeAll(async () => {
    engine = await openFolder(folder, { clock: systemClock });
    ({ userId } = await addUser(engine, { username: "ada", password: "a good password" }));
  });
  return async (hostname: string) => {
    const owner = { userId, sessionId: "" };
    await addWebsite(engine, owner, { hostname });
    const control = callables(engine) as unknown as Control;
    const website = () => engine.registry.websiteByHost(hostname) as never;
    return {
      engine,
      owner,
      ask: (list: string, query = "") => ownStatistics(engine, website(), list, query) as Promise<Rows>,
      /** The options of an import, but for its format. */
      options: () => ({ control, collector: new Collector(), hostname, nowMs: () => systemClock.nowMs() }),
    };
  };
}
