/** A name and its `www.` form keep an owner in common, also where two changes that part them only together come at once. */
import { beforeEach, expect, test } from "bun:test";
import {
  acceptInvitation,
  changeMember,
  invite,
  removeMember,
} from "../../src/engine/admin/website/members.ts";
import { addUser, deleteUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite, changeWebsite } from "../../src/engine/admin/websites.ts";
import { type Caller } from "../../src/engine/admin/caller.ts";
import { roleOf } from "../../src/accounts/members.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";

const [bare, www] = ["a.example", "www.a.example"] as const;
let disk: MemoryDisk;
let engine: RunningEngine;
let [ada, bob, mary]: Caller[] = [];

const account = async (username: string): Promise<Caller> => {
  const { userId } = await addUser(engine, { username, password: "a good password" });
  return { userId, sessionId: "" };
};
const join = async (caller: Caller, hostname: string) => {
  const { token } = await invite({ engine, caller: ada!, hostname }, { role: "owner" });
  await acceptInvitation(engine, caller, { token });
};

/** Two forms, whose first owner is ada: bob owns both of them, mary the one with `www.`. */
beforeEach(async () => {
  disk = new MemoryDisk();
  engine = await openInMemory(disk);
  [ada, bob, mary] = [await account("ada"), await account("bob"), await account("mary")];
  for (const hostname of [bare, www]) {
    await addWebsite(engine, ada, { hostname });
    await join(bob, hostname);
  }
  await join(mary, www);
});

/** Changes that are fine each, and part the two forms together. */
const pairs: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
  [
    "one owner leaves one form, and the other one is removed from the other",
    () => removeMember({ engine, caller: ada!, hostname: bare }, "ada"),
    () => removeMember({ engine, caller: ada!, hostname: www }, "bob"),
  ],
  [
    "one owner becomes a viewer of one form, and the other one an editor of the other",
    () => changeMember({ engine, caller: bob!, hostname: www }, "bob", { role: "viewer" }),
    () => changeMember({ engine, caller: bob!, hostname: bare }, "ada", { role: "editor" }),
  ],
  [
    "one owner leaves one form, and the other one deletes their account",
    () => removeMember({ engine, caller: bob!, hostname: www }, "bob"),
    () => deleteUser(engine, ada!),
  ],
];

const inTurn = pairs.flatMap(([name, one, other]) => [
  [name, one, other] as const,
  [`${name}, in the other order`, other, one] as const,
]);

test.each(inTurn)("%s: the first is done, and the second refused", async (_, one, other) => {
  const [first, second] = await Promise.allSettled([one(), other()]);
  expect(first.status).toBe("fulfilled");
  const message = expect.stringContaining('"a.example" and "www.a.example" are one website to visitors');
  expect(second).toMatchObject({ status: "rejected", reason: { message } });
  const forms = [bare, www].map((hostname) => engine.registry.websiteByHost(hostname)!);
  const isOwnerOfAll = (userId: number) => forms.every((form) => roleOf(form, userId) === "owner");
  expect(forms.some(({ userId }) => isOwnerOfAll(userId))).toBe(true);
  await expectSameReplay();
});

const added: [string, () => Promise<unknown>][] = [
  ["added", () => addWebsite(engine, ada!, { hostname: "www.b.example" })],
  [
    "renamed",
    () => changeWebsite({ engine, caller: ada!, hostname: "c.example" }, { hostname: "www.b.example" }),
  ],
];

test.each(added)("a form that is %s while its owner leaves the other one is refused", async (_, add) => {
  for (const hostname of ["b.example", "c.example"]) await addWebsite(engine, ada!, { hostname });
  await join(bob!, "b.example");
  const left = removeMember({ engine, caller: ada!, hostname: "b.example" }, "ada");
  const [first, second] = await Promise.allSettled([left, add()]);
  expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
  expect(engine.registry.websiteByHost("www.b.example")).toBeUndefined();
});

test("a record that does not ask for it parts them, as it did before", async () => {
  const [one, other] = [bare, www].map((hostname) => engine.registry.websiteByHost(hostname)!.websiteId);
  const record = { kind: "memberRemoved", timeMs: engine.nowMs() } as const;
  const taken = { ...record, websiteId: one!, userId: ada!.userId, oneOwner: true };
  const parting = { ...record, websiteId: other!, userId: bob!.userId };
  expect(await engine.commit(taken)).toBe("done");
  expect(await engine.commit({ ...parting, oneOwner: true })).toBe("parted");
  expect(await engine.commit(parting)).toBe("done");
  expect(engine.registry.websiteByHost(bare)?.userId).toBe(bob!.userId);
  expect(engine.registry.websiteByHost(www)?.userId).toBe(ada!.userId);
  await expectSameReplay();
});

/** The disk as a crash leaves it: nothing but the log. */
async function expectSameReplay(): Promise<void> {
  const again = await openInMemory(disk.crash(() => 0));
  expect(again.registry.save()).toEqual(engine.registry.save());
  await again.stop();
}
