/** The lists and goals of a website with millions of visitors and of amounts, in windows wider than a phone and on paper. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, overflowPixels, send } from "../support/dashboard.ts";
import { demoHost, sendHit } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { someOf } from "../support/rounds.ts";

/** Makes the page read the counts and amounts of an answer as those that its address has after `#`, but for conversions of goals. */
const grown = `(() => {
  const grown = (value, key) => {
    if (Array.isArray(value)) return value.map((item) => grown(item));
    if (value !== null && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, grown(item, name)]));
    const [count, amount] = location.hash.slice(1).split("/").map(Number);
    if (typeof value !== "number" || value === 0) return value;
    if (key === "amount") return amount;
    return ["visitors", "visits", "pageviews", "conversions", "stays"].includes(key) ? count : value;
  };
  const json = Response.prototype.json;
  Response.prototype.json = function () {
    return json.call(this).then((answer) => grown(answer));
  };
})()`;

/** The texts of figures that are wider than their place, or stand in the space at its end: others are below them. */
const tooWide = `[...document.querySelectorAll(".list td, .list thead th")]
  .filter((element) => {
    const text = document.createRange();
    text.selectNodeContents(element.firstChild ?? element);
    const end = element.getBoundingClientRect().right - parseFloat(getComputedStyle(element).paddingRight);
    const isOut = element.matches("td.number") && text.getBoundingClientRect().right > end + 1;
    return (isOut || element.scrollWidth > element.clientWidth + 1) && element.checkVisibility();
  })
  .map((element) => element.innerText)`;

/** The figures of a card's first row, and what the titles of their cells say. */
const rowOf = (heading: string) => `[...[...document.querySelectorAll("section.card")]
  .find((card) => card.querySelector("h2")?.textContent.startsWith(${JSON.stringify(heading)}))
  .querySelectorAll("tbody tr:first-child td.number")].map((cell) => [cell.firstChild.textContent, cell.title])`;

interface Case {
  readonly figures: string;
  readonly pages: readonly (readonly [string, string])[];
  /** Beside a goal that sums up amounts. */
  readonly withGoal: readonly (readonly [string, string])[];
  readonly goal: readonly (readonly [string, string])[];
}

/** Two counts that have room. */
const counts = [
  ["999,999", ""],
  ["999,999", ""],
] as const;

const cases: readonly Case[] = [
  {
    figures: "999999/99999.99",
    pages: counts,
    withGoal: [...counts, ["99,999.99", ""]],
    goal: [
      ["99,999.99", ""],
      ["99,999.99", ""],
    ],
  },
  {
    figures: "999999/-98765.43",
    pages: counts,
    withGoal: [...counts, ["-98,765", "-98,765.43"]],
    goal: [
      ["-98,765", "-98,765.43"],
      ["-98,765", "-98,765.43"],
    ],
  },
  {
    figures: "9876543/987654.32",
    pages: [
      ["9,876,543", ""],
      ["9,876,543", ""],
    ],
    withGoal: [
      ["9.9M", "9,876,543"],
      ["9.9M", "9,876,543"],
      ["987,654", "987,654.32"],
    ],
    goal: [
      ["987,654", "987,654.32"],
      ["987,654", "987,654.32"],
    ],
  },
  {
    figures: "123456789/12345678901.25",
    pages: [
      ["123.5M", "123,456,789"],
      ["123.5M", "123,456,789"],
    ],
    withGoal: [
      ["123.5M", "123,456,789"],
      ["123.5M", "123,456,789"],
      ["12.3B", "12,345,678,901.25"],
    ],
    goal: [
      ["12.3B", "12,345,678,901.25"],
      ["12.3B", "12,345,678,901.25"],
    ],
  },
];

describeTour("a page with large figures", () => {
  let page: DemoPage;
  let tab: Tab;
  let goal = 0;

  const open = async (search: string, figures: string) => {
    await tab.go("about:blank");
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}?${search}#${figures}`);
    await tab.until("document.querySelectorAll('.panels .list tbody tr').length > 20");
    await tab.until("!!document.querySelector('.courses .list tbody tr')");
    await tab.still();
  };
  const fits = async () => expect([await overflowPixels(tab), await tab.evaluate(tooWide)]).toEqual([0, []]);

  beforeAll(async () => {
    page = await DemoPage.open({ days: 40, perDay: 30 });
    tab = page.tab;
    await sendHit(page.demo, { b: "order", e: "load", u: `https://${demoHost}/`, p: true, q: false });
    await sendHit(page.demo, { b: "order", d: { order: 12 } });
    await page.logIn();
    const orders = { name: "Orders", event: { prop_name: "order", amount: "order" } };
    ({ id: goal } = await send<{ id: number }>(tab, "POST", `/website/${demoHost}/goals`, orders));
    await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: grown });
  });
  afterAll(() => page?.close());

  test.each(cases)("writes $figures shorter where they have no room, with titles in full", async (each) => {
    await tab.resize(1_920, 900);
    await open("compare=none", each.figures);
    expect(await tab.evaluate<string[][]>(rowOf("Pages"))).toEqual(each.pages.map((cell) => [...cell]));
    const average = (await tab.evaluate<string[][]>(rowOf("Goals"))).slice(3);
    expect(average).toEqual(each.goal.map((cell) => [...cell]));
    await open(`compare=none&goal=${goal}`, each.figures);
    expect(await tab.evaluate<string[][]>(rowOf("Pages"))).toEqual(each.withGoal.map((cell) => [...cell]));
    expect(await axeFindings(tab)).toEqual([]);
  });

  test.each(someOf([500, 620, 1_024, 1_280, 1_920], 2))("has room for them at %d pixels", async (width) => {
    await tab.resize(width, 900);
    for (const { figures } of cases)
      for (const search of ["", `goal=${goal}`]) {
        await open(search, figures);
        await fits();
      }
  });

  test("has its nine tiles in rows of the same length", async () => {
    await open(`goal=${goal}`, "999999/99999.99");
    const lengths: number[][] = [];
    for (const width of [660, 1_000, 1_240, 1_260, 1_920]) {
      await tab.resize(width, 900);
      await tab.still();
      const tops = await tab.evaluate<number[]>(
        "[...document.querySelectorAll('.tiles > li')].map((tile) => tile.offsetTop)",
      );
      lengths.push([...Map.groupBy(tops, (top) => top).values()].map((row) => row.length));
    }
    expect(lengths).toEqual([[3, 3, 3], [3, 3, 3], [3, 3, 3], [9], [9]]);
  });

  test("breaks the change of a tile before the figure that it is from", async () => {
    await tab.resize(1_280, 900);
    await open(`period=7d&goal=${goal}`, "12345678/99999.99");
    const tops = `[...document.querySelectorAll(".tile .change > .weak")].map(({ firstChild }) => {
      const text = document.createRange();
      text.selectNodeContents(firstChild);
      return new Set([...text.getClientRects()].map(({ top }) => top)).size;
    })`;
    const lines = await tab.evaluate<number[]>(tops);
    expect(lines.length).toBeGreaterThan(4);
    expect(new Set(lines)).toEqual(new Set([1]));
  });

  test("breaks the names of nine tiles only between words and at their hyphens", async () => {
    await send(tab, "PATCH", "/user", { settings: { language: "de" } });
    await tab.resize(1_250, 900);
    await open(`goal=${goal}`, "999999/99999.99");
    // The hyphen at the end of a line is one of the boxes of the letter behind it.
    const broken = `[...document.querySelectorAll(".tile-label")].flatMap(({ firstChild }) =>
      [...firstChild.data.matchAll(/[^\\s\\u00ad]+/g)].filter(({ 0: part, index }) => {
        const [top, end] = [index, index + part.length - 1].map((at) => {
          const letter = document.createRange();
          letter.setStart(firstChild, at);
          letter.setEnd(firstChild, at + 1);
          return [...letter.getClientRects()].at(-1).top;
        });
        return top !== end;
      }).map(([part]) => part))`;
    expect(await tab.evaluate<string[]>(broken)).toEqual([]);
    await send(tab, "PATCH", "/user", { settings: { language: "en" } });
  });

  test("has room for them on paper", async () => {
    await tab.call("Emulation.setEmulatedMedia", { media: "print" });
    await tab.resize(703, 1_000);
    for (const { figures } of cases) {
      await open(`goal=${goal}`, figures);
      await fits();
    }
    await tab.call("Emulation.setEmulatedMedia", { media: "" });
  });

  test("has room for them on paper in a language of longer words", async () => {
    await send(tab, "PATCH", "/user", { settings: { language: "de" } });
    await tab.call("Emulation.setEmulatedMedia", { media: "print" });
    await tab.resize(703, 1_000);
    await open(`goal=${goal}`, "123456789/12345678901.25");
    await tab.until("document.documentElement.lang === 'de'");
    await fits();
    await tab.call("Emulation.setEmulatedMedia", { media: "" });
    await send(tab, "PATCH", "/user", { settings: { language: "en" } });
  });

  test("has them exactly in a whole list, also on a phone", async () => {
    await tab.resize(390, 900);
    await open("compare=none", "123456789/1");
    await tab.choose("button", "All pages");
    await tab.named("button", "Sort by Visitors");
    await tab.still();
    expect(await tab.evaluate<string>("document.querySelector('dialog tbody td').innerText")).toBe(
      "123,456,789",
    );
  });
});
