/** The thread that answers questions rehearses filters while nobody waits: once, and only when a page was asked for. */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { Filter, Question } from "../../src/core/questions/query.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { QueryWorker, type QuestionReply } from "../../src/query-worker/query-worker.ts";
import { Rehearsal } from "../../src/query-worker/rehearsal.ts";
import { Signals } from "../../src/query-worker/signals.ts";
import type { FileEntry } from "../../src/snapshot/manifest.ts";
import { SitePublisher } from "../../src/store/mirror/site-publisher.ts";
import { Site } from "../../src/store/state/site.ts";
import { answerList } from "../support/answers.ts";
import { TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { valuesOf } from "../support/records.ts";
import { filter, listOf } from "../support/site.ts";
import { sealAndStore } from "../support/stored-chunk.ts";

const aprilMs = Date.UTC(2026, 3);
const views = { "/top": 5, "/topmost": 2, "/other": 3 };
const rows = 10;

/** Months of page views, sealed or not, of one browser. */
function siteOf(sealed = true, months = 1): Site {
  const site = new Site(1);
  for (let month = 0; month < months; month++) addMonth(site, Date.UTC(2026, 3 + month));
  if (sealed) site.seal(aprilMs + (months + 1) * 31 * dayMs);
  return site;
}

function addMonth(site: Site, monthMs: number): void {
  const paths = Object.entries(views).flatMap(([path, count]) => Array<string>(count).fill(path));
  paths.forEach((path, at) =>
    site.addRow(monthMs + dayMs + at * 1_000, valuesOf(path), 0, { visit: site.rows + 1 }),
  );
}

const page: readonly Question[] = [
  { ...listOf("pages"), by: "visit", nowMs: 0 },
  listOf("browsers"),
  listOf("countries"),
  { ...listOf("pages"), list: "summary", previous: false, timezone: "UTC", nowMs: 0 },
];

/** Rehearses all that there is to rehearse, and returns how many pages that were. */
function rehearsed(rehearsal: Rehearsal, site: Site, cache: QueryCache): number {
  let pages = 1;
  while (rehearsal.next(new QueryContext(site, cache))) pages++;
  return pages;
}

/** Returns how many rows a list with a filter read, and how many it knew to match. */
function work(site: Site, cache: QueryCache, by: Filter): readonly [read: number, known: number] {
  const context = new QueryContext(site, cache);
  answerList(site, listOf("countries", { filters: [by] }), context);
  return [context.rowsRead, context.rowsMatched];
}

test("a page is rehearsed once, with the filters of clicks on the first and last rows of its lists", () => {
  const [rehearsal, cache, site] = [new Rehearsal(new TestClock()), new QueryCache(2 ** 20), siteOf()];
  for (const question of page) rehearsal.note(question);
  expect(rehearsed(rehearsal, site, cache)).toBe(5);
  const browser = JSON.parse(JSON.stringify(answerList(site, listOf("browsers"))))[0].browser as string;
  expect(work(site, cache, filter("browser", "eq", browser))).toEqual([0, rows]);
  expect(work(site, cache, filter("path", "eq", "/top"))).toEqual([0, views["/top"]]);
  expect(work(site, cache, filter("path", "eq", "/topmost"))).toEqual([0, views["/topmost"]]);
  expect(work(site, cache, filter("path", "contains", "/top"))).toEqual([0, 7]);
  expect(work(site, cache, filter("path", "eq", "/other"))[0]).toBe(rows);
  const context = new QueryContext(site, cache);
  expect(rehearsal.next(context)).toBe(false);
  expect([context.rowsRead, context.rowsMatched]).toEqual([0, 0]);
});

test("nothing is rehearsed before a page is asked for, or of rows that may still change, and it is done later", () => {
  const [rehearsal, cache] = [new Rehearsal(new TestClock()), new QueryCache(2 ** 20)];
  const nothing = (site: Site) => {
    const context = new QueryContext(site, cache);
    expect(rehearsal.next(context)).toBe(false);
    expect(context.rowsRead).toBe(0);
  };
  nothing(siteOf());
  for (const question of page) {
    rehearsal.note({ ...question, filters: [filter("path", "eq", "/top")] });
    nothing(siteOf());
  }
  for (const question of page) rehearsal.note(question);
  nothing(new Site(1));
  nothing(siteOf(false));
  expect(rehearsed(rehearsal, siteOf(), cache)).toBe(5);
});

test("a page is rehearsed about every sealed chunk, whose rows are read then", () => {
  const [rehearsal, cache, site] = [new Rehearsal(new TestClock()), new QueryCache(2 ** 20), siteOf(true, 7)];
  for (const question of page) rehearsal.note(question);
  const read = site.chunks.values().map((_, at) => {
    const context = new QueryContext(site, cache);
    expect(rehearsal.next(context)).toBe(at < 6);
    return context.rowsRead;
  });
  expect([...read].every((count) => count >= rows)).toBe(true);
  expect(rehearsal.next(new QueryContext(site, cache))).toBe(false);
});

test("where pages take long, no further one is rehearsed after a second", () => {
  let nowMs = 0;
  const rehearsal = new Rehearsal({ monotonicMs: () => (nowMs += 300) });
  for (const question of page) rehearsal.note(question);
  const site = siteOf(true, 7);
  const more = Array.from({ length: 5 }, () => rehearsal.next(new QueryContext(site, new QueryCache(0))));
  expect(more).toEqual([true, true, true, false, false]);
});

/** A thread that answers questions about a website. `file`: that of its chunk, which the disk lacks; none by default. */
function workerOf(site: Site, file?: FileEntry) {
  const signals = new Signals();
  const options = {
    folder: "/data",
    memoryBytes: 2 ** 24,
    cacheBytes: 2 ** 22,
    signals: signals.memory,
  };
  const worker = new QueryWorker(new MemoryDisk(), systemClock, options, () => {});
  const publisher = new SitePublisher(site);
  /** The answer to each, or why there is none. */
  const answers = (questions: readonly Question[]) =>
    questions.map((question) => {
      const delta = publisher.next(() => file!);
      const replies: QuestionReply[] = [];
      const asked = [{ id: 1, question }];
      worker.handle({ kind: "ask", page: 1, delta, factsMade: 0, questions: asked }, (reply) =>
        replies.push(reply),
      );
      const [{ answer, disk, failed } = {}] = replies;
      return answer?.json ?? disk?.code ?? failed;
    });
  return { worker, signals, answers };
}

test("the thread answers the same after it has rehearsed, and forgets a website that is gone", () => {
  const { worker, answers } = workerOf(siteOf());
  expect(worker.rehearse()).toBe(false);
  const before = answers(page);
  const more = Array.from({ length: 5 }, () => worker.rehearse());
  expect(more).toEqual([true, true, true, true, false]);
  expect(answers(page)).toEqual(before);
  const gone = workerOf(siteOf());
  gone.answers(page);
  gone.worker.handle({ kind: "keep", websiteIds: [] }, () => {});
  expect(gone.worker.rehearse()).toBe(false);
});

test("what is rehearsed is left as soon as somebody asks, and begun anew after the answer", () => {
  const { worker, signals, answers } = workerOf(siteOf());
  answers(page);
  signals.requestWaits = true;
  expect([worker.rehearse(), worker.rehearse()]).toEqual([false, false]);
  answers(page);
  expect(signals.requestWaits).toBe(false);
  const more = Array.from({ length: 5 }, () => worker.rehearse());
  expect(more).toEqual([true, true, true, true, false]);
});

test("a file that cannot be read is the trouble of the questions that need it", () => {
  const site = siteOf(false);
  sealAndStore(site, aprilMs + 60 * dayMs);
  const { worker, answers } = workerOf(site, { name: "chunks/none", bytes: 1, checksum: 1 });
  expect(answers(page)[0]).toBe("ENOENT");
  expect(worker.rehearse()).toBe(false);
});
