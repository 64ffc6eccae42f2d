/** The archive of all that a website's page shows: readable by others, and each file as the endpoint answers by itself. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningEngine } from "../../src/engine/running.ts";
import { noSums } from "../../src/facts/months/month-sums.ts";
import { useFolder } from "../support/folder.ts";
import { TestServer } from "../support/http.ts";
import { makeLink } from "../support/links.ts";
import { isThere, nameWith, testWith } from "../support/needs.ts";

const folder = useFolder();

const period = "start=2026-01-01T00:00:00Z&end=2026-12-31T23:59:59Z";
const compared = "compare_start=2025-01-01T00:00:00Z&compare_end=2099-01-01T00:00:00Z";
const readers = {
  unzip: (file: string, to: string) => ["unzip", "-q", file, "-d", to],
  python3: (file: string, to: string) => ["python3", "-m", "zipfile", "-e", file, to],
} as const;

/** Returns the files of an archive by their names, as another program unpacks them. */
async function unpacked(
  response: Response,
  reader: keyof typeof readers = "python3",
): Promise<Map<string, string>> {
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/zip"]);
  const to = mkdtempSync(join(folder, "files-"));
  await Bun.write(`${to}.zip`, await response.bytes());
  const { success, stderr } = Bun.spawnSync(readers[reader](`${to}.zip`, to));
  expect([success, stderr.toString()]).toEqual([true, ""]);
  return new Map(readdirSync(to).map((name) => [name, readFileSync(join(to, name), "utf8")]));
}

function headOf(text = ""): string[] {
  return text.split("\r\n", 1)[0]?.split(",") ?? [];
}

interface Fixture {
  readonly server: TestServer;
  readonly cookie: string;
}

/** A website with visits from two countries, a goal, and what CSV has to quote. */
async function opened(): Promise<Fixture> {
  const server = await TestServer.open({ trustProxy: "loopback" });
  const cookie = await server.prepare();
  const send = (body: object, address: string) => server.hit(body, { "x-forwarded-for": address });
  const paths = ["/", "/pricing", '/a,"b"', "/=1+1", "/ü"];
  for (const [at, path] of paths.entries()) {
    const load = {
      b: `b${at}`,
      u: `https://example.com${path}?utm_campaign=-c${at}`,
      p: true,
      r: "https://google.com/",
    };
    await send({ ...load, t: at % 2 === 0 ? "Europe/Berlin" : "Asia/Tokyo" }, `192.0.2.${at}`);
    await send({ b: `b${at}`, d: { plan: `p${at}` } }, `192.0.2.${at}`);
    await send({ b: `b${at}`, m: 12_000 + at }, `192.0.2.${at}`);
  }
  const goal = { name: "Plan", event: { prop_name: "plan" } };
  await server.ask("POST", "/website/example.com/goals", { cookie, body: goal });
  return { server, cookie };
}

const csvHeaders = { accept: "text/csv" };

testWith("unzip", "every file has the rows of its endpoint, and opens in two programs", async () => {
  const { server, cookie } = await opened();
  const query = `${period}&by=visit&${compared}&interval=day&timezone=Europe/Berlin&goal=1&step=page:/&step=goal:1`;
  const answer = () => server.ask("GET", `/website/example.com/export.zip?${query}`, { cookie });
  const first = await answer();
  expect(first.headers.get("content-disposition")).toBe('attachment; filename="example.com.zip"');
  const files = await unpacked(first);
  expect(files).toEqual(await unpacked(await answer(), "unzip"));
  const ofGoal = "conversions,conversion_percentage";
  const columns =
    "visitors,visitors_percentage,visits,views_per_visit,bounce_percentage,time_per_visit,conversions,conversion_percentage";
  const figures =
    "visitors,visits,views_per_visit,pageviews,bounce_percentage,time_per_visit,conversions,conversion_percentage";
  const ofPages =
    "visitors,visitors_percentage,visits,pageviews,pageviews_percentage,bounce_percentage,time_total,conversions,conversion_percentage";
  const endpoints: Readonly<Record<string, string>> = {
    totals: `summary?metrics=${figures}`,
    chart: `summary?interval=day&metrics=${figures}`,
    funnel: "funnel?",
    pages: `pages?metrics=${ofPages}`,
    links: `referrers?grouped=false&metrics=${columns}`,
    dialects: `languages?locale=true&metrics=${columns}`,
    countries: `countries?metrics=${columns}`,
    entries: `entries?metrics=visits,visits_percentage,bounce_percentage,${ofGoal}`,
    exits: `exits?metrics=visits,visits_percentage,exit_percentage,${ofGoal}`,
    time: `time?metrics=time_median,duration_percentage,visitors,duration_lower_quartile,duration_upper_quartile,${ofGoal}`,
    properties: `properties?metrics=events,events_percentage,${ofGoal}`,
    goals: "goals?",
  };
  const lists =
    "referrers sources mediums campaigns browsers os devices languages contents terms channels".split(" ");
  expect([...files.keys()].toSorted()).toEqual(
    [...Object.keys(endpoints), ...lists, "notes"].map((name) => `${name}.csv`).toSorted(),
  );
  const shared = query.replace("&interval=day", "");
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const response = await server.ask("GET", `/website/example.com/${endpoint}&${shared}`, {
      cookie,
      headers: csvHeaders,
    });
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const own = await response.text();
    expect([name, own.split("\r\n").length > 2]).toEqual([name, true]);
    expect([name, files.get(`${name}.csv`)]).toEqual([name, own]);
  }
  expect(files.get("notes.csv")).toBe("date,text\r\n");
  expect(files.get("pages.csv")).toContain('"/a,%22b%22"');
  expect(files.get("campaigns.csv")).toContain("'-c1");
});

testWith("unzip", "without visits it has what hits say, and no files that visits need", async () => {
  const { server, cookie } = await opened();
  await server.ask("PATCH", "/websites/example.com", { cookie, body: { visits: false } });
  const files = await unpacked(
    await server.ask("GET", `/website/example.com/export.zip?${period}`, { cookie }),
  );
  for (const name of ["entries", "exits", "goals", "funnel", "chart"])
    expect(files.has(`${name}.csv`)).toBe(false);
  expect(files.get("totals.csv")).toBe("visitors,pageviews,bounce_percentage,time_median\r\n5,5,0,12002\r\n");
});

test.skipIf(!isThere("unzip"))(
  nameWith(
    "unzip",
    "of one page it has the pages before and after, for accounts the notes, and heads without rows",
  ),
  async () => {
    const { server, cookie } = await opened();
    for (const [date, text] of [
      ["2026-03-02", "Later"],
      ["2026-03-01", "=1+1"],
    ])
      await server.ask("POST", "/website/example.com/notes", { cookie, body: { date, text } });
    const { headers } = await makeLink(server, cookie);
    const ask = async (asked: object, query: string) =>
      unpacked(await server.ask("GET", `/website/example.com/export.zip?by=visit&${query}`, asked));
    const page = `${period}&path[eq]=/pricing&interval=month&timezone=UTC`;
    const [own, shared] = [await ask({ cookie }, page), await ask({ headers }, page)];
    expect(own.get("notes.csv")).toBe("date,text\r\n2026-03-01,'=1+1\r\n2026-03-02,Later\r\n");
    expect(shared.has("notes.csv")).toBe(false);
    for (const files of [own, shared])
      for (const name of ["next-pages.csv", "previous-pages.csv"])
        expect([name, files.get(name)]).toEqual([name, "path,stays,stays_percentage\r\n"]);
    const nothing = page.replace(period, "start=2020-01-01T00:00:00Z&end=2020-12-31T23:59:59Z");
    for (const more of ["", `&${compared}`, "&goal=1"]) {
      const [some, none] = [await ask({ cookie }, page + more), await ask({ cookie }, nothing + more)];
      expect([...none.keys()]).toEqual([...some.keys()]);
      const heads = [...none].filter(([, text]) => text.split("\r\n").length === 2);
      expect(heads.length).toBeGreaterThan(15);
      for (const [name, text] of heads) {
        const fields = headOf(some.get(name));
        // Rows have no field that has no base in any of them.
        expect([more, name, headOf(text).filter((field) => fields.includes(field))]).toEqual([
          more,
          name,
          fields,
        ]);
      }
    }
  },
);

test("the pages before and after are those of the page that is filtered for, whatever its path", async () => {
  const { server, cookie } = await opened();
  const paths = ["/r&d", "/c++", "/100%", "/c%20%20", "/r"];
  for (const [at, path] of paths.entries())
    for (const [step, to] of [path, `/after-${at}`].entries()) {
      const body = { b: `v${at}${step}`, u: `https://example.com${to}`, p: step === 0, q: true };
      const answer = await server.hit(body, { "x-forwarded-for": `198.51.100.${at}` });
      expect(await answer.json()).toEqual({ accepted: true });
    }
  const ask = (list: string, query: string) =>
    server.ask("GET", `/website/example.com/${list}?${query}`, { cookie, headers: csvHeaders });
  for (const [at, path] of paths.entries()) {
    const page = encodeURIComponent(path);
    const files = await unpacked(await ask("export.zip", `path[eq]=${page}&direction=previous`));
    expect([path, files.get("next-pages.csv")]).toEqual([
      path,
      `path,stays,stays_percentage\r\n/after-${at},1,100\r\n`,
    ]);
    for (const direction of ["next", "previous"]) {
      const own = await ask("journeys", `path=${page}&path[eq]=${page}&direction=${direction}`);
      expect([path, files.get(`${direction}-pages.csv`)]).toEqual([path, await own.text()]);
    }
  }
  const none = await unpacked(await ask("export.zip", "path[eq]="));
  expect([none.has("notes.csv"), none.has("next-pages.csv")]).toEqual([true, false]);
});

test("of a month of sums it has every file that needs no page views, and is not cut off", async () => {
  const { server, cookie } = await opened();
  const monthMs = Date.UTC(2024, 5);
  const sums = { ...noSums, pageviews: 10, visitors: 4, visits: 4, entries: 4, exits: 4 };
  const values = { path: [["/before", sums] as const], browser: [], os: [], device: [], country: [] };
  const day = {
    day: monthMs / 86_400_000 + 2,
    all: sums,
    values,
    sources: [],
    events: [["plan", 1] as const],
  };
  const { monthImport } = server.engine as RunningEngine;
  expect(await monthImport.add(1, { monthMs, days: [day] })).toBeUndefined();
  const ask = (list: string) =>
    server.ask("GET", `/website/example.com/${list}start=2024-06-01T00:00:00Z&end=2024-06-30T23:59:59Z`, {
      cookie,
    });
  const withGoal = await unpacked(await ask("export.zip?by=visit&"));
  expect(withGoal.get("pages.csv")).toContain("\r\n/before,4,");
  expect(withGoal.get("properties.csv")).toContain("\r\nplan,1,");
  // The goal came later than these months.
  expect([withGoal.has("notes.csv"), withGoal.has("goals.csv")]).toEqual([true, false]);
  await server.ask("DELETE", "/website/example.com/goals/1", { cookie });
  const without = await unpacked(await ask("export.zip?by=visit&"));
  expect([...without.keys()].toSorted()).toEqual([...withGoal.keys(), "goals.csv"].toSorted());
  const goals = await ask("goals?");
  expect([goals.status, await goals.text(), goals.headers.get("footfall-rows-from")]).toEqual([
    200,
    "[]",
    "2024-07-01T00:00:00.000Z",
  ]);
  expect((await ask("export.zip?step=page:/&step=page:/pricing&")).status).toBe(400);
});

test("what is wrong is said before the archive begins", async () => {
  const { server, cookie } = await opened();
  for (const wrong of [
    "start=x",
    "by=x",
    "goal=7",
    "step=page:/&step=x",
    "paths[eq]=/",
    "start=2020-01-01T00:00:00Z&interval=minute",
  ]) {
    const response = await server.ask("GET", `/website/example.com/export.zip?${wrong}`, { cookie });
    expect([wrong, response.status]).toEqual([wrong, 400]);
    expect(await response.json()).toHaveProperty("error.code", 400);
  }
});

test("an archive whose website goes meanwhile is cut off, and not half of it taken for the whole", async () => {
  const { server, cookie } = await opened();
  const { status, body } = await server.ask("GET", "/website/example.com/export.zip", { cookie });
  expect(status).toBe(200);
  await server.ask("DELETE", "/websites/example.com", { cookie });
  const read = new Response(body).bytes().then(
    () => "whole",
    () => "cut",
  );
  expect(await read).toBe("cut");
});

testWith(
  "unzip",
  "a link exports what its filters select, and what they may not show is refused",
  async () => {
    const { server, cookie } = await opened();
    const filters = [{ name: "country", operator: "eq", operands: ["Japan"] }];
    const { headers } = await makeLink(server, cookie, { filters });
    const ask = (query: string, asked: object) =>
      server.ask("GET", `/website/example.com/export.zip?${query}&${period}&by=visit`, asked);
    const files = await unpacked(await ask("", { headers }));
    const own = await unpacked(await ask("country[eq]=Japan", { cookie }));
    // By what a goal is reached is not for a link with filters.
    expect(files.get("goals.csv")).toStartWith("id,name,visits,");
    for (const each of [files, own]) each.delete("goals.csv");
    own.delete("notes.csv");
    expect(files).toEqual(own);
    expect(files.get("countries.csv")).toStartWith("country,visitors,");
    expect(files.get("countries.csv")).toContain("\r\nJapan,2,");
    expect(files.get("countries.csv")).not.toContain("Germany");
    const held = await makeLink(server, cookie, {
      filters: [{ name: "prop_value", operator: "eq", operands: ["p1"] }],
    });
    const refused = await ask("step=page:/&step=event:plan", { headers: held.headers });
    expect(refused.status).toBe(403);
  },
);

test("two archives at a time are made for the links of a website, whatever its accounts have", async () => {
  const { server, cookie } = await opened();
  const { headers } = await makeLink(server, cookie);
  const ask = (asked: object) => server.ask("GET", `/website/example.com/export.zip?${period}`, asked);
  const [one, two] = [await ask({ headers }), await ask({ headers })];
  const refused = await ask({ headers });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([500, "10"]);
  expect(await refused.text()).toContain("at most 2 archives of a website are made at a time for links");
  expect((await ask({ cookie })).status).toBe(200);
  // One is taken to its end, the other given up: there is room again. So it is after one that was refused for its query.
  await one.bytes();
  await two.body?.cancel();
  for (let time = 0; time < 3; time++)
    expect((await server.ask("GET", "/website/example.com/export.zip?start=x", { headers })).status).toBe(
      400,
    );
  expect([(await ask({ headers })).status, (await ask({ headers })).status]).toEqual([200, 200]);
});
