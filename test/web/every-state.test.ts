/**
 * Axe on every state of the dashboard that there are pictures of (docs/states.ts): on a phone and on a large screen, light,
 * dark and in forced colours. None is wider than its window.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { states } from "../../docs/states.ts";
import { axeFindings, axeFindingsOfColours, overflowPixels, send, troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { longTest } from "../support/long-test.ts";
import { describeWith } from "../support/needs.ts";
import { isWhole } from "../support/rounds.ts";

const widths = [320, 1_280] as const;
const goal = { name: "Choose a plan", event: { prop_name: "plan" } };

let page: DemoPage;

/** Returns what is wrong with what is shown, in each width and in all colours. */
async function findings(): Promise<string[]> {
  const { tab } = page;
  const found: string[] = [];
  for (const width of widths) {
    await tab.resize(width, 900);
    await tab.still();
    const wider = await overflowPixels(tab);
    const own = [...(wider > 0 ? [`${wider} pixels too wide`] : []), ...(await axeFindings(tab))];
    found.push(...own.map((finding) => `${width}: ${finding}`));
  }
  await tab.prefer("dark");
  found.push(...(await axeFindingsOfColours(tab)).map((finding) => `dark: ${finding}`));
  await tab.call("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] });
  found.push(...(await axeFindingsOfColours(tab)).map((finding) => `forced colours: ${finding}`));
  await tab.prefer("light");
  return found;
}

test("each state is a picture of its own, which has its name", () => {
  const names = states.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z-]+$/.test(name))).toEqual([]);
});

describeWith("chromium", "every state of the dashboard", () => {
  beforeAll(async () => {
    if (!isWhole) return;
    page = await DemoPage.open({ days: 40, perDay: 20 });
    const { tab } = page;
    await page.logIn();
    await send(tab, "POST", `/website/${demoHost}/goals`, goal);
  });
  afterAll(() => page?.close());

  for (const { name, path, begin } of states)
    longTest(`gives axe nothing to find: ${name}`, async () => {
      const { tab, demo } = page;
      await tab.prefer("light");
      await tab.resize(1_280, 900);
      await tab.go(encodeURI(demo.url + path));
      await tab.still();
      await begin?.(tab);
      expect(await findings()).toEqual([]);
      expect(await troubles(tab)).toEqual([]);
    });
});
