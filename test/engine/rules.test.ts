/** The rules of a website over a restart, and an address that stays out of every file. */
import { expect, test } from "bun:test";
import { noRules } from "../../src/core/website/rules.ts";
import { storedNames } from "../../src/engine/checkpoint/checkpoint-names.ts";
import { addToken, removeToken } from "../../src/engine/admin/account/tokens.ts";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite, changeWebsite } from "../../src/engine/admin/websites.ts";
import { changeRules } from "../../src/engine/admin/website/rules.ts";
import { readNewest } from "../../src/snapshot/read-checkpoint.ts";
import { secondFactorChanged, sessionStarted } from "../support/account-records.ts";
import { hitTo } from "../support/hits.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";

const hostname = "a.example";

test("rules hold after a restart, and a program that would lose them refuses the folder", async () => {
  const disk = new MemoryDisk();
  const { registry, ...known } = storedNames;
  expect(registry).toEqual([
    "rules",
    "ignored referrers",
    "aliases",
    "goals",
    "notes",
    "segments",
    "funnels",
    "subscriptions",
    "links",
    "members",
    "tokens",
    "second factors",
    "unavailable",
    "months",
    "months 2",
    "months 3",
    "stream",
  ]);
  let engine = await openInMemory(disk);
  const { userId } = await addUser(engine, { username: "ada", password: "a good password" });
  const ada = { userId, sessionId: "" };
  await addWebsite(engine, ada, { hostname });
  await engine.stop();
  expect(readNewest(disk, "/data", known).checkpoint?.manifest.names).toEqual(known);

  engine = await openInMemory(disk);
  await changeRules(
    { engine, caller: ada, hostname },
    { blocked_paths: ["/private*"], blocked_networks: ["192.0.2.7"] },
  );
  await engine.stop();
  expect(() => readNewest(disk, "/data", known)).toThrow("it has rules among its registry");

  engine = await openInMemory(disk);
  const token = await addToken(engine, ada, { name: "Till", scope: "send" });
  await engine.purge();
  expect(() => readNewest(disk, "/data", { ...known, registry: ["rules"] })).toThrow(
    "it has tokens among its registry",
  );
  await removeToken(engine, ada, token.token.tokenId);
  await changeRules({ engine, caller: ada, hostname }, { ignored_referrers: ["pay.example"] });
  await engine.purge();
  expect(() => readNewest(disk, "/data", { ...known, registry: ["rules"] })).toThrow(
    "it has ignored referrers among its registry",
  );
  await changeRules({ engine, caller: ada, hostname }, { ignored_referrers: [] });
  await changeWebsite({ engine, caller: ada, hostname }, { aliases: ["b.example"] });
  await engine.purge();
  expect(() => readNewest(disk, "/data", { ...known, registry: ["rules"] })).toThrow(
    "it has aliases among its registry",
  );
  await changeWebsite({ engine, caller: ada, hostname }, { aliases: [] });
  const timeMs = engine.nowMs();
  await engine.commit(sessionStarted("s", { userId, timeMs }));
  await engine.commit(secondFactorChanged(userId, { timeMs, secret: "secret", keepSessionId: "s" }));
  await engine.purge();
  expect(() => readNewest(disk, "/data", { ...known, registry: ["rules"] })).toThrow(
    "it has second factors among its registry",
  );
  await engine.commit(secondFactorChanged(userId));
  const rules = { ...noRules, paths: ["/private*"], networks: ["192.0.2.7"] };
  expect(engine.registry.websiteByHost(hostname)?.rules).toEqual(rules);
  const hit = (address: string, path: string) =>
    hitTo(engine, { b: path + address, u: `https://${hostname}${path}` }, { address });
  const blocked = { accepted: false, reason: "blocked" } as const;
  expect(await hit("192.0.2.7", "/")).toEqual(blocked);
  expect(await hit("198.51.100.4", "/private/one")).toEqual(blocked);
  expect(await hit("198.51.100.4", "/")).toEqual({ accepted: true });
  await changeRules({ engine, caller: ada, hostname }, { blocked_paths: [], blocked_networks: [] });
  await engine.stop();
  expect(readNewest(disk, "/data", storedNames).checkpoint?.manifest.names).toEqual(known);
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
