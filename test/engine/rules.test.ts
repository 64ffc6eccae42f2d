/** The rules of a website over a restart, and an address that stays out of every file. */
import { expect, test } from "bun:test";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { changeRules } from "../../src/engine/admin/website/rules.ts";
import { hitTo } from "../support/hits.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";

const hostname = "a.example";

test("rules hold after a restart", async () => {
  const disk = new MemoryDisk();
  let engine = await openInMemory(disk);
  const { userId } = await addUser(engine, { username: "ada", password: "a good password" });
  const ada = { userId, sessionId: "" };
  await addWebsite(engine, ada, { hostname });
  await changeRules(
    { engine, caller: ada, hostname },
    { blocked_paths: ["/private*"], blocked_networks: ["192.0.2.7"] },
  );
  await engine.stop();
  engine = await openInMemory(disk);
  const hit = (address: string, path: string) =>
    hitTo(engine, { b: path + address, u: `https://${hostname}${path}` }, { address });
  const blocked = { accepted: false, reason: "blocked" } as const;
  expect(await hit("192.0.2.7", "/")).toEqual(blocked);
  expect(await hit("198.51.100.4", "/private/one")).toEqual(blocked);
  expect(await hit("198.51.100.4", "/")).toEqual({ accepted: true });
  await engine.stop();
});

test("no file has the address of a hit, whether it is blocked or not", async () => {
  const disk = new MemoryDisk();
  const engine = await openInMemory(disk);
  const { userId } = await addUser(engine, { username: "ada", password: "a good password" });
  await addWebsite(engine, { userId, sessionId: "" }, { hostname });
  await changeRules(
    { engine, caller: { userId, sessionId: "" }, hostname },
    { blocked_networks: ["198.51.100.0/24"] },
  );
  for (const address of ["198.51.100.77", "203.0.113.177", "2001:db8:77::7777"])
    await hitTo(engine, { b: address.length.toString(), u: `https://${hostname}/` }, { address });
  await engine.stop();
  const written = [...disk.files.values()].map((bytes) => Buffer.from(bytes).toString("latin1")).join("\n");
  expect(written).toContain("198.51.100.0/24");
  for (const address of ["198.51.100.77", "203.0.113.177", "2001:db8:77"])
    expect(written).not.toContain(address);
});
