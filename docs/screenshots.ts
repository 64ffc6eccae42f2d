/**
 * `npm run screenshots`: makes the pictures of the README from a server with seeded visits, in a real Chromium
 * (`apt-get install chromium`). A picture shows the whole page, and has two pixels where the page has one.
 *
 * `npm run screenshots -- --all FOLDER` makes one of every state of the dashboard instead, light and dark, 320, 390,
 * 1280 and 2560 pixels wide, for somebody to look at.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromiumPath, type Tab } from "../test/support/chromium.ts";
import { send } from "../test/support/dashboard.ts";
import { DemoPage } from "../test/support/demo-page.ts";
import { demoHost } from "../test/support/demo.ts";
import { states, type State } from "./states.ts";

interface Shot {
  readonly name: string;
  readonly theme: "light" | "dark";
  readonly width: number;
  /** The pixels of the window; undefined: the picture ends with the last card. */
  readonly height?: number;
  readonly path: string;
  readonly begin?: ((tab: Tab) => Promise<void>) | undefined;
}

const website = `dashboard/websites/${demoHost}`;
const shots: readonly Shot[] = [
  {
    name: "dashboard-light",
    theme: "light",
    width: 1_280,
    path: `${website}?step=page:/&step=page:/pricing&step=goal:1`,
  },
  {
    name: "dashboard-dark",
    theme: "dark",
    width: 1_280,
    path: `${website}?path[contains]=/blog&tab.pages=time&tab.sources=links&tab.places=languages`,
  },
  { ...stateNamed("list"), name: "list-light", theme: "light", width: 1_280, height: 800 },
  { ...stateNamed("live"), name: "live-dark", theme: "dark", width: 1_280, height: 800 },
  { name: "phone-light", theme: "light", width: 390, height: 800, path: website },
];

function stateNamed(name: string): State {
  const state = states.find((each) => each.name === name);
  if (state === undefined) throw new Error(`there is no state ${name}`);
  return state;
}

const goals = [
  { name: "Choose a plan", event: { prop_name: "plan" } },
  { name: "Read the documentation", page: { starts_with: "/docs/" } },
];
const width = 1_280;
const widths = [320, 390, width, 2_560];
/** The pixels around the cards. */
const margin = 16;

if (chromiumPath === undefined) throw new Error("there is no chromium on this machine");
const [option, folder] = Bun.argv.slice(2);
if (option !== undefined && (option !== "--all" || folder === undefined))
  throw new Error(`expected nothing or --all FOLDER, got ${Bun.argv.slice(2).join(" ")}`);
const page = await DemoPage.open({ days: 75, perDay: folder === undefined ? 400 : 60 });
const { demo, tab } = page;

/** Sets the size of the window, in pixels of the page. */
async function resize(height: number, ofWidth = width, deviceScaleFactor = 2): Promise<void> {
  const screen = { width: ofWidth, height, deviceScaleFactor, mobile: ofWidth < 600 };
  await tab.call("Emulation.setDeviceMetricsOverride", screen);
  await tab.still();
}

async function makeReadme(): Promise<void> {
  for (const { name, theme, path, begin, width: ofWidth, height } of shots) {
    await tab.prefer(theme);
    await resize(height ?? 2_000, ofWidth);
    await tab.go(encodeURI(demo.url + path));
    await tab.until("document.body.innerText.includes(' now')");
    await tab.still();
    await begin?.(tab);
    await tab.still();
    // The page keeps room for a scrollbar, which the picture does not show.
    await tab.evaluate("document.documentElement.style.scrollbarGutter = 'auto'");
    if (height === undefined) {
      const bottom = "document.querySelector('.courses').getBoundingClientRect().bottom";
      await resize(Math.ceil(await tab.evaluate<number>(bottom)) + margin, ofWidth);
    }
    await Bun.write(join(import.meta.dir, `${name}.png`), await tab.screenshot());
  }
}

/** The pictures are as high as the page, but dialogs as a screen of the width. */
async function makeAll(to: string): Promise<void> {
  mkdirSync(to, { recursive: true });
  for (const { name, path, begin } of states) {
    await resize(900, width, 1);
    await tab.go(encodeURI(demo.url + path));
    await tab.still();
    await begin?.(tab);
    for (const ofWidth of widths)
      for (const theme of ["light", "dark"] as const) {
        await tab.prefer(theme);
        const screen = ofWidth * (ofWidth < 600 ? 2 : 0.6);
        await resize(screen, ofWidth, 1);
        const height = await tab.evaluate<number>(
          "document.querySelector('dialog[open], :popover-open') ? 0 : document.documentElement.scrollHeight",
        );
        if (height > screen) await resize(height, ofWidth, 1);
        await Bun.write(join(to, `${name}-${ofWidth}-${theme}.png`), await tab.screenshot());
      }
  }
}

await page.logIn();
for (const goal of goals) await send(tab, "POST", `/website/${demoHost}/goals`, goal);
await tab.call("Emulation.setScrollbarsHidden", { hidden: true });
await (folder === undefined ? makeReadme() : makeAll(folder));
await page.close();
// Tests share a browser, which ends with their process.
await page.browser.stop();
