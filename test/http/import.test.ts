/** Files that are uploaded: the same report as on the command line, for owners, one at a time, bounded. */
import { beforeEach, describe, expect, test } from "bun:test";
import { accountOf, joinAs } from "../support/members.ts";
import { TestServer } from "../support/http.ts";
import {
  counted,
  goatCounterCsv,
  madeLogs,
  madeUpViews,
  umamiCsv,
  userAgent,
} from "../support/made-up-people.ts";
import { plausibleZip } from "../support/plausible-export.ts";
import { tidyPage } from "../support/readme.ts";
import { randomBySeed } from "../support/seed.ts";
import { until } from "../support/until.ts";
import { type UploadBody, uploaded } from "../support/upload.ts";

const views = madeUpViews(randomBySeed());
const pageviews = views.filter(({ kind }) => kind === "view").length;
const { events } = counted(views);
const log = (madeLogs["vhost_combined"] as (typeof madeLogs)[string])(views);
let server: TestServer;
let cookie: string;

beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

const upload = (body: UploadBody, query = "?dry_run=false", own = cookie, hostname = "example.com") =>
  uploaded(server, own, body, query, hostname);

/** Begins to upload the log, of which all but a few lines come when `finish` is called. */
async function uploadInTwo(query: string, own: string) {
  let sender: ReadableStreamDefaultController<Uint8Array> | undefined;
  let asked = 0;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (sender = controller),
    pull: () => void asked++,
  });
  sender?.enqueue(Buffer.from(log.slice(0, 1_000)));
  const sent = upload(body, query, own);
  await until(() => asked > 0, "the file is being read");
  const finish = () => {
    sender?.enqueue(Buffer.from(log.slice(1_000)));
    sender?.close();
    return sent;
  };
  return { finish };
}

const totalPageviews = async () => {
  const path = "/website/example.com/summary";
  return (await server.get<{ current: { pageviews: number } }>(path, cookie)).current.pageviews;
};

const websiteNow = () =>
  server.get<{ imported?: true; imported_sums?: object }>("/websites/example.com", cookie);

describe("POST /website/{hostname}/import", () => {
  test("says what would be taken, takes it when asked to, and nothing twice", async () => {
    const packed = Bun.gzipSync(Buffer.from(log));
    const [status, dry] = await upload(packed, "");
    expect([status, dry]).toMatchObject([
      200,
      { format: "vhost_combined", unit: "line", lines: 2 * pageviews, pageviews, events: 0, dry_run: true },
    ]);
    const other = "other.example";
    expect(dry.left_out).toEqual([
      { reason: "host", text: `for another host, most often "${other}"`, lines: pageviews, host: other },
    ]);
    expect(await totalPageviews()).toBe(0);
    expect(await upload(packed)).toMatchObject([200, { pageviews, dry_run: false, tracked_days: [] }]);
    expect(await totalPageviews()).toBe(pageviews);
    expect(await websiteNow()).toMatchObject({ imported: true, summary: { visitors: 0 } });
    expect(await upload(packed)).toMatchObject([200, { pageviews: 0 }]);
    expect(await upload(new Uint8Array(Bun.zstdCompressSync(log)), "")).toMatchObject([
      200,
      { pageviews: 0, tracked_days: [] },
    ]);
  });

  test("names the lines that cannot be read with their fields, as docs/data.md says", async () => {
    // A spreadsheet or a library that wrote the file again has its own way with truths.
    const csv = "kind,time,path,is_unique\npage_view,2026-03-15T12:00:00.000Z,/,True\n";
    const good = "page_view,2026-03-15T12:00:00.000Z,/,true\n";
    expect(await upload(csv + good)).toMatchObject([
      200,
      {
        pageviews: 1,
        unreadable_line: 2,
        unreadable: ['line 2: is_unique: expected true or false, got "True"'],
      },
    ]);
  });

  test("joins the amounts of events of one page view by their times, as docs/data.md says", async () => {
    const sent = (at: number, name: string, number?: number) => ({
      time: `2026-03-15T12:00:09.00${at}Z`,
      name,
      value: number === undefined ? "yes" : `${number}`,
      number: number ?? null,
    });
    const goal = { name: "Sales", event: { prop_name: "order", amount: "price" } };
    const goals = "/website/example.com/goals";
    expect((await server.ask("POST", goals, { cookie, body: goal })).status).toBe(201);
    const amount = async () => (await server.get<{ amount: number }[]>(goals, cookie))[0]!.amount;
    const row = (path: string, second: number) =>
      JSON.stringify({
        kind: "page_view",
        time: "2026-03-15T12:00:00.000Z",
        path,
        properties: [sent(0, "order"), sent(0, "price", 10), sent(second, "gift"), sent(second, "price", 5)],
      });
    await upload(`${row("/apart", 1)}\n`);
    expect(await amount()).toBe(10);
    // The gift was no order, but is one event with it here.
    await upload(`${row("/together", 0)}\n`);
    expect(await amount()).toBe(25);
    const says = "properties of one page view with the same `time` are one event";
    expect((await tidyPage("docs/data.md")).replaceAll(/\s+/g, " ").includes(says)).toBeTrue();
  });

  test("takes a file that was purged anew when asked to", async () => {
    await upload(log);
    const purged = await server.ask("POST", "/website/example.com/purge?path[contains]=/&dry_run=false", {
      cookie,
    });
    expect(await purged.json()).toMatchObject({ pageviews, removed: true });
    expect(await upload(log)).toMatchObject([200, { pageviews: 0 }]);
    expect(await upload(log, "?anew=true")).toMatchObject([200, { pageviews, dry_run: true }]);
    expect(await totalPageviews()).toBe(0);
    expect(await upload(log, "?dry_run=false&anew=true")).toMatchObject([200, { pageviews }]);
    expect(await upload(log)).toMatchObject([200, { pageviews: 0 }]);
    expect(await totalPageviews()).toBe(pageviews);
  });

  test("takes Plausible's sums, which fill months before all page views", async () => {
    expect(await upload(plausibleZip(), "?format=combined")).toMatchObject([
      400,
      { error: { message: expect.stringContaining("format: expected plausible or none for a ZIP") } },
    ]);
    const [, dry] = await upload(plausibleZip(), "");
    expect(dry).toMatchObject({
      format: "plausible",
      unit: "day",
      lines: 5,
      pageviews: 110,
      events: 8,
      first_day: "2024-02-10",
      last_day: "2024-05-03",
      left_out: [],
    });
    expect(dry.foreign_hosts).toBeUndefined();
    expect((await upload(plausibleZip(false, "other.example"), ""))[1].foreign_hosts).toEqual([
      "other.example",
    ]);
    expect(await totalPageviews()).toBe(0);
    expect((await websiteNow()).imported).toBeUndefined();
    expect(await upload(plausibleZip(true))).toMatchObject([200, { pageviews: 110, dry_run: false }]);
    expect(await totalPageviews()).toBe(110);
    expect((await websiteNow()).imported).toBe(true);
    const [, again] = await upload(plausibleZip(), "?dry_run=false");
    expect(again).toMatchObject({ pageviews: 0, left_out: [{ reason: "imported", lines: 5 }] });
    const answer = await server.ask("GET", "/website/example.com/pages", { cookie });
    expect(answer.headers.get("footfall-imported-until")).toBe("2024-06-01T00:00:00.000Z");
  });

  test("brings sums that their owner removes again, for another file", async () => {
    const remove = async () =>
      (await server.ask("DELETE", "/website/example.com/imported-sums", { cookie })).status;
    expect(await remove()).toBe(404);
    await upload(plausibleZip());
    expect((await websiteNow()).imported_sums).toEqual({
      months: 3,
      pageviews: 110,
      first_day: "2024-02-10",
      last_day: "2024-05-03",
    });
    expect(await remove()).toBe(204);
    expect(await websiteNow()).not.toHaveProperty("imported_sums");
    expect(await websiteNow()).not.toHaveProperty("imported");
    expect(await totalPageviews()).toBe(0);
    expect(await upload(plausibleZip())).toMatchObject([200, { pageviews: 110 }]);
  });

  test("ends at once with what unpacks to more than any log, and takes the next file", async () => {
    const line = log.slice(0, log.indexOf("\n") + 1);
    const bomb = Bun.gzipSync(Buffer.from(line.repeat(Math.ceil((8 * 1024 * 1024) / line.length))));
    const [status, { error }] = await upload(bomb, "");
    expect([status, error.message]).toEqual([400, expect.stringContaining("much larger unpacked")]);
    expect(await upload(Bun.gzipSync(Buffer.from(log)), "")).toMatchObject([200, { pageviews }]);
  });

  test("names the days that were tracked, and stops before one", async () => {
    await upload(log);
    const [, dry] = await upload(umamiCsv(views), "");
    const days = Object.keys(counted(views).days).toSorted();
    expect(dry.tracked_days).toEqual(days);
    expect([dry.first_day, dry.last_day]).toEqual([days[0], days.at(-1)]);
    const first = dry.tracked_days[1] as string;
    const [, stopped] = await upload(umamiCsv(views), `?until=${first}`);
    expect(stopped).toMatchObject({ format: "umami", unit: "row" });
    const before = views.filter(({ timeMs }) => timeMs < Date.parse(first));
    expect(stopped.pageviews + stopped.events).toBe(before.length);
    const [, begun] = await upload(umamiCsv(views), `?from=${first}`);
    expect(begun.pageviews + begun.events).toBe(views.length - before.length);
    expect(begun.left_out).toMatchObject([{ reason: "from", text: "before that day", lines: before.length }]);
    expect(await upload(goatCounterCsv(views))).toMatchObject([
      200,
      { format: "goatcounter", pageviews, events },
    ]);
  });

  test("says which proxy's address most page views have", async () => {
    const lines = (madeLogs["combined"] as (typeof madeLogs)[string])(views).trimEnd().split("\n");
    const from = (addressOf: (at: number) => string) =>
      lines.map((line, at) => line.replace(/^\S+/, addressOf(at))).join("\n");
    const proxyOf = async (text: string) => (await upload(text, ""))[1].proxy_address;
    expect(await proxyOf(lines.join("\n"))).toBeUndefined();
    expect(await proxyOf(from((at) => (at % 3 === 0 ? "172.18.0.4" : "172.18.0.3")))).toBe("172.18.0.3");
    expect(
      await proxyOf(from((at) => (at % 3 === 0 ? "172.18.0.3" : `198.51.100.${at % 9}`))),
    ).toBeUndefined();
    // The people of an office are no proxies.
    expect(await proxyOf(from((at) => `10.0.0.${at % 9}`))).toBeUndefined();
  });

  test("says how many lines of a file are not in the order of time", async () => {
    const lines = (madeLogs["combined"] as (typeof madeLogs)[string])(views).trimEnd().split("\n");
    const unsorted = [...lines.slice(-1), ...lines.slice(0, -1)];
    const disordered = async (own: readonly string[]) =>
      (await upload(own.join("\n"), ""))[1].disordered_lines;
    expect(await disordered(lines)).toBe(0);
    expect(await disordered(unsorted)).toBeGreaterThan(0);
  });

  test.each([
    ["of another kind", "a,b\n1,2\n", "", `the file, line 1: "a,b" is of no format`],
    ["that is empty", "", "", "the file is empty"],
    ["that is packed otherwise", "BZh91AY", "", "the file is packed in a way"],
    ["that is a tar", `${"a.log".padEnd(257, "\0")}ustar  \0`, "", "the file is packed in a way"],
    ["with a wrong day", log, "?until=May", "until: expected a date"],
    ["with a wrong first day", log, "?from=May", "from: expected a date"],
    ["as a wrong format", log, "?format=csv", "format: expected one of goatcounter"],
    ["with a wrong switch", log, "?dry_run=1", "dry_run: expected true or false"],
    ["with another", log, "?anew=yes", "anew: expected true or false"],
    [
      "with two words for a switch",
      log,
      "?dry_run=true&dry_run=false",
      "dry_run: expected one value, got another",
    ],
    [
      "with a name that none has",
      log,
      "?untill=2026-01-01",
      `"untill": expected dry_run, anew, from, until, format, got`,
    ],
    ["with a filter", log, "?path[eq]=/", `"path[eq]": expected dry_run, anew, from, until, format, got`],
    ["with bytes that are no text", log, "?format=%FF", `"format": expected percent-encoded UTF-8`],
  ])("refuses a file %s", async (_, body, query, message) => {
    const [status, { error }] = await upload(body, query);
    expect(status).toBe(400);
    expect(error.message).toContain(message);
    // The next one is taken.
    expect((await upload(log))[0]).toBe(200);
  });

  test("takes rows that are many years apart, and names the tracked days among them", async () => {
    const row = (time: string) => `${JSON.stringify({ kind: "page_view", time, path: "/" })}\n`;
    const first = row("1970-01-01T00:00:01Z");
    expect(await upload(first)).toMatchObject([200, { pageviews: 1, tracked_days: [] }]);
    const years = Array.from({ length: 55 }, (_, year) => row(`${1970 + year}-01-01T00:00:02Z`)).join("");
    const tracked_days = ["1970-01-01"];
    expect(await upload(years, "")).toMatchObject([200, { pageviews: 55, tracked_days }]);
    expect(await upload(years)).toMatchObject([200, { pageviews: 55, tracked_days }]);
    expect(await totalPageviews()).toBe(56);
  });

  test("reads one file at a time, as it comes, and ends with its connection", async () => {
    let asked = 0;
    let sender: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (sender = controller),
      pull: () => void asked++,
    });
    sender?.enqueue(Buffer.from(log.slice(0, 10_000)));
    const first = upload(body);
    await until(() => asked > 0, "the first file is being read");
    expect(await upload(log)).toMatchObject([409, { error: { code: 409 } }]);
    sender?.error(new Error("the connection was cut"));
    expect(await first).toMatchObject([400, { error: { code: 400 } }]);
    expect(await upload(log)).toMatchObject([200, { dry_run: false }]);
    expect(await totalPageviews()).toBe(pageviews);
  });

  test("takes nothing more of an account that has lost the website", async () => {
    const sending = await uploadInTwo("?dry_run=false", await joinAs(server, cookie, "owner"));
    const path = "/website/example.com/members";
    const { members } = await server.get<{ members: { username: string }[] }>(path, cookie);
    const name = members.map(({ username }) => username).find((username) => username !== "Ada") ?? "";
    const removed = await server.ask("DELETE", `/website/example.com/members/${name}`, { cookie });
    expect(removed.status).toBe(204);
    expect([403, 404]).toContain((await sending.finish())[0]);
    expect(await totalPageviews()).toBe(0);
  });

  test.each(["true", "false"])(
    "says that the website was renamed meanwhile, with dry_run=%s",
    async (dryRun) => {
      const sending = await uploadInTwo(`?dry_run=${dryRun}`, cookie);
      const renamed = { cookie, body: { hostname: "new.example" } };
      expect((await server.ask("PATCH", "/websites/example.com", renamed)).status).toBe(200);
      expect(await sending.finish()).toMatchObject([
        404,
        { error: { message: 'hostname: there is no website "example.com"' } },
      ]);
    },
  );

  test("reads a file that it refuses to its end: whoever is still sending would not hear the answer", async () => {
    const sent = async (query: string, own: string) => {
      let pieces = 0;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (pieces === 50) return controller.close();
          pieces++;
          controller.enqueue(new Uint8Array(1_000));
        },
      });
      const [status] = await upload(body, query, own);
      return [status, pieces];
    };
    expect(await sent("?dry_run=1", cookie)).toEqual([400, 50]);
    expect(await sent("", await joinAs(server, cookie, "editor"))).toEqual([403, 50]);
    expect(await sent("", await accountOf(server, "grace"))).toEqual([404, 50]);
    server = await TestServer.open({ demo: true });
    cookie = await server.prepare();
    expect(await sent("?dry_run=false", cookie)).toEqual([403, 50]);
  });

  test("is for owners, and not for a demo", async () => {
    expect((await upload(log, "", await joinAs(server, cookie, "editor")))[0]).toBe(403);
    expect((await upload(log, "", await accountOf(server, "grace")))[0]).toBe(404);
    expect((await upload(log, "", "nobody"))[0]).toBe(401);
    server = await TestServer.open({ demo: true });
    cookie = await server.prepare();
    expect((await upload(log))[0]).toBe(403);
    expect(await upload(log, "")).toMatchObject([200, { pageviews }]);
  });
});

test("lines of the website's other hostnames are taken with their paths, and go on with the visit", async () => {
  const changed = await server.ask("PATCH", "/websites/example.com", {
    cookie,
    body: { aliases: ["shop.example.com"] },
  });
  expect(changed.status).toBe(200);
  const rules = { blocked_paths: ["//shop.example.com/admin*", "/private*"] };
  expect((await server.ask("PATCH", "/website/example.com/rules", { cookie, body: rules })).status).toBe(200);
  const lines = [
    ["shop.example.com", "/admin/1", "-"],
    ["example.com", "/private/1", "-"],
    ["example.com", "/", "https://news.example/"],
    ["www.shop.example.com", "/cart", "https://www.example.com/"],
    ["shop.example.com", "/thanks", "https://shop.example.com/cart"],
    ["blog.example.com", "/", "-"],
  ].map(
    ([host, path, referrer], minute) =>
      `${host}:443 203.0.113.7 - - [05/May/2024:12:0${minute}:00 +0000] "GET ${path} HTTP/1.1" 200 5 "${referrer}" "${userAgent}"\n`,
  );
  const [, { pageviews: taken, left_out: left }] = await upload(lines.join(""));
  expect([taken, left.map(({ reason, host, lines: count }) => [reason, host, count])]).toEqual([
    3,
    [
      ["host", "blog.example.com", 1],
      ["blocked", undefined, 2],
    ],
  ]);
  const rows = (list: string) => server.get<object[]>(`/website/example.com/${list}`, cookie);
  expect(await rows("pages?metrics=visitors,visits")).toEqual([
    { path: "/", visitors: 1, visits: 1 },
    { path: "//shop.example.com/cart", visitors: 1, visits: 1 },
    { path: "//shop.example.com/thanks", visitors: 1, visits: 1 },
  ]);
  expect(await rows("referrers?by=visit&metrics=visitors,visits,pageviews")).toEqual([
    { referrer: "news.example", visitors: 1, visits: 1, pageviews: 3 },
  ]);
});
