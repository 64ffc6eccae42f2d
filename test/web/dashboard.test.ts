/** A person's way through the dashboard in a real browser, on the real server, with real visits by the real script. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Chromium, lightChromiumPath, type Tab } from "../support/chromium.ts";
import { openTab, shownText, troubles } from "../support/dashboard.ts";
import { untilDayLasts } from "../support/midnight.ts";
import { useFolder } from "../support/folder.ts";
import { describeWith } from "../support/needs.ts";
import { account, ServerProcess } from "../support/server.ts";
import { until } from "../support/until.ts";
import { useExecutable } from "../support/executable.ts";

const command = [useExecutable()];

const host = "florist.example";

const folder = useFolder();
let server: ServerProcess;
let browser: Chromium;
let pages: Bun.Server<undefined>;
let tab: Tab;
let visitor: Tab;

const visit = (path: string) => visitor.go(`http://${host}:${pages.port}${path}`);
const shows = (text: string) => tab.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
/** A page that is complete may not have sent its hit yet. */
async function counted(path: string): Promise<void> {
  const pages = () => server.rows(host, "pages");
  await until(async () => (await pages()).some((row) => row["path"] === path), `the server counts ${path}`);
}
const search = () => tab.evaluate<string>("decodeURIComponent(location.search)");

describeWith("chromium", "a person", () => {
  beforeAll(async () => {
    await untilDayLasts();
    [server, browser] = await Promise.all([
      ServerProcess.start(command, folder, ["--data", join(folder, "data")], {}),
      Chromium.start(lightChromiumPath ?? "", join(folder, "profile")),
    ]);
    const html = `<!doctype html><title>Shop</title><script defer src="${server.url("/script.js")}"></script>`;
    pages = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(html, { headers: { "content-type": "text/html" } }),
    });
    tab = await openTab(browser);
    visitor = await browser.open();
    await tab.toFront();
  });
  afterAll(async () => {
    await browser?.stop();
    await server?.end("SIGKILL");
    await pages?.stop(true);
  });

  test("makes the first account with the link that the start printed", async () => {
    const [, token] = /#setup=(\S+)/.exec(server.greeting) ?? [];
    await tab.go(server.url(`/#setup=${token}`));
    await tab.fill("textbox", "Username", account.username);
    await tab.fill("textbox", "Password", account.password);
    await tab.choose("button", "Create account");
    await shows("Add your first website");
    expect(await tab.evaluate<string>("location.href")).toBe(server.url("/"));
    await server.logIn();
  });

  test("adds a website, and sees the snippet wait for the first hit and then find it", async () => {
    await tab.choose("button", /^Add (your first )?website/);
    await tab.fill("textbox", "Hostname", host);
    await tab.choose("button", "Add website");
    await shows(`src="${server.url("/script.js")}`);
    await shows("Waiting for the first hit");
    await visit("/");
    await shows("The first hit has arrived");
  });

  test("sees visits as they come", async () => {
    await tab.choose("link", /statistics/i);
    await shows("1 visit now");
    expect(await tab.names("heading")).toContain(host);
    await visit("/pricing");
    await counted("/pricing");
    await visit("/blog/a-first-post?utm_source=letter&utm_medium=email&utm_campaign=start&utm_term=web");
    await counted("/blog/a-first-post");
    await tab.reload();
    await shows("/blog/a-first-post");
    await tab.named("link", /^Visitors 1/);
    await tab.named("link", /^Page views 3/);
  });

  test("filters by a click on a row, goes back, and has the view again after a reload, figures first", async () => {
    await tab.choose("link", "/pricing");
    await tab.until("location.search !== ''");
    expect(await search()).toContain("path[eq]=/pricing");
    await tab.named("link", /^Page views 1/);
    await tab.reload();
    await tab.named("link", /^Page views 1/);
    await tab.back();
    await tab.named("link", /^Page views 3/);
    expect(await search()).not.toContain("path");
    const asked = await tab.evaluate<string[]>(
      "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)",
    );
    const at = (list: string) => asked.indexOf(`/website/${host}/${list}`);
    expect(at("summary")).toBeGreaterThan(-1);
    expect(at("summary")).toBeLessThan(at("pages"));
  });

  test("filters by the editor, with suggestions of what there is, and takes the filter away", async () => {
    await tab.choose("button", "Add filter");
    await tab.named("dialog", /filter/i);
    await tab.evaluate(
      "(select => { select.value = 'path'; select.dispatchEvent(new Event('input', { bubbles: true })); select.dispatchEvent(new Event('change', { bubbles: true })); })(document.querySelector('dialog select'))",
    );
    await tab.fill("combobox", /value/i, `http://${host}:${pages.port}/blog`);
    await tab.named("option", /\/blog\/a-first-post/);
    await tab.press("ArrowDown", "Enter");
    await tab.choose("button", /^(Add|Save|Apply)/);
    await tab.named("link", /^Page views 1/);
    expect(await search()).toContain("path[eq]=/blog/a-first-post");
    await tab.choose("button", /a-first-post/);
    await tab.choose("button", "Remove filter");
    await tab.named("link", /^Page views 3/);
    await tab.until("document.activeElement.innerText.trim() === 'Add filter'");
    await tab.back();
    await tab.choose("link", /^Remove/);
    await tab.named("link", /^Page views 3/);
  });

  test("says what of a link it does not know, and that a website with an impossible name is none", async () => {
    const { pathname, search: before } = await tab.evaluate<{ pathname: string; search: string }>(
      "({ pathname: location.pathname, search: location.search })",
    );
    await tab.go(server.url(`${pathname}?path[zz]=/pricing`));
    await shows("filters that are not known, and are left out: path[zz]");
    await tab.go(server.url("/dashboard/websites/a%20b"));
    await shows("There is no website a b.");
    await tab.go(server.url(`${pathname}${before}`));
    await tab.named("link", /^Page views 3/);
  });

  test("picks the period by keys, and tabs by links", async () => {
    await tab.press("t");
    await tab.until("location.search.includes('period=today')");
    await tab.named("link", /^Page views 3/);
    await tab.choose("link", "Campaigns");
    await tab.named("link", "start");
    expect(await search()).toContain("tab.sources=campaigns");
    await tab.choose("link", "Terms");
    await tab.named("link", "web");
    await tab.press("?");
    await tab.named("dialog", /keys|keyboard/i);
    await tab.press("Escape");
    await tab.until("!document.querySelector('dialog[open]')");
  });

  test("has the channels first among the sources, and filters by one", async () => {
    await tab.go(`${server.url(await tab.evaluate<string>("location.pathname"))}?period=today`);
    await tab.named("link", "Direct");
    await tab.choose("link", "Email");
    await tab.named("link", /^Page views 1/);
    expect(await search()).toContain("channel[eq]=Email");
    await tab.choose("link", /^Remove/);
    await tab.named("link", /^Page views 3/);
  });

  test("changes what the script does, and logs out and in", async () => {
    await tab.choose("link", "Settings");
    await tab.choose("checkbox", /outbound/i);
    await tab.choose("button", /^Save (script|features)/i);
    await tab.until("document.body.innerText.includes('aved')");
    const script = await (await fetch(server.url(`/script.js?h=${host}`))).text();
    expect(script).toContain("outbound_link");
    await tab.choose("link", "Footfall");
    await tab.named("link", new RegExp(host));
    await tab.choose("button", "Log out");
    await tab.named("heading", "Log in to Footfall");
    const left = await tab.evaluate<string>(
      "document.documentElement.outerHTML + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })",
    );
    expect(left).not.toContain(host);
    const field = "document.querySelector('input[name=password]')";
    expect(await tab.evaluate(`[${field}.type, ${field}.autocomplete]`)).toEqual([
      "password",
      "current-password",
    ]);
    const paste = "new ClipboardEvent('paste', { bubbles: true, cancelable: true })";
    expect(await tab.evaluate(`${field}.dispatchEvent(${paste})`)).toBe(true);
    await tab.fill("textbox", "Username", account.username);
    await tab.fill("textbox", "Password", "not the password");
    await tab.choose("button", "Log in");
    await tab.until("!!document.querySelector('[role=alert]')?.textContent");
    await tab.fill("textbox", "Password", account.password);
    await tab.choose("button", "Log in");
    await tab.named("link", new RegExp(host));
  });

  test("renames and removes the website, and is asked for its name before", async () => {
    await tab.go(server.url(`/dashboard/websites/${host}/install`));
    await tab.fill("textbox", "Hostname", "store.example");
    // Tabs and the history tell the views of a website apart.
    expect(await tab.evaluate<string>("document.title")).toStartWith("Set up · ");
    await tab.choose("button", "Rename");
    await tab.until("location.pathname.includes('store.example')");
    await tab.choose("button", /^Remove/);
    await tab.fill("textbox", /store\.example|type/i, "store.example");
    await tab.choose("button", /^Remove/);
    await shows("Add your first website");
    expect(await shownText(tab)).not.toContain("store.example");
  });

  test("never met an error, nor what the Content-Security-Policy refuses", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
