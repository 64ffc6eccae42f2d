/** An export goes in again, and gives the same answers: random traffic out of one server and into an empty one. */
import { importUpload } from "../../../src/cli/import/upload.ts";
import { describe, expect, test } from "bun:test";
import { callables, type Control } from "../../../src/cli/control/control.ts";
import { Import } from "../../../src/cli/import/import.ts";
import type { ImportReport } from "../../../src/cli/import/report/report.ts";
import { formatNamed, recognised } from "../../../src/cli/import/formats/formats.ts";
import { footfallRow } from "../../../src/cli/import/formats/footfall-row.ts";
import { Collector } from "../../../src/collect/fact.ts";
import { addGoal } from "../../../src/engine/admin/website/goals.ts";
import { addUser } from "../../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../../src/engine/admin/websites.ts";
import { exported } from "../../../src/engine/admin/export.ts";
import { login } from "../../../src/engine/admin/account/sessions.ts";
import { SetUp } from "../../../src/engine/admin/account/set-up.ts";
import { PasswordGuard } from "../../../src/accounts/login/password-guard.ts";
import { browserNames, deviceNames, osNames } from "../../../src/collect/visitor/names.ts";
import { dimensions, type DimensionName } from "../../../src/core/questions/dimension.ts";
import { exportFields, type ExportFormat, type ExportKind } from "../../../src/core/questions/exported.ts";
import type { RunningEngine } from "../../../src/engine/running.ts";
import { createApp } from "../../../src/http/app.ts";
import { parseNetworks } from "../../../src/http/callers/client-address.ts";
import { cellsOf } from "../../../src/lib/texts/csv.ts";
import { TestClock } from "../../support/clock.ts";
import { dumpOf } from "../../support/dump.ts";
import { MemoryDisk } from "../../support/memory-disk.ts";
import { openInMemory } from "../../support/memory-engine.ts";
import { Questions, urlOf } from "../../support/questions.ts";
import { randomFrom } from "../../support/random.ts";
import { refusalOf } from "../../support/refusals.ts";
import { rounds } from "../../support/rounds.ts";
import { seed } from "../../support/seed.ts";
import { Traffic, trafficStartMs } from "../../support/traffic.ts";

/** At least one for each format. */
const worlds = rounds(6, 2);
/** The first one takes several batches. */
const recordsOf = (world: number) => (world === 0 ? 3_000 : 400);
const hostnames = ["one.example", "two.example"];
const credentials = { username: "ada", password: "a good password" };
const caller = { userId: 1, sessionId: "" };
const allTime = { startMs: -Infinity, endMs: Infinity };
const pastMs = 91 * 86_400_000;

/** A server with both websites, two goals and a session. */
class World {
  readonly disk = new MemoryDisk();
  private constructor(
    readonly engine: RunningEngine,
    private readonly app: (request: Request) => Promise<Response>,
  ) {}

  static async open(clock: TestClock, disk: MemoryDisk): Promise<World> {
    const engine = await openInMemory(disk, { clock, checkpointRecords: 150, smallRows: 100 });
    await addUser(engine, credentials);
    for (const hostname of hostnames) await addWebsite(engine, caller, { hostname });
    await addGoal({ engine, caller, hostname: "one.example" }, { name: "About", page: { eq: "/about" } });
    await addGoal(
      { engine, caller, hostname: "one.example" },
      { name: "Plan", event: { prop_name: "plan" } },
    );
    const trustProxy = parseNetworks("loopback", "test");
    const app = createApp(engine, {
      commit: "test",
      setUp: new SetUp(engine),
      trustProxy,
      importFile: importUpload,
    });
    return new World(engine, async (request) => app.fetch(request));
  }

  /** Returns a function that asks with a new session. */
  async session(): Promise<(url: string) => Promise<string>> {
    const { engine } = this;
    const from = { address: "127.0.0.1", network: "127.0.0", browser: "", os: "", known: [] };
    const { token } = await login(engine, new PasswordGuard(engine.clock), credentials, from);
    return (url) => this.ask(url, token);
  }

  private async ask(url: string, token: string): Promise<string> {
    const headers = { cookie: `_me_sess=${token}` };
    return (await this.app(new Request(`http://localhost${url}`, { headers }))).text();
  }

  async export(format: ExportFormat, of: ExportKind = "page-views"): Promise<string> {
    return Array.fromAsync(exported(this.engine, { websiteId: 1, of, ending: format, period: allTime })).then(
      (parts) => Buffer.concat(parts).toString(),
    );
  }

  /** `batchesMax`: the import is interrupted after so many. */
  import(text: string, format: ExportFormat, batchesMax = Infinity): Promise<ImportReport> {
    const control = callables(this.engine) as unknown as Control;
    let batches = 0;
    const { importState } = control;
    const importBatch: Control["importBatch"] = (batch) => {
      if (batches++ >= batchesMax) throw new Error("interrupted");
      return control.importBatch(JSON.parse(JSON.stringify(batch)) as typeof batch);
    };
    return new Import({
      control: { importState, importBatch },
      collector: new Collector(),
      hostname: "one.example",
      format: formatNamed(`footfall-${format}`),
      nowMs: () => this.engine.nowMs(),
    }).run(inChunks(Buffer.from(text)), () => {});
  }
}

async function* inChunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
}

/** The rows of the first website, with visits numbered in the order in which they come. */
function rowsOf(disk: MemoryDisk): string[] {
  const numbers = new Map<number, number>();
  return dumpOf(disk)
    .map((line) => JSON.parse(line) as Record<string, unknown> & { visit?: number })
    .filter(({ websiteId, time }) => websiteId === 1 && time !== undefined)
    .map(({ visit, ...row }) => {
      if (visit === undefined) return JSON.stringify(row);
      if (!numbers.has(visit)) numbers.set(visit, numbers.size);
      return JSON.stringify({ ...row, visit: numbers.get(visit) });
    });
}

const courses = [
  "/website/one.example/goals",
  "/website/one.example/funnel?step=path:/&step=path:/about",
  "/website/one.example/journeys?path=/",
  "/website/one.example/journeys?path=/about&direction=previous",
  "/website/one.example/channels?by=visit",
  "/website/one.example/drivers?start=2025-11-21T00:00:00Z&end=2025-11-23T00:00:00Z&metric=visits",
];

test.each(Array.from({ length: worlds }, (_, world) => world))(
  "random traffic %i goes out and in again: the same rows, and the same answers to every question",
  async (world) => {
    const random = randomFrom(seed() + world);
    const format = world % 2 === 0 ? "jsonl" : "csv";
    const traffic = new Traffic(random);
    const clock = new TestClock(traffic.timeMs);
    const disks = [new MemoryDisk(), new MemoryDisk()] as const;
    const one = await World.open(clock, disks[0]);
    for (let count = 0; count < recordsOf(world); count++) await one.engine.commit(traffic.next());
    // The clock of the traffic steps back now and then.
    clock.advance(traffic.timeMs + 10_000 - clock.nowMs());
    const text = await one.export(format);
    const two = await World.open(clock, disks[1]);
    // It is interrupted, goes on, and is repeated.
    await two.import(text, format, 1).catch(() => {});
    const report = await two.import(text, format);
    expect(report.troubles ?? []).toEqual([]);
    expect(report.leftOut.unreadable).toBe(0);
    expect(report.taken + report.events + report.leftOut.imported).toBe(report.lines);
    const asked = new Questions(random, { startMs: trafficStartMs - pastMs, endMs: traffic.timeMs });
    const urls = Array.from({ length: 150 }, () => urlOf("one.example", asked.next()));
    const [ofOne, ofTwo] = [await one.session(), await two.session()];
    for (const url of [...courses, ...urls]) {
      const [before, after] = [await ofOne(url), await ofTwo(url)];
      if (before !== after) console.log(`different: ${url}`);
      expect(after).toBe(before);
    }
    expect(withoutVisits(await two.export(format))).toEqual(withoutVisits(text));
    const again = await two.import(text, format);
    expect([again.taken, again.events]).toEqual([0, 0]);
    await Promise.all([one.engine.stop(), two.engine.stop()]);
    expect(rowsOf(disks[1])).toEqual(rowsOf(disks[0]));
  },
);

function withoutVisits(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/"visit":\d+|,\d+,(?=(true|false),(true|false),(true|false),)/, ""));
}

test("the fields of every line are those of its kind, in both formats", async () => {
  const random = randomFrom(seed());
  const traffic = new Traffic(random);
  const clock = new TestClock(traffic.timeMs);
  const world = await World.open(clock, new MemoryDisk());
  for (let count = 0; count < 300; count++) await world.engine.commit(traffic.next());
  clock.advance(traffic.timeMs + 10_000 - clock.nowMs());
  for (const of of ["page-views", "visits", "events"] as const) {
    const lines = (await world.export("jsonl", of)).trimEnd().split("\n");
    const [head = "", ...records] = (await world.export("csv", of)).trimEnd().split("\r\n");
    expect(head.split(",")).toEqual([...exportFields[of]]);
    expect(records.length).toBe(lines.length);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(Object.keys(JSON.parse(line))).toEqual([...exportFields[of]]);
    for (const record of records) expect(cellsOf(record, 100)?.length).toBe(exportFields[of].length);
  }
  await world.engine.stop();
});

const row = { kind: "page_view", time: "2025-11-20T08:00:00.000Z", path: "/" };
const wrong: readonly (readonly [fields: object | string, trouble: string])[] = [
  ["{", 'the line: expected a JSON object, got "{"'],
  [{ ...row, kind: "load" }, 'kind: expected page_view or event, got "load"'],
  [
    { ...row, time: "yesterday" },
    'time: expected a time since 1970 such as 2026-01-31T12:00:00.000Z, got "yesterday"',
  ],
  [{ ...row, path: undefined }, "path: expected the path of a page, got nothing"],
  [{ ...row, path: 7 }, "path: expected a text of at most 8192 characters, got 7"],
  [{ ...row, is_unique: 1 }, "is_unique: expected true or false, got 1"],
  [
    { ...row, is_unique: true, is_first_view: false },
    "is_first_view: expected true where is_unique is true, got false",
  ],
  [
    { ...row, duration_ms: -1 },
    "duration_ms: expected a whole number from 0 to 86400000, or nothing, got -1",
  ],
  [{ ...row, visit: 1.5 }, "visit: expected a whole number from 0 to 4294967295, or nothing, got 1.5"],
  [{ ...row, properties: {} }, "properties: expected a list, got an object"],
  [
    { ...row, properties: [{ name: "a", value: "b", time: "2025-11-25T08:00:00Z" }] },
    'properties[0].time: expected a time within a day of that of the row, got "2025-11-25T08:00:00Z"',
  ],
  [
    { ...row, properties: [{ value: "b" }] },
    "properties[0].name: expected a text of at most 300 characters, got nothing",
  ],
];

test("a broken line is named with its number, and nothing else is lost", async () => {
  const world = await World.open(new TestClock(Date.UTC(2026, 0, 1)), new MemoryDisk());
  for (const [fields, trouble] of wrong) {
    const line = typeof fields === "string" ? fields : JSON.stringify(fields);
    const path = `/${trouble}`;
    const good = (at: number) => JSON.stringify({ ...row, path: `${path} ${at}` });
    const report = await world.import(`${good(1)}\n${line}\n${good(2)}\n`, "jsonl");
    expect([report.taken, report.leftOut.unreadable, report.troubles]).toEqual([
      2,
      1,
      [`line 2: ${trouble}`],
    ]);
  }
  const csv = `kind,time,path,duration_ms\r\npage_view,2025-11-20T08:00:00Z,/a,5\r\npage_view,"\r\nevent,2025-11-20T08:00:00Z,/b,\r\n`;
  const report = await world.import(csv, "csv");
  expect([report.taken, report.events, report.troubles]).toEqual([
    1,
    1,
    ['line 3: the line: expected 4 cells, as in the first line, got "page_view,\\""'],
  ]);
  await world.engine.stop();
});

test("countries and languages come into the form that is kept; what is none is unknown", async () => {
  const world = await World.open(new TestClock(Date.UTC(2026, 0, 1)), new MemoryDisk());
  const values = [
    { country: "Germany", language: "en_GB" },
    { country: "de", language: "DE-at" },
    { country: "US-TX", language: "a b" },
    { country: "DE", language: "German" },
  ];
  const report = await world.import(
    values.map((own) => JSON.stringify({ ...row, ...own }) + "\n").join(""),
    "jsonl",
  );
  expect([report.taken, report.leftOut.unreadable]).toEqual([4, 0]);
  const rows = (await world.export("jsonl")).trimEnd().split("\n");
  const kept = rows.map((line) => JSON.parse(line) as Record<string, string>);
  expect(kept.map(({ country, language }) => [country, language]).sort()).toEqual([
    ["", "en-GB"],
    ["DE", ""],
    ["DE", "de-AT"],
    ["US", ""],
  ]);
  const ask = await world.session();
  const countries = JSON.parse(await ask("/website/one.example/countries")) as { country: string }[];
  expect(countries.map(({ country }) => country).sort()).toEqual(["Germany", "United States", "Unknown"]);
  await world.engine.stop();
});

test("referrers and names of browsers, systems and devices are those that hits have, whoever wrote the file", async () => {
  const world = await World.open(new TestClock(Date.UTC(2026, 0, 1)), new MemoryDisk());
  const values = [
    { referrer: "https://www.Google.com/?q=tea", browser: "chrome", os: "mac", device: "smartphone" },
    { referrer: "google.com", browser: "Chrome", os: "macOS", device: "Mobile" },
    { referrer: "A newsletter", browser: "My own", os: "CP/M", device: "Fridge" },
    { browser: "", device: undefined },
  ];
  const unknown = { referrer: "", browser: "Unknown", os: "Unknown", device: "Unknown" };
  await world.import(values.map((own) => JSON.stringify({ ...row, ...own }) + "\n").join(""), "jsonl");
  const kept = (await world.export("jsonl"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(kept).toMatchObject([values[1]!, values[1]!, values[2]!, unknown]);
  await world.engine.stop();
});

test("what an export of this program has is imported as it is", () => {
  const lists = { browser: browserNames(), os: osNames(), device: deviceNames() };
  const stored = Object.entries(lists).flatMap(([name, list]) =>
    [...new Set(list.values())].map((value) => [name, value]),
  );
  expect(stored.length).toBeGreaterThan(150);
  for (const [name, value] of stored as [DimensionName, string][]) {
    const at = dimensions.findIndex((dimension) => dimension.name === name);
    expect(footfallRow({ ...row, [name]: value }).values[at]).toBe(value);
  }
});

test("visits and events, which are made of page views, are not taken for them", async () => {
  const world = await World.open(new TestClock(Date.UTC(2026, 0, 1)), new MemoryDisk());
  for (const of of ["visits", "events"] as const) {
    const text = `${exportFields[of].join(",")}\r\n${exportFields[of].map(() => "").join(",")}\r\n`;
    expect(recognised(text.split("\r\n"), "a file").name).toBe("footfall-csv");
    expect(await refusalOf(() => world.import(text, "csv"))).toMatchObject({ code: 409 });
  }
  await world.engine.stop();
});

describe("the numbers of visits in a file", () => {
  const visitOf = (line: string) => (JSON.parse(line) as { visit: number }).visit;
  const firstMs = Date.UTC(2025, 10, 1);
  /** Page views of which each two are of one visit, with these numbers, ten minutes apart. */
  const file = (count: number, numberOf: (visit: number) => number) =>
    Array.from({ length: count }, (_, at) => {
      const visit = numberOf(Math.floor(at / 2));
      const time = new Date(firstMs + at * 600_000).toISOString();
      return `${JSON.stringify({ ...row, time, path: `/${at}`, visit, is_entry: at % 2 === 0 })}\n`;
    }).join("");

  test.each([1_024, 100_000, 2 ** 20])(
    "may be %d apart: each visit stays one, with numbers beside each other",
    async (apart) => {
      const world = await World.open(new TestClock(Date.UTC(2026, 0, 1)), new MemoryDisk());
      const text = file(3_000, (visit) => 1 + visit * apart);
      // It is interrupted within a visit whose second page view is in the next batch.
      await world.import(`${text.split("\n")[0]}\n`, "jsonl");
      await world.import(text, "jsonl", 1).catch(() => {});
      const report = await world.import(text, "jsonl");
      expect([report.taken + report.leftOut.imported, report.leftOut.unreadable]).toEqual([3_000, 0]);
      const visits = (await world.export("jsonl")).trimEnd().split("\n").map(visitOf);
      for (let at = 0; at < 3_000; at += 2) expect(visits[at + 1]).toBe(visits[at]!);
      expect(new Set(visits).size).toBe(1_500);
      expect(Math.max(...visits) - Math.min(...visits)).toBe(1_499);
      await world.engine.stop();
    },
  );

  test("that come again later than a visit lasts are those of others", async () => {
    const world = await World.open(new TestClock(Date.UTC(2026, 0, 1)), new MemoryDisk());
    await world.import(
      file(400, (visit) => 1 + (visit % 50)),
      "jsonl",
    );
    expect(new Set((await world.export("jsonl")).trimEnd().split("\n").map(visitOf)).size).toBe(200);
    await world.engine.stop();
  });
});

describe("an export that broke off within a row", () => {
  const fields = ["kind", "time", "path", "referrer"] as const;
  const rows = Array.from({ length: 20 }, (_, at) => ({ ...row, path: `/${at}`, referrer: "news.example" }));
  const texts = {
    jsonl: rows.map((own) => `${JSON.stringify(own)}\n`).join(""),
    csv: [fields, ...rows.map((own) => fields.map((field) => own[field]))]
      .map((cells) => `${cells.join(",")}\r\n`)
      .join(""),
  };

  test.each(["jsonl", "csv"] as const)(
    "as %s is taken up to there, and the whole file gives the rest",
    async (format) => {
      const world = await World.open(new TestClock(Date.UTC(2026, 0, 1)), new MemoryDisk());
      const text = texts[format];
      // Within the first row, within the fifth, and within the last one.
      const taken: number[] = [];
      for (const at of [text.indexOf("page_view") + 5, text.indexOf("/4") + 1, text.indexOf("/19") + 1]) {
        const { leftOut, taken: added, lines } = await world.import(text.slice(0, at), format);
        expect([leftOut.unfinished, leftOut.unreadable]).toEqual([1, 0]);
        expect(lines).toBe(added + leftOut.imported + 1);
        taken.push(added);
      }
      expect(taken).toEqual([0, 4, 15]);
      const { taken: rest, leftOut } = await world.import(text, format);
      expect([rest, leftOut.imported, leftOut.unfinished]).toEqual([1, 19, 0]);
      await world.engine.stop();
    },
  );

  test("is refused if it is another one, and the refusal says how to take it all the same", async () => {
    const world = await World.open(new TestClock(Date.UTC(2026, 0, 1)), new MemoryDisk());
    await world.import(texts.jsonl, "jsonl");
    const other = texts.jsonl.replace("/4", "/x");
    expect(await refusalOf(() => world.import(other, "jsonl"))).toMatchObject({
      code: 409,
      message: expect.stringContaining("purge the days of that one, and import this one anew (--anew)"),
    });
    await world.engine.stop();
  });
});
