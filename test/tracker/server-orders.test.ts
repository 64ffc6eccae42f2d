/** That orders which a server tells count as docs/events.md says: in the visit of a browser that goes on, and later in none. */
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Chromium } from "../support/chromium.ts";
import { describeWith } from "../support/needs.ts";
import { useTracked, type TrackedServer } from "../support/tracked.ts";

const shop = "shop.example";
const page = await Bun.file(join(import.meta.dir, "..", "..", "docs", "events.md")).text();
const [, section = ""] = /^## An order that your server tells\n([^]*?)^## /m.exec(page) ?? [];
const [, body = "{}"] = /^```json\n([^]*?)^```$/m.exec(section) ?? [];
const [, refund = "{}"] = /`(\{ "refund"[^`]*\})`/.exec(section) ?? [];
const [, inDollars = ""] = /`(self\.footfall\?\.\("order", \{ total_usd[^`]*)`/.exec(page) ?? [];

interface Hits {
  readonly hits: readonly [Readonly<Record<string, unknown>>];
}

describeWith("chromium", "an order that a server tells", () => {
  let tracked: TrackedServer;
  let browser: Chromium;

  useTracked((its) => ({ tracked, browser } = its));
  beforeAll(async () => {
    await tracked.site(shop, {}, true);
    for (const [name, prop_name, amount] of [
      ["Orders", "order", "total"],
      ["Refunds", "refund", "refund"],
      ["Dollars", "total_usd", "total_usd"],
    ])
      await tracked.addGoal(shop, { name, event: { prop_name, amount } });
  });

  /** Sends the hit of the page with other fields. */
  async function tell(fields: Readonly<Record<string, unknown>>): Promise<void> {
    const { headers } = await tracked.token();
    const { hits } = JSON.parse(body) as Hits;
    const sent = { hits: [{ ...hits[0], ...fields }] };
    const answer = await tracked.server.ask("POST", "/event/batch", { headers, body: sent });
    expect(await answer.json()).toEqual({ hits: [{ accepted: true }] });
  }

  const sums = (filter = "") =>
    tracked.get<object[]>(shop, `channels?by=visit&goal=1&metrics=visits,conversions,amount${filter}`);

  test("belongs to the visit that goes on, and later to none", async () => {
    const tab = await browser.open("about:blank", await browser.newPerson());
    await tab.go(tracked.urlOf(shop, "/?utm_source=letter&utm_medium=email"));
    await tracked.shows(shop, 1, 1);
    const headers = tracked.browserHeaders;
    const buyer = {
      address: "127.0.0.1",
      user_agent: headers.get("user-agent"),
      language: headers.get("accept-language"),
    };
    await tell(buyer);
    const credited = [{ channel: "Email", visits: 1, conversions: 1, amount: 58.4 }];
    expect(await sums()).toEqual(credited);
    expect(await sums("&prop_name[eq]=order")).toEqual([]);
    await tab.evaluate(`order = { id: "in dollars" }, ${inDollars}`);
    const nothing = { address: undefined, user_agent: undefined, language: undefined };
    await tell({ ...nothing, i: "4712-paid later" });
    await tell({ ...nothing, i: "4711-x7Gq refund", d: JSON.parse(refund) as object });
    expect(await sums()).toEqual(credited);
    await tracked.shows(shop, 1, 1);
    const goals = await tracked.get<object[]>(shop, "goals?by=visit");
    expect(goals).toMatchObject([
      { name: "Orders", visits: 1, events: 3, amount: 116.8 },
      { name: "Refunds", visits: 0, events: 1, amount: 58.4 },
      { name: "Dollars", visits: 1, events: 1, amount: 58.4 },
    ]);
    await tab.close();
  });
});
