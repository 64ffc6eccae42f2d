/** Bounds of what the websites of one account keep, asked by the use cases that add to it. */
import { beforeEach, describe, expect, test } from "bun:test";
import { addGoal } from "../../../src/engine/admin/website/goals.ts";
import { addLink } from "../../../src/engine/admin/website/links.ts";
import { addNote, changeNote } from "../../../src/engine/admin/website/notes.ts";
import { addFunnel } from "../../../src/engine/admin/website/funnels.ts";
import { addSegment } from "../../../src/engine/admin/website/segments.ts";
import { addWebsite } from "../../../src/engine/admin/websites.ts";
import { changeRules } from "../../../src/engine/admin/website/rules.ts";
import { invite } from "../../../src/engine/admin/website/members.ts";
import { removeListed } from "../../../src/engine/admin/website/listed-entries.ts";
import { type Caller } from "../../../src/engine/admin/caller.ts";
import { hashOf } from "../../../src/accounts/token.ts";
import { callables } from "../../../src/cli/control/control.ts";
import { filesOfWebsiteMax, keptCharactersMax, websitesMax } from "../../../src/core/website/room.ts";
import { linkAdded, subscriptionAdded, websiteAdded } from "../../support/account-records.ts";
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

describe("the websites of an account", () => {
  test("are a thousand at most, of those that it adds itself", async () => {
    // A commit checks all that there is, once for each of them.
    for (let at = 1; at <= websitesMax; at++)
      engine.registry.apply(websiteAdded(at, `w${at}.example`, ada.userId));
    const more = { hostname: "more.example" };
    expect(await refusalOf(() => addWebsite(engine, ada, more))).toMatchObject({
      code: 400,
      message: "websites: expected at most 1000 of an account: remove one first",
    });
    expect(await addWebsite(engine, operatorFor(ada), more)).toMatchObject(more);
    expect(await addWebsite(engine, bob, { hostname: "bob.example" })).toMatchObject({ userId: bob.userId });
    await engine.commit({ kind: "websiteRemoved", timeMs: engine.nowMs(), websiteId: 1 });
    expect(await refusalOf(() => addWebsite(engine, ada, { hostname: "w1.example" }))).toMatchObject({
      code: 400,
    });
    await engine.commit({ kind: "websiteRemoved", timeMs: engine.nowMs(), websiteId: 2 });
    expect(await addWebsite(engine, ada, { hostname: "w1.example" })).toMatchObject({ userId: ada.userId });
  });

  test("keep so many characters together, and nothing more once they have them", async () => {
    const hosts = ["a.example", "b.example", "c.example", "d.example", "e.example", "f.example"];
    for (const hostname of hosts) await addWebsite(engine, ada, { hostname });
    await addWebsite(engine, bob, { hostname: "bob.example" });
    const [first] = hosts as [string];
    const note = await addNote(
      { engine, caller: ada, hostname: first },
      { date: "2026-11-03", text: "short" },
    );
    const paths = Array.from({ length: 30 }, (_, at) => `/${at}/${"x".repeat(2_000)}`);
    const large = { name: "large", page: { in: paths } };
    const goals: { hostname: string; id: number }[] = [];
    const refusals: unknown[] = [];
    for (const hostname of hosts)
      for (let at = 0; at < 50 && refusals.length === 0; at++)
        await addGoal({ engine, caller: ada, hostname }, large).then(
          ({ id }) => void goals.push({ hostname, id }),
          (error: unknown) => void refusals.push(error),
        );
    expect(goals.length).toBeGreaterThan(keptCharactersMax / 61_000 - 5);
    expect(goals.length).toBeLessThanOrEqual(keptCharactersMax / 60_000);
    expect(refusals).toEqual([
      expect.objectContaining({
        code: 400,
        message:
          "websites: expected at most 16000000 characters of goals, notes, segments, links and the like in all that an account owns: remove some first",
      }),
    ]);
    // The rest of the room is less than a large goal, whatever it is made of.
    const longest = { name: "path", operator: "in", operands: paths };
    const rules = { blocked_paths: paths };
    for (const refused of [
      () => addLink({ engine, caller: ada, hostname: first }, { name: "link", filters: [longest] }),
      () => changeRules({ engine, caller: ada, hostname: first }, rules),
    ])
      expect(await refusalOf(refused)).toMatchObject({
        code: 400,
        message: expect.stringMatching(/^websites: expected at most/),
      });
    expect(await addGoal({ engine, caller: bob, hostname: "bob.example" }, large)).toMatchObject({
      name: "large",
    });
    const [goal] = goals as [{ hostname: string; id: number }];
    await removeListed({ engine, caller: ada, hostname: goal.hostname }, "goals", String(goal.id));
    await changeRules({ engine, caller: ada, hostname: first }, rules);
    expect(await refusalOf(() => addGoal({ engine, caller: ada, hostname: first }, large))).toMatchObject({
      code: 400,
    });
    await changeRules({ engine, caller: ada, hostname: first }, { blocked_paths: [] });
    await addGoal({ engine, caller: ada, hostname: first }, large);
    // As an older program left it: what is there stays, may become less, and goes.
    for (let at = 0; at < 5; at++)
      await engine.commit(linkAdded(2, `l${at}`, { frameAncestors: ["x".repeat(60_000)] }));
    const text = "longer than before";
    for (const refused of [
      () => changeNote({ engine, caller: ada, hostname: first }, String(note.id), { text }),
      () => addNote({ engine, caller: ada, hostname: first }, { date: "2026-11-03", text }),
      () =>
        addSegment(
          { engine, caller: ada, hostname: first },
          { name: "s", filters: "path[eq]=/" },
          (filters) => filters,
        ),
      () =>
        addFunnel(
          { engine, caller: ada, hostname: first },
          { name: "f", steps: ["page:/", "page:/a"] },
          () => undefined,
        ),
    ])
      expect(await refusalOf(refused)).toMatchObject({ code: 400 });
    expect(
      await changeNote({ engine, caller: ada, hostname: first }, String(note.id), { text: "less" }),
    ).toMatchObject({
      text: "less",
    });
  });

  test("with the invitations and the mail addresses", async () => {
    await addWebsite(engine, bob, { hostname: "bob.example" });
    const message = expect.stringMatching(/^websites: expected at most 16000000 characters/);
    const { websiteId } = engine.registry.websiteByHost("bob.example")!;
    await invite({ engine, caller: bob, hostname: "bob.example" }, { role: "viewer" });
    const large = "x".repeat(keptCharactersMax - 400);
    await engine.commit(linkAdded(websiteId, "l", { frameAncestors: [large] }));
    expect(
      await refusalOf(() => invite({ engine, caller: bob, hostname: "bob.example" }, { role: "viewer" })),
    ).toMatchObject({
      ...{ code: 400, message },
    });
    await engine.commit({ kind: "linkRemoved", timeMs: engine.nowMs(), websiteId, linkId: "l" });
    await invite({ engine, caller: bob, hostname: "bob.example" }, { role: "viewer" });
    for (let id = 1; id <= 10; id++)
      await engine.commit(
        subscriptionAdded(websiteId, id, { target: `${id}${"a".repeat(230)}@example.com` }),
      );
    const { subscriptions, recipients } = engine.registry.websites.get(websiteId)!;
    const [listed, addresses] = [subscriptions.list, recipients].map((part) => JSON.stringify(part).length);
    expect(addresses).toBeGreaterThan(3_000);
    const rest = "x".repeat(keptCharactersMax - listed! - 3_000);
    await engine.commit(linkAdded(websiteId, "l", { frameAncestors: [rest] }));
    expect(
      await refusalOf(() => invite({ engine, caller: bob, hostname: "bob.example" }, { role: "viewer" })),
    ).toMatchObject({
      ...{ code: 400, message },
    });
  });
});

describe("the files that were imported", () => {
  const batchOf = (websiteId: number, at: number) => {
    const position = { fromPosition: 0, position: 200, isPartial: false };
    return { websiteId, file: hashOf(`file ${at}`), digest: hashOf(`to ${at}`), loads: [], ...position };
  };
  /** Gives a website that many files. */
  const fill = (websiteId: number, count: number) => {
    const files = Array.from({ length: count }, (_, at) => [`${at}`, { position: 1, digest: "" }] as const);
    Object.assign(engine.registry.websites.get(websiteId)!, { imports: new Map(files) });
  };

  beforeEach(async () => {
    for (let at = 1; at <= 12; at++)
      await addWebsite(engine, ada, { hostname: `w${at}.example`, visits: true });
  });

  test("have about 210 characters each in a checkpoint", async () => {
    const visitBlocks = [{ index: 0, first: 1 }];
    await engine.commit({ kind: "import", timeMs: engine.nowMs(), ...batchOf(1, 0), visitBlocks });
    const [saved] = engine.registry.save().websites[0]!.imports;
    expect(JSON.stringify(saved).length).toBeLessThanOrEqual(210);
    expect(JSON.stringify(saved).length).toBeGreaterThan(200);
  });

  test("never refuse a goal or a note, and the operator's command imports on", async () => {
    const control = callables(engine);
    for (let at = 1; at <= 12; at++) fill(at, filesOfWebsiteMax);
    await addGoal({ engine, caller: ada, hostname: "w1.example" }, { name: "goal", page: { eq: "/" } });
    await addNote({ engine, caller: ada, hostname: "w2.example" }, { date: "2026-11-03", text: "note" });
    await invite({ engine, caller: ada, hostname: "w3.example" }, { role: "viewer" });
    const { file } = batchOf(1, 1);
    expect(await control.importState({ hostname: "w1.example", file })).toMatchObject({ position: 0 });
    await control.importBatch(batchOf(1, 1));
    expect(await control.importState({ hostname: "w1.example", file })).toMatchObject({ position: 200 });
  });
});
