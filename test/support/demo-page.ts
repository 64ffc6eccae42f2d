/**
 * A demo (support/demo.ts) and a tab of a real browser that shows it. All demos of a process share one browser, since
 * its start takes seconds of processor, and each is a person there: with cookies, storage and a cache of its own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chromium, lightChromiumPath, type Tab } from "./chromium.ts";
import { openTab } from "./dashboard.ts";
import { demoAccount, startDemo, type Demo } from "./demo.ts";
import { runFolderVariable } from "./run-folder.ts";

let browser: Promise<Chromium> | undefined;

/** The browser of this process. It ends with the process, whose run removes its profile. */
function startedBrowser(): Promise<Chromium> {
  const profile = mkdtempSync(join(process.env[runFolderVariable] ?? tmpdir(), "footfall-browser-"));
  return Chromium.start(lightChromiumPath ?? "", profile);
}

export class DemoPage {
  private constructor(
    /** Holds what a test puts there. It goes when the page is closed. */
    readonly folder: string,
    readonly demo: Demo,
    readonly browser: Chromium,
    /** The browser's name for whoever looks at the page. */
    readonly person: string,
    readonly tab: Tab,
  ) {}

  /** Opens an empty tab. There must be a Chromium on this machine. */
  static async open(visits: Parameters<typeof startDemo>[0]): Promise<DemoPage> {
    const folder = mkdtempSync(join(tmpdir(), "footfall-test-"));
    const [demo, shared] = await Promise.all([startDemo(visits), (browser ??= startedBrowser())]);
    const person = await shared.newPerson();
    return new DemoPage(folder, demo, shared, person, await openTab(shared, 1_200, 900, person));
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
    await this.browser.call("Target.disposeBrowserContext", { browserContextId: this.person });
    await this.demo.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
