/** Goals, funnels, journeys and live visits through the API, on visits that a person can follow. */
import { beforeEach, describe, expect, test } from "bun:test";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { definitions, otherDefinitions } from "../../src/core/definition.ts";
import { goalsMax } from "../../src/core/website/goal.ts";
import { visitValuesOf } from "../../src/core/questions/stored-dimension.ts";
import { messageOf, TestServer } from "../support/http.ts";
import { tidyPage } from "../support/readme.ts";
import { event, load, unload, valuesOf } from "../support/records.ts";

const minuteMs = 60_000;
let server: TestServer;
let cookie: string;
let startMs: number;
beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  startMs = server.clock.nowMs();
});

const ask = (method: string, path: string, body?: unknown) =>
  server.answer(method, `/website/example.com/${path}`, { cookie, body });

const get = async (path: string) => (await ask("GET", path)).value;

async function add(goal: unknown): Promise<number> {
  const { status, value } = await ask("POST", "goals", goal);
  expect(status).toBe(201);
  return (value as { id: number }).id;
}

/** A page view of a visit, so many minutes after the first. */
async function view(visit: number, minutes: number, path: string, source = ""): Promise<string> {
  const beacon = `b-${visit}-${minutes}-${path}`;
  const values = valuesOf(path).with(2, source);
  const timeMs = startMs + minutes * minuteMs;
  const ofVisit = { visit, visitValues: visitValuesOf(values, false) };
  await server.engine.commit(load(beacon, { timeMs, values, ...ofVisit, websiteId: 1 }));
  return beacon;
}

async function happen(
  beacon: string,
  minutes: number,
  properties: [string, string][],
  numbers: (number | null)[],
) {
  const timeMs = startMs + minutes * minuteMs;
  await server.engine.commit(event(beacon, { timeMs, websiteId: 0, values: null, properties, numbers }));
}

/** Three visits: one buys twice, one reads on and leaves, one comes back to the price and stays. */
async function somePeople(): Promise<void> {
  await view(1, 0, "/", "news");
  const pricing = await view(1, 1, "/pricing", "");
  await view(2, 1, "/pricing", "shop");
  await happen(
    pricing,
    2,
    [
      ["order", "paid"],
      ["price", "49.9"],
    ],
    [null, 49.9],
  );
  await happen(
    pricing,
    3,
    [
      ["order", "paid"],
      ["price", "0.1"],
      ["tax", "9"],
    ],
    [null, 0.1, 9],
  );
  await happen(pricing, 4, [["price", "1000"]], [1_000]);
  await view(1, 5, "/thanks");
  await view(2, 6, "/pricing");
  await view(2, 7, "/blog/a");
  await view(3, 8, "/pricing");
  await view(3, 9, "/blog/a");
  await view(3, 10, "/pricing");
}

describe("goals", () => {
  test("of pages and events have a past, how often, and exact sums", async () => {
    await somePeople();
    const blog = await add({
      name: " Blog ",
      page: { starts_with: "/blog/", not_in: ["/blog/b", "/blog/c"] },
    });
    await add({ name: "Sales", event: { prop_name: "Order", prop_value: "paid", amount: "price" } });
    await add({ name: "Refunds", event: { prop_name: "refund", amount: "price" } });
    const page = { starts_with: "/blog/", not_in: ["/blog/b", "/blog/c"] };
    const rows = [
      { id: 1, name: "Blog", page, visits: 2, conversion_percentage: 66.67, events: 2 },
      {
        id: 2,
        name: "Sales",
        event: { prop_name: "Order", prop_value: "paid", amount: "price" },
        visits: 1,
        conversion_percentage: 33.33,
        events: 2,
        amount: 50,
      },
      {
        id: 3,
        name: "Refunds",
        event: { prop_name: "refund", amount: "price" },
        visits: 0,
        conversion_percentage: 0,
        events: 0,
        amount: 0,
      },
    ];
    expect(await get("goals")).toEqual(rows);
    const [, sales] = (await get("goals?utm_source[eq]=news&by=visit")) as object[];
    // By visit, the sale is that of the visit from the news, though its page view says nothing of them itself.
    expect(sales).toMatchObject({ visits: 1, conversion_percentage: 100, events: 2, amount: 50 });
    const [, sold] = (await get("goals?utm_source[eq]=news")) as object[];
    expect(sold).toMatchObject({ visits: 0, conversion_percentage: 0, events: 0 });
    expect(await get("goals?end=2001-01-01T00:00:00Z")).toEqual([
      { id: 1, name: "Blog", page, visits: 0, events: 0 },
      expect.not.objectContaining({ conversion_percentage: expect.anything() }),
      expect.anything(),
    ]);
    expect(await ask("DELETE", `goals/${blog}`)).toEqual({ status: 204, value: undefined });
    expect(((await get("goals")) as object[]).map((row) => (row as { id: number }).id)).toEqual([2, 3]);
    expect(await add({ name: "New", page: { eq: "/" } })).toBe(4);
  });

  test("sums take numbers from hits, whatever becomes of their names", async () => {
    await add({ name: "Sales", event: { prop_name: "order", amount: "price" } });
    const send = (d: object) => server.hit({ u: "https://example.com/", d });
    await send({ order: "t", price: "31" });
    // An amount that came as text is not known; nobody's is 0.
    const ofText = (await get("goals")) as object[];
    expect(ofText).toMatchObject([{ events: 1 }]);
    expect(ofText[0]).not.toHaveProperty("amount");
    expect(await get("goals?end=2001-01-01T00:00:00Z")).toMatchObject([{ events: 0, amount: 0 }]);
    await send({ order: "a", price: 0.1 });
    await send({ order: "b", price: 0.2 });
    await send({ order: "c", price: "7" });
    const values = valuesOf("/");
    const properties = [
      ["order", null],
      ["price", null],
    ] as const;
    const refused = { properties, numbers: [null, -2.5], hasOthers: true };
    await server.engine.commit(event("", { websiteId: 1, timeMs: startMs, values, ...refused }));
    expect(await get("goals")).toMatchObject([{ events: 5, amount: -2.2 }]);
  });

  test("have without filters the times and amounts that belong to no visit, which lists and filters leave out", async () => {
    await somePeople();
    const sales = await add({ name: "Sales", event: { prop_name: "order", amount: "price" } });
    await server.engine.commit(
      event("", {
        websiteId: 1,
        timeMs: startMs,
        values: valuesOf("/order"),
        properties: [
          ["order", "paid"],
          ["price", "100"],
        ],
        numbers: [null, 100],
      }),
    );
    for (const by of ["", "by=visit"])
      expect(await get(`goals?${by}`)).toMatchObject([{ visits: 1, events: 3, amount: 150 }]);
    expect(await get("goals?by=visit&browser[neq]=none")).toMatchObject([
      { visits: 1, events: 2, amount: 50 },
    ]);
    const amounts = `by=visit&goal=${sales}&metrics=amount`;
    expect(await get(`entries?${amounts}&path[eq]=/`)).toEqual([{ path: "/", amount: 50 }]);
    expect(await get(`summary?${amounts}`)).toEqual({ current: { amount: 150 } });
    expect(await get(`summary?${amounts}&browser[neq]=none`)).toEqual({ current: { amount: 50 } });
    const document = await server.get<{ paths: Record<string, { get: { description: string } }> }>(
      "/openapi.json",
    );
    expect(document.paths["/website/{hostname}/goals"]!.get.description).toContain(
      "Without filters, `events` and `amount` also have what belongs to no visit",
    );
  });

  test("count an event on the day of its page view, and Properties on its own, as the definitions say", async () => {
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const toMidnight = (24 * 60 * minuteMs - (startMs % (24 * 60 * minuteMs))) / minuteMs;
    const beacon = await view(1, toMidnight - 1, "/cart");
    await happen(
      beacon,
      toMidnight + 1,
      [
        ["order", "1"],
        ["price", "12.5"],
      ],
      [1, 12.5],
    );
    const id = await add({ name: "Order", event: { prop_name: "order", amount: "price" } });
    const [first, next] = [startMs, startMs + toMidnight * minuteMs].map(day);
    const on = (date: string | undefined) => `start=${date}T00:00:00Z&end=${date}T23:59:59Z`;
    expect(await get(`goals?${on(first)}`)).toMatchObject([{ events: 1, amount: 12.5 }]);
    expect(await get(`goals?${on(next)}`)).toMatchObject([{ events: 0, amount: 0 }]);
    const chart = await get(
      `summary?goal=${id}&metrics=amount&interval=day&start=${first}T00:00:00Z&end=${next}T23:59:59Z`,
    );
    expect((chart as { interval: object[] }).interval).toMatchObject([{ amount: 12.5 }, { amount: 0 }]);
    const properties = (date: string | undefined) =>
      get(`properties?prop_name[eq]=order&goal=${id}&metrics=events,amount&${on(date)}`);
    expect(await properties(first)).toEqual([]);
    expect(await properties(next)).toMatchObject([{ events: 1, amount: 12.5 }]);
    expect(otherDefinitions.goal_times.text).toContain(
      "An event counts on the day of its page view; in Properties, on its own.",
    );
    expect(otherDefinitions.goal_amount.text).toContain("on the day of their page view.");
    expect(definitions.amount).toContain("in a chart, at the time of their page view,");
  });

  test("give lists, entries and summaries conversions by row", async () => {
    await somePeople();
    const goal = await add({ name: "Thanks", page: { eq: "/thanks" } });
    const rows = (await get(`pages?goal=${goal}`)) as Record<string, unknown>[];
    expect(
      rows.map(({ path, conversions, conversion_percentage }) => [path, conversions, conversion_percentage]),
    ).toEqual(
      expect.arrayContaining([
        ["/pricing", 1, 33.33],
        ["/thanks", 1, 100],
        ["/blog/a", 0, 0],
      ]),
    );
    expect(Object.keys(rows[0] as object)).toContain("bounce_percentage");
    expect(await get(`sources?goal=${goal}&by=visit&metrics=conversions&limit=9`)).toEqual(
      expect.arrayContaining([
        { source: "news", conversions: 1 },
        { source: "shop", conversions: 0 },
      ]),
    );
    expect(await get(`entries?goal=${goal}&summary=true`)).toEqual([
      { path: "/pricing", visits: 2, visits_percentage: 66.67, conversions: 0, conversion_percentage: 0 },
      { path: "/", visits: 1, visits_percentage: 33.33, conversions: 1, conversion_percentage: 100 },
    ]);
    const named = `entries?goal=${goal}&metrics=visits,conversions,bounce_percentage&limit=1`;
    expect(await get(named)).toEqual([{ path: "/pricing", visits: 2, conversions: 0 }]);
    expect(await get(`properties?goal=${goal}&limit=1`)).toMatchObject([
      { name: "price", conversions: 1, conversion_percentage: 100 },
    ]);
    const { current } = (await get(`summary?goal=${goal}`)) as { current: object };
    expect(current).toMatchObject({ visitors: 9, conversions: 1, conversion_percentage: 33.33 });
    expect(await get(`summary?goal=${goal}&metrics=conversion_percentage&path[eq]=/`)).toEqual({
      current: { conversion_percentage: 100 },
    });
  });

  test("give lists the amounts of their visits, once for each row that these have", async () => {
    await somePeople();
    const sales = await add({ name: "Sales", event: { prop_name: "order", amount: "price" } });
    const thanks = await add({ name: "Thanks", page: { eq: "/thanks" } });
    const asked = (goal: number) => `goal=${goal}&metrics=conversions,amount`;
    // Another event of the visit had a price, and was no sale. Visit 1 read three pages, and came from the news.
    expect(await get(`sources?by=visit&${asked(sales)}`)).toEqual([
      { source: "news", conversions: 1, amount: 50 },
      { source: "shop", conversions: 0, amount: 0 },
    ]);
    expect(await get(`pages?${asked(sales)}`)).toEqual(
      expect.arrayContaining([
        { path: "/pricing", conversions: 1, amount: 50 },
        { path: "/", conversions: 1, amount: 50 },
        { path: "/thanks", conversions: 1, amount: 50 },
        { path: "/blog/a", conversions: 0, amount: 0 },
      ]),
    );
    expect(await get(`entries?${asked(sales)}`)).toEqual([
      { path: "/pricing", conversions: 0, amount: 0 },
      { path: "/", conversions: 1, amount: 50 },
    ]);
    expect(await get(`exits?${asked(sales)}`)).toContainEqual({
      path: "/thanks",
      conversions: 1,
      amount: 50,
    });
    expect(await get(`pages?path[eq]=/thanks&${asked(sales)}`)).toEqual([
      { path: "/thanks", conversions: 1, amount: 50 },
    ]);
    // The total counts selected hits only, or by visit all that their visits did; /blog/a is none of a buyer's.
    const total = async (more: string) =>
      ((await get(`summary?${asked(sales)}${more}`)) as { current: object }).current;
    expect(await total("")).toEqual({ conversions: 1, amount: 50 });
    expect(await total("&path[eq]=/thanks")).toEqual({ conversions: 1 });
    expect(await total("&by=visit&path[eq]=/thanks")).toEqual({ conversions: 1, amount: 50 });
    expect(await total("&path[eq]=/blog/a")).toEqual({ conversions: 0, amount: 0 });
    // A goal without an amount sums up nothing; and what has no goal, or rows of something else, says so.
    expect(await get(`sources?by=visit&${asked(thanks)}`)).toEqual([
      { source: "news", conversions: 1 },
      { source: "shop", conversions: 0 },
    ]);
    expect(messageOf(await ask("GET", "sources?metrics=amount"))).toBe(
      'metrics: expected a goal beside it, got "amount"',
    );
    // A property has those of its own events: one order had a tax.
    expect(await get(`properties?${asked(sales)}`)).toEqual([
      { name: "price", conversions: 1, amount: 50 },
      { name: "order", conversions: 1, amount: 50 },
      { name: "tax", conversions: 1, amount: 0.1 },
    ]);
    expect(messageOf(await ask("GET", `time?${asked(sales)}`))).toStartWith("metrics: expected names of");
  });

  test.each([
    [{}, "name: expected a string, got nothing"],
    [{ name: " ", page: { eq: "/" } }, 'name: expected 1 to 100 characters, got ""'],
    [{ name: "a" }, "page: expected either page or event, got nothing"],
    [{ name: "a", page: { eq: "/" }, event: { prop_name: "a" } }, "event: expected either page or event"],
    [{ name: "a", page: {} }, "page: expected an operator: eq,"],
    [{ name: "a", page: { is: "/" } }, "page: expected an operator: eq,"],
    [{ name: "a", page: "/" }, "page: expected an object, got a string"],
    [{ name: "a", page: { eq: ["/"] } }, "page.eq: expected a path, got an array"],
    [{ name: "a", page: { eq: "" } }, "page.eq: expected 1 to 2048 characters"],
    [{ name: "a", page: { in: "/" } }, "page.in: expected a list of paths"],
    [{ name: "a", page: { in: [] } }, "page.in: expected 1 to 100 paths, got 0"],
    [{ name: "a", page: { in: [1] } }, "page.in: expected a path, got 1"],
    [{ name: "a", event: {} }, "event.prop_name: expected the name of a property"],
    [{ name: "a", event: { prop_name: 1 } }, "event.prop_name: expected a string, got a number"],
    [{ name: "a", event: { prop_name: "a", amount: "" } }, "event.amount: expected 1 to 300 characters"],
    [{ name: "a", event: { prop_name: "a", prop_value: 1 } }, "event.prop_value: expected a string"],
  ])("that are %j are refused", async (body, message) => {
    const answer = await ask("POST", "goals", body);
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toStartWith(message);
  });

  test("are bounded, and those of another website are none", async () => {
    for (let count = 0; count < goalsMax; count++) await add({ name: `Goal ${count}`, page: { eq: "/" } });
    const more = await ask("POST", "goals", { name: "More", page: { eq: "/" } });
    expect([more.status, messageOf(more)]).toEqual([
      400,
      `goals: expected at most ${goalsMax} of a website: remove one first`,
    ]);
    const { userId } = await addUser(server.engine, { username: "grace", password: "long enough" });
    await addWebsite(server.engine, { userId, sessionId: "" }, { hostname: "other.example" });
    const ownId = server.engine.registry.userByName("ada")?.userId as number;
    await addWebsite(server.engine, { userId: ownId, sessionId: "" }, { hostname: "own.example" });
    const other = await server.ask("POST", "/website/other.example/goals", { cookie, body: { name: "a" } });
    expect(other.status).toBe(404);
    for (const id of ["99", "0", "x", "01"]) expect((await ask("DELETE", `goals/${id}`)).status).toBe(404);
    const ofOther = await server.ask("DELETE", "/website/own.example/goals/1", { cookie });
    expect(ofOther.status).toBe(404);
    for (const path of ["pages?goal=99", "entries?goal=99", "summary?goal=99", "pages?goal=x"]) {
      const answer = await ask("GET", path);
      expect([path, answer.status]).toEqual([path, 400]);
      expect(messageOf(answer)).toStartWith("goal: expected the id of a goal");
    }
    const none = await ask("GET", "pages?metrics=visits,conversions");
    expect(messageOf(none)).toBe('metrics: expected a goal beside it, got "conversions"');
  });
});

test("under a filter, goals and funnels have the conversions that totals and journeys have", async () => {
  await somePeople();
  const goal = await add({ name: "Read", page: { starts_with: "/blog/" } });
  await add({ name: "Sales", event: { prop_name: "order", amount: "price" } });
  const sales = 2;
  for (const by of ["", "by=visit&"])
    for (const [filter, conversions, share] of [
      ["path[eq]=/", 0, 0],
      ["path[eq]=/pricing", 2, 66.67],
      ["path[eq]=/blog/a", 2, 100],
      ["utm_source[eq]=shop", 1, 100],
    ] as const) {
      const { current } = (await get(
        `summary?by=visit&goal=${goal}&metrics=visits,conversions&${filter}`,
      )) as {
        current: { visits: number; conversions: number };
      };
      expect([filter, current.conversions]).toEqual([filter, conversions]);
      const [row] = (await get(`goals?${by}${filter}`)) as { visits: number }[];
      const steps = "step=page[starts_with]:/&step=page[starts_with]:/blog/";
      const [, last] = (await get(`funnel?${by}${steps}&${filter}`)) as { visits: number }[];
      // Without `by`, what counts has to be selected itself.
      if (by === "") expect(row?.visits).toBe(filter === "path[eq]=/blog/a" ? 2 : 0);
      else {
        expect(row).toMatchObject({ visits: conversions, conversion_percentage: share, events: conversions });
        expect(last).toMatchObject({ visits: conversions, total_percentage: share });
      }
    }
  const bought = (await get("goals?by=visit&path[eq]=/thanks")) as object[];
  expect(bought.find((row) => (row as { id: number }).id === sales)).toMatchObject({
    visits: 1,
    events: 2,
    amount: 50,
  });
});

describe("a funnel", () => {
  test("counts visits that did its steps in order", async () => {
    await somePeople();
    const goal = await add({ name: "Thanks", page: { eq: "/thanks" } });
    const steps = ["page[starts_with]:/pri", "event:order=paid", "event:price", `goal:${goal}`];
    const query = steps.map((step) => `step=${encodeURIComponent(step)}`).join("&");
    const row = (step: string, visits: number, ...[ofStep, ofAll]: number[]) => ({
      step,
      visits,
      step_percentage: ofStep,
      total_percentage: ofAll,
    });
    expect(await get(`funnel?${query}`)).toEqual([
      row(steps[0] as string, 3, 100, 100),
      row(steps[1] as string, 1, 33.33, 33.33),
      row(steps[2] as string, 1, 100, 33.33),
      row(steps[3] as string, 1, 100, 33.33),
    ]);
    expect(await get("funnel?step=page:/blog/a&step=page:/pricing&step=page:/blog/a")).toMatchObject([
      { visits: 2 },
      { visits: 1, step_percentage: 50, total_percentage: 33.33 },
      { visits: 0, step_percentage: 0 },
    ]);
    expect(await get("funnel?step=page:/x&step=page:/y")).toEqual([
      { step: "page:/x", visits: 0, step_percentage: 0, total_percentage: 0 },
      { step: "page:/y", visits: 0, total_percentage: 0 },
    ]);
    expect(await get("funnel?step=page:/pricing&step=page:/blog/a&utm_source[eq]=shop")).toMatchObject([
      { visits: 1 },
      { visits: 0 },
    ]);
  });

  test("takes the properties of one event one after the other, as they were sent and as the documents say", async () => {
    const page = await view(1, 0, "/");
    const properties: [string, string][] = [
      ["signup", "pro"],
      ["price", "29"],
    ];
    await happen(page, 1, properties, [null, 29]);
    const visits = async (...steps: string[]) =>
      ((await get(`funnel?${steps.map((step) => `step=${step}`).join("&")}`)) as { visits: number }[]).map(
        (row) => row.visits,
      );
    expect(await visits("event:signup", "event:price")).toEqual([1, 1]);
    expect(await visits("event:price", "event:signup")).toEqual([1, 0]);
    expect(await visits("event:price", "event:price")).toEqual([1, 0]);
    const says =
      "The properties of one event count one after the other, in the order in which they were sent";
    expect((await (await server.ask("GET", "/openapi.json")).text()).includes(says)).toBeTrue();
    expect((await tidyPage("docs/api.md")).replaceAll(/\s+/g, " ").includes(says)).toBeTrue();
  });

  test.each([
    ["", "step: expected 2 to 8 steps, got 0"],
    ["step=page:/", "step: expected 2 to 8 steps, got 1"],
    [Array(9).fill("step=page:/").join("&"), "step: expected 2 to 8 steps, got 9"],
    ["step=page:/&step=/a", "step: expected page:/pricing, page[starts_with]:/blog/, event:signup, "],
    ["step=page:/&step=page:", "step: expected page:/pricing"],
    ["step=page:/&step=page[is]:/", "step: expected an operator: eq,"],
    ["step=page:/&step=event[eq]:a", "step: expected page:/pricing"],
    ["step=page:/&step=event:=a", "step: expected page:/pricing"],
    ["step=page:/&step=goal:7", 'step: there is no goal "7" of this website'],
  ])("with %s is refused", async (query, message) => {
    const answer = await ask("GET", `funnel?${query}`);
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toStartWith(message);
  });
});

describe("journeys", () => {
  test("say where visits went, and where they came from", async () => {
    await somePeople();
    expect(await get("journeys?path=/pricing")).toEqual({
      stays: 4,
      exits: 1,
      pages: [
        { path: "/blog/a", stays: 2, stays_percentage: 50 },
        { path: "/thanks", stays: 1, stays_percentage: 25 },
      ],
    });
    expect(await get("journeys?path=/Pricing&direction=previous&limit=1&path[eq]=/pricing")).toEqual({
      stays: 4,
      entries: 2,
      pages: [
        { path: "/", stays: 1, stays_percentage: 25 },
        { path: "(other)", stays: 1, stays_percentage: 25, other: true },
      ],
    });
    expect(await get("journeys?path=/none")).toEqual({ stays: 0, exits: 0, pages: [] });
    const end = encodeURIComponent(new Date(startMs + 2 * minuteMs).toISOString());
    expect(await get(`journeys?path=/pricing&end=${end}`)).toMatchObject({
      stays: 2,
      exits: 0,
      pages: [{ path: "/blog/a" }, { path: "/thanks" }],
    });
  });

  test.each([
    ["", "path: expected a path like /pricing, got nothing"],
    ["path=", "path: expected a path like /pricing"],
    ["path=/&path=/a", "path: expected one path"],
    ["path=/&direction=up", "direction: expected next or previous"],
    ["path=/&limit=0", "limit: expected an integer from 1"],
  ])("with %s are refused", async (query, message) => {
    const answer = await ask("GET", `journeys?${query}`);
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toStartWith(message);
  });
});

describe("a website without visits", () => {
  test("has none of this, and says so; its goals can still be removed", async () => {
    await add({ name: "a", page: { eq: "/" } });
    await server.ask("PATCH", "/websites/example.com", { cookie, body: { visits: false } });
    const asked = [
      ["GET", "goals"],
      ["GET", "funnel?step=page:/&step=page:/a"],
      ["GET", "journeys?path=/"],
      ["GET", "pages?goal=1"],
      ["GET", "entries?goal=1"],
      ["GET", "summary?goal=1"],
      ["POST", "goals"],
    ] as const;
    for (const [method, path] of asked) {
      const answer = await ask(
        method,
        path,
        method === "POST" ? { name: "b", page: { eq: "/" } } : undefined,
      );
      expect([path, answer.status]).toEqual([path, 400]);
      expect(messageOf(answer)).toStartWith("visits: expected a website with visits");
    }
    expect((await ask("DELETE", "goals/1")).status).toBe(204);
  });
});

describe("live", () => {
  async function liveNow(): Promise<unknown> {
    const response = await server.ask("GET", "/website/example.com/live", { cookie });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return JSON.parse(new TextDecoder().decode(value as Uint8Array).replace("data: ", ""));
  }

  test("counts visits with a sign of life, whether they are of new visitors or not", async () => {
    const beacon = await view(1, 0, "/");
    await view(2, 0, "/");
    await server.engine.commit(
      load("seen", { timeMs: startMs, unique: false, seen: true, visit: 3, values: valuesOf("/") }),
    );
    expect(await liveNow()).toEqual({ visitors: 3 });
    server.clock.advance(6 * minuteMs);
    expect(await liveNow()).toEqual({ visitors: 0 });
    await server.engine.commit(unload(beacon, { timeMs: startMs + 4 * minuteMs, visibleMs: 4 * minuteMs }));
    await happen("seen", 5, [["plan", "pro"]], []);
    expect(await liveNow()).toEqual({ visitors: 2 });
  });

  test("counts visitors where visits are off", async () => {
    await server.ask("PATCH", "/websites/example.com", { cookie, body: { visits: false } });
    await server.engine.commit(load("new", { timeMs: startMs }));
    await server.engine.commit(load("old", { timeMs: startMs, unique: false, seen: true }));
    expect(await liveNow()).toEqual({ visitors: 1 });
  });
});
