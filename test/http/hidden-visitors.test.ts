/** A website whose hits come through a proxy that no setting names: nothing of a visit is told, and nothing breaks. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { listedDimensions } from "../../src/core/questions/dimension.ts";
import { TestServer } from "../support/http.ts";

const website = "https://example.com";

let server: TestServer;
let cookie: string;

const get = <T = readonly Record<string, unknown>[]>(question: string) =>
  server.get<T>(`/website/example.com/${question}`, cookie);

beforeAll(async () => {
  server = await TestServer.open({ peer: "10.0.0.2" });
  cookie = await server.prepare();
  for (let at = 0; at < 5; at++) {
    const headers = { "x-forwarded-for": `203.0.113.${at}` };
    const send = async (body: object) => expect((await server.hit(body, headers)).status).toBe(200);
    const u = `${website}/${at % 2}?utm_campaign=may`;
    await send({ b: `b${at}`, u, r: "https://www.google.com/", p: at < 2 });
    await send({ b: `b${at}`, m: 2_000 });
    await send({ b: `b${at}`, d: { signup: true } });
  }
  server.clock.advance(31 * 60_000);
});
afterAll(() => server.engine.stop());

test("no list has a source, an entry, or a figure of a visit", async () => {
  const named = "visits_percentage,views_per_visit,bounce_percentage,time_per_visit";
  for (const { list } of listedDimensions) {
    expect([list, await get(`${list}?entry[in]=/0,/1`)]).toEqual([list, []]);
    for (const filter of ["", "path[eq]=/0", "path[neq]=/0", "prop_name[eq]=signup"]) {
      const rows = await get(`${list}?by=visit&${filter}`);
      for (const row of rows) expect(row["bounce_percentage"] ?? 0).toBe(0);
      const text = JSON.stringify(rows);
      expect(text).not.toMatch(/may|Google/);
      for (const row of await get(`${list}?by=visit&metrics=${named}&${filter}`))
        expect(Object.keys(row)).toHaveLength(1);
    }
  }
  expect(await get("entries")).toEqual([]);
  expect(await get("exits")).toEqual([]);
  expect(await get<object>("journeys?path=/0&direction=next")).toEqual({ stays: 0, exits: 0, pages: [] });
});

test("where somebody came from is Unknown by visit, and by hit as it was said", async () => {
  const figures = { visitors: 2, visitors_percentage: 100 };
  expect(await get("channels?by=visit&summary=true")).toEqual([{ channel: "Unknown", ...figures }]);
  expect(await get("referrers?by=visit&summary=true")).toEqual([{ referrer: "Unknown", ...figures }]);
  expect(await get("referrers?summary=true")).toEqual([{ referrer: "Google", ...figures }]);
  expect(await get("campaigns?summary=true")).toEqual([{ campaign: "may", ...figures }]);
  const metrics = "metrics=visitors,visits,pageviews,views_per_visit,bounce_percentage,time_total";
  expect(await get<object>(`summary?by=visit&${metrics}`)).toEqual({
    current: { visitors: 2, visits: 0, pageviews: 5, time_total: 10_000 },
  });
});
