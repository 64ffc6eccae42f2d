import { beforeAll, describe, expect, test } from "bun:test";
import { dimensions, type Dimension } from "../../src/core/questions/dimension.ts";
import { messageOf, TestServer } from "../support/http.ts";

let server: TestServer;
let cookie: string;

const browsers = {
  firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  chrome:
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
};

// Three visitors: two with Firefox from a search engine, one with Chrome from a campaign, a second apart.
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  const hits = [
    [browsers.firefox, { u: "https://example.com/", r: "https://www.google.com/search", t: "Europe/Berlin" }],
    [browsers.firefox, { u: "https://example.com/blog", r: "https://google.de/", d: { plan: "pro" } }],
    [
      browsers.chrome,
      {
        u: "https://example.com/blog?utm_source=mail&utm_medium=letter&utm_campaign=may&utm_content=top&utm_term=web",
      },
    ],
  ] as const;
  for (const [index, [userAgent, page]] of hits.entries()) {
    const headers = { "user-agent": userAgent, "accept-language": "en-GB" };
    const beacon = { b: `b${index}` };
    await server.hit({ ...beacon, ...page, p: true }, headers);
    server.clock.advance(1_000);
    await server.hit({ ...beacon, m: 6_000 }, headers);
  }
});

type Row = Record<string, unknown>;

async function ask<T>(path: string) {
  const response = await server.ask("GET", `/website/example.com/${path}`, { cookie });
  return { status: response.status, headers: response.headers, value: (await response.json()) as T };
}

async function rows(path: string): Promise<Row[]> {
  const { status, value } = await ask<Row[]>(path);
  if (status !== 200) throw new Error(JSON.stringify(value));
  return value;
}

async function refusal(path: string): Promise<string> {
  const refused = await ask(path);
  expect(refused.status).toBe(400);
  return messageOf(refused);
}

describe("the lists", () => {
  test("one for each dimension, whose rows have its field", async () => {
    for (const { list, field } of dimensions) {
      const [first] = await rows(list);
      expect(first).toMatchObject({ [field]: expect.any(String), visitors: expect.any(Number) });
    }
  });

  test("have every utm value of a hit, and filters by them", async () => {
    const named = { sources: "mail", mediums: "letter", campaigns: "may", contents: "top", terms: "web" };
    for (const [list, value] of Object.entries(named)) {
      const { name, field } = dimensions.find((dimension) => dimension.list === list) as Dimension;
      expect((await rows(list)).map((row) => [row[field], row["visitors"]])).toEqual([[value, 1]]);
      expect(await rows(`pages?summary=true&${name}[eq]=${value}`)).toMatchObject([
        { path: "/blog", visitors: 1 },
      ]);
    }
  });

  test("have channels, and every list the filter, in any operator", async () => {
    expect(await rows("channels?summary=true")).toEqual([
      { channel: "Search", visitors: 2, visitors_percentage: 66.67 },
      { channel: "Email", visitors: 1, visitors_percentage: 33.33 },
    ]);
    const [row, source] = [await rows("channels"), await rows("sources")];
    expect(Object.keys(row[0] as Row).slice(1)).toEqual(Object.keys(source[0] as Row).slice(1));
    const pagesOf = async (filter: string) =>
      (await rows(`pages?summary=true&${filter}`)).map(({ path, visitors }) => [path, visitors]);
    expect(await pagesOf("channel[eq]=email")).toEqual([["/blog", 1]]);
    expect(await pagesOf("channel[in]=AI,Email")).toEqual([["/blog", 1]]);
    expect(await pagesOf("channel[neq]=Email&path[neq]=/")).toEqual([["/blog", 1]]);
    expect(await pagesOf("channel[starts_with]=sea&channel[not_contains]=paid")).toHaveLength(2);
    expect(await pagesOf("channel[not_in]=Search,Email")).toEqual([]);
  });

  test("pages count views too", async () => {
    expect((await rows("pages"))[0]).toMatchObject({ path: "/blog", visitors: 2, pageviews: 2 });
  });

  test("metrics by name stand where they are asked for, and those of rows not in a summary", async () => {
    expect(await rows("pages?metrics=pageviews,time_total&limit=1")).toEqual([
      { path: "/blog", pageviews: 2, time_total: 12_000 },
    ]);
    expect(await refusal("summary?metrics=visitors,visitors_percentage")).toContain(
      "metrics: expected names of visitors, visits",
    );
  });

  test.each([
    ["time", "events", "visitors, visits"],
    ["entries", "visitors", "visits, visits_percentage, bounce_percentage, conversions"],
    ["exits", "bounce_percentage", "visits, visits_percentage, exit_percentage, conversions"],
    ["properties", "visitors", "events, events_percentage, visits"],
    ["pages", "duration_lower_quartile", "visitors, visits"],
    ["time", "nothing", "visitors, visits"],
  ])("the list %p has no metric %p by name", async (list, metric, expected) => {
    const message = await refusal(`${list}?metrics=visits,${metric}`);
    expect(message).toStartWith(`metrics: expected names of ${expected}`);
    expect(message).toEndWith(`, each once, got "${metric}"`);
  });

  test("pages by time have metrics by name, and so have properties, each of them once", async () => {
    const names = "time_median,duration_lower_quartile,pageviews";
    expect(await rows(`time?metrics=${names}&limit=1`)).toEqual([
      { path: "/blog", time_median: 6_000, duration_lower_quartile: 6_000, pageviews: 2 },
    ]);
    expect(await rows("properties?metrics=events&limit=1")).toEqual([{ name: "plan", events: 1 }]);
    expect(await refusal("properties?metrics=events,events")).toContain(', each once, got "events"');
  });

  test("filters, period and paging reach the answer", async () => {
    const visitors = async (query: string) =>
      (await rows(`browsers?${query}`)).map(({ browser, visitors }) => `${browser} ${visitors}`);
    expect(await visitors("")).toEqual(["Firefox 2", "Chrome 1"]);
    expect(await visitors("path[eq]=/blog&browser%5Beq%5D=firefox")).toEqual(["Firefox 1"]);
    expect(await visitors("browser[in]=Chrome,Safari")).toEqual(["Chrome 1"]);
    expect(await visitors("start=2026-03-15T12:00:02Z")).toEqual(["Chrome 1"]);
    expect(await visitors("end=2026-03-15T13:00:00.500+01:00")).toEqual(["Firefox 1"]);
    expect(await visitors("limit=1")).toEqual(["Firefox 2"]);
    expect(await visitors("offset=1")).toEqual(["Chrome 1"]);
    expect(await visitors("prop_name[eq]=plan")).toEqual(["Firefox 1"]);
  });

  test("a summary has the dimension with its visitors only", async () => {
    expect(await rows("browsers?summary=true&limit=1")).toEqual([
      { browser: "Firefox", visitors: 2, visitors_percentage: 66.67 },
    ]);
  });

  test("referrers take grouped, languages locale, the others neither", async () => {
    expect((await rows("referrers"))[0]).toMatchObject({ referrer: "Google", visitors: 2 });
    const hosts = (await rows("referrers?grouped=false")).map(({ referrer }) => referrer);
    expect(hosts.toSorted()).toEqual(["", "google.com/search", "google.de"]);
    expect(await rows("languages")).toMatchObject([{ language: "English" }]);
    expect(await rows("languages?locale=true")).toMatchObject([{ language: "British English" }]);
    expect(await refusal("referrers?grouped=1")).toStartWith("grouped: expected true or false");
    expect(await refusal("languages?locale=1")).toStartWith("locale: expected true or false");
    expect(await rows("browsers?grouped=1&locale=1")).toHaveLength(2);
  });
});

test("time and properties", async () => {
  expect(await rows("time?summary=true&limit=1")).toEqual([
    { path: "/blog", duration: 6_000, duration_percentage: 66.67 },
  ]);
  expect(await rows("properties")).toEqual([{ name: "plan", events: 1, events_percentage: 100 }]);
  expect(await rows("properties?prop_name[eq]=plan&summary=nonsense")).toEqual([
    { name: "plan", value: "pro", events: 1, events_percentage: 100 },
  ]);
});

describe("the summary", () => {
  test("of the period, of the one before, and by interval", async () => {
    const day = "start=2026-03-15T00:00:00Z&end=2026-03-15T23:59:59.999Z";
    const { value } = await ask(`summary?${day}&previous=true&interval=day&timezone=Europe/Berlin`);
    const current = { visitors: 3, pageviews: 3, bounce_percentage: 0, duration: 6_000 };
    const nothing = { visitors: 0, pageviews: 0, bounce_percentage: 0, duration: 0 };
    expect(value).toEqual({
      current,
      previous: nothing,
      interval: [
        { date: "2026-03-15T00:00:00+01:00", ...current },
        { date: "2026-03-16T00:00:00+01:00", ...nothing },
      ],
    });
  });

  test("takes filters, and refuses what it cannot answer", async () => {
    expect((await ask<{ current: Row }>("summary?browser[eq]=chrome")).value.current).toMatchObject({
      visitors: 1,
    });
    expect(await refusal("summary?previous=true")).toContain("previous");
    expect(await refusal("summary?interval=year")).toStartWith("interval: expected minute, hour, day");
    expect(await refusal("summary?timezone=Mars/Olympus")).toStartWith("timezone: expected the IANA name");
    expect(await refusal("summary?interval=minute&start=2020-01-01T00:00:00Z")).toContain("interval");
  });
});

test("every one of them refuses the same wrong queries", async () => {
  for (const list of [...dimensions.map(({ list }) => list), "time", "properties", "summary"])
    for (const [query, named] of [
      ["path=/", "path"],
      ["paths[eq]=/", "paths[eq]"],
      ["path[is]=/", "path[is]"],
      ["start=2026-01-01", "start"],
      ["start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z", "start"],
      ["path[eq]=%zz", "path[eq]"],
    ] as const)
      expect(await refusal(`${list}?${query}`)).toContain(named);
});

test("an answer says how long it took, and what", async () => {
  for (const list of ["pages", "time", "properties", "summary"])
    expect((await ask(list)).headers.get("server-timing")).toMatch(
      /^answer;dur=\d+\.\d\d;desc="[1-9]\d* rows read, 0 known to match, 0 entries of facts added"$/,
    );
});
