/** Saved funnels over restarts, from the log and from a checkpoint, and beside a program that does not know them. */
import { expect, test } from "bun:test";
import { addFunnel } from "../../src/engine/admin/website/funnels.ts";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { removeListed } from "../../src/engine/admin/website/listed-entries.ts";
import { storedNames } from "../../src/engine/checkpoint/checkpoint-names.ts";
import { readNewest } from "../../src/snapshot/read-checkpoint.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";

const hostname = "a.example";
const steps = ["page:/cart", "page[in]:/a,/b", "event:order=paid"];

test("saved funnels are the same after a restart, with a checkpoint and without one", async () => {
  const disk = new MemoryDisk();
  const earlier = {
    ...storedNames,
    registry: storedNames.registry?.filter((name) => name !== "funnels") ?? [],
  };
  let engine = await openInMemory(disk);
  const { userId } = await addUser(engine, { username: "ada", password: "a good password" });
  const ada = { userId, sessionId: "" };
  await addWebsite(engine, ada, { hostname });
  // A checkpoint from before there were any.
  await engine.stop();
  expect(readNewest(disk, "/data", earlier).checkpoint?.manifest.names?.registry).toBeUndefined();

  engine = await openInMemory(disk);
  const funnels = () => engine.registry.websiteByHost(hostname)?.funnels;
  expect(funnels()).toEqual({ nextId: 1, list: [] });
  for (const name of ["First", "Checkout"])
    await addFunnel({ engine, caller: ada, hostname }, { name, steps }, () => undefined);
  await removeListed({ engine, caller: ada, hostname }, "funnels", "1");
  const expected = { nextId: 3, list: [{ id: 2, name: "Checkout", steps }] };
  expect(funnels()).toEqual(expected);
  // The power goes: the log alone has them.
  const left = new MemoryDisk();
  for (const [path, bytes] of disk.files) left.put(path, bytes.slice());
  engine = await openInMemory(left);
  expect(funnels()).toEqual(expected);
  await engine.stop();
  expect(() => readNewest(left, "/data", earlier)).toThrow("it has funnels among its registry");
  engine = await openInMemory(left);
  expect(funnels()).toEqual(expected);
  await engine.stop();
});
