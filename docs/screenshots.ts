/**
 * `npm run screenshots`: makes the pictures of the README from a server with seeded visits, in a real Chromium
 * (`apt-get install chromium`).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chromium, chromiumPath } from "../test/support/chromium.ts";
import { openTab } from "../test/support/dashboard.ts";
import { demoAccount, demoHost, startDemo } from "../test/support/demo.ts";

const shots = [
  { name: "dashboard-light", theme: "light", query: "?previous=true" },
  {
    name: "dashboard-dark",
    theme: "dark",
    query: "?browser[eq]=Chrome&tab.pages=time&tab.sources=campaigns",
  },
] as const;

if (chromiumPath === undefined) throw new Error("there is no chromium on this machine");
const profile = mkdtempSync(join(tmpdir(), "footfall-screenshots-"));
const demo = await startDemo({ days: 75, perDay: 400 });
const browser = await Chromium.start(chromiumPath, profile);
const tab = await openTab(browser, 1_280, 1_180);
await tab.go(demo.url);
await tab.fill("textbox", "Username", demoAccount.username);
await tab.fill("textbox", "Password", demoAccount.password);
await tab.choose("button", "Log in");
await tab.named("heading", "Websites");
for (const { name, theme, query } of shots) {
  await tab.prefer(theme);
  await tab.go(encodeURI(`${demo.url}dashboard/websites/${demoHost}${query}`));
  await tab.until(
    "document.body.innerText.includes(' now') && !document.querySelector('[aria-busy=true], .loading')",
  );
  await Bun.write(join(import.meta.dir, `${name}.png`), await tab.screenshot());
}
await browser.stop();
await demo.end();
rmSync(profile, { recursive: true });
