/** Events of Google Analytics 4, made by hand as its tables in BigQuery have them, imported into a real folder. */
import { describe, expect, test } from "bun:test";
import type { Control } from "../../../src/cli/control/control.ts";
import { recognised } from "../../../src/cli/import/formats/formats.ts";
import { Import } from "../../../src/cli/import/import.ts";
import { addGoal } from "../../../src/engine/admin/website/goals.ts";
import { ga4Csv, ga4Json, type MadeEvent } from "../../support/ga4-export.ts";
import { importFolder } from "../../support/import-folder.ts";

const newWebsite = importFolder();
const noonMs = Date.UTC(2024, 4, 1, 12);
const hostname = "shop.example";
let websites = 0;

/** Imports a text into a website of its own; `failsAt`: the number of the batch that is not committed, as when the program stops. */
async function imported(text: string, failsAt?: number) {
  const own = `shop${++websites}.example`;
  const { engine, owner, ask, options } = await newWebsite(own);
  async function* chunks() {
    yield Buffer.from(text.replaceAll(hostname, own));
  }
  const format = recognised(text.split("\n").slice(0, 50), "a file");
  expect(format.name).toBe("ga4");
  const common = { ...options(), format };
  let batches = 0;
  const importBatch: Control["importBatch"] = async (batch) => {
    if (++batches === failsAt) throw new Error("interrupted");
    return common.control.importBatch(batch);
  };
  const control = { ...common.control, importBatch };
  const again = () => new Import({ ...common, control }).run(chunks(), () => {});
  if (failsAt !== undefined) expect(await again().catch(String)).toBe("Error: interrupted");
  const report = await again();
  const current = async (query: string) =>
    ((await ask("summary", query)) as unknown as { current: Record<string, number> }).current;
  return { own, engine, owner, report, ask, current };
}

/** An event so many seconds after noon. */
function event(
  seconds: number,
  name: string,
  path: string,
  params: MadeEvent["params"] = {},
  more: Partial<MadeEvent> = {},
): MadeEvent {
  const common = {
    ga_session_id: 1_714_564_800,
    ga_session_number: 2,
    page_title: "Title",
    session_engaged: "1",
  };
  return {
    timeMs: noonMs + seconds * 1_000,
    name,
    person: "1026454.4271112504",
    params: { ...common, page_location: `https://${hostname}${path}`, ...params },
    ...more,
  };
}

const phone = {
  category: "mobile",
  operating_system: "iOS",
  language: "en-us",
  web_info: { browser: "Safari (in-app)", browser_version: "17" },
};
const other = { person: "7.7", device: phone, country: "Côte d'Ivoire" };
const google = { page_referrer: "https://www.google.com/" };

const visit: readonly MadeEvent[] = [
  event(0, "page_view", "/?utm_source=news&gclid=abc", { entrances: 1, engagement_time_msec: 3, ...google }),
  event(0, "session_start", "/", { engagement_time_msec: 3 }),
  event(0, "first_visit", "/", { engagement_time_msec: 3 }),
  event(5, "scroll", "/", { percent_scrolled: 90, engagement_time_msec: 4_000 }),
  event(10, "user_engagement", "/", { engagement_time_msec: 6_000 }),
  event(11, "page_view", "/cart/#top", { page_referrer: `https://${hostname}/`, engagement_time_msec: 5 }),
  event(20, "purchase", "/cart/", {
    ...{
      currency: "EUR",
      value: 12.5,
      coupon: "MAY",
      transaction_id: "T1",
      user_id: "ada",
      batch_page_id: 9,
    },
    engagement_time_msec: 2_000,
  }),
  event(
    30,
    "page_view",
    "/",
    { ...google, ga_session_id: 5 },
    {
      ...other,
      source: { manual_source: "google", manual_medium: "organic", manual_campaign_name: "(organic)" },
    },
  ),
  event(
    40,
    "page_view",
    "/ad",
    { ga_session_id: 6 },
    {
      ...other,
      source: {
        manual_source: "letter",
        manual_medium: "mail",
        manual_campaign_name: "(not set)",
        gclid: "x",
      },
    },
  ),
];

describe.each([
  ["CSV", ga4Csv],
  ["JSON lines", ga4Json],
])("as %s", (_, written) => {
  test("page views, visits, events and times are taken", async () => {
    const { report, ask, current } = await imported(written(visit));
    expect(report).toMatchObject({ lines: 9, taken: 4, events: 1, values: 3, disordered: 0 });
    expect(report.leftOut).toMatchObject({ other: 4, unreadable: 0, host: 0 });
    expect(await current("by=visit&metrics=visits")).toMatchObject({ visits: 3 });
    expect(await current("")).toMatchObject({ visitors: 2, pageviews: 4 });
    const pages = (await ask("pages")).map(({ path, pageviews, duration }) => [path, pageviews, duration]);
    expect(Object.fromEntries(pages.map(([path, ...rest]) => [path, rest]))).toMatchObject({
      "/": [2, 10_000],
      "/cart": [1, 2_000],
      "/ad": [1, expect.anything()],
    });
    expect(await ask("referrers")).toMatchObject([
      { referrer: "Google", visitors: 2 },
      { referrer: "", visitors: 0 },
    ]);
    expect((await ask("countries")).map(({ country }) => country).toSorted()).toEqual([
      "Côte d’Ivoire",
      "Romania",
    ]);
    expect((await ask("browsers")).map(({ browser }) => browser).toSorted()).toEqual(["Firefox", "Safari"]);
    expect((await ask("os")).map(({ os }) => os).toSorted()).toEqual(["Linux", "iOS"]);
    expect((await ask("devices")).map(({ device }) => device).toSorted()).toEqual(["Desktop", "Mobile"]);
    expect((await ask("languages")).map(({ language }) => language).toSorted()).toEqual([
      "English",
      "Romanian",
    ]);
    const sources = (await ask("sources")).map(({ source }) => source);
    expect(sources.toSorted()).toEqual(["letter", "news"]);
    expect((await ask("campaigns")).map(({ campaign }) => campaign)).toEqual([]);
  });

  test("events keep their own parameters, and numbers are numbers", async () => {
    const { ask, own: website, engine, owner } = await imported(written(visit));
    const goal = { name: "Sold", event: { prop_name: "purchase", amount: "value" } };
    const names = (await ask("properties", "metrics=events")).map(({ name }) => name);
    expect(names.toSorted()).toEqual([...["coupon", "currency", "purchase", "value"]]);
    await addGoal({ engine, caller: owner, hostname: website }, goal);
    expect(await ask("goals")).toMatchObject([{ events: 1, visits: 1, amount: 12.5 }]);
    expect(await ask("properties", "prop_name[eq]=purchase")).toMatchObject([{ value: "true" }]);
  });

  test("without consent page views count, and no visitors", async () => {
    const nobody = { person: null };
    const params = { ga_session_id: "" };
    const { report, current, ask } = await imported(
      written([
        event(0, "page_view", "/a", params, nobody),
        event(1, "user_engagement", "/a", { engagement_time_msec: 900 }, nobody),
        event(2, "page_view", "/a", params, nobody),
        event(3, "page_view", "/a"),
        event(4, "sign_up", "/a", { method: "mail" }, nobody),
      ]),
    );
    expect(report).toMatchObject({ taken: 3, events: 1, values: 1, leftOut: { other: 1, unreadable: 0 } });
    expect(await current("")).toMatchObject({ visitors: 1, pageviews: 3 });
    expect(await ask("properties", "metrics=events")).toMatchObject([
      { name: "method", events: 1 },
      { name: "sign_up", events: 1 },
    ]);
  });

  test("other hosts, apps and broken rows are left out, each as that", async () => {
    const { report, current } = await imported(
      written([
        event(0, "page_view", "/"),
        event(1, "page_view", "/", { page_location: "https://other.example/" }),
        event(2, "page_view", "/", { page_location: "file:///C:/shop.html" }),
        event(3, "page_view", "/", { page_location: "no address" }),
        event(4, "screen_view", "/", { page_location: "" }),
      ]),
    );
    expect(report).toMatchObject({ taken: 1, leftOut: { host: 2, unreadable: 1, other: 1 } });
    expect(await current("")).toMatchObject({ visitors: 1, pageviews: 1 });
  });
});

test("a report as CSV is refused with the two ways by which its past can be had", () => {
  const told = (text: string) => {
    try {
      return recognised(text.split("\n"), "report.csv").name;
    } catch (error) {
      return String(error);
    }
  };
  const header = "Session source,Sessions,Engaged sessions\ngoogle,12,9\n";
  const property = "# Property: shop.example - GA4\n# Account: Shop\n# Start date: 20240101\n";
  for (const text of [
    `# ----------------------------------------\n${property}`,
    property,
    "# Account: Shop\n",
  ]) {
    expect(told(text + header)).toContain("report.csv is a report of Google Analytics, which has sums only");
    expect(told(text + header)).toContain("come from BigQuery, and docs/importing.md has the form");
  }
  expect(told(`# a log\n${header}`)).toContain("is of no format that can be imported");
});

test("an import that was interrupted goes on, and no time is lost or added twice", async () => {
  const many = Array.from({ length: 2_000 }, (_, at) => {
    const person = { person: `p${Math.floor(at / 17)}.${at % 3}` };
    const time = { engagement_time_msec: 10 };
    const path = `/${at % 7}`;
    return [
      event(10 * at, "page_view", path, {}, person),
      event(10 * at + 5, "user_engagement", path, time, person),
    ];
  }).flat();
  const { report, ask } = await imported(ga4Json(many), 2);
  const { taken, leftOut } = report;
  expect(report).toMatchObject({ lines: 4_000, events: 0, leftOut: { unreadable: 0 } });
  expect(taken + leftOut.other + leftOut.imported).toBe(4_000);
  expect(leftOut.imported).toBeGreaterThan(0);
  expect(await ask("browsers", "metrics=pageviews,time_total")).toMatchObject([
    { pageviews: 2_000, time_total: 20_000 },
  ]);
});

test("a page view without a new document says how long the one before it was in view", async () => {
  const { ask } = await imported(
    ga4Csv([
      event(0, "page_view", "/", { engagement_time_msec: 3 }),
      event(60, "page_view", "/list", { engagement_time_msec: 58_000 }),
      event(70, "page_view", "/list", { engagement_time_msec: 99 }),
      event(80, "page_view", "/list", { engagement_time_msec: 9_000 }, { person: null }),
    ]),
  );
  const pages = await ask("pages", "metrics=pageviews,time_total");
  expect(pages).toMatchObject([
    { path: "/list", pageviews: 3 },
    { path: "/", time_total: 58_000 },
  ]);
  expect(pages[0]).not.toHaveProperty("time_total");
});

test("a visit that begins with a page of the website itself comes from nobody knows where", async () => {
  const { ask } = await imported(
    ga4Csv([
      event(0, "page_view", "/second", { page_referrer: `https://${hostname}/` }),
      event(1, "page_view", "/", { ga_session_id: 2 }, { person: "2.2" }),
    ]),
  );
  const referrers = await ask("referrers", "by=visit&metrics=visits");
  expect(referrers.map(({ referrer, visits }) => [referrer, visits]).toSorted()).toEqual([
    ["", 1],
    ["Unknown", 1],
  ]);
});

test("a visit that begins with a tagged page comes from where the tags say, also by way of the website itself", async () => {
  const tagged = { page_referrer: `https://${hostname}/` };
  const { ask } = await imported(ga4Csv([event(0, "page_view", "/second?utm_source=letter", tagged)]));
  expect(await ask("sources", "by=visit&metrics=visits")).toEqual([{ source: "letter", visits: 1 }]);
  expect(await ask("referrers", "by=visit&metrics=visits")).toEqual([{ referrer: "", visits: 1 }]);
});

test("parameters of one's own stay, and no id in whatever spelling, nor a referrer of one's own disk", async () => {
  const ids = { userId: "a", "customer-id": "b", TransactionID: "c", email_address: "d", clientid: "e" };
  const { ask } = await imported(
    ga4Csv([
      event(0, "page_view", "/", {
        ...ids,
        content_group: "blog",
        words: 512,
        page_referrer: "file:///C:/mail.html?token=1",
      }),
      event(1, "sign_up", "/", { ...ids, method: "mail" }),
    ]),
  );
  expect((await ask("properties", "metrics=events")).map(({ name }) => name).toSorted()).toEqual([
    ...["content_group", "method", "sign_up", "words"],
  ]);
  expect((await ask("referrers")).map(({ referrer }) => referrer)).toEqual([""]);
});

test("an address with half a million parameters takes no longer than to read it", async () => {
  const { report } = await imported(
    ga4Csv([event(0, "page_view", "/"), event(1, "page_view", `/?${"a&".repeat(500_000)}`)]),
  );
  expect(report).toMatchObject({ lines: 2, taken: 1, leftOut: { unreadable: 1 } });
});

test("a session goes on over midnight of UTC, and its visitor counts on both days", async () => {
  const late = 12 * 3_600 - 60;
  const { current } = await imported(
    ga4Csv([event(late, "page_view", "/"), event(late + 120, "page_view", "/next")]),
  );
  expect(await current("by=visit&metrics=visits")).toMatchObject({ visits: 1 });
  expect(await current("")).toMatchObject({ visitors: 2 });
});

test("rows of the public sample's time are read: other fields, and no collected source", async () => {
  const device = {
    category: "tablet",
    operating_system: "Macintosh",
    browser: "Android Webview",
    web_info: { browser: null },
  };
  const text = ga4Json([event(0, "page_view", "/", {}, { device })]);
  const { ask } = await imported(text);
  expect(await ask("devices")).toMatchObject([{ device: "Tablet" }]);
  expect(await ask("os")).toMatchObject([{ os: "macOS" }]);
  expect(await ask("browsers")).toMatchObject([{ browser: "Chrome" }]);
});

test.each([
  ["a list that ends early", "event_params", '[{"key":"page_location"'],
  ["an object in place of the list", "event_params", "{}"],
  ["a list of texts", "event_params", '["a"]'],
  ["a device that is a text", "device", '"desktop"'],
  ["a very deep list", "event_params", "[".repeat(100_000)],
  ["a time in words", "event_timestamp", "2024-05-01"],
  ["a time of no year", "event_timestamp", "99999999999999999999"],
  ["no name", "event_name", ""],
])("a row with %s is unreadable, and the next is read", async (_, column, given) => {
  const [head = "", row = ""] = ga4Csv([event(0, "page_view", "/")]).split("\n");
  const cells = row.match(/"(?:[^"]|"")*"|[^,]+|(?<=,)(?=,|$)/g) as string[];
  const broken = cells.with(head.split(",").indexOf(column), `"${given.replaceAll('"', '""')}"`);
  const { report } = await imported(`${head}\n${broken.join(",")}\n${row}\n`);
  expect(report).toMatchObject({ lines: 2, taken: 1, leftOut: { unreadable: 1 }, unreadableAt: 2 });
});

test("an object of JSON lines that is very deep is unreadable too", async () => {
  const deep = `{"event_timestamp":"1714564800000000","event_name":"page_view","event_params":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`;
  const { report } = await imported(ga4Json([event(0, "page_view", "/")]) + deep);
  expect(report).toMatchObject({ lines: 2, taken: 1, leftOut: { unreadable: 1 } });
});
