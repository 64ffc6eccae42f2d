/** Links, accounts and invitations of a website over a restart: from the log alone, and from a checkpoint. */
import { expect, test } from "bun:test";
import { acceptInvitation, changeMember, invite } from "../../src/engine/admin/website/members.ts";
import { addLink } from "../../src/engine/admin/website/links.ts";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite, removeWebsite } from "../../src/engine/admin/websites.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { storedNames } from "../../src/engine/checkpoint/checkpoint-names.ts";
import { readNewest } from "../../src/snapshot/read-checkpoint.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";

const hostname = "a.example";
const filters = [{ name: "channel", operator: "in", operands: ["Email"] }] as const;

const sharing = ({ registry }: Engine) => registry.save().websites;

test("they are the same after a crash and after a stop, and a program that would lose them refuses", async () => {
  const disk = new MemoryDisk();
  let engine = await openInMemory(disk);
  const account = async (username: string) => {
    const { userId } = await addUser(engine, { username, password: "a good password" });
    return { userId, sessionId: "" };
  };
  const [ada, bob] = [await account("ada"), await account("bob")];
  await addWebsite(engine, ada, { hostname });
  await addLink({ engine, caller: ada, hostname }, { name: "all", password: "open sesame", filters });
  await addLink(
    { engine, caller: ada, hostname },
    { name: "board", public: true, frame_ancestors: ["b.example"] },
  );
  const { token } = await invite({ engine, caller: ada, hostname }, { role: "viewer" });
  await acceptInvitation(engine, bob, { token });
  await changeMember({ engine, caller: ada, hostname }, "bob", { role: "owner" });
  await changeMember({ engine, caller: bob, hostname }, "ada", { role: "editor" });
  await invite({ engine, caller: bob, hostname }, { role: "editor" });
  const before = sharing(engine);
  expect(before).toMatchObject([
    {
      userId: bob.userId,
      links: [{ name: "all" }, { name: "board" }],
      members: [{ userId: ada.userId, role: "editor" }],
      invitations: [{ role: "editor" }],
    },
  ]);

  // The disk as a crash leaves it: nothing but the log.
  const crashed = await openInMemory(disk.crash(() => 0));
  expect(sharing(crashed)).toEqual(before);

  await engine.stop();
  const { registry, ...known } = storedNames;
  expect(() => readNewest(disk, "/data", known)).toThrow("it has links among its registry");
  engine = await openInMemory(disk);
  expect(sharing(engine)).toEqual(before);
  await removeWebsite({ engine, caller: bob, hostname });
  await engine.stop();
  expect(readNewest(disk, "/data", storedNames).checkpoint?.manifest.names).toEqual(known);
  expect(registry).toContain("links");
});
