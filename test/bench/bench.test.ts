/** The benchmarks, tiny: that they run, repeat themselves and count what they claim; their figures are for `npm run bench`. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { benchBackup } from "../../bench/backup.ts";
import { benchExport } from "../../bench/export.ts";
import { benchCheckpoints } from "../../bench/checkpoint.ts";
import { fillSite, pageViews, startMs, endMs } from "../../bench/data.ts";
import { fillFolder, hostname } from "../../bench/folder.ts";
import { benchIdle } from "../../bench/idle.ts";
import { benchIngest, ingestTable } from "../../bench/ingest.ts";
import { inTurn, median, mediansOf, percentile, table } from "../../bench/measure.ts";
import { benchMonth } from "../../bench/month.ts";
import { sendAtRate } from "../../bench/open-loop.ts";
import { intoPage, withResults } from "../../bench/readme.ts";
import { benchPurge } from "../../bench/purge.ts";
import { benchTokens } from "../../bench/tokens.ts";
import { benchUnderLoad } from "../../bench/under-load.ts";
import { dimensions } from "../../src/core/questions/dimension.ts";
import { Site } from "../../src/store/state/site.ts";
import { answerSummary } from "../support/answers.ts";
import { TestClock } from "../support/clock.ts";
import { useExecutable } from "../support/executable.ts";
import { withFolder } from "../support/folder.ts";
import { describeWith } from "../support/needs.ts";
import { ServerProcess } from "../support/server.ts";

const executable = useExecutable();

describe("the page views", () => {
  test("are the same for the same seed, and others for another", () => {
    const some = (seed: number) => [...pageViews(200, seed)];
    expect(some(1)).toEqual(some(1));
    expect(some(1)).not.toEqual(some(2));
  });

  test("fill a website over twelve months, in the order of their time", () => {
    const rows = [...pageViews(3_000)];
    const times = rows.map(({ timeMs }) => timeMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const site = new Site(1);
    fillSite(site, rows);
    site.check();
    expect(site.chunks.size).toBe(12);
    const query = { period: { startMs, endMs }, filters: [], previous: false, timezone: "UTC" };
    const { pageviews, visitors } = answerSummary(site, query, endMs).current;
    expect({ pageviews, visitors }).toEqual({
      pageviews: 3_000,
      visitors: rows.filter(({ unique }) => unique).length,
    });
  });
});

test("ingest has every hit answered by a real server, and measures what it took: of a mix, and of page views, with visits and without", async () => {
  const results = await benchIngest({
    ...{ hits: 500, warmUp: 500, connections: 8, rounds: 1 },
    command: [executable],
  });
  expect(results.map(({ what }) => what)).toEqual([
    "50 loads, 45 unloads, 5 events of a hundred",
    "the same without visits",
    "page views alone",
    "page views alone without visits",
  ]);
  for (const { hits, hitsPerSecond, p50Ms, p99Ms } of results) {
    expect(hits).toBe(500);
    expect(hitsPerSecond).toBeGreaterThan(0);
    expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
  }
  const [mixed, , loads] = results.map(({ bytesPerHit }) => bytesPerHit) as [number, number, number];
  expect(mixed).toBeGreaterThan(5);
  // An unload is a few numbers, a load all that is known of a page view.
  expect(loads).toBeGreaterThan(mixed);
  expect(ingestTable(results).split("\n")).toHaveLength(6);
});

test("a folder is filled so that a server starts with all websites and their page views", () =>
  withFolder(async (folder) => {
    await fillFolder(join(folder, "snapshots"), 3, 50);
    const server = await ServerProcess.start([executable], folder);
    try {
      await server.logIn();
      for (const name of [hostname, `2.${hostname}`, `3.${hostname}`]) {
        const answer = await server.get(`/website/${name}/summary`);
        expect(await answer.json()).toMatchObject({ current: { pageviews: 50 } });
      }
    } finally {
      await server.end("SIGTERM");
    }
  }));

describe("hits at a fixed rate", () => {
  /** The median latency of twenty hits within 0.2 s, to a server that answers each after so long. */
  async function against(afterMs: number, answer: object): Promise<{ p50Ms: number; received: number }> {
    let received = 0;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch() {
        received++;
        await Bun.sleep(afterMs);
        return Response.json(answer);
      },
    });
    try {
      const { hits, p50Ms, p99Ms, maxMs } = await sendAtRate(server.port as number, 100, 0.2, 1);
      expect(hits).toBe(20);
      expect(p50Ms).toBeLessThanOrEqual(p99Ms);
      expect(p99Ms).toBeLessThanOrEqual(maxMs);
      return { p50Ms, received };
    } finally {
      await server.stop(true);
    }
  }

  test("are sent whether or not there were answers, and wait from when they were due", async () => {
    // The hits of the warm-up are received too.
    expect(await against(0, { accepted: true })).toMatchObject({ received: 40 });
    const { p50Ms, received } = await against(300, { accepted: true });
    expect(received).toBe(40);
    expect(p50Ms).toBeWithin(295, 5_000);
  });

  test("wait for a server that answers one at a time, ever longer", async () => {
    let free = Promise.resolve();
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch() {
        await (free = free.then(() => Bun.sleep(25)));
        return Response.json({ accepted: true });
      },
    });
    try {
      // Every 10 ms a hit, every 25 ms an answer: the last of 40 waits for 0.6 s, the middle one of those that count for 0.45.
      const { p50Ms, maxMs } = await sendAtRate(server.port as number, 100, 0.2, 1);
      expect(p50Ms).toBeGreaterThan(400);
      expect(maxMs).toBeGreaterThan(575);
    } finally {
      await server.stop(true);
    }
  });

  test("must all be accepted", async () => {
    await expect(against(0, { accepted: false })).rejects.toThrow('{"accepted":false}');
  });
});

test("hits under questions: a real server, a client of its own process, each kind of question in turn", async () => {
  const results = await benchUnderLoad({
    ...{ rows: 2_000, rate: 100, seconds: 0.2, rounds: 1 },
    command: [executable],
  });
  expect(results.map(({ hits }) => hits)).toEqual([20, 20, 20]);
  expect(results.map(({ questions }) => questions > 0)).toEqual([false, true, true]);
  for (const { p50Ms, maxMs } of results) expect(maxMs).toBeGreaterThanOrEqual(p50Ms);
});

test("hits are sent while page views are removed", async () => {
  const options = { rows: 2_000, rate: 100, seconds: 0.2 };
  const results = await benchPurge({ ...options, command: [executable] });
  expect(results.map(({ hits }) => hits)).toEqual([20, 20, 20]);
  expect(results.map(({ removed }) => removed > 100)).toEqual([false, true, true]);
  // Hits that came after the dry run match too.
  const [counted, removed] = [results[1]?.removed as number, results[2]?.removed as number];
  expect(removed).toBeGreaterThanOrEqual(counted);
  expect(removed).toBeLessThanOrEqual(counted + 40);
});

test("hits are sent while backups are made", async () => {
  const results = await benchBackup({ rows: 500, rate: 100, seconds: 0.2, command: [executable] });
  expect(results.map(({ hits }) => hits)).toEqual([20, 20]);
  expect(results.map(({ backups }) => backups > 0)).toEqual([false, true]);
});

test("hits come by themselves and in batches, and questions with a cookie and with a token", async () => {
  const results = await benchTokens({
    hits: 100,
    batch: 50,
    questions: 10,
    rounds: 1,
    command: [executable],
  });
  expect(results).toHaveLength(5);
  for (const { cpuMicroseconds } of results) expect(cpuMicroseconds).toBeGreaterThanOrEqual(0);
});

test("an export goes out and in", async () => {
  const results = await benchExport({ rows: 500, rate: 100, seconds: 0.2 });
  expect(results.map(({ what }) => what)).toEqual([
    "nothing",
    "download of jsonl",
    "download of csv",
    "import of csv.zst",
  ]);
  expect(results[1]?.megabytes).toBeGreaterThan(0.1);
});

test("the executable answers, and its memory is read", async () => {
  const results = await benchIdle({ runs: 1, waitMs: 0, websites: 2, rows: 100, executable });
  expect(results.map(({ what }) => what)).toEqual([
    "a new folder",
    "a website of 100 page views",
    "2 websites of 100 page views",
  ]);
  for (const { firstAnswerMs, residentMb, anonymousMb } of results) {
    expect(firstAnswerMs).toBeGreaterThan(0);
    expect(anonymousMb).toBeGreaterThan(1);
    expect(residentMb).toBeGreaterThan(anonymousMb);
  }
});

test("checkpoints are of real files, and the later ones of what is new", async () => {
  const { first, later, pages } = await benchCheckpoints(3_000, 100);
  expect(pages).toBe(3_000);
  expect(later).toHaveLength(10);
  // The state, the dictionaries, and the months from November to November.
  expect(first.files).toBe(15);
  for (const { megabytes, pauseMs, writeMs } of later) {
    expect(megabytes).toBeLessThan(first.megabytes / 2);
    expect(Math.min(pauseMs, writeMs)).toBeGreaterThan(0);
  }
});

test("thirty days of every list, of a real server", async () => {
  const results = await benchMonth(3_000, 1, [executable]);
  expect(results.map(({ name }) => name)).toEqual([
    ...dimensions.map(({ list }) => list),
    "time",
    "properties",
    "summary",
  ]);
  for (const { plainMs, filteredMs, againMs } of results)
    expect(Math.min(plainMs, filteredMs, againMs)).toBeGreaterThan(0);
});

describeWith("duckdb", "beside DuckDB", () => {
  test("every question has the same answer, the first time and again", async () => {
    const { benchQueries, missed, queryTable } = await import("../../bench/query.ts");
    const { results, hash } = await benchQueries(5_000, 1);
    expect(hash).toBe((await benchQueries(5_000, 1)).hash);
    // Two selections of all lists, time, properties, summary and the days of two zones.
    expect(results).toHaveLength(2 * (dimensions.length + 5));
    expect(results.filter(({ medamaMs }) => medamaMs === undefined)).toHaveLength(6);
    expect(queryTable(results)).toContain("| days, Europe/Berlin, two filters |");
    const slow = { ...(results[0] as (typeof results)[number]), againMs: 4, duckDbMs: 10, reach: 5 };
    expect(missed([slow, { ...slow, duckDbMs: 20 }])).toBe("pages: 2.5 of 5");
  });

  test("its memory and the server's are read after every question", async () => {
    const { benchFootprint } = await import("../../bench/footprint.ts");
    const results = await benchFootprint(2_000, executable);
    expect(results.map(({ what }) => what)).toEqual([
      "Footfall, started",
      "Footfall, right after every question",
      "Footfall, at rest after every question",
      "DuckDB, after every question",
    ]);
    for (const { memory } of results) expect(memory.anonymousMb).toBeWithin(5, 1_000);
  });
});

describe("the README's figures", () => {
  const text = "a\n<!-- bench: one-1 -->\n\nold\n\n<!-- end -->\nb\n<!-- bench: two -->\n<!-- end -->\n";

  test("are replaced by those of their results, and nothing else", () => {
    expect(withResults(text, (name) => `new ${name}\n`)).toBe(
      "a\n<!-- bench: one-1 -->\n\nnew one-1\n\n<!-- end -->\nb\n<!-- bench: two -->\n\nnew two\n\n<!-- end -->\n",
    );
    expect(() => withResults("a\n", () => "")).toThrow("no <!-- bench: NAME -->");
  });

  test("stay as they are where nothing was measured", () =>
    withFolder(async (folder) => {
      const file = join(folder, "README.md");
      await Bun.write(file, text);
      intoPage(file, folder);
      expect(await Bun.file(file).text()).toBe(text);
      await Bun.write(join(folder, "one-1.md"), "$& is no pattern\n");
      intoPage(file, folder);
      expect(await Bun.file(file).text()).toBe(text.replace("old", () => "$& is no pattern"));
    }));
});

test("contenders have their turns, and the same number of them", async () => {
  const clock = new TestClock();
  const turns: string[] = [];
  const contender = (name: string, ms: number) => () => {
    turns.push(name);
    clock.advance(ms);
  };
  const medians = await inTurn(2, [contender("a", 1), contender("b", 5)], () => clock.monotonicMs());
  // Two to warm up, and two that count.
  expect(turns.join("")).toBe("abababab");
  expect(medians).toEqual([1, 5]);
});

test("medians and tables", () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  const [few, more] = [
    { what: "a", ms: 1, bytes: 9 },
    { what: "a", ms: 3, bytes: 5 },
  ];
  expect(mediansOf([few, more])).toEqual({ what: "a", ms: 2, bytes: 7 });
  expect(() => mediansOf([])).toThrow("no result");
  const hundred = Float64Array.from({ length: 100 }, (_, at) => at + 1);
  expect([0, 0.5, 0.99, 1].map((p) => percentile(hundred, p))).toEqual([1, 50, 99, 100]);
  expect(
    table(
      ["a", "b"],
      [
        ["x", 1.234],
        ["long", 1_234],
      ],
    ),
  ).toBe(["| a    | b    |", "| ---- | ---- |", "| x    | 1.23 |", "| long | 1234 |"].join("\n"));
});
