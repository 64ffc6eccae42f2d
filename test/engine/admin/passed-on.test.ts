/** Websites that go to another first owner: whoever gets them has room for them. */
import { beforeEach, describe, expect, test } from "bun:test";
import {
  acceptInvitation,
  changeMember,
  invite,
  removeMember,
} from "../../../src/engine/admin/website/members.ts";
import { addWebsite } from "../../../src/engine/admin/websites.ts";
import { deleteUser } from "../../../src/engine/admin/account/users.ts";
import { type Caller } from "../../../src/engine/admin/caller.ts";
import { roleOf } from "../../../src/accounts/members.ts";
import { filesOfAccountMax, keptCharactersMax, websitesMax } from "../../../src/core/website/room.ts";
import type { Role } from "../../../src/core/website/role.ts";
import { linkAdded, linkRemoved, websiteAdded } from "../../support/account-records.ts";
import { InstantEngine } from "../../support/instant-engine.ts";
import { addPerson, operatorFor } from "../../support/people.ts";
import { refusalOf } from "../../support/refusals.ts";

let engine: InstantEngine;
let ada: Caller;
let bob: Caller;

beforeEach(async () => {
  engine = new InstantEngine();
  ada = await addPerson(engine, "ada");
  bob = await addPerson(engine, "bob");
});

const ownerOf = (hostname: string) => engine.registry.websiteByHost(hostname)?.userId;

/** Adds a website of ada that others have, too. */
async function shared(hostname: string, ...others: (readonly [Caller, Role])[]): Promise<void> {
  await addWebsite(engine, ada, { hostname });
  for (const [caller, role] of others) {
    const { token } = await invite({ engine, caller: ada, hostname }, { role });
    await acceptInvitation(engine, caller, { token });
  }
}

/** Gives bob that many websites of his own. */
function fill(count: number): void {
  // A commit checks all that there is, once for each of them.
  for (let at = 0; at < count; at++)
    engine.registry.apply(websiteAdded(engine.registry.nextWebsiteId, `w${at}.example`, bob.userId));
}

const noRoom = (hostname: string) => ({
  code: 400,
  message: `hostname: "${hostname}" would go to "bob", who has no room for it (at most ${websitesMax} websites, ${keptCharactersMax} characters of goals, notes, segments, links and the like, and ${filesOfAccountMax} imported files): make that account an editor first, or have some removed there`,
});

describe("an account that has a thousand websites", () => {
  const ways: [string, () => Promise<unknown>][] = [
    ["leaves", () => removeMember({ engine, caller: ada, hostname: "a.example" }, "ada")],
    [
      "is removed by the other one",
      () => removeMember({ engine, caller: bob, hostname: "a.example" }, "ada"),
    ],
    [
      "becomes an editor",
      () => changeMember({ engine, caller: ada, hostname: "a.example" }, "ada", { role: "editor" }),
    ],
    ["deletes its account", () => deleteUser(engine, ada)],
  ];

  test.each(ways)("gets no other one whose first owner %s", async (_, pass) => {
    await shared("a.example", [bob, "owner"]);
    fill(websitesMax);
    expect(await refusalOf(pass)).toMatchObject(noRoom("a.example"));
    expect(ownerOf("a.example")).toBe(ada.userId);
    const websiteId = engine.registry.websiteByHost("w0.example")!.websiteId;
    await engine.commit({ kind: "websiteRemoved", timeMs: engine.nowMs(), websiteId });
    await pass();
    expect(ownerOf("a.example")).toBe(bob.userId);
  });

  test("stays an owner, and leaves, of what others own first", async () => {
    await shared("a.example", [bob, "viewer"]);
    fill(websitesMax);
    for (const role of ["owner", "editor", "owner"])
      await changeMember({ engine, caller: ada, hostname: "a.example" }, "bob", { role });
    await removeMember({ engine, caller: bob, hostname: "a.example" }, "bob");
    expect(roleOf(engine.registry.websiteByHost("a.example")!, bob.userId)).toBeUndefined();
  });

  test("gets what the operator passes on", async () => {
    for (const hostname of ["a.example", "b.example"]) await shared(hostname, [bob, "owner"]);
    fill(websitesMax);
    await removeMember({ engine, caller: operatorFor(ada), hostname: "a.example" }, "ada");
    await deleteUser(engine, operatorFor(ada));
    expect([ownerOf("a.example"), ownerOf("b.example")]).toEqual([bob.userId, bob.userId]);
  });

  test("is passed over where it is an editor: the next owner gets the website, or it goes with its only one", async () => {
    const mary = await addPerson(engine, "mary");
    await shared("a.example", [bob, "owner"], [mary, "owner"]);
    await shared("b.example", [bob, "viewer"]);
    fill(websitesMax);
    await changeMember({ engine, caller: ada, hostname: "a.example" }, "bob", { role: "editor" });
    await deleteUser(engine, ada);
    expect([ownerOf("a.example"), ownerOf("b.example")]).toEqual([mary.userId, undefined]);
  });
});

describe("an account with room for one more website", () => {
  beforeEach(async () => {
    for (const hostname of ["a.example", "b.example"]) await shared(hostname, [bob, "owner"]);
    fill(websitesMax - 1);
  });

  test("gets one of two that come at once", async () => {
    const leave = (hostname: string) => removeMember({ engine, caller: ada, hostname }, "ada");
    const [first, second] = await Promise.allSettled(["a.example", "b.example"].map(leave));
    expect(first?.status).toBe("fulfilled");
    expect(second).toMatchObject({ status: "rejected", reason: noRoom("b.example") });
  });

  test("gets none of two that come with the account of another", async () => {
    expect(await refusalOf(() => deleteUser(engine, ada))).toMatchObject(noRoom("a.example"));
    expect(engine.registry.users.has(ada.userId)).toBe(true);
  });
});

test("an account without room gets no website because the one before it ceases to be an owner in the same moment", async () => {
  const mary = await addPerson(engine, "mary");
  await shared("a.example", [mary, "owner"], [bob, "owner"]);
  fill(websitesMax);
  const [first, second] = await Promise.allSettled([
    changeMember({ engine, caller: ada, hostname: "a.example" }, "mary", { role: "viewer" }),
    removeMember({ engine, caller: ada, hostname: "a.example" }, "ada"),
  ]);
  expect(first.status).toBe("fulfilled");
  expect(second).toMatchObject({ status: "rejected", reason: noRoom("a.example") });
});

describe("an account has room for so many", () => {
  beforeEach(async () => {
    await addWebsite(engine, bob, { hostname: "bob.example" });
    await shared("a.example", [bob, "owner"]);
  });

  const pass = () => removeMember({ engine, caller: ada, hostname: "a.example" }, "ada");
  const idOf = (hostname: string) => engine.registry.websiteByHost(hostname)!.websiteId;

  test("characters", async () => {
    const large = (part: number) => ({ frameAncestors: ["x".repeat(keptCharactersMax * part)] });
    await engine.commit(linkAdded(idOf("bob.example"), "l", large(0.5)));
    await engine.commit(linkAdded(idOf("a.example"), "m", large(0.5)));
    expect(await refusalOf(pass)).toMatchObject(noRoom("a.example"));
    await engine.commit(linkRemoved(idOf("a.example"), "m"));
    await engine.commit(linkAdded(idOf("a.example"), "n", large(0.4)));
    await pass();
    expect(ownerOf("a.example")).toBe(bob.userId);
  });

  test("imported files, and gets what has none where it has too many", async () => {
    const know = (hostname: string, count: number) => {
      const files = Array.from({ length: count }, (_, at) => [`${at}`, { position: 1, digest: "" }] as const);
      Object.assign(engine.registry.websiteByHost(hostname)!, { imports: new Map(files) });
    };
    know("bob.example", filesOfAccountMax - 1);
    know("a.example", 2);
    expect(await refusalOf(pass)).toMatchObject(noRoom("a.example"));
    know("a.example", 1);
    await pass();
    expect(ownerOf("a.example")).toBe(bob.userId);
    know("bob.example", filesOfAccountMax + 1);
    await shared("b.example", [bob, "owner"]);
    await removeMember({ engine, caller: ada, hostname: "b.example" }, "ada");
    expect(ownerOf("b.example")).toBe(bob.userId);
  });
});
