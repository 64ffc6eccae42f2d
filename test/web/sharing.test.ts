/** Links and invitations in a real browser: made by the owner, used by others, and shown in a frame of another origin. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, openTab, overflowPixels, send, shownText, troubles } from "../support/dashboard.ts";
import { demoAccount, demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { until } from "../support/until.ts";

let page: DemoPage;
let owner: Tab;
/** The tab of somebody who has no cookie of the owner. */
let guest: Tab;
/** Whose page shows links in frames. */
let partner: Bun.Server<undefined>;

const statistics = (search = "") => `${page.demo.url}dashboard/websites/${demoHost}${search}`;
const madeAddress = "document.querySelector('.made-link code').textContent";

/** Makes a link in the section that is shown, and returns its address. */
async function make(name: string): Promise<string> {
  await owner.fill("textbox", "Name", name);
  await owner.choose("button", "Make link");
  await owner.named("group", `The link ${name}`);
  await owner.still();
  return owner.evaluate<string>(madeAddress);
}

async function openShare(search = ""): Promise<void> {
  await owner.go(`${page.demo.url}dashboard/websites/${demoHost}/install${search}`);
  await owner.named("heading", "Share");
  await owner.choose("DisclosureTriangle", "Password, public name, frames");
}

/** The value in the frame of another origin, which a browser has in a target of its own; "" while there is none. */
async function inFrame(expression: string): Promise<string> {
  const { browser } = page;
  type Target = { targetId: string; type: string };
  const { targetInfos } = await browser.call<{ targetInfos: Target[] }>("Target.getTargets");
  const targetId = targetInfos.find(({ type }) => type === "iframe")?.targetId;
  if (targetId === undefined) return "";
  const { sessionId } = await browser.call<{ sessionId: string }>("Target.attachToTarget", {
    targetId,
    flatten: true,
  });
  type Evaluated = { result: { value?: string } };
  const { result } = await browser.call<Evaluated>("Runtime.evaluate", { expression }, sessionId);
  return result.value ?? "";
}

async function expectAccessible(tab: Tab): Promise<void> {
  expect(await axeFindings(tab)).toEqual([]);
  expect(await overflowPixels(tab)).toBe(0);
}

describeTour("a website", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 3, perDay: 40 });
    owner = page.tab;
    await page.logIn();
    guest = await openTab(page.browser, 1_200, 900, await page.browser.newPerson());
    partner = Bun.serve({
      port: 0,
      fetch: (request) => {
        const { searchParams } = new URL(request.url);
        const src = searchParams.get("src") ?? "";
        const sandbox = searchParams.has("sandbox") ? `sandbox="${searchParams.get("sandbox")}"` : "";
        const frame = `<!doctype html><title>Partner</title><iframe src="${src}" ${sandbox} width=1100 height=800></iframe>`;
        return new Response(frame, { headers: { "content-type": "text/html" } });
      },
    });
  });
  afterAll(async () => {
    await partner?.stop(true);
    await page?.close();
  });

  test("is made in three clicks with the filters of now, and opens without an account", async () => {
    await owner.go(statistics("?device[eq]=Desktop"));
    await owner.choose("link", "Share");
    const href = await make("Client");
    await owner.named("button", "Copy link");
    await expectAccessible(owner);
    expect(href).toMatch(/\/share\/example\.com\/[0-9a-f]{16}#[\w-]{43}$/);
    await guest.go(href);
    await guest.named("heading", demoHost);
    await guest.until("/^\\d+ visits? now$/.test(document.querySelector('.live')?.textContent)");
    await guest.still();
    const text = await shownText(guest);
    expect(text).toContain("Device is Desktop");
    for (const hidden of ["Log out", "Settings", "Add goal", "Remove from"])
      expect(text).not.toContain(hidden);
    expect(await guest.names("link")).not.toContain("Share");
    await expectAccessible(guest);
    await guest.resize(390, 800);
    await expectAccessible(guest);
    await guest.resize(1_200, 900);
  });

  test("keeps its token in the address through filters and a reload, and sends it in no address", async () => {
    await guest.choose("link", /^\/pricing/);
    await guest.until("location.search !== ''");
    const [search, hash] = await guest.evaluate<[string, string]>("[location.search, location.hash]");
    expect(search).toContain("path");
    expect(hash).toMatch(/^#[\w-]{43}$/);
    await guest.reload();
    await guest.still();
    expect(await shownText(guest)).toContain("Device is Desktop");
    const asked = await guest.evaluate<string[]>(
      "performance.getEntriesByType('resource').map(({ name }) => name)",
    );
    expect(asked.length).toBeGreaterThan(5);
    for (const address of asked) expect(address).not.toContain(hash.slice(1));
  });

  test("is revoked, and then opens nothing, while the next one is written", async () => {
    const name = "document.querySelector('input[name=name]').value";
    expect(await owner.evaluate<string>(name)).toBe("Link 2");
    await owner.fill("textbox", "Name", "Half wri");
    await owner.choose("button", "Revoke the link Client");
    await owner.named("dialog", "Revoke the link Client?");
    await expectAccessible(owner);
    await owner.choose("button", "Cancel");
    await owner.choose("button", "Revoke the link Client");
    await owner.choose("button", "Revoke");
    await owner.until("!document.querySelector('[aria-label=\"Revoke the link Client\"]')");
    expect(await owner.evaluate("document.activeElement.textContent")).toBe("Share");
    await owner.still();
    expect(await owner.evaluate("document.querySelector('.made-link')")).toBeNull();
    expect(await owner.evaluate<string>(name)).toBe("Half wri");
    await guest.evaluate("document.querySelector('.period-other a')?.click()");
    await guest.still();
    expect(await shownText(guest)).toContain("This link opens nothing.");
    await guest.reload();
    await guest.named("heading", "This link opens nothing.");
    await expectAccessible(guest);
  });

  test("opens as its maker saw it: its period, goal and tabs are in the address", async () => {
    await send(owner, "POST", `/website/${demoHost}/goals`, { name: "Pricing", page: { eq: "/pricing" } });
    await owner.go(statistics("?period=this_month&compare=year&goal=1&tab.pages=exits&device[eq]=Desktop"));
    await owner.choose("link", "Share");
    expect(await shownText(owner)).toContain("Goals then count only within what they select.");
    const href = await make("Month");
    expect(href).toMatch(/\/[0-9a-f]{16}\?period=this_month&compare=year&goal=1&tab\.pages=exits#[\w-]{43}$/);
    await guest.go(href);
    await guest.named("link", "Leave the goal Pricing");
    await guest.named("button", /^This month/);
    await guest.until(
      "document.querySelector('[aria-labelledby=panel-pages] [aria-current=true]')?.textContent === 'Exit pages'",
    );
    expect(await shownText(guest)).toContain("Device is Desktop");
  });

  test("has its whole name on a phone", async () => {
    await owner.resize(360, 800);
    const widths = await owner.evaluate<number[]>(
      "[...document.querySelectorAll('tr:has([aria-label^=\"Revoke the link\"]) > th')].map(({ offsetWidth }) => offsetWidth)",
    );
    expect(widths.length).toBeGreaterThan(0);
    expect(Math.min(...widths)).toBeGreaterThan(150);
    await expectAccessible(owner);
    await owner.resize(1_200, 900);
  });

  test("says of a link whose filters select nothing yet that they do, and not that nobody came", async () => {
    await owner.go(statistics("?utm_campaign[eq]=spring"));
    await owner.choose("link", "Share");
    await guest.go(await make("Spring"));
    await guest.named("heading", "No visits in this period with these filters.");
    expect(await shownText(guest)).toContain("There are none in any other period with these filters.");
  });

  test("asks for its password once in a tab", async () => {
    await openShare();
    await owner.fill("textbox", "Password", "open sesame");
    await guest.go(await make("Board"));
    await guest.named("heading", "These statistics have a password");
    await expectAccessible(guest);
    await guest.fill("textbox", "Password", "wrong password");
    await guest.choose("button", "Open");
    await guest.until("document.querySelector('.form-error')?.textContent !== ''");
    await guest.fill("textbox", "Password", "open sesame");
    await guest.choose("button", "Open");
    await guest.named("heading", demoHost);
    await guest.reload();
    await guest.named("heading", demoHost);
  });

  test("that is public opens by its name", async () => {
    await openShare();
    await owner.choose("checkbox", "Public by its name");
    expect(await make("figures")).toEndWith("/share/example.com/figures");
    await guest.go(`${page.demo.url}share/example.com/figures`);
    await guest.named("heading", demoHost);
  });

  test("is shown in a frame of the hosts that it names, without the bar, and in no other", async () => {
    await openShare();
    await owner.fill(
      "textbox",
      "Pages that may show it in a frame",
      `http://partner.example:${partner.port}`,
    );
    const href = await make("Frame");
    const framed = (host: string, more = "") =>
      guest.go(`http://${host}:${partner.port}/?src=${encodeURIComponent(href)}${more}`);
    await framed("partner.example");
    const shown = "document.body.innerText";
    await until(async () => (await inFrame(shown)).includes("visits now"), "the frame shows the statistics");
    const text = await inFrame(shown);
    expect(text).toStartWith(demoHost);
    expect(text).not.toContain("Footfall");
    const says = async (sandbox: string, words: string) => {
      await framed("partner.example", `&sandbox=${sandbox}`);
      await until(
        async () => (await inFrame(shown)).includes(words),
        `a frame with ${sandbox} says ${words}`,
      );
    };
    await says("allow-scripts+allow-same-origin", "visits now");
    await says("allow-scripts", "cannot be reached");
    await framed("other.example");
    const refused = async () => (await inFrame("location.href")).startsWith("chrome-error:");
    await until(refused, "the browser refuses the frame");
  });

  test("invites another account as viewer, who sees the figures and nothing to change", async () => {
    const { username, password } = await page.demo.addAccount("grace");
    await openShare();
    await owner.choose("button", "Invite");
    await owner.named("group", "The invitation");
    expect(await shownText(owner)).toContain("made on the server: footfall user add NAME.");
    await expectAccessible(owner);
    await guest.go(await owner.evaluate<string>(madeAddress));
    await guest.named("heading", "You are invited to a website");
    expect(await shownText(guest)).toContain("made on the server: footfall user add NAME. Then open");
    await expectAccessible(guest);
    await guest.fill("textbox", "Username", username);
    await guest.fill("textbox", "Password", password);
    await guest.choose("button", "Log in");
    await guest.named("button", "Accept");
    await expectAccessible(guest);
    await guest.choose("button", "Accept");
    await guest.named("heading", demoHost);
    await guest.still();
    expect(await shownText(guest)).not.toContain("Add goal");
    expect(await guest.names("link")).not.toContain("Share");
    await guest.go(page.demo.url);
    await guest.named("heading", "Websites");
    expect(await shownText(guest)).toContain("viewer");
  });

  test("writes out what is invisible in a name from before such names were refused", async () => {
    const { engine } = page.demo;
    const { userId } = engine.registry.userByName("grace") as { userId: number };
    const nothing = { passwordHash: null, keepSessionId: "", language: null, scriptType: null };
    const rename = (username: string) =>
      engine.commit({ kind: "userChanged", timeMs: engine.nowMs(), userId, username, ...nothing });
    await rename("grace\u3164");
    await openShare();
    await owner.named("button", "Remove the account grace\\u{3164}");
    expect(await owner.names("rowheader")).toContain("grace\\u{3164}");
    expect(await owner.names("combobox")).toContain("Role of grace\\u{3164}");
    await rename("grace");
  });

  test("asks before an account is removed or an invitation is revoked", async () => {
    await openShare();
    await owner.choose("button", "Remove the account grace");
    await owner.named("dialog", "Remove the account grace?");
    await owner.choose("button", "Cancel");
    await owner.choose("button", "Leave this website");
    await owner.choose("button", "Leave");
    await owner.until("document.querySelector('dialog .form-error').textContent.includes('last owner')");
    await owner.press("Escape");
    await owner.choose("button", "Invite");
    await owner.choose("button", /^Revoke the invitation as viewer/);
    await owner.named("dialog", "Revoke the invitation?");
    await owner.choose("button", "Revoke");
    await owner.until("!document.querySelector('[aria-label^=\"Revoke the invitation\"]')");
    await owner.until("document.querySelector('.made-link') === null");
    expect(await owner.names("button")).toContain("Remove the account grace");
    expect(await owner.evaluate("document.activeElement.textContent")).toBe("Accounts");
  });

  test("asks before a role becomes lower, also the own one by a key, and the page follows", async () => {
    const rolesOf = (role: string, username: string, tab = owner) => {
      const init = {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ role }),
      };
      const path = `/website/${demoHost}/members`;
      return tab.evaluate<string[]>(
        `fetch("${path}/${username}", ${JSON.stringify(init)}).then(() => fetch("${path}")).then((answer) => answer.json()).then(({ members }) => members.map(({ role }) => role))`,
      );
    };
    const rolesNow = () => rolesOf("none", "nobody");
    const shown = (at: number) =>
      owner.evaluate<string>(`document.querySelectorAll('select[aria-label^="Role of"]')[${at}].value`);
    const lower = async (at: number) => {
      await owner.evaluate(`document.querySelectorAll('select[aria-label^="Role of"]')[${at}].focus()`);
      await owner.press("ArrowUp");
    };
    expect(await rolesOf("owner", "grace")).toEqual(["owner", "owner"]);
    await owner.reload();
    await owner.named("combobox", /Role of .*grace/);
    // The script has the features of the first owner's account, who alone switches them on beside the line.
    const switches = async (tab: Tab) =>
      (await tab.names("DisclosureTriangle")).filter((name) => name.startsWith("Also count"));
    await owner.still();
    expect(await switches(owner)).toHaveLength(1);
    await guest.go(`${page.demo.url}dashboard/websites/${demoHost}/install`);
    await guest.named("heading", "Accounts");
    await guest.still();
    expect(await switches(guest)).toEqual([]);
    await guest.go(`${page.demo.url}dashboard/settings`);
    await guest.named("heading", "Script");
    expect(await shownText(guest)).toContain("what the script does on websites whose first owner you are");
    await lower(1);
    await owner.named("dialog", "Change the role of grace?");
    expect(await rolesNow()).toEqual(["owner", "owner"]);
    await expectAccessible(owner);
    await owner.choose("button", "Cancel");
    expect([await shown(1), await rolesNow()]).toEqual(["owner", ["owner", "owner"]]);
    await lower(1);
    await owner.choose("button", "Change role");
    await owner.until("/is editor now/.test(document.querySelector('.announcer')?.textContent)");
    await owner.still();
    expect([await shown(1), await rolesNow()]).toEqual(["editor", ["owner", "editor"]]);
    expect(await owner.evaluate("document.activeElement.localName")).toBe("select");
    await rolesOf("owner", "grace");
    await lower(0);
    await owner.named("dialog", "Change your own role?");
    await owner.press("Escape");
    expect([await shown(0), await rolesNow()]).toEqual(["owner", ["owner", "owner"]]);
    await lower(0);
    await owner.choose("button", "Change role");
    await owner.named("heading", "Leave");
    await owner.still();
    expect(await owner.names("heading")).not.toContain("Accounts");
    expect(await owner.evaluate("document.activeElement.id")).toBe("main");
    await rolesOf("owner", demoAccount.username, guest);
    expect(await rolesOf("viewer", "grace")).toEqual(["owner", "viewer"]);
  });

  test("gives the account another role, which shows at once, and it leaves", async () => {
    await owner.reload();
    await owner.still();
    const select = "document.querySelectorAll('select[aria-label^=Role]')[1]";
    await owner.evaluate(
      `${select}.value = "editor"; ${select}.dispatchEvent(new Event("change", { bubbles: true }))`,
    );
    await owner.until("/is editor now/.test(document.querySelector('.announcer')?.textContent)");
    await guest.go(statistics());
    await guest.named("button", "Add goal");
    await guest.go(`${page.demo.url}dashboard/websites/${demoHost}/install`);
    await guest.named("heading", "Leave");
    await guest.still();
    for (const name of ["Share", "Accounts", "Rename", "Remove"])
      expect(await guest.names("heading")).not.toContain(name);
    await expectAccessible(guest);
    await guest.choose("button", "Leave website…");
    await guest.named("dialog", "Leave this website?");
    await guest.choose("button", "Cancel");
    await guest.choose("button", "Leave website…");
    await guest.choose("button", "Leave website");
    await guest.named("heading", "Websites");
    await guest.named("heading", "Add your first website");
  });

  test("met no error of its own", async () => {
    expect([await troubles(owner), await troubles(guest)]).toEqual([[], []]);
  });
});
