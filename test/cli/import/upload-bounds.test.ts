/** Files that an account uploads to stop the server take bounded memory, and hold up others for moments. */
import { beforeEach, expect, test } from "bun:test";
import { summedMonth } from "../../../src/facts/months/summed-month.ts";
import { noSums } from "../../../src/facts/months/month-sums.ts";
import { TestServer } from "../../support/http.ts";
import { filesOfAccountMax, filesOfWebsiteMax } from "../../../src/core/website/room.ts";
import { zipOf } from "../../support/made-zip.ts";
import { accountOf } from "../../support/members.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { uploaded } from "../../support/upload.ts";

let server: TestServer;
let cookie: string;

beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

const visitors = { "imported_visitors.csv": "date,visitors,pageviews,visits\n2024-01-01,1,1,1\n" };
const rowsOf = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => of(at)).join("");

test.each([
  ["imported_pages", "page"],
  ["imported_sources", "source"],
  ["imported_custom_events", "name"],
])("a ZIP has so many names in %s", async (table, column) => {
  const rows = rowsOf(100_001, (at) => `2024-01-01,n${at}\n`);
  const zip = zipOf({ ...visitors, [`${table}.csv`]: `date,${column}\n${rows}` }, true);
  expect(await uploaded(server, cookie, zip)).toMatchObject([
    400,
    {
      error: { message: expect.stringContaining("the file has over 100000 pages, sources and other names") },
    },
  ]);
});

test("many names of one day are summed in steps", async () => {
  const of = (at: number) => [[`s${at}`, "", "", "", "", ""], { ...noSums, visits: 1 }] as const;
  const day = Date.UTC(2024, 0, 1) / 86_400_000;
  const values = { path: [], browser: [], os: [], device: [], country: [] };
  const sources = Array.from({ length: 2_000 }, (_, at) => of(at));
  const all = { ...noSums, pageviews: 2_000, visits: 2_000 };
  let steps = 0;
  const pause = async () => void steps++;
  await summedMonth({ monthMs: day * 86_400_000, days: [{ day, all, values, sources, events: [] }] }, pause);
  expect(steps).toBeGreaterThan(50);
});

/** A zstd frame of a thousand letters that asks for a window of 2 to the power of `log` bytes. */
function zstdFrame(log: number): Buffer {
  const block = (type: number, size: number, last: number) => {
    const head = Buffer.alloc(4);
    head.writeUInt32LE((size << 3) | (type << 1) | last);
    return head.subarray(0, 3);
  };
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3]);
  return Buffer.concat([head, block(1, 1_000, 0), Buffer.from("\n"), block(0, 0, 1)]);
}

test.each([
  [23, 23, 200],
  [24, 24, 400],
  [10, 27, 400],
])("zstd with windows of 2^%i and 2^%i bytes is answered with %i", async (first, second, status) => {
  const packed = new Uint8Array(Buffer.concat([zstdFrame(first), zstdFrame(second)]));
  const [found, { error }] = await uploaded(server, cookie, packed, "?format=combined");
  expect(found).toBe(status);
  if (status === 400)
    expect(error.message).toBe("the file is packed in a way that is not read here: unpack it first");
});

const rowBytesMax = 1024 * 1024;
const goatCounter = "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,FirstVisit,Date\n";
const exported = "kind,time,path\n";

test.each([
  ["goatcounter", goatCounter, ","],
  ["goatcounter", goatCounter, '"",'],
  ["footfall-csv", exported, ","],
  ["footfall-csv", exported, '""'],
])("a row of %s is not split into more cells than a table has", async (format, head, part) => {
  const row = `"${part.repeat(rowBytesMax / part.length - 2)}"\n`;
  const beforeMs = cpuMs();
  const [status, report] = await uploaded(server, cookie, head + row.repeat(4), `?format=${format}`);
  expect([status, report]).toMatchObject([200, { pageviews: 0, lines: 4, unreadable_line: 2 }]);
  // Half a second each before.
  expect(cpuMs() - beforeMs).toBeLessThan(1_500);
});

const pageViewOf = (properties: number) => {
  const property = { name: "a name", value: "a value", time: "2025-11-01T00:00:00.000Z" };
  const row = { kind: "page_view", time: "2025-11-01T00:00:00.000Z", path: "/" };
  return `${JSON.stringify({ ...row, properties: Array.from({ length: properties }, () => property) })}\n`;
};

test("a row has ten thousand properties, and a megabyte", async () => {
  const rows = pageViewOf(1) + pageViewOf(10_000) + pageViewOf(10_001) + pageViewOf(20_000);
  expect(pageViewOf(10_000).length).toBeLessThan(rowBytesMax);
  const [status, report] = await uploaded(server, cookie, rows);
  expect([status, report]).toMatchObject([200, { pageviews: 2, lines: 4, unreadable_line: 3 }]);
});

test("uploads have room for ten thousand files of a website and a hundred thousand of an account", async () => {
  const { registry } = server.engine;
  const add = (hostname: string, own: string) =>
    server.ask("POST", "/websites", { cookie: own, body: { hostname } });
  const hostnames = ["example.com", ...Array.from({ length: 11 }, (_, at) => `w${at}.example`)];
  for (const hostname of hostnames.slice(1)) await add(hostname, cookie);
  const fill = (hostname: string, count: number) => {
    const files = Array.from({ length: count }, (_, at) => [`${at}`, { position: 1, digest: "" }] as const);
    Object.assign(registry.websiteByHost(hostname)!, { imports: new Map(files) });
  };
  const rows = (path: string, count = 1) =>
    `192.0.2.1 - - [14/Mar/2026:10:00:00 +0000] "GET /${path} HTTP/1.1" 200 9 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"\n`.repeat(
      count,
    );
  const upload = (hostname: string, text: string, isDryRun = false, own = cookie) =>
    uploaded(server, own, text, `?dry_run=${isDryRun}`, hostname);
  const advice = "append new lines to one of them and import that, or have the server's operator import them";

  fill("example.com", filesOfWebsiteMax - 1);
  expect(await upload("example.com", rows("last"))).toMatchObject([200, { pageviews: 1 }]);
  for (const isDryRun of [true, false])
    expect(await upload("example.com", rows("more"), isDryRun)).toMatchObject([
      400,
      { error: { message: `imported files: expected at most 10000 of a website: ${advice}` } },
    ]);
  for (const hostname of hostnames.slice(1, 9)) fill(hostname, filesOfWebsiteMax);
  fill("w8.example", filesOfAccountMax - 9 * filesOfWebsiteMax - 1);
  expect(await upload("w9.example", rows("last"))).toMatchObject([200, { pageviews: 1 }]);
  expect(await upload("w10.example", rows("more"))).toMatchObject([
    400,
    { error: { message: `imported files: expected at most 100000 in all that an account owns: ${advice}` } },
  ]);
  // One that is known goes on, and other accounts have their own room.
  expect(await upload("w9.example", rows("last", 3))).toMatchObject([200, { pageviews: 2 }]);
  const bob = await accountOf(server, "bob");
  await add("bob.example", bob);
  expect(await upload("bob.example", rows("first"), false, bob)).toMatchObject([200, { pageviews: 1 }]);
});
