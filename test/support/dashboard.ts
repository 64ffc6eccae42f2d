/**
 * Shared by the tests of the dashboard: a tab that notes every error in it and knows when it is at rest, and the rules
 * of axe.
 */
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { Chromium, Tab } from "./chromium.ts";
import { isWhole, someOf } from "./rounds.ts";
import { until } from "./until.ts";

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Fills `troubles` with errors and with what the Content-Security-Policy refuses, from the first line of each page on. */
const watchTroubles = `
  troubles = [];
  addEventListener("error", ({ message }) => troubles.push(message));
  addEventListener("unhandledrejection", ({ reason }) => troubles.push(String(reason)));
  addEventListener("securitypolicyviolation", ({ violatedDirective }) => troubles.push(violatedDirective));
`;

/** Counts in `asked` what the page has asked a server for, and in `pending` what of it is under way, until it is read. */
const watchQuestions = `
  asked = pending = 0;
  for (const [owner, name] of [[self, "fetch"], [Response.prototype, "json"]]) {
    const original = owner[name];
    owner[name] = function (...args) {
      asked++;
      pending++;
      const answer = original.apply(this, args);
      const done = () => { pending--; };
      answer.then(done, done);
      return answer;
    };
  }
`;

/**
 * Whether a page is complete before and after a frame: what it draws may ask for more, and effects run after it is drawn.
 * Animations without an end do not count.
 */
const atRest = `(async () => {
  const quiet = () => document.readyState === "complete" && pending === 0
    && !document.querySelector("[aria-busy=true], .loading")
    && document.getAnimations().every(({ playState, effect }) =>
      playState === "finished" || effect.getComputedTiming().endTime === Infinity);
  if (!quiet()) return false;
  const before = asked;
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  return quiet() && asked === before;
})()`;

/** `person`: as the browser's `newPerson` gave it. */
export async function openTab(browser: Chromium, width = 1_200, height = 900, person?: string): Promise<Tab> {
  const tab = await browser.open("about:blank", person);
  tab.atRest = atRest;
  await tab.call("Page.enable");
  // The tree of roles and names is kept then, and not made for each question about it.
  await tab.call("Accessibility.enable");
  for (const source of [watchTroubles, watchQuestions])
    await tab.call("Page.addScriptToEvaluateOnNewDocument", { source });
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

/**
 * Sends JSON as the page does, for the person who is logged in there. Returns the answer; throws what the server says if
 * it refuses.
 */
export function send<T>(tab: Tab, method: "POST" | "PATCH", path: string, body: object): Promise<T> {
  const init = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return tab.evaluate(`(async () => {
    const answer = await fetch(${JSON.stringify(path)}, ${JSON.stringify(init)});
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text === "" ? null : JSON.parse(text);
  })()`);
}

/** Lets axe look at what is shown in both themes, and measures it on a phone. */
export async function looksRight(tab: Tab, what: string): Promise<void> {
  expect([what, await axeFindingsInThemes(tab)]).toEqual([what, []]);
  await tab.resize(320, 900);
  await tab.still();
  expect([what, await overflowPixels(tab), isWhole ? await axeFindings(tab) : []]).toEqual([what, 0, []]);
  await tab.resize(1_200, 900);
  await tab.still();
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: string[]; readonly failureSummary: string }[];
}

/** The rules of axe that look at colours: the only ones that a theme can break. */
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * Returns what axe finds in the light theme, and what it finds in the colours of the dark one, which stays. A short run
 * has one of them.
 */
export async function axeFindingsInThemes(tab: Tab): Promise<string[]> {
  const findings: string[] = [];
  for (const [at, theme] of someOf(["light", "dark"] as const).entries()) {
    await tab.prefer(theme);
    const found = await axeFindings(tab, at === 0 ? undefined : colourRules);
    findings.push(...found.map((finding) => `${theme}: ${finding}`));
  }
  return findings;
}

/** Returns what axe finds of colours, which is all that a theme can break. */
export function axeFindingsOfColours(tab: Tab): Promise<string[]> {
  return axeFindings(tab, colourRules);
}

/** Rules of WCAG 2.2 AA that axe looks at only when it is told to: what one presses has 24 pixels, or as many around it. */
const moreRules = { "target-size": { enabled: true } };

/**
 * Returns what axe finds against WCAG 2.2 A and AA and its best practices, each with the elements it was found at. Looks
 * at a page that is at rest and stays so: colours that are on their way to others are neither. `rules`: only these.
 */
export async function axeFindings(tab: Tab, rules?: readonly string[]): Promise<string[]> {
  if (await tab.evaluate("!window.axe")) await tab.evaluate(`${axe}; null`);
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly: rules, rules: moreRules });
  let violations: readonly Violation[] = [];
  const looked = async () => {
    await tab.still();
    const before = await tab.evaluate<number>("asked");
    const found = await tab.evaluate<{ violations: Violation[] }>(`axe.run(${options})`);
    violations = found.violations;
    return (await tab.evaluate("asked")) === before;
  };
  await until(looked, "the page stays as it is while axe looks at it");
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} (${failureSummary})`).join("; ")}`,
  );
}

/** How many pixels the page is wider than the window; space kept for a scrollbar counts as none. */
export function overflowPixels(tab: Tab): Promise<number> {
  return tab.evaluate(
    "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)",
  );
}

/** Makes the browser of a tab prefer these languages. */
export async function prefer(tab: Tab, acceptLanguage: string): Promise<void> {
  const userAgent = await tab.evaluate<string>("navigator.userAgent");
  await tab.call("Emulation.setUserAgentOverride", { userAgent, acceptLanguage });
}
