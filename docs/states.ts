/** The states of the dashboard that `npm run screenshots -- --all` makes pictures of, in this order. */
import type { Tab } from "../test/support/chromium.ts";
import { demoHost } from "../test/support/demo.ts";

export interface State {
  readonly name: string;
  /** The part of the address after the server's. */
  readonly path: string;
  /** Brings the page there from where the address leads. */
  readonly begin?: (tab: Tab) => Promise<void>;
}

const website = `dashboard/websites/${demoHost}`;
const press = (name: string | RegExp) => (tab: Tab) => tab.choose("button", name);
/** Puts a text into the field that has the focus. */
const typed = (text: string) => async (tab: Tab) => {
  await tab.type(text);
  await tab.still();
};

async function both(tab: Tab, first: (tab: Tab) => Promise<void>, then: (tab: Tab) => Promise<void>) {
  await first(tab);
  await tab.still();
  await then(tab);
}

/** Makes a link and opens it. */
async function shared(tab: Tab): Promise<void> {
  await tab.choose("button", "Make link");
  await tab.named("group", /^The link/);
  await tab.still();
  await tab.go(await tab.evaluate<string>("document.querySelector('.made-link code').textContent"));
  await tab.named("heading", demoHost);
}

export const states: readonly State[] = [
  { name: "websites", path: "dashboard" },
  { name: "websites-add", path: "dashboard", begin: press("Add website") },
  { name: "website", path: website },
  {
    name: "website-filtered",
    path: `${website}?path[contains]=/blog&country[neq]=Japan&tab.places=countries`,
  },
  {
    name: "website-goal",
    path: `${website}?goal=1&tab.sources=utm_campaign&step=page:/&step=page:/pricing&step=goal:1`,
  },
  { name: "website-journeys", path: `${website}?path[eq]=/pricing` },
  { name: "website-today", path: `${website}?period=today` },
  { name: "website-minutes", path: `${website}?period=24h&interval=minute` },
  { name: "website-week", path: `${website}?period=this_week` },
  { name: "website-weekdays", path: `${website}?tab.chart=weekday&metric=pageviews` },
  { name: "website-year", path: `${website}?period=this_year&metric=time_per_visit` },
  { name: "website-marks", path: `${website}?tab.places=countries&tab.systems=os` },
  { name: "website-nothing", path: `${website}?period=custom&from=2020-01-01&to=2020-01-31` },
  { name: "website-empty", path: "dashboard/websites/new.example.org" },
  { name: "website-missing", path: "dashboard/websites/none.example" },
  { name: "chart-table", path: website, begin: press("Show as table") },
  { name: "note", path: website, begin: press("Add note") },
  { name: "list", path: `${website}?tab.places=countries`, begin: press("All countries") },
  { name: "list-pages", path: `${website}?goal=1`, begin: press("All pages") },
  {
    name: "list-nothing",
    path: website,
    begin: (tab) => both(tab, press("All pages"), (own) => own.fill("searchbox", "Search all pages", "none")),
  },
  { name: "period", path: website, begin: press(/^Last 30 days/) },
  { name: "filter", path: website, begin: press("Add filter") },
  {
    name: "switcher",
    path: website,
    begin: (tab) => both(tab, press("Switch to another website"), typed("ge")),
  },
  { name: "keys", path: website, begin: press("Keyboard shortcuts") },
  { name: "goal-add", path: website, begin: press("Add goal") },
  { name: "funnel-make", path: website, begin: press("Make a funnel") },
  {
    name: "funnel-save",
    path: `${website}?step=page:/&step=page:/pricing`,
    begin: press(/^Save funnel/),
  },
  { name: "live", path: `${website}/live` },
  { name: "set-up", path: `${website}/install` },
  { name: "set-up-filtered", path: `${website}/install?path[eq]=/pricing` },
  { name: "settings", path: "dashboard/settings" },
  { name: "definitions", path: "dashboard/definitions" },
  { name: "unknown", path: "dashboard/nowhere" },
  { name: "shared", path: `${website}/install`, begin: shared },
  { name: "shared-missing", path: `share/${demoHost}/none` },
  { name: "login", path: "dashboard/settings", begin: press("Log out") },
];
