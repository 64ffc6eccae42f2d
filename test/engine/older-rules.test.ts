/** What was accepted under older rules stays as it was: rules are for what is new, and a replay does not judge. */
import { expect, test } from "bun:test";
import { addWebsite, renameWebsite, type Caller } from "../../src/engine/admin/admin.ts";
import { openEngine } from "../../src/engine/open.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { sessionStarted, userAdded, websiteAdded } from "../support/account-records.ts";
import { seededRandom, TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { memoryIo } from "../support/memory-io.ts";
import { noonMs } from "../support/records.ts";
import { refusalOf } from "../support/refusals.ts";

function open(disk: MemoryDisk): Promise<RunningEngine> {
  const [clock, random] = [new TestClock(), seededRandom(1)];
  const io = memoryIo(disk);
  return openEngine({ folder: "/data", clock, random, logger: silentLogger, demo: false, io });
}

const [ada, bob] = [1, 2].map((userId) => ({ userId, sessionId: "" })) as [Caller, Caller];

test.each(["the log", "a checkpoint"])(
  "both forms of a name in two accounts, and many sessions, come back from %s",
  async (from) => {
    const disk = new MemoryDisk();
    const engine = await open(disk);
    for (const [at, username] of ["ada", "bob"].entries()) await engine.commit(userAdded(at + 1, username));
    for (const [at, hostname] of ["a.example", "www.a.example"].entries())
      await engine.commit({ ...websiteAdded(at + 1, hostname, at + 1), oneOwner: false });
    for (let n = 0; n < 101; n++)
      await engine.commit(sessionStarted(`s${n}`, { timeMs: noonMs + n, sessionsMax: 100 }));
    const before = engine.registry.save();
    expect(before.sessions).toHaveLength(100);
    if (from === "a checkpoint") await engine.purge();
    await engine.stop();

    const again = await open(disk);
    again.check();
    expect(again.registry.save()).toEqual(before);
    expect(again.registry.websiteForHit("www.a.example")?.userId).toBe(bob.userId);
    for (const caller of [ada, bob]) {
      const added = addWebsite(again, caller, { hostname: "www.www.a.example" });
      expect((await refusalOf(() => added)).code).toBe(409);
    }
    // Each goes on with what it has, and may give it up.
    await renameWebsite(again, bob, "www.a.example", { hostname: "www.a.example" });
    await renameWebsite(again, bob, "www.a.example", { hostname: "b.example" });
    await addWebsite(again, ada, { hostname: "www.a.example" });
    await again.stop();
  },
);
