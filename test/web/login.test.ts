/** Sessions in the dashboard as they end and begin: what one account leaves to the next, and what fails. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, shownText, troubles } from "../support/dashboard.ts";
import { demoAccount, demoHost, type Demo } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { until } from "../support/until.ts";

describeTour("a session", () => {
  let page: DemoPage;
  let demo: Demo;
  let tab: Tab;

  beforeAll(async () => {
    page = await DemoPage.open({ days: 2, perDay: 5 });
    ({ demo, tab } = page);
    await page.logIn();
    await tab.call("Network.enable");
  });
  afterAll(() => page?.close());

  const shows = (text: string) => tab.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  const block = (urls: readonly string[]) => tab.call("Network.setBlockedURLs", { urls });

  const ended = "Your session has ended. Log in to go on.";

  /** Sends JSON with the cookie of the page, as another tab would. */
  const post = <T>(path: string, body: object = {}) => {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return tab.evaluate<T>(`fetch("${path}", ${JSON.stringify(init)}).then((answer) => answer.text())`);
  };

  test("goes on where the server does not hear that it should end", async () => {
    await block(["*/auth/logout"]);
    await tab.choose("button", "Log out");
    await tab.until("/cannot be reached/.test(document.querySelector('.announcer')?.textContent)");
    await tab.named("link", new RegExp(demoHost));
    expect(await tab.names("button")).toContain("Log out");
    await block([]);
  });

  test("that ends by itself leaves what was typed, also in a dialog, to whoever logs in again", async () => {
    await tab.go(`${demo.url}dashboard/websites/${demoHost}/install`);
    await tab.fill("textbox", "Blocked paths", "/typed");
    await tab.choose("button", "Remove website…");
    await tab.fill("textbox", `Type ${demoHost} to confirm`, "exam");
    await post("/auth/logout");
    await tab.evaluate("void dispatchEvent(new Event('online'))");
    await tab.named("heading", "Log in to Footfall");
    expect(await shownText(tab)).toContain(ended);
    expect(await tab.names("textbox")).toEqual(["Username", "Password"]);
    expect(await axeFindings(tab)).toEqual([]);
    await tab.press("Escape");
    await tab.press("Escape");
    await page.enterAccount();
    await tab.named("textbox", `Type ${demoHost} to confirm`);
    await tab.still();
    const typed = `["dialog input", "[name=blocked_paths]"].map((each) => document.querySelector(each).value)`;
    expect(await tab.evaluate<string[]>(typed)).toEqual(["exam", "/typed"]);
    await tab.press("Escape");
    await tab.choose("button", "Save rules");
    await tab.until("/^Saved/.test(document.querySelector('.announcer').textContent)");
  });

  test("that ended is no trouble of a form or a file any more, once somebody has logged in again", async () => {
    for (const button of ["Save rules", "Read the file"]) {
      await tab.go(`${demo.url}dashboard/websites/${demoHost}/install`);
      await tab.fill("textbox", "Blocked paths", "/typed-again");
      await tab.evaluate(`{
        const chosen = new DataTransfer();
        chosen.items.add(new File(["no log line"], "access.log"));
        const input = document.querySelector("input[type=file]");
        input.files = chosen.files;
        input.dispatchEvent(new Event("change", { bubbles: true }));
      }`);
      await post("/auth/logout");
      await tab.choose("button", button);
      await tab.named("heading", "Log in to Footfall");
      await page.enterAccount();
      await tab.named("button", button);
      await tab.still();
      const errors = `[...document.querySelectorAll(".form-error")].map(({ textContent }) => textContent).join("")`;
      expect(await tab.evaluate<string>(errors)).toBe("");
    }
  });

  test("that begins in another tab begins in this one too, once somebody sees it", async () => {
    const see = () => tab.evaluate("void document.dispatchEvent(new Event('visibilitychange'))");
    await post("/auth/logout");
    await tab.go(`${demo.url}dashboard/websites/${demoHost}?period=7d`);
    await tab.named("heading", "Log in to Footfall");
    await see();
    await tab.still();
    await post("/auth/login", demoAccount);
    await see();
    await tab.named("button", /^Last 7 days/);
    // A page whose session ended has what was typed, and goes on.
    await tab.choose("button", "Add note");
    await tab.fill("textbox", "What happened", "Half a note");
    await post("/auth/logout");
    await tab.evaluate("void dispatchEvent(new Event('online'))");
    await tab.named("heading", "Log in to Footfall");
    await post("/auth/login", demoAccount);
    await see();
    await tab.until("!document.querySelector('dialog.above')");
    expect(await tab.evaluate("document.querySelector('dialog:modal input[name=text]').value")).toBe(
      "Half a note",
    );
    await tab.press("Escape");
  });

  test("of another account shows nothing of the one that ended", async () => {
    const { username, password } = await demo.addAccount("grace");
    await tab.go(demo.url);
    await tab.named("link", new RegExp(demoHost));
    await tab.choose("button", "Log out");
    await tab.named("heading", "Log in to Footfall");
    await tab.evaluate(`{ const own = fetch;
      self.held = new Promise((resolve) => { self.resume = resolve; });
      self.fetch = (url, init) => (String(url).startsWith("/websites") ? held.then(() => own(url, init)) : own(url, init)); }`);
    await tab.fill("textbox", "Username", username);
    await tab.fill("textbox", "Password", password);
    await tab.press("Enter");
    await tab.until("!!document.querySelector('.bar')");
    await tab.evaluate("document.querySelector('.brand').click()");
    await tab.until("location.pathname === '/'");
    await shows("Loading…");
    expect(await shownText(tab)).not.toContain(demoHost);
    await tab.evaluate("resume()");
    await shows("Add your first website");
    // The page below the login has what the first account typed: it begins anew.
    await tab.evaluate("self.isFirst = true");
    await post("/auth/logout");
    await tab.evaluate("void dispatchEvent(new Event('online'))");
    await page.enterAccount();
    await tab.until("!self.isFirst && document.readyState === 'complete'");
    await tab.named("link", new RegExp(demoHost));
    await tab.choose("button", "Log out");
    await tab.named("heading", "Log in to Footfall");
    // Nothing is said to whoever ended it, nor to whoever comes to the page.
    await tab.still();
    expect(await shownText(tab)).not.toContain(ended);
    await tab.reload();
    await tab.named("heading", "Log in to Footfall");
    expect(await shownText(tab)).not.toContain(ended);
  });

  test("has the invitation that was pasted last into the open page, and keeps it past the way to the content", async () => {
    await page.logIn();
    const asked = `/website/${demoHost}/invitations`;
    const { token } = JSON.parse(await post<string>(asked, { role: "viewer" })) as { token: string };
    await post("/auth/logout");
    const sent = await post<string>("/auth/login", { ...demoAccount, username: "grace" });
    expect(JSON.parse(sent)).toMatchObject({ username: "grace" });
    await tab.go(`${demo.url}dashboard/invitation#older`);
    await tab.named("button", "Accept");
    await tab.go(`${demo.url}dashboard/invitation#${token}`);
    // The page is loaded again for another fragment.
    await tab.until("!self.left && document.querySelector('.skip') !== null");
    // Chromium has hung where its accessibility tree was asked for while the fragment had just changed.
    await tab.still();
    await tab.evaluate("document.querySelector('.skip').click()");
    await tab.choose("button", "Accept");
    await tab.named("heading", demoHost);
  });

  test("of another account, begun in another tab, changes nothing from the settings of the first", async () => {
    const { username, password } = await demo.addAccount("hopper");
    await post("/auth/logout");
    await page.logIn();
    await tab.go(`${demo.url}dashboard/settings`);
    await tab.fill("textbox", "Username", "lovelace");
    await tab.choose("button", "Delete account…");
    await tab.fill("textbox", "Type ada to confirm", "ada");
    await post("/auth/logout");
    await post("/auth/login", { username, password });
    const refused = "The account hopper is logged in now. Load the page again.";
    const saying = () =>
      tab.evaluate<string[]>(
        "[...document.querySelectorAll('.form-error')].map((said) => said.textContent).filter(Boolean)",
      );
    await tab.choose("button", "Delete account");
    await shows(refused);
    expect(await saying()).toEqual([refused]);
    await tab.choose("button", "Cancel");
    for (const name of ["Change name", "Save script", "Save language"]) await tab.choose("button", name);
    await tab.fill("textbox", "Name", "Wall");
    await tab.choose("button", "Make token");
    await until(async () => (await saying()).length === 4, "all forms refuse");
    const users = [...demo.engine.registry.users.values()];
    expect(users.map((user) => user.username).toSorted()).toEqual(["ada", "grace", "hopper"]);
    // When it asks again, it shows the other account, and nothing that was typed for the first.
    await tab.evaluate("void dispatchEvent(new Event('online'))");
    await tab.until("document.querySelector('input[name=username]').value === 'hopper'");
    expect(await saying()).toEqual([]);
    await tab.choose("button", "Delete account…");
    await tab.fill("textbox", "Type hopper to confirm", "hopper");
    await tab.choose("button", "Delete account");
    await tab.named("heading", "Log in to Footfall");
  });

  test("meets no error", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});

describeTour("a session in demo mode", () => {
  let page: DemoPage;

  beforeAll(async () => {
    page = await DemoPage.open({ days: 1, perDay: 5, demo: true });
  });
  afterAll(() => page?.close());

  test("begins though the server keeps no language for the account", async () => {
    await page.logIn();
    await page.tab.named("link", new RegExp(demoHost));
    const [user] = page.demo.engine.registry.users.values();
    expect(user!.updatedMs).toBe(user!.createdMs);
  });

  test("meets no error but the refusal of the language", async () => {
    expect((await troubles(page.tab)).filter((trouble) => !trouble.includes("403"))).toEqual([]);
  });
});
