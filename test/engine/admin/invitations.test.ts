/** Invitations of all websites: a token that is none is found to be none in little time, however many wait. */
import { expect, test } from "bun:test";
import { acceptInvitation, addMember, invite } from "../../../src/engine/admin/website/members.ts";
import { addWebsite } from "../../../src/engine/admin/websites.ts";
import { hashOf } from "../../../src/accounts/token.ts";
import { invitationsMax, membersMax } from "../../../src/core/website/role.ts";
import { websitesMax } from "../../../src/core/website/room.ts";
import { websiteAdded } from "../../support/account-records.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { InstantEngine } from "../../support/instant-engine.ts";
import { addPerson } from "../../support/people.ts";
import { refusalOf } from "../../support/refusals.ts";

test("a wrong token takes as long as to look at the 50,000 invitations that wait, and a right one is found", async () => {
  const engine = new InstantEngine();
  const ada = await addPerson(engine, "ada");
  const bob = await addPerson(engine, "bob");
  for (let at = 1; at < websitesMax; at++)
    await engine.commit(websiteAdded(at, `w${at}.example`, ada.userId));
  for (const website of engine.registry.websites.values()) {
    const invitations = Array.from({ length: invitationsMax }, (_, at) => {
      const invitationId = `${website.websiteId} ${at}`;
      return { invitationId, role: "viewer", tokenHash: hashOf(invitationId), createdMs: engine.nowMs() };
    });
    Object.assign(website, { invitations });
  }
  const wrong = () => refusalOf(() => acceptInvitation(engine, bob, { token: "wrong" }));
  const looked = () => {
    for (const { invitations } of engine.registry.websites.values())
      if (invitations.some(({ tokenHash }) => tokenHash === "none")) throw new Error("there is none");
  };
  const msOf = async (work: () => unknown) => {
    const before = cpuMs();
    for (let at = 0; at < 150; at++) await work();
    return cpuMs() - before;
  };
  expect(await wrong()).toMatchObject({ code: 404 });
  // The best of rounds in turn: collections of garbage and of compiled code fall into some of them.
  let [wrongMs, lookedMs] = [Infinity, Infinity];
  for (let round = 0; round < 6; round++) {
    wrongMs = Math.min(wrongMs, await msOf(wrong));
    lookedMs = Math.min(lookedMs, await msOf(looked));
  }
  expect(wrongMs / lookedMs).toBeLessThan(4);
  const { hostname } = await addWebsite(engine, ada, { hostname: "last.example" });
  const { token } = await invite({ engine, caller: ada, hostname }, { role: "editor" });
  expect(await acceptInvitation(engine, bob, { token })).toMatchObject({ hostname });
});

test("an account that a full website does not take leaves no invitation behind", async () => {
  const engine = new InstantEngine();
  const ada = await addPerson(engine, "ada");
  const bob = await addPerson(engine, "bob");
  const { hostname, websiteId } = await addWebsite(engine, ada, { hostname: "full.example" });
  const website = engine.registry.websites.get(websiteId)!;
  const members: unknown[] = [];
  for (let at = 1; at < membersMax; at++)
    members.push({ userId: (await addPerson(engine, `member${at}`)).userId, role: "viewer" });
  Object.assign(website, { members });
  const added = await refusalOf(() => addMember({ engine, caller: ada, hostname }, bob, { role: "viewer" }));
  expect(added).toMatchObject({ code: 409, message: expect.stringContaining(`at most ${membersMax}`) });
  expect(engine.registry.websites.get(websiteId)).toMatchObject({ invitations: [], members });
});
