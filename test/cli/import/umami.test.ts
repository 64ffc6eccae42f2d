/** Rows of Umami's table, made by hand, imported into a real folder: which of its visits are one here, and where these came from. */
import { describe, expect, test } from "bun:test";
import { umami } from "../../../src/cli/import/formats/umami.ts";
import { Import } from "../../../src/cli/import/import.ts";
import { importFolder } from "../../support/import-folder.ts";

const newWebsite = importFolder();
let websites = 0;

interface MadeRow {
  /** The clock time of one day. */
  readonly at: string;
  readonly path: string;
  readonly session?: string;
  /** Without one, that of the session in this hour, as Umami makes it. */
  readonly visit?: string;
  /** The path of the page before, without a host: Umami leaves out its own. */
  readonly from?: string;
  readonly domain?: string;
  readonly query?: string;
  readonly event?: string;
  /** The hostname of the page; "" is that of the website. */
  readonly host?: string;
}

function rowOf(row: MadeRow): string {
  const { at, path, session = "ada", from = "", domain = "", query = "", event = "", host = "" } = row;
  const visit = row.visit ?? `${session} ${at.slice(0, 2)}`;
  const kind = event === "" ? 1 : 2;
  return [session, visit, `2024-05-01 ${at}+00`, path, query, from, domain, kind, event, host].join(",");
}

/** The other hostname of each website. */
const aliases = ["shop.example"];

/** Imports rows into a website of their own. */
async function imported(...rows: readonly MadeRow[]) {
  const hostname = `umami${++websites}.example`;
  const { ask, options } = await newWebsite(hostname);
  const head =
    "session_id,visit_id,created_at,url_path,url_query,referrer_path,referrer_domain,event_type,event_name,hostname";
  async function* chunks() {
    yield Buffer.from([head, ...rows.map(rowOf), ""].join("\n"));
  }
  const report = await new Import({ ...options(), aliases, format: umami }).run(chunks(), () => {});
  expect(report.leftOut.unreadable).toBe(0);
  const visits = async (list: string) =>
    Object.fromEntries(
      (await ask(list, "by=visit&metrics=visits")).map((row) => [Object.values(row)[0], row["visits"]]),
    );
  return { ask, visits };
}

test("a query of Umami counts for a page with a fragment, which stands in its path", async () => {
  const { ask } = await imported(
    { at: "10:00:00", path: "/docs#install", query: "gclid=a1" },
    { at: "10:00:00", session: "ben", path: "/app#/about", query: "utm_source=letter" },
    { at: "10:00:00", session: "eve", path: "/docs#install" },
  );
  expect(await ask("pages")).toMatchObject([
    { path: "/docs", pageviews: 2 },
    { path: "/app#/about", pageviews: 1 },
  ]);
  expect(await ask("sources")).toMatchObject([{ source: "google" }, { source: "letter" }]);
});

describe("the visits of Umami", () => {
  test("come from nobody knows where if they begin with a link of the website itself", async () => {
    const { visits } = await imported(
      { at: "10:58:00", path: "/" },
      { at: "11:40:00", path: "/second", from: "/" },
      { at: "12:10:00", session: "ben", path: "/", from: "/" },
    );
    expect(await visits("referrers")).toEqual({ "": 1, Unknown: 2 });
  });

  test("are one where somebody reads on past a full hour, at which Umami begins another", async () => {
    const { ask, visits } = await imported(
      { at: "10:55:00", path: "/", domain: "news.example", from: "/item" },
      // Its tracker names the page before only where an application changes the page without a load.
      { at: "10:59:00", path: "/second", from: "/" },
      { at: "11:05:00", path: "/third" },
      { at: "11:30:00", path: "/third", event: "sign up" },
      { at: "12:00:00", path: "/third", event: "download" },
      { at: "12:01:00", path: "/fourth", from: "/third" },
    );
    expect(await visits("referrers")).toEqual({ "news.example": 1 });
    expect(await ask("summary", "metrics=visits,views_per_visit")).toMatchObject({
      current: { visits: 1, views_per_visit: 4 },
    });
  });

  test("go on from one hostname of the website to another, also past a full hour", async () => {
    const hostname = `umami${websites + 1}.example`;
    const { visits } = await imported(
      { at: "10:55:00", path: "/", domain: "news.example" },
      { at: "11:05:00", path: "/cart", host: "shop.example", domain: hostname, from: "/" },
      { at: "12:01:00", path: "/", session: "ben", host: "shop.example", domain: "news.example" },
      { at: "13:00:00", path: "/", session: "cem", host: "shop.example", domain: "news.example" },
      { at: "13:00:01", path: "/about", session: "cem", visit: "cem 14", domain: "shop.example" },
    );
    expect(await visits("referrers")).toEqual({ "news.example": 3 });
  });

  test("are others after a pause, for another visitor, and for whoever arrives from elsewhere or by a campaign", async () => {
    const { visits } = await imported(
      { at: "10:50:00", path: "/" },
      { at: "10:55:00", path: "/", session: "ben" },
      { at: "10:57:00", path: "/", session: "cem" },
      { at: "10:58:00", path: "/", session: "dan" },
      { at: "11:05:00", path: "/", session: "ben", domain: "news.example" },
      { at: "11:06:00", path: "/second", session: "ben" },
      { at: "11:07:00", path: "/", session: "cem", query: "utm_source=letter" },
      { at: "11:20:01", path: "/" },
      { at: "11:25:00", path: "/", session: "dan" },
    );
    expect(await visits("referrers")).toEqual({ "": 6, "news.example": 1 });
    expect(await visits("sources")).toEqual({ letter: 1 });
  });

  test("stay apart where two of one session go on side by side", async () => {
    const { ask, visits } = await imported(
      { at: "10:50:00", path: "/", visit: "one" },
      { at: "10:52:00", path: "/", visit: "two", domain: "news.example" },
      { at: "10:54:00", path: "/second", visit: "one" },
      { at: "10:56:00", path: "/second", visit: "two" },
      { at: "11:02:00", path: "/third", visit: "three" },
    );
    expect(await visits("referrers")).toEqual({ "": 1, "news.example": 1 });
    expect(await ask("exits", "metrics=visits")).toEqual([
      { path: "/second", visits: 1 },
      { path: "/third", visits: 1 },
    ]);
  });

  test("come from where their tags say, also by way of the website itself", async () => {
    const { visits } = await imported({ at: "10:00:00", path: "/", from: "/", query: "utm_source=letter" });
    expect(await visits("sources")).toEqual({ letter: 1 });
    expect(await visits("referrers")).toEqual({ "": 1 });
  });
});
