/** That docs/metrics.md has every definition as the program has it, and that its example counts as it says. */
import type { CalendarDate } from "../src/core/calendar/date.ts";
import { expect, test } from "bun:test";
import { definitions, describedMetric, otherDefinitions } from "../src/core/definition.ts";
import { metrics, type MetricName } from "../src/core/questions/metric.ts";
import { comparedSpans } from "../src/web/lib/calendar/comparison.ts";
import type { PeriodChoice } from "../src/web/lib/calendar/period.ts";
import { parseDate } from "../src/web/lib/calendar/zone.ts";
import { TestServer } from "./support/http.ts";
import { tidied, tidyPage } from "./support/readme.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const page = await tidyPage("docs/metrics.md");

test("every definition stands there", () => {
  const row = (...cells: string[]) => tidied(`| ${cells.join(" | ")} |`);
  for (const name of Object.keys(definitions) as MetricName[])
    expect(page).toContain(row(metrics[name].label, `\`${name}\``, describedMetric(name)));
  for (const { label, text } of Object.values(otherDefinitions)) expect(page).toContain(row(label, text));
});

test("periods of days and of months are compared as the page says", () => {
  const nowMs = Date.UTC(2026, 10, 21, 15, 20);
  const before = (choice: PeriodChoice) =>
    comparedSpans({ choice, comparison: { name: "previous" }, zone: "UTC", nowMs })!;
  const dayMs = 24 * hourMs;
  const endOfTodayMs = Date.UTC(2026, 10, 22) - 1;
  expect(page).toContain(
    `30 days with the 30 that end ${(endOfTodayMs - before({ name: "30d" }).whole.endMs) / dayMs} days earlier`
      // The page breaks the line there.
      .replace(" days earlier", " days\nearlier"),
  );
  const text = (ms: number) =>
    new Date(ms).toLocaleDateString("en", { month: "long", day: "numeric", timeZone: "UTC" });
  const upTo = (ms: number) => `${text(ms)} at ${new Date(ms).toISOString().slice(11, 16)}`;
  const { startMs, endMs } = before({ name: "this_month" }).sameTime;
  expect(page).toContain(
    `November 1 to ${upTo(nowMs)} with ${text(startMs)} to ${upTo(endMs + 1)}. The menu`,
  );
  const date = (value: string) => parseDate(value) as CalendarDate;
  const months = [
    { name: "last_month" },
    { name: "this_year" },
    { name: "last_year" },
    { name: "12mo" },
    { name: "custom", from: date("2026-02-01"), to: date("2026-03-31") },
  ] satisfies PeriodChoice[];
  const starts = months.map((choice) => new Date(before(choice).whole.startMs).toISOString().slice(0, 10));
  expect(starts).toEqual(["2026-09-01", "2025-01-01", "2024-01-01", "2024-12-01", "2025-12-01"]);
});

test("visitors under a filter are those of its visits", async () => {
  const server = await TestServer.open();
  try {
    const cookie = await server.prepare();
    for (const b of ["first", "again"]) {
      const isFirst = b === "first";
      await server.hit({ b, u: "https://example.com/blog", p: isFirst, q: !isFirst });
      await server.hit({ b, d: { reader: "customer" } });
      server.clock.advance(hourMs);
    }
    const visitorsWith = async (filter: string) => {
      const asked = `/website/example.com/summary?by=visit&metrics=visitors${filter}`;
      return (await server.get<{ current: { visitors: number } }>(asked, cookie)).current.visitors;
    };
    expect(await visitorsWith("")).toBe(1);
    expect(await visitorsWith("&path[eq]=/blog")).toBe(1);
    expect(await visitorsWith("&prop_name[eq]=reader")).toBe(2);
    expect(page.replaceAll(/\s+/g, " ")).toContain(
      "under a filter by page those in which somebody opened one of these pages for the first time that day, under one by property all",
    );
  } finally {
    await server.engine.stop();
  }
});

test("a sale is that of the visit in which it was made", async () => {
  const server = await TestServer.open();
  try {
    const cookie = await server.prepare();
    const body = { name: "Order", event: { prop_name: "order", amount: "total" } };
    await server.ask("POST", "/website/example.com/goals", { body, cookie });
    const open = (b: string, path: string, p: boolean) =>
      server.hit({ b, u: `https://example.com${path}`, p, q: false });
    const buy = (b: string, total: number) => server.hit({ b, d: { order: true, total } });
    await open("monday", "/?gclid=x", true);
    await open("letter", "/offer?utm_medium=email", false);
    await buy("letter", 1);
    server.clock.advance(24 * hourMs);
    await open("tuesday", "/", true);
    await buy("tuesday", 10);
    const asked = "channels?by=visit&goal=1&metrics=visits,amount";
    expect(await server.get(`/website/example.com/${asked}`, cookie)).toEqual([
      { channel: "Direct", visits: 1, amount: 10 },
      { channel: "Paid search", visits: 1, amount: 0 },
      { channel: "Email", visits: 1, amount: 1 },
    ]);
    const says = page.replaceAll(/\s+/g, " ");
    expect(says).toContain("the last campaign has the sale");
    expect(says).toContain("buys on Tuesday from a bookmark is a sale of Direct");
  } finally {
    await server.engine.stop();
  }
});

test("the day of three people has the figures of the page", async () => {
  const server = await TestServer.open();
  try {
    const cookie = await server.prepare();
    const send = async (address: string, body: object) => {
      const answer = await server.hit(body, { "x-forwarded-for": address });
      expect(await answer.json()).toEqual({ accepted: true });
    };
    const views = [
      {
        who: 1,
        minutes: 0,
        path: "/blog",
        r: "https://news.ycombinator.com/",
        p: true,
        q: false,
        seconds: 20,
      },
      {
        who: 1,
        minutes: 1,
        path: "/pricing",
        r: "https://example.com/blog",
        p: false,
        q: false,
        seconds: 60,
      },
      {
        who: 2,
        minutes: 60,
        path: "/blog?utm_source=letter&utm_medium=email",
        p: true,
        q: false,
        seconds: 3,
      },
      { who: 3, minutes: 120, path: "/pricing", p: true, q: false, seconds: 15 },
      { who: 1, minutes: 360, path: "/docs", p: false, q: false, seconds: 5 },
    ];
    // From noon to nine o'clock.
    const dayMs = server.clock.nowMs() + 12 * hourMs;
    server.clock.advance(21 * hourMs);
    let now = 0;
    for (const [at, { who, minutes, path, seconds, ...hit }] of views.entries()) {
      server.clock.advance((minutes - now) * minuteMs);
      now = minutes;
      const address = `203.0.113.${who}`;
      const b = `b${at}`;
      await send(address, { b, u: `https://example.com${path}`, ...hit });
      if (at === 1) await send(address, { b, d: { signup: "pro", price: 29 } });
      await send(address, { b, m: seconds * 1_000 });
    }
    server.clock.advance(hourMs);
    const goal = { name: "Signed up", event: { prop_name: "signup", amount: "price" } };
    await server.ask("POST", "/website/example.com/goals", { body: goal, cookie });
    const get = (path: string) => server.get<unknown>(`/website/example.com/${path}`, cookie);

    const named =
      "visitors,visits,pageviews,views_per_visit,bounce_percentage,time_median,time_total,time_per_visit";
    const { current } = (await get(`summary?by=visit&metrics=${named}`)) as {
      current: Record<string, number>;
    };
    const figures = named.split(",").map((name) => current[name] as number);
    const [visitors, visits, pageviews, each, bounce, median, total, perVisit] = figures as [
      number,
      ...number[],
    ];
    const s = (ms = 0) => `${ms / 1_000} s`;
    const cells = [visitors, visits, pageviews, each, `${bounce} %`, s(median), s(total), s(perVisit)];
    expect(page).toContain(`| ${cells.join(" | ")} |`);

    const asked = "by=visit&goal=1&metrics=visits,bounce_percentage,conversions,conversion_percentage,amount";
    for (const row of (await get(`channels?${asked}`)) as Record<string, string | number>[]) {
      const { channel, visits: own, bounce_percentage, conversions, conversion_percentage, amount } = row;
      expect(page).toContain(
        `| ${channel} | ${own} | ${bounce_percentage} % | ${conversions} | ${conversion_percentage} % | ${amount} |`,
      );
    }

    const afternoon = `by=visit&metrics=visitors,visits&start=${new Date(dayMs + 14 * hourMs).toISOString()}`;
    expect(await get(`summary?${afternoon}`)).toEqual({ current: { visitors: 0, visits: 1 } });
    const ofDocs = { visitors: 1, visits: 1 };
    expect(await get(`pages?${afternoon}`)).toEqual([{ path: "/docs", ...ofDocs }]);
    expect(await get(`summary?${afternoon}&path[eq]=/docs`)).toEqual({ current: ofDocs });
    expect(page).toContain("From 14:00 on, the day above has 0 visitors, and 1 on `/docs`.");
    expect(page).toContain("Visits count whoever is there: 1, and 1.");

    const both = "path[eq]=/blog&path[eq]=/pricing";
    const visitsOf = async (filters: string) =>
      ((await get(`summary?by=visit&metrics=visits,pageviews&${filters}`)) as { current: object }).current;
    expect(await visitsOf("path[eq]=/pricing")).toEqual({ visits: 2, pageviews: 2 });
    expect(await visitsOf(both)).toEqual({ visits: 0, pageviews: 0 });
    expect(await visitsOf("path[in]=/blog,/pricing")).toEqual({ visits: 3, pageviews: 4 });
    expect(await get("funnel?step=page:/blog&step=page:/pricing")).toMatchObject([
      { visits: 2 },
      { visits: 1 },
    ]);
    expect(page).toContain("`/blog` and `/pricing` together are nobody's, though Ada saw both.");
  } finally {
    await server.engine.stop();
  }
});
