/**
 * Somebody who does in a real browser what their script says. The clock by which the browser measures how long a page is
 * seen is the script's: a page was seen for as long as the script says, however busy the machine is.
 */
import type { Chromium, Tab } from "./chromium.ts";
import { Diary } from "./person-diary.ts";
import { provider, queries, within, type Act, type Round, type Shown } from "./person-script.ts";
import type { TrackedServer } from "./tracked.ts";
import { until } from "./until.ts";
import { VisitorProxy } from "./visitor-proxy.ts";

const pageClock = "let nowMs = 1; performance.now = () => nowMs; self.stay = (ms) => void (nowMs += ms)";

export interface PersonOptions {
  readonly browser: Chromium;
  readonly tracked: TrackedServer;
  readonly hostname: string;
  /** Gives the address of the next request. */
  readonly addressOf: () => string;
}

export class ScriptedPerson {
  readonly diary = new Diary();
  private readonly proxy: VisitorProxy;
  private context: string | undefined;
  /** The last is in front. */
  private tabs: Tab[] = [];

  constructor(private readonly options: PersonOptions) {
    this.proxy = new VisitorProxy(options.tracked.port, options.addressOf);
  }

  /** Returns when the server has answered all that the browser sends of it. */
  async play(round: Round): Promise<void> {
    for (const act of round.acts) {
      this.diary.add(round, act);
      await this.do(act);
      // The browser tells when it has left a page, not when the next one is there.
      if (!("hastes" in act && act.hastes)) await this.told();
    }
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
  }

  private async do(act: Act): Promise<void> {
    const tab = this.tabs.at(-1);
    if (act.does === "leave") return this.leave();
    if (act.does === "arrive") {
      const front = tab ?? (await this.open());
      return this.load(act.hastes, () => front.go(this.urlOf(act.shows), this.referrerOf(act.shows)));
    }
    if (tab === undefined) throw new Error(`nobody can ${act.does} without a page`);
    const evaluate = (expression: string) => tab.evaluate(expression);
    const { does } = act;
    switch (does) {
      case "stay":
        return void (await evaluate(`stay(${act.seconds * 1_000})`));
      case "sign up":
        return void (await evaluate("footfall('signup')"));
      case "go on in the page":
        return void (await evaluate(`history.pushState({}, "", "${act.shows.path}")`));
      case "reload":
        return tab.reload();
      case "back":
      case "forward":
        await evaluate(`history.${does}()`);
        return tab.loaded(this.urlOf(act.shows));
      case "pay":
        await this.follow(tab, this.options.tracked.urlOf(provider));
        return this.follow(tab, this.urlOf(act.shows));
      case "open a tab":
        return (await this.open()).go(this.urlOf(act.shows), await tab.evaluate("location.href"));
      case "click":
        return this.load(act.hastes, () => this.follow(tab, this.urlOf(act.shows)));
    }
  }

  /** Loads a page; one that is to be left too soon waits for its pings, until the next one is there. */
  private async load(hastes: boolean, load: () => Promise<void>): Promise<void> {
    const { proxy } = this;
    if (hastes) proxy.hold();
    await load();
    if (hastes) return until(() => proxy.waiting >= 2, "the pings come");
    await this.letGo();
  }

  /** The pings of a page that was left too soon are given up, and those of the next are answered. */
  private async letGo(): Promise<void> {
    if (!this.proxy.isHolding) return;
    await until(() => this.proxy.abandoned >= 2, "the pings are given up");
    this.proxy.letGo();
  }

  private async leave(): Promise<void> {
    const left = this.tabs.splice(0).reverse();
    for (const tab of left) await tab.leave();
    await this.letGo();
    await this.told();
    for (const tab of left) await tab.close();
  }

  /** Until the server has every page view, the time of each that was left, and every event. */
  private async told(): Promise<void> {
    const { diary, proxy } = this;
    let missing: unknown;
    const isTold = () => {
      const loads = proxy.hits.filter(({ u, d, m }) => u !== undefined && d === undefined && m === undefined);
      const times = new Map(proxy.hits.filter(({ m }) => m !== undefined).map(({ b, m }) => [b, m]));
      missing = diary.views.filter(({ isLeft, seconds }, at) => {
        const beacon = loads[at]?.["b"];
        return beacon === undefined || (isLeft && times.get(beacon) !== seconds * 1_000);
      });
      const signups = proxy.hits.filter(({ d }) => d !== undefined).length;
      return Bun.deepEquals(missing, []) && loads.length === diary.views.length && signups === diary.signups;
    };
    await until(isTold, () => `told are ${JSON.stringify(missing)}; sent was ${JSON.stringify(proxy.hits)}`);
  }

  private async open(): Promise<Tab> {
    const { browser } = this.options;
    this.context ??= await browser.newPerson(this.proxy.url);
    const tab = await browser.open("about:blank", this.context);
    this.tabs.push(tab);
    await tab.call("Page.enable");
    await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: pageClock });
    // Both days of the script are days of the visitor too.
    await tab.call("Emulation.setTimezoneOverride", { timezoneId: "UTC" });
    return tab;
  }

  /** Follows a link of the page. */
  private async follow(tab: Tab, url: string): Promise<void> {
    await tab.evaluate(`self.left = true; document.querySelector('a[href="${url}"]').click()`);
    await tab.until("!self.left");
    await tab.loaded(url);
  }

  private urlOf({ path, campaign }: Shown): string {
    return this.options.tracked.urlOf(this.options.hostname, path + queries[campaign]);
  }

  private referrerOf({ referrer }: Shown): string | undefined {
    return referrer === "" || referrer === within ? undefined : referrer;
  }
}
