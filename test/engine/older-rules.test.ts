/** A replay judges nothing: the rules are for what is new, and what older rules accepted stays as it was. */
import { expect, test } from "bun:test";
import { addWebsite, changeWebsite } from "../../src/engine/admin/websites.ts";
import { type Caller } from "../../src/engine/admin/caller.ts";
import { sessionStarted, userAdded, websiteAdded } from "../support/account-records.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { noonMs } from "../support/records.ts";
import { refusalOf } from "../support/refusals.ts";

const [ada, bob] = [1, 2].map((userId) => ({ userId, sessionId: "" })) as [Caller, Caller];

test.each(["the log", "a checkpoint"])(
  "both forms of a name in two accounts, and many sessions, come back from %s",
  async (from) => {
    const disk = new MemoryDisk();
    const engine = await openInMemory(disk);
    for (const [at, username] of ["ada", "bob"].entries()) await engine.commit(userAdded(at + 1, username));
    for (const [at, hostname] of ["a.example", "www.a.example"].entries())
      await engine.commit({ ...websiteAdded(at + 1, hostname, at + 1), oneOwner: false });
    for (let n = 0; n < 101; n++)
      await engine.commit(sessionStarted(`s${n}`, { timeMs: noonMs + n, sessionsMax: 100 }));
    const before = engine.registry.save();
    expect(before.sessions).toHaveLength(100);
    if (from === "a checkpoint") await engine.purge();
    await engine.stop();

    const again = await openInMemory(disk);
    again.check();
    expect(again.registry.save()).toEqual(before);
    expect(again.registry.websiteForHit("www.a.example")?.userId).toBe(bob.userId);
    for (const caller of [ada, bob]) {
      const added = addWebsite(again, caller, { hostname: "www.www.a.example" });
      expect((await refusalOf(() => added)).code).toBe(409);
    }
    // Each goes on with what it has, and may give it up.
    await changeWebsite(
      { engine: again, caller: bob, hostname: "www.a.example" },
      { hostname: "www.a.example" },
    );
    await changeWebsite({ engine: again, caller: bob, hostname: "www.a.example" }, { hostname: "b.example" });
    await addWebsite(again, ada, { hostname: "www.a.example" });
    await again.stop();
  },
);
