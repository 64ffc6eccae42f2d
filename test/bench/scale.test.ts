/** The benchmark at several sizes, tiny: that it asks everything, counts what it claims, and takes care of kept folders. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endMs, pageViews, startMs } from "../../bench/data.ts";
import { diskBytesOf, dropFiles, readMs } from "../../bench/page-cache.ts";
import { benchScale, type ScaleResult } from "../../bench/scale.ts";
import { sizeName, withPageViews } from "../../bench/scale-folder.ts";
import { coldQuestions, freshFilters, scaleQuestions, twoFilters } from "../../bench/scale-questions.ts";
import { missedGoals, scaleTables } from "../../bench/scale-table.ts";
import { answerWork } from "../../bench/server-timing.ts";
import { listedDimensions } from "../../src/core/questions/dimension.ts";
import { workText } from "../../src/query/cache/context.ts";
import { useExecutable } from "../support/executable.ts";
import { withFolder } from "../support/folder.ts";

const command = [useExecutable()];

describe("Server-Timing", () => {
  test("is read as the server writes it", () => {
    const text = workText({ rowsRead: 12, rowsMatched: 34, factsAdded: 56 });
    expect(answerWork(`answer;dur=7.89;desc="${text}"`)).toEqual({
      ms: 7.89,
      rowsRead: 12,
      rowsKnown: 34,
      entriesAdded: 56,
    });
  });

  test("may have more words, other metrics, and names before the numbers", () => {
    expect(
      answerWork(
        'queue;dur=1.5, answer;dur=2;desc="rows read=3, 4 files mapped, known to match=5, 6 entries of rollups added, 7 entries of months added, in a worker"',
      ),
    ).toEqual({ ms: 2, rowsRead: 3, rowsKnown: 5, entriesAdded: 13 });
  });

  test("must say how long it took and what was read", () => {
    for (const header of ["", "answer;dur=2", 'answer;dur=2;desc="fast"', 'queue;dur=2;desc="3 rows read"'])
      expect(() => answerWork(header)).toThrow("does not say what was read");
  });
});

test("every question is of twelve months, and of a period without whole days at its ends", () => {
  expect(scaleQuestions.map(({ name }) => name)).toEqual([
    ...listedDimensions.map(({ list }) => list),
    "time",
    "time, ragged period",
    "properties",
    "summary",
    "days, UTC",
  ]);
  expect(coldQuestions).toHaveLength(5);
  for (const { name, path } of scaleQuestions) {
    const parameters = new URL(path, "http://localhost").searchParams;
    const [start, end] = ["start", "end"].map((key) => Date.parse(parameters.get(key) ?? "")) as [
      number,
      number,
    ];
    const inside = [start - startMs, endMs - end];
    if (name.includes("ragged")) for (const ms of inside) expect(ms % 86_400_000).toBeGreaterThan(0);
    else expect(inside).toEqual([0, 0]);
  }
  expect(freshFilters(1)).not.toBe(freshFilters(2));
  expect(freshFilters(1)).toStartWith(twoFilters);
});

describe("folders that are kept", () => {
  test("are made once, named by their size, and used again", () =>
    withFolder(async (kept) => {
      const files = () =>
        withPageViews(kept, 2_000, async (folder) => {
          expect(folder).toBe(join(kept, "2k"));
          return readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
        });
      const made = await files();
      expect(made.filter((name) => name.endsWith(".chunk"))).toHaveLength(12);
      writeFileSync(join(kept, "2k", "mine"), "");
      expect(await files()).toEqual([...made, "mine"].toSorted());
    }));

  test("that have something else are left alone", () =>
    withFolder(async (kept) => {
      const file = join(kept, "100", "mine");
      mkdirSync(join(kept, "100"));
      writeFileSync(file, "text");
      const use = () => withPageViews(kept, 100, () => Promise.resolve());
      await expect(use()).rejects.toThrow("is no whole folder of 100 page views");
      writeFileSync(join(kept, "100", "bench.json"), '{"pageViews":99}');
      await expect(use()).rejects.toThrow("is no whole folder of 100 page views");
      expect(readFileSync(file, "utf8")).toBe("text");
    }));

  test("have short names", () => {
    expect([100_000_000, 2_500_000, 1_234].map(sizeName)).toEqual(["100M", "2500k", "1234"]);
  });
});

test("files stay as they are when the kernel forgets them, and are read to their end", () =>
  withFolder(async (folder) => {
    const files = [join(folder, "a file"), join(folder, "b")];
    for (const file of files) writeFileSync(file, "text");
    dropFiles(files);
    expect(readMs(files)).toBeGreaterThan(0);
    expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(["text", "text"]);
    mkdirSync(join(folder, "c"));
    expect(() => readMs([...files, join(folder, "c")])).toThrow("dd could not read");
    expect(dropFiles([join(folder, "no folder", "none")])).toBe("nothing");
    expect(diskBytesOf(process.pid)).toBeGreaterThanOrEqual(0);
  }));

test("every size is asked everything, of real servers, and the last one from the disk too", async () => {
  const result = await benchScale({
    sizes: [1_000, 3_000],
    kept: undefined,
    versus: undefined,
    command,
    patienceMs: 0,
    starts: 1,
    runs: 1,
    settleMs: 1,
    drop: dropFiles,
  });
  expect(result.others).toEqual([]);
  expect(result.sizes.map(({ rows }) => rows)).toEqual([1_000, 3_000]);
  for (const { rows, healthMs, figuresMs, started, asked, questions } of result.sizes) {
    expect(figuresMs).toBeGreaterThan(healthMs);
    expect(Math.min(started.anonymousMb, asked.anonymousMb)).toBeGreaterThan(1);
    expect(questions.map(({ name }) => name)).toEqual(
      ["", ", two filters"].flatMap((which) => scaleQuestions.map(({ name }) => name + which)),
    );
    const of = (name: string) => questions.find((question) => question.name === name);
    expect(of("pages")?.first.rowsRead).toBeGreaterThanOrEqual(rows);
    // Which rows of what is over the filters let through is known then.
    expect(of("browsers, two filters")?.again.rowsRead).toBeLessThan(rows / 10);
    const views = [...pageViews(rows)].filter(({ values }) => values[5] === "Chrome" && values[8] === "DE");
    const { again } = of("browsers, two filters") as (typeof questions)[number];
    expect(again.rowsKnown).toBeWithin(views.length - rows / 10, views.length + 1);
  }
  expect(result.cold.map(({ name }) => name)).toEqual(
    ["", ", two filters"].flatMap((which) => coldQuestions.map(({ name }) => name + which)),
  );
  for (const { ms } of result.cold) expect(ms).toBeGreaterThan(0);
  expect(scaleTables(result).split("\n\n")).toHaveLength(7);
});

test("a table has the columns of each size side by side, and goals are held against the last", () => {
  const work = (ms: number, rowsRead: number) => ({ ms, rowsRead, rowsKnown: 5, entriesAdded: 6_000 });
  const memory = { residentMb: 200, anonymousMb: 100 };
  const size = (rows: number, ms: number, name = "this") => ({
    name,
    rows,
    healthMs: ms,
    figuresMs: 2 * ms,
    started: memory,
    asked: memory,
    questions: [
      { name: "pages", first: work(4 * ms, rows), again: work(ms, 7) },
      { name: "time, ragged period", first: work(4 * ms, rows), again: work(ms, 7) },
      { name: "pages, two filters", first: work(201, rows), again: work(ms, 7) },
    ],
  });
  const result: ScaleResult = {
    sizes: [size(1_000_000, 1_200), size(100_000_000, 15)],
    others: [],
    dropped: "nothing",
    cold: [
      { name: "pages", ms: 41, bytes: 2e6, ddMs: 20 },
      { name: "time", ms: 40, bytes: 0, ddMs: 0 },
    ],
  };
  const [bySize, , , , , heading, cold] = scaleTables(result).split("\n\n") as string[];
  expect(
    bySize
      ?.split("\n")[0]
      ?.split(/ *\| */)
      .slice(1, -1),
  ).toEqual([
    "12 months of",
    ...["1M: first ms", "rows read", "again ms", "rows read again"],
    ...["100M: first ms", "rows read", "again ms", "rows read again"],
  ]);
  expect(
    bySize
      ?.split("\n")[2]
      ?.split(/ *\| */)
      .slice(1, -1),
  ).toEqual(["pages", ...["4800", "1,000,000", "1200", "7"], ...["60.0", "100,000,000", "15.0", "7"]]);
  expect(heading).toContain("dropped before: nothing");
  expect(cold?.split("\n").slice(2)).toEqual([
    "| pages        | 41.0 | 2.00             | 20.0  | 2.05     |",
    "| time         | 40.0 | 0.00             | 0.00  |          |",
  ]);
  expect(missedGoals(result)).toBe(
    "pages, again: 15.0 ms of 10; pages, two filters, first: 201.0 ms of 200; pages, from the disk: 41.0 ms of 40",
  );
  const others = [size(1_000_000, 1_300, "abcdef0"), size(100_000_000, 16, "abcdef0")];
  const beside = scaleTables({ ...result, others }).split("\n\n");
  expect(beside).toHaveLength(11);
  expect(beside[5]).toContain("Beside the executable of commit abcdef0");
  expect(
    beside[6]
      ?.split("\n")[2]
      ?.split(/ *\| */)
      .slice(1, -1),
  ).toEqual(["pages", ...["4800", "5200", "1200", "1300"], ...["60.0", "64.0", "15.0", "16.0"]]);
});
