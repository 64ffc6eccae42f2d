/** The other hostnames of a website on its set-up page, in a real browser, with page views that come from there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, overflowPixels, send, shownText, troubles } from "../support/dashboard.ts";
import { demoHost, sendHit } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

let page: DemoPage;
let tab: Tab;

const label = "Other hostnames";
const shown = () => tab.evaluate<string>("document.querySelector('[name=aliases]').value");

async function open(): Promise<void> {
  await tab.go(`${page.demo.url}dashboard/websites/${demoHost}/install`);
  await tab.named("textbox", label);
  await tab.still();
}

describeTour("other hostnames", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 2, perDay: 20 });
    tab = page.tab;
    await page.logIn();
  });
  afterAll(() => page?.close());

  test("are saved as they are pasted, and count", async () => {
    await open();
    expect(await shown()).toBe("");
    await tab.fill("textbox", label, "https://www.Store.example.com/cart\n\nhelp.example.com");
    await tab.choose("button", "Save hostnames");
    await tab.until(
      "document.querySelector('[name=aliases]').value === 'store.example.com\\nhelp.example.com'",
    );
    expect(await shownText(tab)).toContain("Saved. It holds for page views from now on.");
    await sendHit(page.demo, { b: "alias", u: "https://store.example.com/cart", p: true });
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}?path[starts_with]=//store.`);
    await tab.until("document.body.innerText.includes('//store.example.com/cart')");
  });

  test("keep what another owner has added meanwhile, and bring nothing back that one removed", async () => {
    await open();
    await tab.fill("textbox", label, "store.example.com\nhelp.example.com\nblog.example.com");
    await send(tab, "PATCH", `/websites/${demoHost}`, {
      aliases: ["store.example.com", "checkout.example.com"],
    });
    await tab.choose("button", "Save hostnames");
    await tab.until(
      "document.querySelector('[name=aliases]').value === 'store.example.com\\nblog.example.com\\ncheckout.example.com'",
    );
  });

  test("say which is taken, and keep what was typed", async () => {
    await open();
    await tab.fill("textbox", label, `store.example.com\nwww.${demoHost}`);
    await tab.choose("button", "Save hostnames");
    await tab.until("document.body.innerText.includes('a hostname that no website has')");
    expect(await shown()).toBe(`store.example.com\nwww.${demoHost}`);
    expect(await axeFindings(tab)).toEqual([]);
    await tab.resize(320, 900);
    expect(await overflowPixels(tab)).toBe(0);
    await tab.resize(1_200, 900);
  });

  test("met no error but what was refused", async () => {
    expect((await troubles(tab)).filter((text) => !text.includes("400"))).toEqual([]);
  });
});
