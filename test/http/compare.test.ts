/** Lists and totals that compare two periods, as the API gives them. */
import { beforeAll, describe, expect, test } from "bun:test";
import { messageOf, TestServer } from "../support/http.ts";

let server: TestServer;
let cookie: string;

const dayMs = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();
let startMs: number;
/** The second of two days, and the first as the other period. */
let second: string;
let compared: string;

// On the first day three views of / and one of /old, on the second two of / and one of /new.
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  startMs = server.clock.nowMs();
  const days = [
    ["/", "/", "/", "/old"],
    ["/", "/", "/new"],
  ];
  for (const [day, paths] of days.entries()) {
    for (const [index, path] of paths.entries()) {
      const body = { b: `b${day}-${index}`, u: `https://example.com${path}`, p: true, d: { plan: "pro" } };
      await server.hit(body);
    }
    server.clock.advance(dayMs);
  }
  second = `start=${at(startMs + dayMs)}&end=${at(startMs + 2 * dayMs - 1)}`;
  compared = `compare_start=${at(startMs)}&compare_end=${at(startMs + dayMs - 1)}`;
});

async function ask(path: string): Promise<{ readonly status: number; readonly value: unknown }> {
  const response = await server.ask("GET", `/website/example.com/${path}`, { cookie });
  return { status: response.status, value: await response.json() };
}

async function answer(path: string): Promise<unknown> {
  const { status, value } = await ask(path);
  expect(status).toBe(200);
  return value;
}

describe("a comparison", () => {
  test("gives each row its figures of the other period, and none where it had no row", async () => {
    expect(await answer(`pages?summary=true&${second}&${compared}`)).toEqual([
      {
        path: "/",
        visitors: 2,
        visitors_percentage: 66.67,
        previous: { visitors: 3, visitors_percentage: 75 },
      },
      { path: "/new", visitors: 1, visitors_percentage: 33.33 },
    ]);
  });
  test("gives the metrics that are asked for by name", async () => {
    expect(await answer(`pages?metrics=pageviews&${second}&${compared}`)).toEqual([
      { path: "/", pageviews: 2, previous: { pageviews: 3 } },
      { path: "/new", pageviews: 1 },
    ]);
  });
  test("ranks and pages by the own period alone", async () => {
    expect(await answer(`pages?metrics=pageviews&limit=1&offset=1&${second}&${compared}`)).toEqual([
      { path: "/new", pageviews: 1 },
    ]);
  });
  test("is there for time, properties and totals too, under the same filters", async () => {
    const filtered = `${second}&${compared}&path[eq]=/`;
    expect(await answer(`properties?${filtered}`)).toEqual([
      { name: "plan", events: 2, events_percentage: 100, previous: { events: 3, events_percentage: 100 } },
    ]);
    expect(await answer(`summary?metrics=pageviews&${filtered}`)).toEqual({
      current: { pageviews: 2 },
      previous: { pageviews: 3 },
    });
    expect(await answer(`time?${filtered}`)).toEqual([]);
  });
  test("says of totals that it begins before the website's first hit, whatever the filters", async () => {
    const earlier = `compare_start=${at(startMs - 1)}&compare_end=${at(startMs + dayMs - 1)}`;
    expect(await answer(`summary?metrics=pageviews&${second}&${earlier}&path[eq]=/new`)).toEqual({
      current: { pageviews: 1 },
      previous: { pageviews: 0 },
      recorded_from: at(startMs),
    });
  });
  test("leaves rows as they are where nobody asks for it", async () => {
    expect(JSON.stringify(await answer(`pages?${second}`))).not.toContain("previous");
  });
  test("takes one end, as the period does", async () => {
    const before = `compare_end=${at(startMs + dayMs - 1)}`;
    expect(await answer(`pages?metrics=pageviews&limit=1&${second}&${before}`)).toEqual([
      { path: "/", pageviews: 2, previous: { pageviews: 3 } },
    ]);
  });
});

describe("a 400 names", () => {
  const refusals = {
    "pages?compare_start=yesterday": "compare_start",
    "pages?compare_start=2026-01-02T00:00:00Z&compare_end=2026-01-01T00:00:00Z": "compare_start",
    "goals?compare_end=2026-01-01T00:00:00Z&compare_end=2026-01-02T00:00:00Z": "compare_end",
    "summary?previous=true&start=2026-01-01T00:00:00Z&end=2026-01-02T00:00:00Z&compare_end=2025-01-01T00:00:00Z":
      "previous",
  };
  for (const [path, field] of Object.entries(refusals))
    test(`${field} of ${path}`, async () => {
      const refused = await ask(path);
      expect(refused.status).toBe(400);
      expect(messageOf(refused)).toStartWith(field);
    });
});
