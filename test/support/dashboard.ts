/** What the tests of the dashboard share: a tab that notes everything that goes wrong in it, and the rules of axe. */
import { readFileSync } from "node:fs";
import type { Chromium, Tab } from "./chromium.ts";

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Fills `troubles` with errors and with what the Content-Security-Policy refuses, from the first line of each page on. */
const watchTroubles = `
  troubles = [];
  addEventListener("error", ({ message }) => troubles.push(message));
  addEventListener("unhandledrejection", ({ reason }) => troubles.push(String(reason)));
  addEventListener("securitypolicyviolation", ({ violatedDirective }) => troubles.push(violatedDirective));
`;

export async function openTab(browser: Chromium, width = 1_200, height = 900): Promise<Tab> {
  const tab = await browser.open();
  await tab.call("Page.enable");
  await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: watchTroubles });
  await tab.resize(width, height);
  return tab;
}

export function troubles(tab: Tab): Promise<string[]> {
  return tab.evaluate("troubles");
}

/** Everything that can be read in the page. */
export function shownText(tab: Tab): Promise<string> {
  return tab.evaluate("document.body.innerText");
}

/** What axe finds against WCAG 2.2 A and AA and its best practices, each with the elements it was found at. */
export async function axeFindings(tab: Tab): Promise<string[]> {
  await tab.evaluate(`if (!window.axe) { ${axe} }; null`);
  // Colours that are on their way to others are neither.
  await tab.evaluate(
    "Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))).then(() => {})",
  );
  const { violations } = await tab.evaluate<{
    violations: { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }[];
  }>("axe.run({ resultTypes: ['violations'] })");
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} (${failureSummary})`).join("; ")}`,
  );
}

/** How many pixels the page is wider than the window; space kept for a scrollbar counts as none. */
export function overflowPixels(tab: Tab): Promise<number> {
  return tab.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)");
}
