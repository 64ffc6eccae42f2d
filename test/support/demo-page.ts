/** A demo (support/demo.ts) and a tab of a real browser that shows it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chromium, chromiumPath, type Tab } from "./chromium.ts";
import { openTab } from "./dashboard.ts";
import { demoAccount, startDemo, type Demo } from "./demo.ts";

export class DemoPage {
  private constructor(
    /** Holds the browser's profile, and what a test puts beside it. It goes when the page is closed. */
    readonly folder: string,
    readonly demo: Demo,
    readonly browser: Chromium,
    readonly tab: Tab,
  ) {}

  /** Opens an empty tab. There must be a Chromium on this machine. */
  static async open(visits: Parameters<typeof startDemo>[0]): Promise<DemoPage> {
    const folder = mkdtempSync(join(tmpdir(), "footfall-test-"));
    const [demo, browser] = await Promise.all([
      startDemo(visits),
      Chromium.start(chromiumPath ?? "", join(folder, "profile")),
    ]);
    return new DemoPage(folder, demo, browser, await openTab(browser));
  }

  /** Logs in on a page that shows the login, by default the server's first, until the list of websites is there. */
  async logIn(url = this.demo.url): Promise<void> {
    await this.tab.go(url);
    await this.enterAccount();
    await this.tab.named("heading", "Websites");
  }

  /** Fills in the login that is shown, and sends it. */
  async enterAccount(): Promise<void> {
    await this.tab.fill("textbox", "Username", demoAccount.username);
    await this.tab.fill("textbox", "Password", demoAccount.password);
    await this.tab.choose("button", "Log in");
  }

  async close(): Promise<void> {
    await this.browser.stop();
    await this.demo.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
