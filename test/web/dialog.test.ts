/** How a dialog closes with the mouse, and has room for the names of a person. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { send, troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

type Place = readonly [x: number, y: number];
const beside: Place = [5, 5];

describeTour("a dialog", () => {
  let page: DemoPage;
  let tab: Tab;

  beforeAll(async () => {
    page = await DemoPage.open({ days: 2, perDay: 5 });
    tab = page.tab;
    await page.logIn();
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    await tab.choose("button", "Add goal");
    await tab.fill("textbox", "Name", "Choose a plan");
  });
  afterAll(() => page?.close());

  /** Presses the mouse at one place, and lets go at the other. */
  async function drag(from: Place, to: Place): Promise<void> {
    const mouse = (type: string, [x, y]: Place) =>
      tab.call("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1 });
    await mouse("mousePressed", from);
    await mouse("mouseMoved", to);
    await mouse("mouseReleased", to);
    await tab.still();
  }
  const middleOfName = () =>
    tab.evaluate<Place>(
      "(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector('dialog input').getBoundingClientRect())",
    );
  const name = () => tab.evaluate<string | undefined>("document.querySelector('dialog input')?.value");

  test("stays with what was typed when text is selected past its edge", async () => {
    await tab.still();
    await drag(await middleOfName(), beside);
    expect(await name()).toBe("Choose a plan");
  });

  test("closes with a click beside it", async () => {
    await drag(beside, beside);
    expect(await name()).toBeUndefined();
    expect(await troubles(tab)).toEqual([]);
  });

  test("closes when a person goes back, and the next time the page goes back", async () => {
    const website = `${page.demo.url}dashboard/websites/${demoHost}`;
    await tab.go(page.demo.url);
    await tab.named("heading", "Websites");
    await tab.evaluate(`document.querySelector('a[href$="/websites/${demoHost}"]').click()`);
    await tab.choose("button", "All pages");
    await tab.named("button", "Close");
    await tab.back();
    await tab.until("!document.querySelector('dialog[open]')");
    expect(await tab.evaluate<string>("location.href")).toBe(website);
    expect(await tab.evaluate<string>("document.activeElement.ariaLabel")).toBe("All pages");
    await tab.back();
    await tab.named("heading", "Websites");
    expect(await troubles(tab)).toEqual([]);
  });

  test("breaks a word that is longer than it is wide", async () => {
    const own = { name: "Donaudampfschifffahrtsgesellschaftskapitänsmütze".repeat(2), page: { eq: "/" } };
    await send(tab, "POST", `/website/${demoHost}/goals`, own);
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}`);
    for (const width of [320, 1_280]) {
      await tab.resize(width, 900);
      await tab.choose("button", `Remove the goal ${own.name}`);
      await tab.named("button", "Cancel");
      await tab.still();
      const wider = await tab.evaluate<number>(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog'))",
      );
      expect([width, wider]).toEqual([width, 0]);
      await tab.press("Escape");
    }
  });
});
