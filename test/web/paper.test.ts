/** The page of a website on paper, and in the colours of a system with high contrast. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, overflowPixels, send } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

/** Inches of a sheet of A4, and its pixels between the margins of 12 mm. */
const sheet = { paperWidth: 8.27, paperHeight: 11.69 } as const;
const sheetPixels = 703;

describeTour("a website's page", () => {
  let page: DemoPage;
  let tab: Tab;

  beforeAll(async () => {
    page = await DemoPage.open({ days: 40, perDay: 30 });
    tab = page.tab;
    await page.logIn();
    await send(tab, "POST", `/website/${demoHost}/goals`, { name: "Pricing", page: { eq: "/pricing" } });
    await tab.go(
      `${page.demo.url}dashboard/websites/${demoHost}?previous=true&path[contains]=/&step=page:/&step=goal:1`,
    );
    await tab.until(`document.body.innerText.includes("Germany") || !!document.querySelector(".map svg")`);
    await tab.still();
  });
  afterAll(() => page?.close());

  /** The texts of controls that are shown. */
  const controls = () =>
    tab.evaluate<
      string[]
    >(`[...document.querySelectorAll(":is(.panels, .courses) button:not(.term), .panels input, .bar nav *, .figures button.icon-button")]
      .filter((element) => element.checkVisibility()).map((element) => element.outerHTML.slice(0, 80))`);

  test("has a button that prints it", async () => {
    await tab.evaluate("window.print = () => { printed = true; }");
    await tab.choose("button", "Print or save as PDF");
    expect(await tab.evaluate<boolean>("printed")).toBe(true);
  });

  test("is one sheet that can be sent, without what only works on a screen", async () => {
    expect((await controls()).length).toBeGreaterThan(10);
    await tab.prefer("dark");
    await tab.call("Emulation.setEmulatedMedia", { media: "print" });
    await tab.resize(sheetPixels, 1_000);
    await tab.still();
    expect(await controls()).toEqual([]);
    expect(await overflowPixels(tab)).toBe(0);
    // A dark page is printed light.
    expect(await tab.evaluate<string>("getComputedStyle(document.documentElement).colorScheme")).toBe(
      "light",
    );
    const widthOf = (selector: string) =>
      tab.evaluate<number>(
        `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().width`,
      );
    const [drawn, figure] = [await widthOf(".chart-figure > svg"), await widthOf(".chart-figure")];
    expect(Math.abs(drawn - figure)).toBeLessThan(1);
    const { data } = (await tab.call("Page.printToPDF", sheet)) as { data: string };
    const pdf = Buffer.from(data, "base64").toString("latin1");
    expect(pdf.match(/\/Type \/Page\b(?!s)/g)).toHaveLength(1);
    await tab.call("Emulation.setEmulatedMedia", { media: "" });
    await tab.resize(1_200, 900);
  });

  test("has the heads of the columns of goals and of a funnel", async () => {
    await tab.call("Emulation.setEmulatedMedia", { media: "print" });
    await tab.still();
    const heads = await tab.evaluate<string[]>(
      `[...document.querySelectorAll(".courses thead")].map((head) => head.innerText.trim().replace(/\\s+/g, " "))`,
    );
    expect(heads).toEqual([
      "Goals Visits Conversion rate Times",
      "Steps Visits Of the step before Of all visits",
    ]);
    await tab.call("Emulation.setEmulatedMedia", { media: "" });
  });

  test("has names and labels in full, the days of its period, and room in its chips", async () => {
    const dates = await tab.evaluate<string>(
      `(() => {
        const end = new Date();
        const start = new Date(end.getFullYear(), end.getMonth(), end.getDate() - 29, 12);
        return new Intl.DateTimeFormat("en", { dateStyle: "medium" }).formatRange(start, end);
      })()`,
    );
    await tab.evaluate(`history.pushState(null, "", location.href + "&goal=1")`);
    await tab.go(await tab.evaluate<string>("location.href"));
    await tab.named("link", "Leave the goal Pricing");
    await tab.still();
    expect(
      (await tab.evaluate<string>("document.querySelector('.website-head').innerText")).includes(dates),
    ).toBe(false);
    await tab.call("Emulation.setEmulatedMedia", { media: "print" });
    await tab.resize(sheetPixels, 1_000);
    await tab.still();
    expect(await tab.evaluate<string>("document.querySelector('.website-head').innerText")).toContain(dates);
    const cut = await tab.evaluate<string[]>(
      `[...document.querySelectorAll(".list .name, .chip, .tile-label")]
        .filter((name) => name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 1)
        .map((name) => name.innerText)`,
    );
    expect(cut).toEqual([]);
    const rooms = await tab.evaluate<number[]>(
      `[...document.querySelectorAll(".chip")].map((chip) => {
        const text = document.createRange();
        text.selectNodeContents(chip.querySelector(".cut"));
        return chip.getBoundingClientRect().right - Math.max(...[...text.getClientRects()].map(({ right }) => right));
      })`,
    );
    expect(rooms).toHaveLength(2);
    expect(Math.min(...rooms)).toBeGreaterThan(5);
    expect(await overflowPixels(tab)).toBe(0);
    await tab.call("Emulation.setEmulatedMedia", { media: "" });
    await tab.resize(1_200, 900);
  });

  test("says with lines what colours say, where the system chooses these", async () => {
    const styleOf = (selector: string, property: string, of = "") =>
      tab.evaluate<string>(
        `getComputedStyle(document.querySelector(${JSON.stringify(selector)}), ${JSON.stringify(of)}).${property}`,
      );
    const chosen = `.tile[aria-current="true"]`;
    expect(await styleOf(chosen, "borderBlockEndWidth")).toBe("0px");
    await tab.call("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] });
    await tab.still();
    expect(await styleOf(chosen, "borderBlockEndWidth")).toBe("2px");
    expect(await styleOf(`.tabs a[aria-current="true"]`, "borderBlockEndWidth")).toBe("2px");
    expect(await styleOf(".list tbody th", "borderBlockEndWidth", "::before")).toBe("3px");
    const shades = await tab.evaluate<string[]>(
      `[...document.querySelectorAll(".map-legend li")].map((item) => getComputedStyle(item, "::before").backgroundColor)`,
    );
    expect(new Set(shades).size).toBe(shades.length);
    expect(await axeFindings(tab)).toEqual([]);
    await tab.call("Emulation.setEmulatedMedia", { features: [] });
  });
});
