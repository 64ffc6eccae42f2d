/** Saved funnels in a real browser: saved and removed by keyboard, chosen by a link, seen by viewers and by a link. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { looksRight, openTab, send, shownText, troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

let page: DemoPage;
let tab: Tab;
/** The tab of somebody who has no cookie of the owner. */
let guest: Tab;

const steps = ["page:/", "page[starts_with]:/pricing", "goal:1"];
const query = steps.map((step) => `step=${step}`).join("&");
const search = (of = tab) => of.evaluate<string>("decodeURIComponent(location.search)");
const focuses = (text: string) =>
  tab.until(`document.activeElement.innerText.trim() === ${JSON.stringify(text)}`);
const get = <T>(path: string) =>
  tab.evaluate<T>(`fetch(${JSON.stringify(`/website/${demoHost}/${path}`)}).then(answer => answer.json())`);
const post = <T>(path: string, body: object) => send<T>(tab, "POST", `/website/${demoHost}/${path}`, body);
/** Returns the buttons and links in the foot of the funnel's card. */
const tools = (of = tab) =>
  of.evaluate<string[]>(
    "[...document.querySelectorAll('[aria-labelledby=panel-funnel] footer > :is(a, button)')].map(tool => tool.innerText.trim())",
  );

async function open(asked = "", of = tab): Promise<void> {
  await of.go(encodeURI(`${page.demo.url}dashboard/websites/${demoHost}${asked}`));
  await of.named("heading", "Goals");
  await of.still();
}

describeTour("saved funnels", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 5, perDay: 60 });
    tab = page.tab;
    await page.logIn();
    await post("goals", { name: "Docs read", page: { starts_with: "/docs" } });
    guest = await openTab(page.browser, 1_200, 900, await page.browser.newPerson());
  });
  afterAll(() => page?.close());

  test("are not there before one is saved", async () => {
    await open();
    expect(await tools()).toEqual(["Make a funnel"]);
    await open(`?period=all&${query}`);
    expect(await tools()).toEqual(["Change steps", "Save funnel…", "Clear funnel"]);
  });

  test("are saved by keyboard under a name, which the card has then, and again after a reload", async () => {
    await tab.evaluate(
      "[...document.querySelectorAll('button')].find(b => b.innerText.includes('Save funnel')).focus()",
    );
    await tab.press("Enter");
    await tab.named("dialog", "Save the funnel");
    expect(await tab.evaluate<string>("document.querySelector('dialog ul').innerText")).toBe(
      "1. Page is /\n2. Page starts with /pricing\n3. Docs read",
    );
    await looksRight(tab, "the form that saves a funnel");
    await tab.press("Enter");
    await tab.named("dialog", "Save the funnel");
    await tab.fill("textbox", "Name", "<b>Checkout</b>");
    await tab.press("Enter");
    await tab.named("heading", "Funnel: <b>Checkout</b>");
    await tab.until("document.querySelector('.announcer').textContent === 'Funnel saved'");
    await tab.still();
    await focuses("Change steps");
    expect(await get<unknown[]>("funnels")).toEqual([{ id: 1, name: "<b>Checkout</b>", steps }]);
    expect(await tools()).toEqual(["Change steps", "Saved funnels", "Clear funnel"]);
    await tab.reload();
    await tab.named("heading", "Funnel: <b>Checkout</b>");
    await looksRight(tab, "a saved funnel");
  });

  test("are a link in a menu: the steps are in the address, and back leads back", async () => {
    await post("funnels", { name: "x".repeat(100), steps: ["page:/", "page:/pricing"] });
    await open("?period=7d");
    expect(await tools()).toEqual(["Make a funnel", "Saved funnels"]);
    await tab.choose("button", "Saved funnels");
    await tab.named("link", "<b>Checkout</b>");
    await looksRight(tab, "the menu of saved funnels");
    await tab.press("Escape");
    await focuses("Saved funnels");
    // The page is scrolled elsewhere once the window was a phone's.
    await tab.choose("button", "Saved funnels");
    await tab.choose("link", "<b>Checkout</b>");
    await tab.until("location.search.includes('step')");
    expect(await search()).toBe(`?period=7d&${query}`);
    await tab.named("heading", "Funnel: <b>Checkout</b>");
    expect(await tab.evaluate<boolean>("!!document.querySelector('.saved-menu:popover-open')")).toBe(false);
    await tab.choose("button", "Saved funnels");
    expect(await tab.evaluate<string>("document.querySelector('.saved-menu [aria-current]').innerText")).toBe(
      "<b>Checkout</b>",
    );
    await tab.choose("link", "x".repeat(100));
    await tab.named("heading", `Funnel: ${"x".repeat(100)}`);
    await tab.still();
    await looksRight(tab, "a saved funnel with a long name");
    await tab.evaluate("history.back()");
    await tab.named("heading", "Funnel: <b>Checkout</b>");
    await tab.choose("link", "Clear funnel");
    await tab.named("heading", "Funnel");
    expect(await search()).toBe("?period=7d");
  });

  test("are seen by viewers, who save and remove none", async () => {
    const { username, password } = await page.demo.addAccount("grace");
    const { token } = await post<{ token: string }>("invitations", { role: "viewer" });
    await guest.go(page.demo.url);
    await guest.fill("textbox", "Username", username);
    await guest.fill("textbox", "Password", password);
    await guest.choose("button", "Log in");
    await guest.named("heading", "Add your first website");
    await send(guest, "POST", "/invitations/accept", { token });
    await open("?step=page:/docs&step=page:/pricing", guest);
    expect(await tools(guest)).toEqual(["Change steps", "Saved funnels", "Clear funnel"]);
    await guest.choose("button", "Saved funnels");
    await guest.choose("link", "<b>Checkout</b>");
    await guest.named("heading", "Funnel: <b>Checkout</b>");
    expect((await guest.names("button")).filter((name) => name.startsWith("Remove"))).toEqual([]);
  });

  test("are seen by a link without filters, and by none with filters", async () => {
    const madeLink = async (filters: readonly object[]) => {
      const body = { name: "Client", filters };
      const { id, token } = await post<{ id: string; token: string }>("links", body);
      const other = await openTab(page.browser, 1_200, 900, await page.browser.newPerson());
      await other.go(`${page.demo.url}share/${demoHost}/${id}#${token}`);
      await other.named("heading", "Goals");
      await other.still();
      return other;
    };
    const client = await madeLink([]);
    expect(await tools(client)).toEqual(["Make a funnel", "Saved funnels"]);
    await client.choose("button", "Saved funnels");
    await client.choose("link", "<b>Checkout</b>");
    await client.named("heading", "Funnel: <b>Checkout</b>");
    await client.still();
    expect(await search(client)).toBe(`?${query}`);
    expect(await tools(client)).toEqual(["Change steps", "Saved funnels", "Clear funnel"]);
    expect(await troubles(client)).toEqual([]);
    const held = await madeLink([{ name: "device", operator: "eq", operands: ["Desktop"] }]);
    expect(await tools(held)).toEqual(["Make a funnel"]);
    expect(await troubles(held)).toEqual([]);
  });

  test("that are open are in the address of a link without filters, and in none with filters", async () => {
    const asked = "step=page:/&step=page:/internal";
    const madeAddress = async (search: string) => {
      await open(search);
      await tab.choose("link", "Share");
      await tab.named("heading", "Share");
      await tab.choose("button", "Make link");
      await tab.until("!!document.querySelector('.made-link code')");
      const href = await tab.evaluate<string>("document.querySelector('.made-link code').textContent");
      return decodeURIComponent(new URL(href).search);
    };
    expect(await madeAddress(`?period=all&${asked}`)).toBe(`?period=all&${asked}`);
    expect(await madeAddress(`?period=all&${asked}&device[eq]=Desktop`)).toBe("?period=all");
  });

  test("say which step is gone once a goal is removed, and are removed after a question", async () => {
    await open(`?${query}`);
    await tab.evaluate(
      `fetch("/website/${demoHost}/goals/1", { method: "DELETE" }).then(answer => answer.status)`,
    );
    await open(`?${query}`);
    await tab.named("heading", "Funnel: <b>Checkout</b>");
    await tab.until("document.body.innerText.includes('there is no goal \"1\" of this website')");
    await tab.choose("button", "Saved funnels");
    await tab.choose("button", "Remove the funnel <b>Checkout</b>");
    await tab.named("dialog", "Remove the funnel <b>Checkout</b>?");
    await looksRight(tab, "the removal of a saved funnel");
    await tab.choose("button", "Cancel");
    await focuses("Saved funnels");
    for (const name of ["<b>Checkout</b>", "x".repeat(100)]) {
      await tab.choose("button", "Saved funnels");
      await tab.choose("button", `Remove the funnel ${name}`);
      await tab.choose("button", "Remove funnel");
      await tab.until("!document.querySelector('dialog[open]')");
      await tab.until("document.querySelector('.announcer').textContent === 'Funnel removed'");
      await tab.still();
    }
    expect(await get<unknown[]>("funnels")).toEqual([]);
    expect(await search()).toBe(`?${query}`);
    // Nobody saves what cannot be asked.
    expect(await tools()).toEqual(["Change steps", "Clear funnel"]);
    await focuses("Change steps");
    expect(await shownText(tab)).not.toContain("Checkout");
  });

  test("met no error of its own but the refusal of the step", async () => {
    expect((await troubles(tab)).filter((trouble) => !trouble.includes("400"))).toEqual([]);
  });
});
