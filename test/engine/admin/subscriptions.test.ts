/** Subscriptions: the name of a webhook is looked up only where it would be added. */
import { beforeEach, expect, test } from "bun:test";
import { addSubscription } from "../../../src/engine/admin/website/subscriptions.ts";
import { addWebsite } from "../../../src/engine/admin/websites.ts";
import { type Caller } from "../../../src/engine/admin/caller.ts";
import { keptCharactersMax } from "../../../src/core/website/room.ts";
import { alertKinds, reportKinds, subscriptionsMax } from "../../../src/core/website/subscription.ts";
import { linkAdded, subscriptionAdded } from "../../support/account-records.ts";
import { InstantEngine } from "../../support/instant-engine.ts";
import { addPerson } from "../../support/people.ts";
import { refusalOf } from "../../support/refusals.ts";

const hostname = "a.example";

let engine: InstantEngine;
let ada: Caller;
let looked: [string, number][];

beforeEach(async () => {
  engine = new InstantEngine();
  ada = await addPerson(engine, "ada");
  await addWebsite(engine, ada, { hostname });
  looked = [];
});

function add(name: string, kind = "weekly") {
  const kinds = kind === "weekly" ? reportKinds : alertKinds;
  const expectTarget = async ({ hostname: asked }: URL, userId: number) => void looked.push([asked, userId]);
  const how = { kinds, sendsMail: false, isTimeZone: () => true, expectTarget };
  return addSubscription(
    { engine, caller: ada, hostname },
    { kind, webhook: { url: `https://${name}/` } },
    how,
  );
}

test("the name is looked up for the account that gives it", async () => {
  await add("hooks.example");
  expect(looked).toEqual([["hooks.example", ada.userId]]);
});

test("not for what is sent there already", async () => {
  await add("hooks.example");
  expect(await refusalOf(() => add("hooks.example"))).toMatchObject({ code: 409 });
  expect(looked).toHaveLength(1);
  await add("hooks.example", "drop");
  expect(looked).toHaveLength(2);
});

test("not for one too many", async () => {
  for (let id = 1; id <= subscriptionsMax; id++)
    await engine.commit(subscriptionAdded(1, id, { target: `https://hooks.example/${id}`, format: "json" }));
  expect(await refusalOf(() => add("more.example"))).toMatchObject({
    code: 400,
    message: `subscriptions: expected at most ${subscriptionsMax} of a website: remove one first`,
  });
  expect(looked).toEqual([]);
});

test("not for one that the account has no room for", async () => {
  await engine.commit(linkAdded(1, "l", { frameAncestors: ["x".repeat(keptCharactersMax)] }));
  expect(await refusalOf(() => add("more.example"))).toMatchObject({
    code: 400,
    message: expect.stringMatching(/^websites: expected at most/),
  });
  expect(looked).toEqual([]);
});
