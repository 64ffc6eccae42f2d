/** Goals, funnels and journeys in a real browser: by keyboard and by links, in both themes, on a phone. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { looksRight, overflowPixels, send, shownText, troubles } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

let page: DemoPage;
let tab: Tab;

const search = () => tab.evaluate<string>("decodeURIComponent(location.search)");
/** Returns the cells of the rows of the card with this heading, each row as one text. */
const rowsOf = (heading: string) =>
  tab.evaluate<string[]>(
    `[...document.querySelectorAll('section.card')].find(card => card.querySelector('h2')?.textContent.startsWith(${JSON.stringify(heading)}))
      ?.querySelectorAll('tbody tr').values().map(row => row.innerText.trim().replace(/\\s+/g, ' ')).toArray() ?? []`,
  );
const focused = () => tab.evaluate<string>("document.activeElement.innerText.trim()");
const get = <T>(path: string) =>
  tab.evaluate<T>(`fetch(${JSON.stringify(`/website/${demoHost}/${path}`)}).then(answer => answer.json())`);

async function open(query = ""): Promise<void> {
  await tab.go(encodeURI(`${page.demo.url}dashboard/websites/${demoHost}${query}`));
  await tab.named("heading", "Goals");
  await tab.still();
}

const post = (path: string, body: object) => send<{ id: number }>(tab, "POST", path, body);

describeTour("the course of visits", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 20, perDay: 60 });
    tab = page.tab;
    await page.logIn();
  });
  afterAll(() => page?.close());

  test("has goals that are added by keyboard: a page, and an event with a suggested value", async () => {
    await open("?period=all");
    await tab.evaluate(
      "[...document.querySelectorAll('button')].find(b => b.innerText.includes('Add goal')).focus()",
    );
    await tab.press("Enter");
    await tab.named("dialog", "Add a goal");
    await looksRight(tab, "the form of a goal");
    await tab.fill("textbox", "Name", "Pricing");
    await tab.fill("combobox", "Path", `https://www.${demoHost}/pric?a=b`);
    await tab.named("option", /\/pricing/);
    await tab.press("ArrowDown", "Enter", "Enter");
    await tab.until("!document.querySelector('dialog[open]')");
    await tab.named("link", "Pricing");
    await tab.choose("button", "Add goal");
    await tab.fill("textbox", "Name", "Team plan");
    await tab.evaluate(
      "(select => { select.value = 'event'; select.dispatchEvent(new Event('change', { bubbles: true })); })(document.querySelector('dialog select'))",
    );
    await tab.fill("combobox", "Event name or property", "plan=te");
    await tab.named("option", /team/);
    await tab.press("ArrowDown", "Enter", "Enter");
    await tab.named("link", "Team plan");
    const goals = await get<{ name: string; visits: number; events: number }[]>("goals?by=visit");
    expect(goals).toMatchObject([
      { name: "Pricing", page: { eq: "/pricing" } },
      { name: "Team plan", event: { prop_name: "plan", prop_value: "team" } },
    ]);
    await tab.still();
    const rows = await rowsOf("Goals");
    for (const [at, { name, visits, events }] of goals.entries()) {
      expect(visits).toBeGreaterThan(0);
      expect(rows[at]).toMatch(new RegExp(`^${name} ${visits} [\\d.]+% ${events}$`));
    }
  });

  test("says what a form of a goal lacks", async () => {
    await open();
    await tab.choose("button", "Add goal");
    await tab.fill("textbox", "Name", "Nothing");
    await tab.press("Enter");
    await tab.until("document.querySelector('dialog [role=alert]').innerText.includes('Type a path')");
    await tab.press("Escape");
  });

  test("shows conversions in every list and on the chart of a goal that is chosen, which is a link", async () => {
    await open("?period=all");
    await tab.choose("link", "Pricing");
    await tab.until("location.search.includes('goal=1')");
    await tab.named("link", "Leave the goal Pricing");
    // A name may be too long for its column.
    const titles = await tab.evaluate<string[]>(
      `[...document.querySelectorAll(".courses a.name")].map(({ title }) => title)`,
    );
    expect(titles).toEqual([
      "Pricing: Show the lists without conversions",
      "Team plan: Show conversions in all lists",
    ]);
    await tab.choose("link", /^Conversions/);
    await tab.named("application", /^Conversions by/);
    const { current } = await get<{ current: Record<string, number> }>(
      "summary?by=visit&goal=1&metrics=conversions",
    );
    await tab.named("link", new RegExp(`^Conversions ${current["conversions"]}`));
    await open(await search());
    for (const button of ["All pages", "All channels", "All browsers"]) {
      await tab.choose("button", button);
      await tab.until("!!document.querySelector('dialog[open] tbody')");
      const heads = await tab.evaluate<string>("document.querySelector('dialog thead').innerText");
      expect([button, heads]).toEqual([
        button,
        expect.stringMatching(/Visitors\s+↓\s+Conversions\s+↕\s+Conversion rate/),
      ]);
      await tab.press("Escape");
    }
    await tab.choose("link", "Entry pages");
    await tab.until("document.querySelector('.panel thead').innerText.includes('Conversions')");
    await tab.still();
    expect(
      await tab.evaluate<string>("document.querySelector('.panel tbody td:last-child').innerText"),
    ).toMatch(/%$/);
    await looksRight(tab, "a chosen goal");
    await tab.choose("link", "Leave the goal Pricing");
    await tab.named("application", /^Visitors by/);
    await tab.still();
    expect(await search()).not.toContain("goal");
    expect(await shownText(tab)).not.toContain("Conversions");
  });

  test("shows amounts in lists, and as a tile with a chart, of a goal that sums them up", async () => {
    const event = { prop_name: "plan", prop_value: "team", amount: "seats" };
    const { id: goal } = await post(`/website/${demoHost}/goals`, { name: "Seats", event });
    const heads = () => tab.evaluate<string>("document.querySelector('.panel thead').innerText");
    await open(`?period=all&goal=${goal}&metric=amount`);
    await tab.named("application", /^Amount by/);
    // Its events came without numbers.
    await tab.named("link", "Amount –");
    expect(await heads()).toMatch(/Conversions\s+Amount/);
    await looksRight(tab, "a goal with amounts");
    await tab.choose("link", "Pricing");
    await tab.named("application", /^Visitors by/);
    expect(await heads()).not.toContain("Amount");
    await tab.evaluate(`fetch("/website/${demoHost}/goals/${goal}", { method: "DELETE" }).then(() => null)`);
  });

  test("has a funnel of steps that a form sets, which is a link; a goal is a step", async () => {
    await open("?period=all");
    await tab.choose("button", "Make a funnel");
    await tab.fill("combobox", "Step 1: Path", "/");
    await tab.press("Escape");
    await tab.choose("button", "Add step");
    await tab.named("combobox", "Step 3: Path");
    await looksRight(tab, "the form of a funnel");
    await tab.choose("button", "Remove step 3");
    await tab.choose("button", "Show funnel");
    await tab.until("document.querySelector('dialog [role=alert]').innerText.includes('Step 2')");
    await tab.evaluate(
      "(select => { select.value = 'goal:1'; select.dispatchEvent(new Event('change', { bubbles: true })); })(document.querySelectorAll('dialog select')[1])",
    );
    await tab.choose("button", "Show funnel");
    await tab.until("location.search.includes('step')");
    expect(await search()).toBe("?period=all&step=page:/&step=goal:1");
    await open(await search());
    const steps = await get<{ visits: number }[]>("funnel?by=visit&step=page:/&step=goal:1");
    const rows = await rowsOf("Funnel");
    expect(rows.map((row) => row.replace(/ [\d.]+% [\d.]+%$/, ""))).toEqual([
      `1. Page is / ${steps[0]?.visits}`,
      `2. Pricing ${steps[1]?.visits}`,
    ]);
    expect(steps[1]?.visits).toBeGreaterThan(0);
    await looksRight(tab, "a funnel");
    await tab.choose("link", "Clear funnel");
    await tab.named("button", "Make a funnel");
    expect(await search()).toBe("?period=all");
    expect(await focused()).toBe("Make a funnel");
  });

  test("says what of a funnel in a link is wrong", async () => {
    await open("?step=goal:77&step=page:/");
    await tab.until("document.body.innerText.includes('there is no goal \"77\" of this website')");
  });

  test("has next and previous pages beside a page that is filtered for, and walks on by a click", async () => {
    await open("?period=all&path[eq]=/pricing");
    const next = await get<{ stays: number; exits: number; pages: { path: string; stays: number }[] }>(
      "journeys?by=visit&path=/pricing&direction=next&path[eq]=/pricing&limit=8",
    );
    const rows = await rowsOf("Pages before and after /pricing");
    expect(rows[0]).toStartWith(`${next.pages[0]?.path} ${next.pages[0]?.stays} `);
    expect(rows.at(-1)).toStartWith(`Visit ended here ${next.exits} `);
    await looksRight(tab, "next pages");
    await tab.choose("link", "Previous pages");
    await tab.until("location.search.includes('tab.journeys=previous')");
    await tab.until("document.body.innerText.includes('Visit began here')");
    await tab.still();
    const [first] = await rowsOf("Pages before and after /pricing");
    const path = first?.split(" ")[0] ?? "";
    await tab.evaluate(
      `[...document.querySelectorAll('.courses a.name')].find(a => a.textContent === ${JSON.stringify(path)}).click()`,
    );
    await tab.until(
      `decodeURIComponent(location.search).includes('path[eq]=${path}&') || decodeURIComponent(location.search).endsWith('path[eq]=${path}')`,
    );
    await tab.choose("link", /^Remove the filter/);
    await tab.until("!document.body.innerText.includes('Visit began here')");
  });

  test("says how often next pages came a week before", async () => {
    await open("?period=7d&path[eq]=/pricing");
    const asked = await tab.evaluate<string[]>(
      `performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.includes("/journeys?"))`,
    );
    const [now, before] = ["limit=8", "limit=100"].map(
      (limit) => asked.find((url) => url.endsWith(limit)) ?? "",
    );
    const startMs = (url = "") => Date.parse(new URL(url).searchParams.get("start") ?? "");
    expect(startMs(now) - startMs(before)).toBe(7 * 86_400_000);
    type Answer = { exits: number; pages: { path: string; stays: number; other?: true }[] };
    const [own, other] = await tab.evaluate<[Answer, Answer]>(
      `Promise.all(${JSON.stringify([now, before])}.map((url) => fetch(url).then((answer) => answer.json())))`,
    );
    const rows = await rowsOf("Pages before and after /pricing");
    const shown = [
      ...own.pages.map(({ path, stays, other: isOther }) => {
        const was = isOther ? undefined : other.pages.find((page) => page.path === path)?.stays;
        return { name: path, times: stays, was };
      }),
      { name: "Visit ended here", times: own.exits, was: other.exits || undefined },
    ];
    expect(rows.length).toBe(shown.length);
    for (const [at, { name, times, was }] of shown.entries()) {
      const [, percent] = /^ ([+−±]\d+)% /.exec(rows[at]?.slice(`${name} ${times}`.length) ?? "") ?? [];
      expect(rows[at]).toStartWith(`${name} ${times} `);
      expect([name, percent !== undefined]).toEqual([name, was !== undefined]);
      const moved = Number(percent?.replace("−", "-").replace("±", ""));
      if (was !== undefined) expect(Math.abs(moved - (times / was - 1) * 100)).toBeLessThanOrEqual(0.501);
    }
    expect(shown.filter(({ was }) => was !== undefined)).not.toEqual([]);
  });

  test("asks before a goal is removed; a link to it shows the lists without it", async () => {
    await open("?goal=2&metric=conversions");
    await tab.named("link", "Leave the goal Team plan");
    await tab.choose("button", "Remove the goal Team plan");
    await tab.named("dialog", "Remove the goal Team plan?");
    expect(await shownText(tab)).toContain("its figures are back, but not in saved funnels");
    await looksRight(tab, "the removal of a goal");
    await tab.choose("button", "Cancel");
    await tab.choose("button", "Remove the goal Team plan");
    await tab.choose("button", "Remove goal");
    await tab.until(
      "!document.querySelector('dialog[open]') && !document.body.innerText.includes('Team plan')",
    );
    await tab.still();
    expect(await focused()).toBe("Add goal");
    await open("?goal=2&metric=conversions");
    await tab.named("application", /^Visitors by/);
    expect(await tab.names("link")).toContain("Pricing");
  });

  test("says what a goal brought each time on average, in its row and beside the amount", async () => {
    const event = { prop_name: "order", amount: "total" };
    const { id } = await post(`/website/${demoHost}/goals`, { name: "Order", event });
    await post("/event/hit", {
      b: "orders",
      u: `https://${demoHost}/pricing`,
      r: "",
      t: "Europe/Berlin",
      p: true,
      q: false,
    });
    for (const total of [20, 40.5, 61.11])
      await post("/event/hit", { b: "orders", d: { order: "book", total } });
    await open(`?period=today&goal=${id}`);
    expect((await rowsOf("Goals")).find((row) => row.startsWith("Order"))).toMatch(
      /^Order 1 [\d.]+% (\+[\d.]+ points )?3 121\.61 40\.54$/,
    );
    await tab.named("link", "Amount 121.61 40.54 on average");
    for (const width of [500, 700, 1_080, 1_200, 1_600]) {
      await tab.resize(width, 900);
      await tab.still();
      const name = "[aria-labelledby=panel-goals] tbody th";
      const wide = await tab.evaluate<number>(
        `document.querySelector("${name}").getBoundingClientRect().width`,
      );
      expect([width, wide >= 70]).toEqual([width, true]);
    }
    await tab.resize(1_200, 900);
    await looksRight(tab, "an average of amounts");
    const filters = [{ name: "device", operator: "eq", operands: ["Desktop"] }];
    const links = `/website/${demoHost}/links`;
    const link = await send<{ id: string; token: string }>(tab, "POST", links, { name: "Shop", filters });
    await tab.go(`${page.demo.url}share/${demoHost}/${link.id}?period=today&goal=${id}#${link.token}`);
    await tab.named("link", "Amount 121.61 40.54 on average");
    await tab.still();
    expect((await rowsOf("Goals")).find((row) => row.startsWith("Order"))).toEndWith(" 3 121.61 40.54");
    await tab.evaluate(`fetch("/website/${demoHost}/goals/${id}", { method: "DELETE" }).then(() => null)`);
  });

  test("says of a goal without a sum that its amounts came as text", async () => {
    const event = { prop_name: "sale", amount: "paid" };
    const { id } = await post(`/website/${demoHost}/goals`, { name: "Sale", event });
    const page = { u: `https://${demoHost}/pricing`, r: "", t: "Europe/Berlin", p: true, q: false };
    await post("/event/hit", { b: "texts", ...page });
    const hints = () =>
      tab.evaluate<string[]>(
        `[...document.querySelectorAll("[aria-labelledby=panel-goals] .hint")].map(({ innerText }) => innerText)`,
      );
    await open("?period=today");
    expect(await hints()).toEqual([]);
    await post("/event/hit", { b: "texts", d: { sale: "book", paid: "63.30" } });
    await open("?period=today");
    expect((await rowsOf("Goals")).find((row) => row.startsWith("Sale"))).toMatch(/ – –$/);
    expect(await hints()).toEqual([
      expect.stringMatching(/Sale.*: no number came in .*paid.*A text is not summed up\.$/),
    ]);
    await looksRight(tab, "a goal whose amounts came as text");
    await post("/event/hit", { b: "texts", d: { sale: "book", paid: 63.3 } });
    await open("?period=today");
    expect(await hints()).toEqual([]);
    await tab.evaluate(`fetch("/website/${demoHost}/goals/${id}", { method: "DELETE" }).then(() => null)`);
  });

  test("has room for an amount on a phone, in place of the rate", async () => {
    const goal = { name: "Plans", event: { prop_name: "plan", amount: "price" } };
    await post(`/website/${demoHost}/goals`, goal);
    const heads = () =>
      tab.evaluate<string[]>(
        `[...document.querySelectorAll("[aria-labelledby=panel-goals] thead th.number")].filter((head) => head.checkVisibility()).map(({ innerText }) => innerText)`,
      );
    await open("?period=all");
    expect(await heads()).toEqual(["Visits", "Conversion rate", "Times", "Amount", "Average"]);
    await tab.resize(320, 900);
    await tab.still();
    expect([await heads(), await overflowPixels(tab)]).toEqual([["Visits", "Amount"], 0]);
    // A large amount has no cents.
    const source = `{ const json = Response.prototype.json;
      Response.prototype.json = function () {
        return json.call(this).then((answer) => {
          if (Array.isArray(answer)) for (const row of answer) if (row.event?.amount) row.amount = 765_432.89;
          return answer;
        });
      }; }`;
    const { identifier } = await tab.call<{ identifier: string }>("Page.addScriptToEvaluateOnNewDocument", {
      source,
    });
    await open("?period=all");
    await tab.call("Page.removeScriptToEvaluateOnNewDocument", { identifier });
    const amount = `[...document.querySelectorAll("[aria-labelledby=panel-goals] td:nth-of-type(4)")].at(-1)`;
    await tab.until(`${amount}?.innerText === "765,433"`);
    expect(await tab.evaluate<number>(`${amount}.scrollWidth - ${amount}.clientWidth`)).toBeLessThanOrEqual(
      0,
    );
    await tab.resize(1_200, 900);
  });

  test.each([700, 960, 1_430, 1_520, 1_600, 2_560])("fills each of its rows at %d pixels", async (width) => {
    await tab.resize(width, 900);
    await open("?period=all&path[eq]=/pricing");
    const ends = await tab.evaluate<number[][]>(`(() => {
      const edges = (element) => (({ left, right }) => [left, right].map(Math.round))(element.getBoundingClientRect());
      const [left, right] = edges(document.querySelector(".courses"));
      const rows = Map.groupBy(document.querySelectorAll(".courses > *"), (card) => card.offsetTop);
      return [...rows.values()].map((cards) => [edges(cards[0])[0] - left, right - edges(cards.at(-1))[1]]);
    })()`);
    expect(ends.flat().filter((pixels) => Math.abs(pixels) > 1)).toEqual([]);
    await tab.resize(1_200, 900);
  });

  test("says what a click on an exit page shows", async () => {
    await open("?period=all&tab.pages=exits");
    const title = await tab.evaluate<string>(
      "document.querySelector('[aria-labelledby=panel-pages] a.name').title",
    );
    expect(title).toMatch(/^\/.*: all visits to this page$/);
  });

  test("has the share of the page views of a page with which visits ended", async () => {
    await open("?period=all&tab.pages=exits&country[eq]=Germany");
    const of = "by=visit&country[eq]=Germany&limit=9";
    const exits = await get<{ path: string; visits: number; exit_percentage: number }[]>(
      `exits?${of}&metrics=visits,exit_percentage`,
    );
    const pages = await get<{ path: string; pageviews: number }[]>(
      `pages?${of}&metrics=pageviews&limit=100`.replace("&limit=9", ""),
    );
    for (const { path, visits, exit_percentage } of exits) {
      const { pageviews = 0 } = pages.find((page) => page.path === path) ?? {};
      expect([path, exit_percentage]).toEqual([path, Math.round((visits * 10_000) / pageviews) / 100]);
    }
    const heads = () =>
      tab.evaluate<string[]>(
        "[...document.querySelectorAll('[aria-labelledby=panel-pages] thead .number')].map(({ innerText }) => innerText)",
      );
    expect(await heads()).toEqual(["Visits", "Exit rate"]);
    const shown = await tab.evaluate<string[][]>(
      "[...document.querySelectorAll('[aria-labelledby=panel-pages] tbody tr')].map((row) => [row.querySelector('.name').innerText, row.cells[2].firstChild.textContent])",
    );
    expect(shown[0]?.[0]).toBe(exits[0]?.path as string);
    for (const [at, [, rate = ""]] of shown.entries())
      expect(Math.abs(Number.parseFloat(rate) - (exits[at]?.exit_percentage ?? NaN))).toBeLessThanOrEqual(
        0.5,
      );
    await tab.choose("button", "All exit pages");
    await tab.named("button", "Sort by Exit rate");
    await looksRight(tab, "the list of exits");
    await tab.press("Escape");
  });

  test("is nowhere on a website that does not tell visits apart", async () => {
    await send(tab, "PATCH", "/websites/shop.example.com", { visits: false });
    await tab.go(
      `${page.demo.url}dashboard/websites/shop.example.com?goal=1&step=page:/&step=page:/pricing&path[eq]=/`,
    );
    await tab.named("application", /^Visitors by/);
    await tab.still();
    expect(await shownText(tab)).not.toMatch(/goal|funnel|conversion|next pages/i);
  });

  test("never met an error, nor what the Content-Security-Policy refuses", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
