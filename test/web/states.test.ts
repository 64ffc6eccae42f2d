/** The dashboard while there is little to show: no account, no visits, no visits in a period, no server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Chromium, lightChromiumPath, type Tab } from "../support/chromium.ts";
import { axeFindings, openTab, overflowPixels, shownText, troubles } from "../support/dashboard.ts";
import { useFolder } from "../support/folder.ts";
import { untilDayLasts } from "../support/midnight.ts";
import { describeWith } from "../support/needs.ts";
import { account, browser as firefox, ServerProcess } from "../support/server.ts";
import { useExecutable } from "../support/executable.ts";

const command = [useExecutable()];

const host = "shop.example";

const folder = useFolder();
let server: ServerProcess;
let browser: Chromium;
let tab: Tab;

const shows = (text: string) => tab.until(`document.body.innerText.includes(${JSON.stringify(text)})`);

/** Clicks until the page comes to that: when idle it asks by itself, and a click meanwhile gets the answer to that. */
function tryAgainUntil(expression: string): Promise<void> {
  const click = `[...document.querySelectorAll("button")].find((each) => each.innerText === "Try again")?.click()`;
  return tab.until(`${expression} || void ${click}`);
}

async function addWebsite(hostname: string): Promise<void> {
  const made = await fetch(server.url("/websites"), {
    method: "POST",
    headers: { cookie: server.cookie, "content-type": "application/json" },
    body: JSON.stringify({ hostname }),
  });
  expect(made.status).toBe(201);
}

async function findNothing(): Promise<void> {
  for (const [theme, width] of [
    ["light", 320],
    ["dark", 1_200],
  ] as const) {
    await tab.prefer(theme);
    await tab.resize(width, 900);
    await tab.still();
    expect([theme, await axeFindings(tab), await overflowPixels(tab)]).toEqual([theme, [], 0]);
  }
}

describeWith("chromium", "with little to show, the dashboard", () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      ServerProcess.start(command, folder, ["--data", join(folder, "data")], {}),
      Chromium.start(lightChromiumPath ?? "", join(folder, "profile")),
    ]);
    tab = await openTab(browser);
  });
  afterAll(async () => {
    await browser?.stop();
    await server?.end("SIGKILL");
  });

  test("says that the server has no account, and how to make one", async () => {
    await tab.go(server.url("/"));
    await tab.named("heading", "This server has no account yet");
    await shows("#setup=");
    // Without --data it would begin a folder of its own, where it is run.
    await shows("footfall user add NAME --data FOLDER");
    await findNothing();
    const [, token] = /#setup=(\S+)/.exec(server.greeting) ?? [];
    // The link of an earlier start, and then this one's, into the page that is open.
    await tab.go(server.url("/#setup=older"));
    await tab.named("heading", "Welcome to Footfall");
    await tab.go(server.url(`/#setup=${token}`));
    // The page is loaded again for another fragment.
    await tab.until("!self.left");
    await tab.fill("textbox", "Username", account.username);
    await tab.fill("textbox", "Password", account.password);
    // A browser that keeps no cookie of this page, as Safari does with that of http://localhost.
    const keeping = (credentials: "omit" | "same-origin") =>
      `self.own ??= fetch; self.fetch = (url, init) => own(url, { ...init, credentials: "${credentials}" });`;
    await tab.evaluate(keeping("omit"));
    await tab.choose("button", "Create account");
    await shows("this browser did not keep the cookie of the login");
    // The account is made, and the link used up.
    await tab.evaluate(keeping("same-origin"));
    await tab.choose("button", "Create account");
    await tab.choose("button", "I have an account: log in");
    const logIn = async () => {
      await tab.fill("textbox", "Username", account.username);
      await tab.fill("textbox", "Password", account.password);
      await tab.choose("button", "Log in");
      await shows("Add your first website");
    };
    await logIn();
    await tab.choose("button", "Log out");
    await tab.named("heading", "Log in to Footfall");
    await tab.go(server.url(`/#setup=${token}`));
    await tab.until("!self.left");
    await tab.named("heading", "Log in to Footfall");
    await logIn();
    await server.logIn();
  });

  test("shows the snippet of a website that nobody has visited, and its figures with the first hit", async () => {
    await addWebsite(host);
    await tab.go(server.url(`/dashboard/websites/${host}`));
    await shows("Waiting for the first hit");
    await shows(`src="${server.url("/script.js")}`);
    expect(await tab.evaluate<number>("document.querySelectorAll('.panel, .figures').length")).toBe(0);
    await findNothing();
    const hit = { b: "b", e: "load", u: `https://${host}/hello`, p: true, q: false };
    const answer = await fetch(server.url("/event/hit"), {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": firefox },
      body: JSON.stringify(hit),
    });
    expect(answer.status).toBe(200);
    await tab.named("link", "/hello");
    expect(await tab.names("link")).toContain("Set up");
    // Nobody knows whether a visit that goes on bounces.
    await shows("No visit that is over began here");
    await findNothing();
  });

  test("shows the events of a website that has no page view, and that they arrive", async () => {
    const told = "orders.example";
    await addWebsite(told);
    const order = JSON.stringify({ u: `https://${told}/thanks`, d: { order: true, total: 58.4 } });
    const headers = { "user-agent": firefox };
    const { status } = await fetch(server.url("/event/hit"), { method: "POST", headers, body: order });
    expect(status).toBe(200);
    await tab.go(server.url(`/dashboard/websites/${told}`));
    await tab.named("link", "total");
    expect(await shownText(tab)).not.toContain("Waiting for the first hit");
    await findNothing();
    // In a period without any it is no website at its beginning either.
    await tab.go(server.url(`/dashboard/websites/${told}?period=last_year`));
    await tab.named("heading", "No visits in this period.");
    await tab.go(server.url(`/dashboard/websites/${told}/install`));
    await shows("Receiving hits.");
  });

  test("leads from a period without visits to those that are recorded", async () => {
    await tab.go(server.url(`/dashboard/websites/${host}?period=last_year&metric=pageviews`));
    await tab.named("heading", "No visits in this period.");
    await shows("Visits are recorded for");
    expect(await tab.evaluate<number>("document.querySelectorAll('.panels').length")).toBe(0);
    await findNothing();
    await tab.choose("link", "Show that period");
    await tab.named("link", "/hello");
    expect(await tab.evaluate<string>("location.search")).toContain("metric=pageviews");
  });

  test("says of filters that select nothing in any period that they do", async () => {
    await tab.go(server.url(`/dashboard/websites/${host}?path[eq]=/nowhere`));
    await tab.named("heading", "No visits in this period with these filters.");
    await shows("none in any other period");
  });

  test("shows no snippet of a website with page views while a filter that selects none is taken away", async () => {
    await tab.go(server.url(`/dashboard/websites/${host}?path[eq]=/nowhere`));
    await shows("none in any other period");
    await tab.evaluate(`{
      const ask = self.fetch;
      const held = new Promise((resolve) => { self.release = resolve; });
      self.fetch = async (path, ...more) => {
        if (path.includes("/summary")) await held;
        return ask(path, ...more);
      };
      self.begun = false;
      new MutationObserver(() => { self.begun ||= document.querySelector(".first-hit") !== null; })
        .observe(document.body, { childList: true, subtree: true });
    }`);
    await tab.choose("link", /^Remove the filter/);
    await tab.until("location.search === '' && document.querySelector('.figures[aria-busy=true]') !== null");
    await tab.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))");
    await tab.evaluate("self.release()");
    await tab.named("link", "/hello");
    expect(await tab.evaluate("self.begun")).toBe(false);
  });

  test("names the proxy that hides visitors, where figures of visits would be 0 without a reason", async () => {
    await tab.go(server.url(`/dashboard/websites/${host}`));
    await tab.named("link", "/hello");
    await tab.still();
    expect(await shownText(tab)).not.toContain("No visits are told apart now");
    const headers = { "x-forwarded-for": "10.1.2.3", "user-agent": firefox };
    for (let at = 0; at < 60; at++) {
      const body = JSON.stringify({ b: `hidden-${at}`, u: `https://${host}/hello`, p: true });
      expect((await fetch(server.url("/event/hit"), { method: "POST", headers, body })).status).toBe(200);
    }
    await tab.go(server.url(`/dashboard/websites/${host}`));
    await shows("No visits are told apart now");
    await shows("--trust-proxy loopback,10.1.2.3");
    await findNothing();
  });

  test("says once that the server cannot be reached, and keeps what it showed", async () => {
    await untilDayLasts();
    await tab.go(server.url(`/dashboard/websites/${host}`));
    await tab.named("link", "/hello");
    const network = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await tab.call("Network.enable");
    await tab.call("Network.emulateNetworkConditions", { offline: true, ...network });
    await tab.choose("link", "Previous period");
    await shows("cannot be reached");
    expect(await tab.evaluate<number>("document.querySelectorAll('[role=alert]').length")).toBe(1);
    // A minute later it asks for another part of the period that it compares with.
    await tab.evaluate("{ const now = Date.now; Date.now = () => now() + 60_000; }");
    await tab.back();
    await tab.named("link", "/hello");
    await shows("cannot be reached");
    await findNothing();
    await tab.call("Network.emulateNetworkConditions", { offline: false, ...network });
    await tab.until("!document.querySelector('[role=alert]')");
    await tab.named("link", "/hello");
  });

  test("says that nothing can be loaded, where the first question gets no answer", async () => {
    await tab.call("Network.setBlockedURLs", { urls: ["*/user", "*/websites*"] });
    await tab.go(server.url("/"));
    await shows("cannot be reached");
    await findNothing();
    await tab.call("Network.setBlockedURLs", { urls: [] });
    await tab.choose("button", "Try again");
    await tab.named("link", new RegExp(host));
    await tab.until("!document.querySelector('[role=alert]')");
  });

  test("says that a view of the second script does not come, and shows it when somebody tries again", async () => {
    const block = (urls: readonly string[]) => tab.call("Network.setBlockedURLs", { urls });
    const settings = "document.querySelector('h1')?.innerText === 'Settings'";
    await tab.go(server.url("/dashboard/settings"));
    await tab.until(settings);
    await tab.call("Network.setCacheDisabled", { cacheDisabled: true });
    await block(["*/dashboard/modules/*"]);
    await tab.go(server.url("/dashboard/settings"));
    await tab.named("button", "Try again");
    expect(await tab.evaluate<number>("document.querySelectorAll('[role=alert]').length")).toBe(1);
    const named = (name: string) =>
      tab.evaluate<string>(
        `{ const { dataset } = document.documentElement, was = dataset.modules; dataset.modules = "${name}"; was }`,
      );
    const name = await named("older.js");
    await block([]);
    await tryAgainUntil("document.body.innerText.includes('Footfall was updated. Load the page again.')");
    await named(name);
    await tryAgainUntil(settings);
    await tab.call("Network.setCacheDisabled", { cacheDisabled: false });
  });

  test("never met an error", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
