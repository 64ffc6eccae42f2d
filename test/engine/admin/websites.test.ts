import { beforeEach, describe, expect, test } from "bun:test";
import { addWebsite, websiteFor, removeWebsite, changeWebsite } from "../../../src/engine/admin/websites.ts";
import { type Caller } from "../../../src/engine/admin/caller.ts";
import { nothingListed } from "../../../src/core/website/listed-entries.ts";
import { noRules } from "../../../src/core/website/rules.ts";
import { invitationAccepted, invitationAdded } from "../../support/account-records.ts";
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

const badHostnames = [
  "",
  "a b",
  "a.example:80",
  "https://a.example",
  "a_b.example",
  "[::1]",
  `${"a".repeat(250)}.com`,
];

describe("addWebsite", () => {
  test("gives the caller a website without imports", async () => {
    const website = await addWebsite(engine, ada, { hostname: "a.example" });
    expect(website).toEqual({
      websiteId: 1,
      userId: ada.userId,
      hostname: "a.example",
      aliases: [],
      imports: new Map(),
      rules: noRules,
      visits: true,
      goals: nothingListed,
      notes: nothingListed,
      segments: nothingListed,
      funnels: nothingListed,
      subscriptions: nothingListed,
      recipients: [],
      leavingKey: "",
      links: [],
      members: [],
      invitations: [],
    });
    expect(websiteFor({ engine, caller: ada, hostname: "a.example" }, "owner")).toBe(website);
  });

  test("stores lower case and ASCII", async () => {
    expect((await addWebsite(engine, ada, { hostname: "A.Example" })).hostname).toBe("a.example");
    expect((await addWebsite(engine, ada, { hostname: "bücher.example" })).hostname).toBe(
      "xn--bcher-kva.example",
    );
  });

  test.each(badHostnames)("refuses %j with 400", async (hostname) => {
    const { code, message } = await refusalOf(() => addWebsite(engine, ada, { hostname }));
    expect(code).toBe(400);
    expect(message).toStartWith("hostname: expected a hostname of letters");
  });

  test("refuses a body without hostname with 400", async () => {
    for (const body of [null, [], {}, { hostname: null }, { hostname: 1 }])
      expect((await refusalOf(() => addWebsite(engine, ada, body))).code).toBe(400);
  });

  test("a name that anybody has is 409", async () => {
    await addWebsite(engine, ada, { hostname: "a.example" });
    for (const caller of [ada, bob]) {
      const { code, message } = await refusalOf(() => addWebsite(engine, caller, { hostname: "A.example" }));
      expect([code, message]).toEqual([409, 'hostname: "a.example" is taken']);
    }
  });

  test("of two equal names at once one is 409", async () => {
    const both = [ada, bob].map((caller) => addWebsite(engine, caller, { hostname: "a.example" }));
    const results = await Promise.allSettled(both);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect((await refusalOf(() => both[1])).code).toBe(409);
  });

  test("many at once all get an id of their own", async () => {
    const names = Array.from({ length: 50 }, (_, n) => `site-${n}.example`);
    const websites = await Promise.all(names.map((hostname) => addWebsite(engine, ada, { hostname })));
    expect(websites.map(({ hostname }) => hostname)).toEqual(names);
    expect(new Set(websites.map(({ websiteId }) => websiteId)).size).toBe(50);
  });

  test("an account that is gone is 401", async () => {
    await engine.commit({ kind: "userRemoved", timeMs: engine.nowMs(), userId: ada.userId });
    expect((await refusalOf(() => addWebsite(engine, ada, { hostname: "a.example" }))).code).toBe(401);
  });
});

describe("websiteFor", () => {
  test("none and somebody else's are the same 404", async () => {
    const before = await refusalOf(() => websiteFor({ engine, caller: bob, hostname: "a.example" }, "owner"));
    await addWebsite(engine, ada, { hostname: "a.example" });
    const after = await refusalOf(() => websiteFor({ engine, caller: bob, hostname: "a.example" }, "owner"));
    expect(before.code).toBe(404);
    expect([after.code, after.message]).toEqual([before.code, before.message]);
  });

  test("knows no case, but www. is another name", async () => {
    await addWebsite(engine, ada, { hostname: "a.example" });
    expect(websiteFor({ engine, caller: ada, hostname: "A.EXAMPLE" }, "owner").hostname).toBe("a.example");
    expect(
      (await refusalOf(() => websiteFor({ engine, caller: ada, hostname: "www.a.example" }, "owner"))).code,
    ).toBe(404);
  });

  test.each(badHostnames)("%j is 400", async (hostname) => {
    expect((await refusalOf(() => websiteFor({ engine, caller: ada, hostname }, "owner"))).code).toBe(400);
  });
});

describe("changeWebsite", () => {
  beforeEach(async () => {
    await addWebsite(engine, ada, { hostname: "a.example" });
    await addWebsite(engine, bob, { hostname: "b.example" });
  });

  test("changes the name and keeps the id", async () => {
    const renamed = await changeWebsite(
      { engine, caller: ada, hostname: "a.example" },
      { hostname: "Z.example" },
    );
    expect(renamed).toMatchObject({ websiteId: 1, hostname: "z.example" });
    expect(
      (await refusalOf(() => websiteFor({ engine, caller: ada, hostname: "a.example" }, "owner"))).code,
    ).toBe(404);
  });

  test.each([{}, { hostname: null }, { hostname: "a.example" }, { hostname: "A.EXAMPLE" }, { other: 1 }])(
    "%j changes nothing and logs nothing",
    async (body) => {
      const records = engine.committed.length;
      expect(await changeWebsite({ engine, caller: ada, hostname: "a.example" }, body)).toMatchObject({
        hostname: "a.example",
      });
      expect(engine.committed.length).toBe(records);
    },
  );

  test("a taken name is 400, one's own other website's too", async () => {
    await addWebsite(engine, ada, { hostname: "c.example" });
    for (const hostname of ["b.example", "c.example"]) {
      const { code, message } = await refusalOf(() =>
        changeWebsite({ engine, caller: ada, hostname: "a.example" }, { hostname }),
      );
      expect(code).toBe(400);
      expect(message).toBe(`hostname: expected a name that no other website has, got "${hostname}"`);
    }
    expect(websiteFor({ engine, caller: ada, hostname: "a.example" }, "owner").websiteId).toBe(1);
  });

  test("a name of which another www. form is a website needs an owner of that website", async () => {
    await addWebsite(engine, ada, { hostname: "shop.example" });
    const { websiteId } = websiteFor({ engine, caller: ada, hostname: "a.example" }, "owner");
    const rename = (caller: Caller, hostname: string) =>
      changeWebsite({ engine, caller, hostname: "a.example" }, { hostname });
    await engine.commit(invitationAdded(websiteId, "i", { role: "owner" }));
    await engine.commit(invitationAccepted(websiteId, "i", bob.userId));
    for (const hostname of ["www.shop.example", "www.www.shop.example"]) {
      const { code, message } = await refusalOf(() => rename(bob, hostname));
      expect(code).toBe(400);
      expect(message).toBe(`hostname: expected a name that no other website has, got "${hostname}"`);
      const ofOneWebsite = { ...ada, onlyWebsiteId: websiteId };
      expect((await refusalOf(() => rename(ofOneWebsite, hostname))).code).toBe(400);
    }
    // The website's own name is no other.
    expect(await rename(bob, "www.a.example")).toMatchObject({ hostname: "www.a.example" });
    await changeWebsite({ engine, caller: bob, hostname: "www.a.example" }, { hostname: "a.example" });
    expect(await rename(ada, "www.shop.example")).toMatchObject({ websiteId });
  });

  test.each(badHostnames)("%j is 400", async (hostname) => {
    expect(
      (await refusalOf(() => changeWebsite({ engine, caller: ada, hostname: "a.example" }, { hostname })))
        .code,
    ).toBe(400);
  });

  test("somebody else's is 404, whatever the body says", async () => {
    for (const body of [{}, { hostname: "z.example" }, { hostname: "" }, []])
      expect(
        (await refusalOf(() => changeWebsite({ engine, caller: bob, hostname: "a.example" }, body))).code,
      ).toBe(404);
  });
});

describe("removeWebsite", () => {
  test("removes it, and then purges", async () => {
    await addWebsite(engine, ada, { hostname: "a.example" });
    await removeWebsite({ engine, caller: ada, hostname: "a.example" });
    expect(engine.registry.websites.size).toBe(0);
    expect(engine.purgedAt).toEqual([engine.committed.length]);
  });

  test("somebody else's is 404 and stays", async () => {
    await addWebsite(engine, ada, { hostname: "a.example" });
    expect((await refusalOf(() => removeWebsite({ engine, caller: bob, hostname: "a.example" }))).code).toBe(
      404,
    );
    expect(engine.registry.websites.size).toBe(1);
    expect(engine.purgedAt).toEqual([]);
  });
});

test("in demo mode every change is 403, but for the operator's", async () => {
  await addWebsite(engine, ada, { hostname: "a.example" });
  engine.demo = true;
  const changes = [
    () => addWebsite(engine, ada, { hostname: "b.example" }),
    () => addWebsite(engine, ada, null),
    () => changeWebsite({ engine, caller: ada, hostname: "a.example" }, {}),
    () => changeWebsite({ engine, caller: ada, hostname: "gone.example" }, {}),
    () => removeWebsite({ engine, caller: ada, hostname: "a.example" }),
  ];
  for (const change of changes) expect((await refusalOf(change)).code).toBe(403);
  expect(websiteFor({ engine, caller: ada, hostname: "a.example" }, "owner").hostname).toBe("a.example");
  await addWebsite(engine, operatorFor(ada), { hostname: "b.example" });
  await removeWebsite({ engine, caller: operatorFor(ada), hostname: "a.example" });
  expect(engine.registry.websitesOf(ada.userId).map(({ hostname }) => hostname)).toEqual(["b.example"]);
});
