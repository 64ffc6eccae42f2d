/**
 * Files as other products and servers write them, imported into a real folder: what they add up to is what their rows add
 * up to, counted by a script that knows neither formats nor imports.
 */
import { describe, expect, test } from "bun:test";
import { recognised } from "../../../src/cli/import/formats/formats.ts";
import { Import } from "../../../src/cli/import/import.ts";
import type { ImportReport } from "../../../src/cli/import/report/report.ts";
import {
  counted,
  decoded,
  goatCounterCsv,
  madeHost,
  madeLogs,
  madeStartMs,
  madeUpViews,
  medamaCsv,
  umamiCsv,
  umamiJson,
  umamiWithData,
} from "../../support/made-up-people.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { ga4Csv, ga4Events, ga4Json } from "../../support/ga4-export.ts";
import { importFolder } from "../../support/import-folder.ts";
import { randomFrom } from "../../support/random.ts";
import { seed } from "../../support/seed.ts";

const newWebsite = importFolder();
const views = madeUpViews(randomFrom(seed()));
const expected = counted(views);
const pageViews = views.filter(({ kind }) => kind === "view");

async function* inChunks(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
}

/** A website of its own, with what a file says of it. */
async function imported(hostname: string, text: string, name: string, share = 0.5) {
  const { ask, options } = await newWebsite(hostname);
  const format = recognised(text.split("\n").slice(0, 50), "a file");
  expect(format.name).toBe(name);
  const run = (text: string): Promise<ImportReport> =>
    new Import({ ...options(), format }).run(inChunks(text), () => {});
  // A part of it first: the rest is then all that is new.
  const half = text.slice(0, text.indexOf("\n", text.length * share) + 1);
  const reports = [await run(half), await run(text), await run(text)] as const;
  return { reports, ask };
}

const period = `start=${new Date(madeStartMs).toISOString()}&end=${new Date(madeStartMs + 5 * 86_400_000 - 1).toISOString()}`;

/** The page views and visitors of each day and page, in the form in which they were counted. */
async function figures(ask: Awaited<ReturnType<typeof imported>>["ask"]) {
  const { interval } = (await ask("summary", `interval=day&${period}`)) as unknown as {
    interval: { date: string; pageviews: number; visitors: number }[];
  };
  const days = interval.filter(({ pageviews }) => pageviews > 0);
  return {
    days: Object.fromEntries(
      days.map(({ date, pageviews, visitors }) => [date.slice(0, 10), [pageviews, visitors]]),
    ),
    pages: Object.fromEntries(
      (await ask("pages")).map(({ path, pageviews, visitors }) => [
        decoded(String(path)),
        [pageviews, visitors],
      ]),
    ),
  };
}

const rename = (text: string, hostname: string) => text.replaceAll(madeHost, hostname);
const { days, pages, events } = expected;

describe("the export of a product has the totals of its rows, and adds nothing twice", () => {
  test.each([
    ["goatcounter", goatCounterCsv(views), true],
    ["umami", umamiCsv(views), true],
    ["umami", umamiJson(views), true],
    ["medama", medamaCsv(views), false],
    ["ga4", ga4Csv(ga4Events(views)), true],
    ["ga4", ga4Json(ga4Events(views)), true],
  ] as const)("%s", async (name, text, hasEventRows) => {
    const hostname = `${name}${text.length}.example`;
    const { reports, ask } = await imported(hostname, rename(text, hostname), name);
    const [half, rest, again] = reports;
    expect(half.taken + rest.taken).toBe(pageViews.length);
    expect(half.events + rest.events).toBe(hasEventRows ? events : 0);
    expect({ ...again.leftOut, lines: again.lines }).toMatchObject({ imported: rest.lines, unreadable: 0 });
    expect(await figures(ask)).toEqual({ days, pages });
    expect(await ask("properties")).toMatchObject([{ name: "sign up", events }]);
    expect(await ask("browsers")).toMatchObject([{ browser: "Firefox" }]);
    expect(await ask("os")).toMatchObject([{ os: "Linux" }]);
    expect(await ask("devices")).toMatchObject([{ device: "Desktop" }]);
    expect(await ask("countries")).toMatchObject([{ country: "Romania" }]);
    const groups = (await ask("referrers")).map(({ referrer }) => String(referrer)).toSorted();
    expect(groups).toEqual(["", "Google", "Hacker News", "blog.example.org"]);
  });

  test("GoatCounter's events are on the last page of their visit before them, or on / without one", async () => {
    const head =
      "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date";
    const row = (session: string, path: string, minute: number, isEvent = 0) =>
      `${path},,${isEvent},,Firefox 126.0,Linux,${session},0,,,,RO,1,2024-05-01T12:${minute}:00Z\n`;
    const rows = [
      row("a1", "/", 10),
      row("b1", "/about", 11),
      row("a1", "/pricing", 12),
      row("a1", "sign up", 13, 1),
      row("b1", "play", 14, 1),
      row("c1", "play", 15, 1),
      row("a1", "/thanks", 16),
    ];
    const hostname = "pages.example";
    const { reports, ask } = await imported(hostname, `${head}\n${rows.join("")}`, "goatcounter", 0);
    expect(reports[0].events + reports[1].events).toBe(3);
    const eventsOf = async (path: string) =>
      (await ask("properties", `path[eq]=${path}`)).map(({ name, events }) => [name, events]);
    expect(await eventsOf("/pricing")).toEqual([["sign up", 1]]);
    expect(await eventsOf("/about")).toEqual([["play", 1]]);
    expect(await eventsOf("/")).toEqual([["play", 1]]);
    expect(await eventsOf("/thanks")).toEqual([]);
    // They are events of these page views, which no bounce has.
    expect(await ask("pages", "prop_name[eq]=sign%20up")).toMatchObject([{ path: "/pricing", pageviews: 1 }]);
  });

  test("a time of Medama that no page was open for ends no import, and counts as a day", async () => {
    const hostname = "long-times.example";
    const head = "hostname,pathname,is_unique_user,is_unique_page,duration_ms,date_created,referrer_host";
    const row = (ms: string) => `${hostname},/,true,true,${ms},2024-05-01 12:10:00,\n`;
    const rows = [row("99999999999999999999"), row("1000000000000"), row("5")];
    const { reports, ask } = await imported(hostname, `${head}\n${rows.join("")}`, "medama", 0);
    expect(reports[1].taken).toBe(3);
    expect(await ask("summary", "metrics=time_total")).toMatchObject({
      current: { time_total: 2 * 86_400_000 + 5 },
    });
  });

  test("a row of many lines is one, and a quote that is never closed takes no rows with quotes after it", async () => {
    const head =
      "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date";
    const row = (path: string, title: string) =>
      `${path},${title},0,,Firefox 126.0,Linux,a1,0,,,,RO,1,2024-05-01T12:10:00Z\n`;
    const long = `"${"a line of a title\n".repeat(20_000)}"`;
    const rows = [
      row("/long", long),
      row("/1", '"A, b"'),
      row("/2", '"never'),
      row("/3", '"C, d"'),
      row("/4", '"E, f"'),
    ];
    const { reports, ask } = await imported("long.example", `${head}\n${rows.join("")}`, "goatcounter", 0);
    expect(reports[1].leftOut.unreadable).toBe(1);
    const paths = (await ask("pages")).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["/1", "/4", "/long"]);
  });

  test("Umami's visits stay as they are", async () => {
    const hostname = "visits.example";
    // Two visits of one person may be one that goes on past a full hour.
    const apart = views.map((view) => ({ ...view, person: view.visit }));
    const { ask } = await imported(hostname, rename(umamiCsv(apart), hostname), "umami", 0);
    expect(await ask("summary", "by=visit&metrics=visits")).toMatchObject({
      current: { visits: new Set(pageViews.map(({ visit }) => visit)).size },
    });
    expect(await ask("languages")).toMatchObject([{ language: "Romanian" }]);
  });

  test("the values of Umami's events are properties beside their names", async () => {
    const hostname = "values.example";
    const { ask } = await imported(hostname, rename(umamiWithData(views), hostname), "umami");
    expect(await ask("properties", "metrics=events")).toMatchObject([
      { name: "plan", events },
      { name: "price", events },
      { name: "sign up", events },
    ]);
    expect(await ask("properties", "prop_name[eq]=price")).toMatchObject([{ value: "12.5", events }]);
  });

  test("half a character in a property of Medama's is replaced, as in a hit", async () => {
    const hostname = "halves.example";
    const text = rename(medamaCsv(views), hostname)
      .replaceAll('""sign up""', String.raw`""sign up \ud83d""`)
      .replaceAll('""yes, ', String.raw`""\udc00 `);
    const { reports, ask } = await imported(hostname, text, "medama");
    expect(reports[0].taken + reports[1].taken).toBe(pageViews.length);
    expect(await ask("properties")).toMatchObject([{ name: "sign up \ufffd", events }]);
    const values = await ask("properties", `prop_name[eq]=${encodeURIComponent("sign up \ufffd")}`);
    expect(values).toMatchObject([{ value: expect.stringMatching(/^\ufffd /), events }]);
  });

  test("Medama's times on pages stay as they are", async () => {
    const hostname = "times.example";
    const { ask } = await imported(hostname, rename(medamaCsv(views), hostname), "medama");
    const total = pageViews.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
    expect(await ask("browsers")).toMatchObject([{ duration: total }]);
  });
});

describe("an access log has the totals of its lines", () => {
  test.each(Object.keys(madeLogs))("%s", async (name) => {
    const hostname = `${name.replace("_", "-")}.example`;
    const text = rename((madeLogs[name] as (typeof madeLogs)[string])(views), hostname);
    const { reports, ask } = await imported(hostname, text, name);
    const [half, rest] = reports;
    expect(half.taken + rest.taken).toBe(pageViews.length);
    expect(half.leftOut.host + rest.leftOut.host).toBe(name === "vhost_combined" ? pageViews.length : 0);
    expect(await figures(ask)).toEqual({ days, pages });
  });

  test.each(["caddy", "nginx-json"])("%s, of a server on another port than usual", async (name) => {
    const hostname = `${name}-port.example`;
    const text = rename((madeLogs[name] as (typeof madeLogs)[string])(views), hostname);
    const { reports, ask } = await imported(
      hostname,
      text.replaceAll(`"${hostname}"`, `"${hostname}:8443"`),
      name,
    );
    expect([reports[0].leftOut.host, reports[1].leftOut.host]).toEqual([0, 0]);
    expect(await figures(ask)).toEqual({ days, pages });
  });

  test.each(["caddy", "nginx-json"])("%s, with what Docker Compose and syslog write before", async (name) => {
    const hostname = `${name}-collected.example`;
    const text = rename((madeLogs[name] as (typeof madeLogs)[string])(views), hostname);
    const prefixes = ["web-1  | ", "May 17 10:05:03 web1 caddy[7]: "];
    let line = 0;
    const collected = text.replace(/^/gm, (start, at: number) =>
      at === text.length ? start : prefixes[line++ % 2]!,
    );
    const { ask } = await imported(hostname, collected, name);
    expect(await figures(ask)).toEqual({ days, pages });
  });
});

// Canonical order takes the system a time that grows with the square of their number.
test("very many accents in hosts take no time", async () => {
  const host = `a${"\u0301\u0323".repeat(15_000)}.example`;
  const row = { timestamp: 1_714_000_000, offset: 0, type: "action", idVisit: 1, url: `https://${host}/` };
  const time = "[25/Apr/2024:10:05:03 +0000]";
  const files = {
    matomo: JSON.stringify(row),
    combined: `203.0.113.7 - - ${time} "GET https://${host}/ HTTP/1.1" 200 5 "-" "Mozilla/5.0"`,
  };
  for (const [name, line] of Object.entries(files)) {
    const beforeMs = cpuMs();
    const { reports } = await imported(`accents-${name}.example`, `${line}\n`.repeat(10), name);
    expect(reports[1].taken).toBe(0);
    expect(cpuMs() - beforeMs).toBeLessThan(1_500);
  }
});
