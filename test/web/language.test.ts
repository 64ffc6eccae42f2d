/** The languages of the dashboard in a real browser: German, and a made-up one whose words are long and go from right to left. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import {
  axeFindings,
  openTab,
  overflowPixels,
  prefer,
  send,
  shownText,
  troubles,
} from "../support/dashboard.ts";
import { demoAccount, demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { latinWords, speakMadeUp, unnamedControls } from "../support/made-up.ts";
import { dayText } from "../../src/web/lib/texts/notes.ts";
import { describeTour } from "../support/long-test.ts";
import { someOf } from "../support/rounds.ts";

let page: DemoPage;
let tab: Tab;

const address = (path: string) => `${page.demo.url.slice(0, -1)}${path}`;
const website = `/dashboard/websites/${demoHost}`;
const language = () => tab.evaluate<string>("document.documentElement.lang");
const views = [
  "/",
  `${website}?compare=year&tab.pages=time&tab.places=countries&browser[eq]=Chrome&goal=1`,
  `${website}?tab.pages=entries&tab.places=languages&path[eq]=/pricing&step=page:/&step=page:/pricing`,
  `${website}?period=yesterday`,
  `${website}?tab.chart=weekday&metric=pageviews`,
  `${website}/install`,
  `${website}/live`,
  "/dashboard/settings",
  "/dashboard/definitions",
  "/dashboard/websites/none.example",
] as const;

/** Until the page has begun anew in a language, and has this heading. */
function shows(code: string, heading: string): Promise<void> {
  const title = "document.querySelector('h1')?.textContent";
  return tab.until(`document.documentElement.lang === "${code}" && ${title} === "${heading}"`);
}

describeTour("the dashboard", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 40, perDay: 30 });
    tab = page.tab;
  });
  afterAll(() => page?.close());

  test("speaks the browser's language before the login, also in the server's sentences", async () => {
    await prefer(tab, "fr-FR,de-AT,en");
    await tab.go(address("/"));
    await tab.fill("textbox", "Benutzername", demoAccount.username);
    await tab.fill("textbox", "Passwort", "falsch");
    await tab.choose("button", "Anmelden");
    await tab.until("document.body.innerText.includes('Benutzername oder Passwort ist falsch.')");
    expect([await language(), await axeFindings(tab)]).toEqual(["de", []]);
  });

  test("speaks it after the login, too, if no language was chosen yet", async () => {
    await tab.fill("textbox", "Passwort", demoAccount.password);
    await tab.choose("button", "Anmelden");
    await shows("de", "Websites");
    const user = "fetch('/user').then((answer) => answer.json()).then(({ settings }) => settings.language)";
    expect(await tab.evaluate<string>(user)).toBe("de");
    await tab.go(address("/dashboard/settings"));
    await tab.named("button", "Sprache speichern");
    await tab.evaluate("document.querySelector('#language').value = 'en'");
    await tab.choose("button", "Sprache speichern");
    await shows("en", "Settings");
  });

  test("speaks the language that was chosen in every browser, and another once that is chosen", async () => {
    const other = await openTab(page.browser, 1_200, 900, await page.browser.newPerson());
    await prefer(other, "de");
    await other.go(address("/"));
    await other.fill("textbox", "Benutzername", demoAccount.username);
    await other.fill("textbox", "Passwort", demoAccount.password);
    await other.choose("button", "Anmelden");
    await other.named("heading", "Websites");
    await other.until("document.documentElement.lang === 'en'");
    await other.close();
    await tab.named("button", "Save language");
    await tab.evaluate("document.querySelector('#language').value = 'de'");
    await tab.choose("button", "Save language");
    await shows("de", "Einstellungen");
    expect(await troubles(tab)).toEqual([]);
  });

  test("writes figures and dates as the language has them, and explains them in it", async () => {
    const { current } = await tab.evaluate<{ current: Record<string, number> }>(
      `fetch("/website/${demoHost}/summary?metrics=views_per_visit").then((answer) => answer.json())`,
    );
    await tab.go(address(`${website}?period=all&tab.places=countries`));
    await tab.named("link", "Deutschland");
    const views = new Intl.NumberFormat("de", { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(
      current["views_per_visit"] ?? 0,
    );
    expect(await shownText(tab)).toContain(`Aufrufe pro Besuch\n${views}`);
    await tab.choose("button", "Was „Absprung­rate“ bedeutet");
    await tab.until(
      "document.querySelector(':popover-open')?.innerText.startsWith('Von den Besuchen, die vorbei sind')",
    );
    await tab.press("Escape");
  });

  test("says the day of a field in the language, which the browser's own field does not", async () => {
    await tab.go(address(website));
    await tab.choose("button", "Notiz hinzufügen");
    const field = `document.querySelector("dialog input[type=date]")`;
    await tab.until(`!!${field}`);
    const words = () => tab.evaluate<string>("document.querySelector('.day-words').innerText");
    expect(await words()).toBe(dayText(await tab.evaluate<string>(`${field}.value`), "de"));
    await tab.evaluate(
      `${field}.value = "2026-03-04"; ${field}.dispatchEvent(new Event("input", { bubbles: true }))`,
    );
    await tab.until("document.querySelector('.day-words').innerText.startsWith('Mi., 4. März 2026')");
    await tab.evaluate(`${field}.value = ""; ${field}.dispatchEvent(new Event("input", { bubbles: true }))`);
    await tab.until("document.querySelector('.day-words') === null");
    await tab.press("Escape");
    await tab.go(address(`${website}?period=all&tab.places=countries`));
    await tab.named("link", "Deutschland");
  });

  test("finds a value by its name, and filters by the one that the server knows", async () => {
    await tab.choose("button", "Filter hinzufügen");
    await tab.evaluate(`{
      const select = document.querySelector("dialog select");
      select.value = "country";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
    // The server would look for a part of the name in the English one.
    const offered = await tab.evaluate<string[]>(
      "[...document.querySelectorAll('dialog select')[1].options].map(({ value }) => value)",
    );
    expect(offered).toEqual(["eq", "neq", "in", "not_in"]);
    await tab.fill("combobox", "Wert", "vereinigtes k");
    await tab.choose("option", /^Vereinigtes Königreich/);
    await tab.press("Enter");
    await tab.until("decodeURIComponent(location.search).includes('country[eq]=United Kingdom')");
    await tab.named("button", "Land ist Vereinigtes Königreich");
    expect(await axeFindings(tab)).toEqual([]);
  });

  test("keeps a dialect that is named by its country while its filter is edited", async () => {
    for (const dialect of ["German (Luxembourg)", "Simplified Chinese"]) {
      await tab.go(encodeURI(address(`${website}?language[eq]=${dialect}`)));
      await tab.choose("button", /^Sprache ist (Deutsch .Luxemburg.|Chinesisch .vereinfacht.)$/);
      await tab.named("combobox", "Wert");
      await tab.evaluate("history.replaceState(null, '', location.pathname)");
      await tab.choose("button", "Speichern");
      await tab.until("location.search !== ''");
      expect(await tab.evaluate("new URLSearchParams(location.search).get('language[eq]')")).toBe(dialect);
    }
  });

  test("searches a list by the names that it shows", async () => {
    await tab.go(address(`${website}?period=all&tab.places=countries`));
    await tab.fill("searchbox", "Länder durchsuchen", "deutschl");
    await tab.until("document.querySelectorAll('[aria-labelledby=panel-places] tbody tr').length === 1");
    await tab.named("link", "Deutschland");
    // It has the same name in both languages.
    await tab.fill("searchbox", "Länder durchsuchen", "japa");
    await tab.named("link", "Japan");
    // A part that many sentences of the page have.
    await tab.fill("searchbox", "Länder durchsuchen", "de");
    await tab.named("link", "Deutschland");
    await tab.still();
    const lengths = await tab.evaluate<number[]>(
      "performance.getEntriesByType('resource').map(({ name }) => name.length)",
    );
    expect(Math.max(...lengths)).toBeLessThan(4_000);
  });

  test("says in one language why a form refuses a name", async () => {
    const path = `/website/${demoHost}/segments`;
    const body = { name: "Chrome", filters: "browser[starts_with]=Chrom" };
    await send(tab, "POST", path, body);
    await tab.go(encodeURI(address(`${website}?browser[eq]=Chrome`)));
    await tab.choose("button", "Segmente");
    await tab.choose("button", /^Diese Filter speichern/);
    await tab.fill("textbox", "Name", "Chrome");
    await tab.press("Enter");
    const said = "document.querySelector('dialog .form-error:not(:empty)')?.innerText";
    await tab.until(`${said} !== undefined`);
    expect(await tab.evaluate<string>(said)).toBe("Diesen Namen gibt es schon.");
    await tab.press("Escape");
    await tab.evaluate(`fetch("${path}/1", { method: "DELETE" }).then(({ status }) => status)`);
  });

  test("speaks the browser's language on the page of a link", async () => {
    const path = `/website/${demoHost}/links`;
    const { id, token } = await send<{ id: string; token: string }>(tab, "POST", path, { name: "shop" });
    const guest = await openTab(page.browser);
    await prefer(guest, "en-GB,de");
    await guest.go(address(`/share/${demoHost}/${id}#${token}`));
    await guest.named("link", /^Visitors/);
    expect(await guest.evaluate<string>("document.documentElement.lang")).toBe("en");
    await guest.close();
  });

  test("has room for words half as long again, from right to left", async () => {
    await send(tab, "POST", `/website/${demoHost}/goals`, { name: "prices", page: { eq: "/pricing" } });
    await speakMadeUp(tab);
    for (const path of someOf(views)) {
      await tab.resize(320, 900);
      await tab.go(encodeURI(address(path)));
      await tab.still();
      expect([path, await overflowPixels(tab)]).toEqual([path, 0]);
      await tab.resize(1_280, 900);
      await tab.still();
      expect([path, await overflowPixels(tab), await axeFindings(tab)]).toEqual([path, 0, []]);
      expect([path, await latinWords(tab), await unnamedControls(tab)]).toEqual([path, [], []]);
    }
    expect(await tab.evaluate("document.documentElement.dir")).toBe("rtl");
  });

  test("has the words of the first script before all others come", async () => {
    const early = await openTab(page.browser);
    await prefer(early, "de");
    await early.call("Page.addScriptToEvaluateOnNewDocument", {
      source: `{
        const ask = self.fetch;
        const never = new Promise(() => {});
        self.fetch = (path, ...more) => (path.startsWith("/dashboard/more/") ? never : ask(path, ...more));
      }`,
    });
    await speakMadeUp(early);
    const shown = async (path: string) => {
      await early.go(address(path));
      await early.until("document.documentElement.dir === 'rtl' && document.querySelector('h1') !== null");
      return latinWords(early);
    };
    expect(await shown("/")).toEqual([]);
    // The page follows the language of the account.
    await send(early, "POST", "/auth/login", demoAccount);
    await send(early, "PATCH", "/user", { settings: { language: "de" } });
    expect(await shown(website)).toEqual([]);
    expect(await early.evaluate("document.querySelectorAll('main section').length")).toBeGreaterThan(5);
    await early.close();
  });

  const menus = [
    ["the period", "[popovertarget=period-menu]"],
    ["a filter", ".filter-bar > button"],
    ["a whole list", ".panel-tools button:last-child"],
    ["a goal", ".courses footer button"],
    ["the shortcuts", ".website-head button:last-of-type"],
  ] as const;
  test.each(someOf(menus))("has it in menus and dialogs, too: %s", async (_, button) => {
    await tab.resize(320, 900);
    await tab.go(address(website));
    await tab.still();
    await tab.evaluate(`document.querySelector(${JSON.stringify(button)}).click()`);
    await tab.until("!!document.querySelector('dialog[open], :popover-open')");
    expect([await overflowPixels(tab), await axeFindings(tab), await latinWords(tab)]).toEqual([0, [], []]);
    expect([await unnamedControls(tab), await troubles(tab)]).toEqual([[], []]);
  });
});
