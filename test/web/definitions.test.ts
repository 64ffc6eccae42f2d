/** Every figure explains itself where it stands: by mouse, by keyboard and to a screen reader. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definitionOf, definitions, otherDefinitions, type Term } from "../../src/core/definition.ts";
import { metrics, type MetricName } from "../../src/core/questions/metric.ts";
import { columnOf, figuresOf } from "../../src/web/lib/texts/metric.ts";
import { columnsOf } from "../../src/web/website/lists/columns.ts";
import type { Tab } from "../support/chromium.ts";
import { axeFindingsInThemes, overflowPixels, shownText, troubles } from "../support/dashboard.ts";
import { demoHost, sendHit } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { someOf } from "../support/rounds.ts";
import { until } from "../support/until.ts";

let page: DemoPage;
let tab: Tab;

const address = (path: string) => `${page.demo.url.slice(0, -1)}${path}`;
const website = `/dashboard/websites/${demoHost}`;
const openText = () =>
  tab.evaluate<string | null>("document.querySelector(':popover-open')?.innerText ?? null");
const figures = figuresOf({ visits: true });
const focused = () => tab.evaluate<string>("document.activeElement.textContent");

/** Clicks the button with that label and returns what is shown then; leaves nothing open. */
async function explanationOf(name: string | RegExp): Promise<string> {
  await tab.choose("button", name);
  await tab.until("!!document.querySelector(':popover-open > p:not(.loading)')");
  const text = (await openText()) as string;
  await tab.press("Escape");
  await tab.until("!document.querySelector(':popover-open')");
  return text;
}

test("every metric has a definition of its own, which ends as sentences do", () => {
  expect(Object.keys(definitions)).toEqual(Object.keys(metrics));
  const terms = [...Object.keys(definitions), ...Object.keys(otherDefinitions)] as Term[];
  const texts = terms.map(definitionOf);
  expect(new Set(texts).size).toBe(terms.length);
  for (const text of texts) expect(text).toMatch(/^[A-Z].*[.]$/);
});

test("the page of all definitions has each label once", () => {
  const figures = (Object.keys(definitions) as MetricName[]).map((name) => columnOf(name).label);
  const labels = [...figures, ...Object.values(otherDefinitions).map(({ label }) => label)];
  expect(labels.filter((label, at) => labels.indexOf(label) !== at)).toEqual([]);
});

describeTour("a figure", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 3, perDay: 60 });
    tab = page.tab;
    for (let b = 0; b < 200; b++) {
      const hit = { b: `cafe-${b}`, u: `https://${demoHost}/caf%C3%A9%20au%20lait`, p: true };
      expect(await sendHit(page.demo, hit)).toEqual({ accepted: true });
    }
    await page.logIn();
    await tab.go(address(website));
    await tab.named("link", "/café au lait");
  });
  afterAll(() => page?.close());

  test("says what it means beside its label, each tile its own", async () => {
    for (const { name, label } of figures)
      expect([name, await explanationOf(`What “${label}” means`)]).toEqual([
        name,
        expect.stringContaining(definitions[name]),
      ]);
  });

  test("says it in the head of its column, in every list", async () => {
    await tab.choose("button", "All pages");
    await tab.until("!!document.querySelector('dialog[open] table')");
    const heads = await tab.evaluate<string[]>(
      "[...document.querySelectorAll('dialog thead th:not(:first-child) button.term')].map((button) => button.innerText)",
    );
    const columns = columnsOf("pages", { visits: true }).all;
    expect(heads).toEqual(columns.map(({ label }) => label));
    for (const [at, { name }] of columns.entries()) {
      const button = `document.querySelectorAll('dialog thead th:not(:first-child) button.term')[${at}]`;
      await tab.evaluate(`${button}.click(); null`);
      await tab.until("!!document.querySelector(':popover-open > p:not(.loading)')");
      expect([name, await openText()]).toEqual([name, expect.stringContaining(definitions[name])]);
      await tab.evaluate(`${button}.click(); null`);
      await tab.until("!document.querySelector(':popover-open')");
    }
    await tab.press("Escape");
    await tab.until("!document.querySelector('dialog[open]')");
    for (const path of ["tab.pages=time", "tab.sources=campaigns", "prop_name[eq]=plan"]) {
      await tab.go(address(`${website}?${path}`));
      await tab.still();
      const unexplained = await tab.evaluate<string[]>(
        "[...document.querySelectorAll('thead th.number')].filter((th) => !th.querySelector('button[popovertarget]')).map((th) => th.innerText)",
      );
      expect([path, unexplained]).toEqual([path, []]);
    }
  });

  test("is explained by keyboard alone, and the link leads to it among all definitions", async () => {
    await tab.go(address(website));
    const label = columnOf("bounce_percentage").label;
    await tab.named("button", `What “${label}” means`);
    await tab.still();
    await tab.evaluate(`document.querySelector('[aria-label="What “${label}” means"]').focus(); null`);
    await tab.press("Enter");
    await tab.until("!!document.querySelector(':popover-open > p:not(.loading)')");
    await tab.named("note", "");
    await tab.press("Tab");
    expect(await focused()).toBe("All definitions");
    await tab.press("Escape");
    await tab.until("!document.querySelector(':popover-open')");
    expect(await tab.evaluate<string>("document.activeElement.ariaLabel")).toBe(`What “${label}” means`);
    await tab.press("Enter");
    await tab.until("!!document.querySelector(':popover-open > p:not(.loading)')");
    await tab.press("Tab", "Enter");
    await tab.named("heading", "What the figures mean");
    await until(async () => (await focused()).includes(label), "the definition has the focus");
    expect(await focused()).toBe(label + definitions.bounce_percentage);
    const text = await shownText(tab);
    for (const name of Object.keys(metrics) as MetricName[]) expect(text).toContain(definitions[name]);
    for (const { text: words } of Object.values(otherDefinitions)) expect(text).toContain(words);
  });

  test("gives axe nothing to find in either theme", async () => {
    await tab.go(address("/dashboard/definitions"));
    await tab.named("heading", "What the figures mean");
    expect(await axeFindingsInThemes(tab)).toEqual([]);
    await tab.go(address(website));
    for (const name of someOf([/^What “Visitors” means/, "What “Visits now” means", "Channels"])) {
      await tab.choose("button", name);
      await tab.until("!!document.querySelector(':popover-open > p:not(.loading)')");
      expect(await axeFindingsInThemes(tab)).toEqual([]);
      await tab.press("Escape");
      await tab.until("!document.querySelector(':popover-open')");
    }
  });

  test("is explained inside a window of 320 pixels", async () => {
    await tab.resize(320, 800);
    await tab.go(address(website));
    await tab.still();
    for (const { label } of figures) {
      await tab.choose("button", `What “${label}” means`);
      await tab.until("!!document.querySelector(':popover-open > p:not(.loading)')");
      const inside =
        "(({ left, right, top, bottom }) => left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight)" +
        "(document.querySelector(':popover-open').getBoundingClientRect())";
      await tab.until(inside);
      await tab.press("Escape");
    }
    expect(await overflowPixels(tab)).toBe(0);
    await tab.go(address("/dashboard/definitions"));
    await tab.still();
    expect(await overflowPixels(tab)).toBe(0);
    await tab.resize(1_200, 900);
  });

  test("shows paths as people read them, and the field of a filter too; its link keeps what is stored", async () => {
    await tab.go(address(website));
    await tab.named("link", "/café au lait");
    await tab.choose("link", "/café au lait");
    await tab.named("link", /^Page views 200/);
    expect(await tab.evaluate<string>("location.search")).toContain("/caf%25C3%25A9%2520au%2520lait");
    await tab.choose("button", "Page is /café au lait");
    await tab.named("dialog", /filter/i);
    expect(await tab.evaluate<string>("document.querySelector('dialog input').value")).toBe("/café au lait");
    await tab.choose("button", "Save");
    await tab.until("!document.querySelector('dialog[open]')");
    await tab.named("link", /^Page views 200/);
  });

  test("never met an error, nor what the Content-Security-Policy refuses", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
