/**
 * `npm run screenshots`: makes the pictures of the README from a server with seeded visits, in a real Chromium
 * (`apt-get install chromium`). A picture shows the whole page, and has two pixels where the page has one.
 */
import { join } from "node:path";
import { chromiumPath } from "../test/support/chromium.ts";
import { DemoPage } from "../test/support/demo-page.ts";
import { demoHost } from "../test/support/demo.ts";

const shots = [
  {
    name: "dashboard-light",
    theme: "light",
    query: "?step=page:/&step=page:/pricing&step=goal:1",
  },
  {
    name: "dashboard-dark",
    theme: "dark",
    query: "?path[contains]=/blog&tab.pages=time&tab.sources=links&tab.places=languages",
  },
] as const;
const goals = [
  { name: "Choose a plan", event: { prop_name: "plan" } },
  { name: "Read the documentation", page: { starts_with: "/docs/" } },
];
const width = 1_280;
/** The pixels around the cards. */
const margin = 16;

if (chromiumPath === undefined) throw new Error("there is no chromium on this machine");
const page = await DemoPage.open({ days: 75, perDay: 400 });
const { demo, tab } = page;

/** Sets the window's height, in pixels of the page. */
async function resize(height: number): Promise<void> {
  const screen = { width, height, deviceScaleFactor: 2, mobile: false };
  await tab.call("Emulation.setDeviceMetricsOverride", screen);
  await tab.still();
}

await page.logIn();
for (const goal of goals) {
  const init = `{ method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(goal))} }`;
  await tab.evaluate(`fetch("/website/${demoHost}/goals", ${init}).then(answer => answer.json())`);
}
await tab.call("Emulation.setScrollbarsHidden", { hidden: true });
for (const { name, theme, query } of shots) {
  await tab.prefer(theme);
  await resize(2_000);
  await tab.go(encodeURI(`${demo.url}dashboard/websites/${demoHost}${query}`));
  await tab.until("document.body.innerText.includes(' now')");
  await tab.still();
  // The page keeps room for a scrollbar, which the picture does not show.
  await tab.evaluate("document.documentElement.style.scrollbarGutter = 'auto'");
  const bottom = await tab.evaluate<number>(
    "document.querySelector('.courses').getBoundingClientRect().bottom",
  );
  await resize(Math.ceil(bottom) + margin);
  await Bun.write(join(import.meta.dir, `${name}.png`), await tab.screenshot());
}
await page.close();
