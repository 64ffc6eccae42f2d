/** Questions about large websites: the queue in which they wait, and the Worker that answers them. */
import { describe, expect, test } from "bun:test";
import type { Question } from "../../src/core/questions/query.ts";
import { WorkerDied } from "../../src/lib/threads/worker.ts";
import { QuestionWorkerPort, type QuestionPort } from "../../src/query-worker/worker-port.ts";
import { Signals } from "../../src/query-worker/signals.ts";
import { isSmall } from "../../src/query-worker/question-work.ts";
import { Questions } from "../../src/query-worker/questions.ts";
import type { Target } from "../../src/core/website/goal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { MemoryBudget } from "../../src/lib/memory/memory-budget.ts";
import { QuestionPage } from "../../src/query/answers/answer.ts";
import { csvOf } from "../../src/query/answers/csv.ts";
import { headOf } from "../../src/query/answers/csv-head.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import type { QueryRequest, QueryWorkerOptions } from "../../src/query-worker/query-worker.ts";
import { Site } from "../../src/store/state/site.ts";
import { localQuestionPort } from "../support/local-ports.ts";
import { linesOf } from "../support/log-lines.ts";
import { noonMs } from "../support/records.ts";
import { addView, everything, filter, listOf } from "../support/site.ts";
import { until } from "../support/until.ts";

const browsers: Question = listOf("browsers");
const pages: Question = listOf("pages");
const { period, filters } = pages;
const now = { list: "summary", period, filters, previous: false, timezone: "UTC" } as const;
const summaryAt = (nowMs: number): Question => ({ ...now, nowMs });

function websiteOf(rows: number, websiteId = 1): Site {
  const site = new Site(websiteId);
  for (let row = 0; row < rows; row++)
    addView(site, { timeMs: noonMs + row, path: `/${row % 9_000}`, ms: row % 50_000, p: row % 3 === 0 });
  return site;
}

function expected(site: Site, question: Question): string {
  const context = new QueryContext(site, new QueryCache(0));
  return JSON.stringify(new QuestionPage([question], context).answer(question));
}

type OpenPort = (options: QueryWorkerOptions) => QuestionPort;

/** Questions about the websites that `sites` has, all of which are large. */
function ask(
  sites: Map<number, Site>,
  openPort: OpenPort,
  {
    smallRows = 0,
    idleMs = 60_000,
    answerMs = 60_000,
    turnMs = 60_000,
    accountOf = (_websiteId: number): number => 1,
    clock = systemClock,
  } = {},
) {
  const { lines, logger } = linesOf("debug");
  const questions = new Questions({
    clock,
    logger,
    smallRows,
    idleMs,
    answerMs,
    turnMs,
    accountOf,
    cacheBytes: 0,
    factsMade: () => 0,
    onDiscarded: () => {},
    onDamaged: () => {},
    memory: new MemoryBudget(0),
    sites,
    fileOf: () => {
      throw new Error("no chunk is in a file here");
    },
    openPort: (signals) => openPort({ folder: "/none", memoryBytes: 2 ** 21, cacheBytes: 2 ** 20, signals }),
  });
  return { questions, lines };
}

/** A worker in this thread that answers when it is let; `requests`: what has come to it. */
function gated() {
  const requests: QueryRequest[] = [];
  const gates: (() => void)[] = [];
  let opened = 0;
  let signals: Signals | undefined;
  const openPort: OpenPort = (options) => {
    opened++;
    signals = new Signals(options.signals);
    const port = localQuestionPort(systemDisk, systemClock, options);
    return {
      send: async (request, handedOver, onReply) => {
        requests.push(request);
        await new Promise<void>((resolve) => {
          gates.push(resolve);
          comes.resolve();
          comes = Promise.withResolvers();
        });
        return port.send(request, handedOver, onReply);
      },
      close: () => port.close(),
    };
  };
  let comes = Promise.withResolvers<void>();
  /** Until a request is under way. */
  const busy = async () => {
    while (gates.length === 0) await comes.promise;
  };
  /** Lets the request that is under way be answered. */
  const let1 = async () => {
    await busy();
    (gates.shift() as () => void)();
  };
  /** Whether the page that came last is not to be gone on with. */
  const isLeft = () => {
    const request = requests.at(-1);
    return request?.kind === "ask" && signals?.isCancelled(request.page) === true;
  };
  return { openPort, requests, busy, let1, isLeft, opened: () => opened };
}

/** Says of the first reply that its file was replaced meanwhile. */
const gone = { operation: "read", path: "a.chunk", code: "ENOENT" };
const firstOutdated =
  (openPort: OpenPort): OpenPort =>
  (options) => {
    const port = openPort(options);
    let isOutdated = true;
    const send: QuestionPort["send"] = async (request, handedOver, onReply) =>
      port.send(request, handedOver, (reply) => {
        onReply(isOutdated ? { id: reply.id, disk: gone } : reply);
        isOutdated = false;
      });
    return { ...port, send };
  };

/** The website of each request. */
const turnsOf = (requests: readonly QueryRequest[]) =>
  requests.map((request) => request.kind === "ask" && request.delta.websiteId);

const asked = (requests: readonly QueryRequest[]) =>
  requests.map((request) =>
    request.kind === "ask" ? request.questions.map(({ question }) => question.list).join() : request.kind,
  );

describe("questions about large websites", () => {
  test("a small website is answered in this thread: no worker is opened", async () => {
    const site = websiteOf(10);
    const worker = gated();
    const { questions } = ask(new Map([[1, site]]), worker.openPort, { smallRows: 10 });
    expect((await questions.ask(1, browsers)).json).toBe(expected(site, browsers));
    expect(worker.opened()).toBe(0);
  });

  test("a small website does not wait for a question about a large one", async () => {
    const sites = new Map([
      [1, websiteOf(11)],
      [2, websiteOf(10, 2)],
    ]);
    const worker = gated();
    const { questions } = ask(sites, worker.openPort, { smallRows: 10 });
    const large = questions.ask(1, browsers);
    await worker.busy();
    expect((await questions.ask(2, browsers)).json).toBe(expected(sites.get(2)!, browsers));
    expect(worker.requests).toHaveLength(1);
    await worker.let1();
    await large;
    questions.stop();
  });

  test("about a small website go to the worker where they take this thread for long, until it had time for hits", async () => {
    const site = websiteOf(10);
    let opened = 0;
    const open: OpenPort = (options) => {
      opened++;
      return localQuestionPort(systemDisk, systemClock, options);
    };
    // An answer looks at the clock four times, and so takes 150 ms.
    let [nowMs, stepMs] = [0, 50];
    const clock = { ...systemClock, monotonicMs: () => (nowMs += stepMs) };
    const { questions } = ask(new Map([[1, site]]), open, { smallRows: 10, idleMs: 0, clock });
    const answers = async (count: number) => {
      for (let time = 0; time < count; time++)
        expect((await questions.ask(1, browsers)).json).toBe(expected(site, browsers));
    };
    await answers(3);
    expect(opened).toBe(0);
    await answers(10);
    expect(opened).toBeGreaterThan(0);
    nowMs += 60_000;
    stepMs = opened = 0;
    await answers(3);
    expect(opened).toBe(0);
    questions.stop();
  });

  test("a question whose file a checkpoint has replaced meanwhile is asked once more, and no more than that", async () => {
    const site = websiteOf(10);
    let requests = 0;
    let outdated = 1;
    const open: OpenPort = (options) => {
      const port = localQuestionPort(systemDisk, systemClock, options);
      const send: QuestionPort["send"] = async (request, handedOver, onReply) =>
        port.send(request, handedOver, (reply) => {
          onReply(requests++ < outdated ? { id: reply.id, disk: gone } : reply);
        });
      return { ...port, send };
    };
    const { questions } = ask(new Map([[1, site]]), open);
    expect((await questions.ask(1, browsers)).json).toBe(expected(site, browsers));
    expect(requests).toBe(2);
    outdated = Infinity;
    await expect(questions.ask(1, browsers)).rejects.toThrow("cannot read a.chunk: there is no such file");
    expect(requests).toBe(4);
  });

  test("a question that is asked once more while an equal one waits is answered with it, and takes no place", async () => {
    const site = websiteOf(10);
    const worker = gated();
    const { questions } = ask(new Map([[1, site]]), firstOutdated(worker.openPort), {
      answerMs: 10_000,
    });
    const first = questions.ask(1, browsers);
    await worker.busy();
    const equal = questions.ask(1, browsers);
    await worker.let1();
    await worker.let1();
    for (const answer of [first, equal]) expect((await answer).json).toBe(expected(site, browsers));
    expect(worker.requests).toHaveLength(2);
    questions.stop();
  });

  test("an equal question is kept for those that are answered with it when its own askers go", async () => {
    const site = websiteOf(10);
    const worker = gated();
    const { questions } = ask(new Map([[1, site]]), firstOutdated(worker.openPort), { answerMs: 10_000 });
    const left = new AbortController();
    const first = questions.ask(1, browsers);
    await worker.busy();
    const gone = Promise.allSettled([questions.ask(1, browsers, left.signal)]);
    await worker.let1();
    await worker.busy();
    left.abort();
    expect((await gone).map(({ status }) => status)).toEqual(["rejected"]);
    await worker.let1();
    expect((await first).json).toBe(expected(site, browsers));
    questions.stop();
  });

  test("an equal question is left once those that were to be answered with it have gone too", async () => {
    const worker = gated();
    const { questions } = ask(new Map([[1, websiteOf(10)]]), firstOutdated(worker.openPort), {
      answerMs: 10_000,
    });
    const left = new AbortController();
    const first = questions.ask(1, browsers, left.signal);
    await worker.busy();
    const other = questions.ask(1, listOf("pages", { filters: [filter("browser", "neq", "Chrome")] }));
    const equal = questions.ask(1, browsers, left.signal);
    await worker.let1();
    // Both wait behind the question that was asked before the equal one.
    await worker.busy();
    const gone = Promise.allSettled([first, equal]);
    left.abort();
    expect((await gone).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await worker.let1();
    await other;
    expect(asked(worker.requests)).toEqual(["browsers", "pages"]);
    questions.stop();
  });

  test("a website with few rows and very many values, or a question with very many filters, is asked of the worker", async () => {
    const many = websiteOf(0);
    for (let row = 0; row < 31_000; row++) addView(many, { timeMs: noonMs + row, path: `/${row}`, ms: 1 });
    const sites = new Map([
      [1, many],
      [2, websiteOf(100, 2)],
    ]);
    let opened = 0;
    const open: OpenPort = (options) => {
      opened++;
      return localQuestionPort(systemDisk, systemClock, options);
    };
    const { questions } = ask(sites, open, { smallRows: 100_000 });
    const filters = Array.from({ length: 300 }, (_, at) => filter("path", "neq", `/${at + 1}`));
    expect(
      JSON.parse((await questions.ask(2, listOf("pages", { filters: filters.slice(0, 2) }))).json),
    ).toHaveLength(98);
    expect(opened).toBe(0);
    expect(JSON.parse((await questions.ask(2, listOf("pages", { filters }))).json)).toHaveLength(1);
    expect(JSON.parse((await questions.ask(1, pages)).json)).toHaveLength(5_000);
    expect(opened).toBe(1);
    questions.stop();
  });

  test("goals, steps, long values and many properties are work too, however few rows there are", async () => {
    const long = new Site(1);
    for (let row = 0; row < 4_000; row++) addView(long, { path: `/${row}/${"x".repeat(2_000)}` });
    const properties = Array.from({ length: 30 }, (_, at) => [`name ${at}`, "value"] as const);
    const evented = new Site(2);
    for (let row = 0; row < 100; row++) addView(evented, { path: `/${row % 50}`, properties });
    const page: Target = { page: [{ operator: "contains", operands: ["y"] }] };
    const event: Target = { event: { propName: "name 1", propValue: null, amount: null } };
    const goals = (target: Target, count: number): Question => {
      const list = Array.from({ length: count }, (_, at) => ({ id: at + 1, name: `goal ${at}`, target }));
      return { ...everything, list: "goals", goals: list };
    };
    const steps = (target: Target, count: number): Question => {
      const list = Array.from({ length: count }, (_, at) => ({ text: `step ${at}`, target }));
      return { ...everything, list: "funnel", steps: list };
    };
    const small = (site: Site, question: Question) => isSmall(site, question, 10_000);
    expect(small(long, browsers)).toBe(false);
    for (const of of [goals, steps]) {
      expect(small(evented, of(page, 2))).toBe(true);
      expect(small(evented, of(event, 3))).toBe(true);
      expect(small(evented, of(event, 4))).toBe(false);
      expect(small(websiteOf(9_000), of(page, 2))).toBe(true);
      expect(small(websiteOf(9_000), of(page, 3))).toBe(false);
    }
    expect(small(websiteOf(9_000), listOf("browsers", { goal: page }))).toBe(true);
    const list: Question = { ...everything, list: "properties" };
    expect(small(evented, list)).toBe(true);
    expect(isSmall(evented, list, 2_999)).toBe(false);
    expect(isSmall(evented, browsers, 2_999)).toBe(true);
  });

  test("visits, goals, filters, comparisons, intervals and CSV are work too", () => {
    const site = websiteOf(100);
    const goal: Target = { page: [{ operator: "contains", operands: ["y"] }] };
    const hour = { startMs: noonMs, endMs: noonMs + 3_600_000 };
    const visits = { by: "visit", nowMs: noonMs } as const;
    const twice = { compare: hour };
    const filtered = (count: number) => Array.from({ length: count }, () => filter("path", "neq", "/"));
    // The least bound with which a question about a website of 100 rows is small.
    const least = (question: Question) => {
      for (let rows = 1; ; rows++) if (isSmall(site, question, rows)) return rows;
    };
    expect(least(pages)).toBe(100);
    expect(least(listOf("pages", visits))).toBe(100);
    expect(least(listOf("pages", { ...visits, filters: filtered(1) }))).toBe(122);
    expect(least(listOf("pages", { ...visits, goal }))).toBe(122);
    expect(least(listOf("pages", { ...visits, goal, ...twice }))).toBe(244);
    expect(least(listOf("pages", { ...visits, filters: filtered(60) }))).toBe(240);
    expect(
      least({ ...everything, list: "drivers", ...visits, metrics: ["visits"], ...twice, timezone: "UTC" }),
    ).toBe(1_000);
    const chart = (hours: number, more: object = {}): Question => ({
      ...now,
      nowMs: noonMs + hours * 3_600_000,
      period: { startMs: noonMs, endMs: noonMs + hours * 3_600_000 - 1 },
      interval: "minute",
      ...more,
    });
    const small = (question: Question) => isSmall(site, question, 300_000);
    expect([50, 51].map((hours) => small(chart(hours)))).toEqual([true, false]);
    expect([50, 51].map((hours) => small(chart(hours, { period: everything.period })))).toEqual([
      true,
      false,
    ]);
    expect([25, 26].map((hours) => small(chart(hours, { goal })))).toEqual([true, false]);
    const ofFiltered = { ...visits, filters: filtered(1) };
    expect([25, 26].map((hours) => small(chart(hours, ofFiltered)))).toEqual([true, false]);
    expect(small(chart(24 * 365, { interval: "day" }))).toBe(true);
    const many = websiteOf(9_000);
    expect([small(pages), isSmall(many, pages, 300_000)]).toEqual([true, true]);
    expect(isSmall(many, { ...pages, asCsv: true }, 300_000)).toBe(false);
  });

  test("CSV is made where the question is answered: that of a large website in the Worker", async () => {
    const site = websiteOf(100);
    const worker = gated();
    const { questions } = ask(new Map([[1, site]]), worker.openPort);
    const sent = [questions.ask(1, { ...pages, asCsv: true }), questions.ask(1, pages)];
    await worker.let1();
    const [asCsv, asJson] = await Promise.all(sent);
    expect(asCsv).toMatchObject({ json: "", csv: csvOf(JSON.parse(expected(site, pages)), headOf(pages)) });
    expect(asJson?.csv).toBeUndefined();
    expect(asked(worker.requests)).toEqual(["pages,pages"]);
    questions.stop();
  });

  test("wait in a queue, equal ones are one, and those of one page are answered together", async () => {
    const site = websiteOf(10);
    const worker = gated();
    const { questions } = ask(new Map([[1, site]]), worker.openPort);
    const first = questions.ask(1, browsers);
    await worker.busy();
    const others = [questions.ask(1, pages), questions.ask(1, summaryAt(1)), questions.ask(1, pages)];
    others.push(questions.ask(1, summaryAt(2)));
    for (let count = 0; count < 2; count++) await worker.let1();
    const [one, two, three, four] = await Promise.all(others);
    expect((await first).json).toBe(expected(site, browsers));
    expect(one?.json).toBe(expected(site, pages));
    expect(three).toBe(one as never);
    expect(four).toBe(two as never);
    expect(asked(worker.requests)).toEqual(["browsers", "pages,summary"]);
    // The later one is to have what came until then.
    expect(worker.requests[1]).toMatchObject({ questions: [{}, { question: { nowMs: 2 } }] });
  });

  test("one that nobody waits for any more is left, also while others wait for an equal one", async () => {
    const worker = gated();
    const { questions } = ask(new Map([[1, websiteOf(10)]]), worker.openPort);
    const running = new AbortController();
    const waiting = new AbortController();
    const one = questions.ask(1, browsers, running.signal);
    await worker.busy();
    const gone = [questions.ask(1, pages, waiting.signal), questions.ask(1, summaryAt(1), waiting.signal)];
    const stays = questions.ask(1, summaryAt(1));
    const refused = Promise.allSettled([one, ...gone]);
    running.abort();
    waiting.abort();
    for (const { status } of await refused) expect(status).toBe("rejected");
    await worker.let1();
    await worker.let1();
    expect(JSON.parse((await stays).json)).toMatchObject({ current: { pageviews: 10 } });
    expect(asked(worker.requests)).toEqual(["browsers", "summary"]);
    await expect(questions.ask(1, pages, AbortSignal.abort())).rejects.toThrow("the request was cancelled");
  });

  test("those of other periods or filters are of other pages", async () => {
    const site = websiteOf(10);
    const worker = gated();
    const { questions } = ask(new Map([[1, site]]), worker.openPort);
    const filters = [filter("path", "eq", "/1"), filter("browser", "eq", "Firefox")];
    const all = [
      browsers,
      listOf("pages", { filters }),
      listOf("os", { period: { startMs: 0, endMs: noonMs } }),
      listOf("devices", { filters: filters.toReversed() }),
      listOf("countries", { period: { startMs: 0, endMs: noonMs } }),
    ];
    const answers = all.map((question) => questions.ask(1, question));
    for (let count = 0; count < 3; count++) await worker.let1();
    for (const [at, answer] of answers.entries())
      expect((await answer).json).toBe(expected(site, all[at] as Question));
    expect(asked(worker.requests)).toEqual(["browsers", "pages,devices", "os,countries"]);
  });

  test("each of a page has its own answer or error, as soon as it is known", async () => {
    const site = websiteOf(10);
    let release = () => {};
    const open: OpenPort = (options) => {
      const port = localQuestionPort(systemDisk, systemClock, options);
      return {
        ...port,
        send: async (request, handedOver, onReply) => {
          const done = await port.send(request, handedOver, onReply);
          await new Promise<void>((resolve) => (release = resolve));
          return done;
        },
      };
    };
    const { questions } = ask(new Map([[1, site]]), open);
    const bad = questions.ask(1, { ...now, previous: true, nowMs: 1 });
    const good = questions.ask(1, browsers);
    await expect(bad).rejects.toMatchObject({ code: 400 });
    expect((await good).json).toBe(expected(site, browsers));
    release();
    questions.stop();
  });

  test("too many are refused, and the others answered", async () => {
    const worker = gated();
    const { questions } = ask(new Map([[1, websiteOf(10)]]), worker.openPort);
    const under = questions.ask(1, browsers);
    await worker.busy();
    const ask256 = Array.from({ length: 256 }, (_, offset) =>
      questions.ask(1, listOf("pages", { offset, filters: [filter("path", "neq", `${offset}`)] })),
    );
    await expect(questions.ask(1, browsers)).rejects.toMatchObject({ code: 500, retryAfterS: 5 });
    const again = listOf("pages", { offset: 7, filters: [filter("path", "neq", "7")] });
    const equal = questions.ask(1, again);
    for (let count = 0; count < 257; count++) await worker.let1();
    expect((await Promise.all([under, ...ask256, equal])).length).toBe(258);
  });

  test("accounts take turns where all take as long, and one that asks much keeps no place from others", async () => {
    const sites = new Map([1, 2, 3].map((websiteId) => [websiteId, websiteOf(10, websiteId)]));
    const worker = gated();
    const clock = { ...systemClock, monotonicMs: () => 0 };
    const accountOf = (websiteId: number) => Math.min(websiteId, 2);
    const { questions } = ask(sites, worker.openPort, { accountOf, clock });
    const under = questions.ask(1, browsers);
    await worker.busy();
    const numbered = (offset: number) =>
      listOf("pages", { offset, filters: [filter("path", "neq", `${offset}`)] });
    const much = Array.from({ length: 256 }, (_, offset) => questions.ask(1, numbered(offset)));
    const settled = Promise.allSettled(much);
    const others = [questions.ask(2, browsers), questions.ask(3, browsers), questions.ask(2, numbered(1))];
    for (let count = 0; count < 7; count++) await worker.let1();
    for (const answer of others) expect((await answer).json).toStartWith("[");
    expect(turnsOf(worker.requests).slice(0, 7)).toEqual([1, 2, 1, 3, 1, 2, 1]);
    for (let count = 0; count < 250; count++) await worker.let1();
    await under;
    const results = await settled;
    expect(results.slice(0, 253).every(({ status }) => status === "fulfilled")).toBe(true);
    for (const result of results.slice(253))
      expect(result).toMatchObject({ reason: { code: 500, retryAfterS: 5 } });
    questions.stop();
  });

  test("accounts share the time: whoever asks little waits for no more than the question under way", async () => {
    const sites = new Map([1, 2].map((websiteId) => [websiteId, websiteOf(10, websiteId)]));
    const worker = gated();
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const accountOf = (websiteId: number) => websiteId;
    const { questions } = ask(sites, worker.openPort, { accountOf, clock });
    const numbered = (at: number) => listOf("pages", { filters: [filter("path", "neq", `${at}`)] });
    /** Lets the request that is under way be answered, after so long. */
    const letAfter = async (ms: number) => {
      await worker.busy();
      nowMs += ms;
      await worker.let1();
    };
    const slow = Array.from({ length: 16 }, (_, at) => questions.ask(1, numbered(at)));
    for (let time = 0; time < 5; time++) {
      await worker.busy();
      const fast = questions.ask(2, numbered(time));
      await letAfter(20_000);
      await letAfter(10);
      expect((await fast).json).toBe(expected(sites.get(2)!, numbered(time)));
    }
    expect(turnsOf(worker.requests.slice(0, 10))).toEqual([1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
    // Both ask without a pause: questions that take a tenth of the time have ten times as many turns.
    await worker.busy();
    const many = Array.from({ length: 60 }, (_, at) => questions.ask(2, numbered(100 + at)));
    for (let turn = 10; turn < 65; turn++) {
      await worker.busy();
      await letAfter(turnsOf(worker.requests)[turn] === 1 ? 20_000 : 2_000);
    }
    const turns = turnsOf(worker.requests.slice(10, 65));
    expect(turns.filter((websiteId) => websiteId === 1)).toHaveLength(5);
    questions.stop();
    await Promise.allSettled([...slow, ...many]);
  });

  test("a page that takes long is left once for another account, and asked again; one that nobody waits behind goes on", async () => {
    const sites = new Map([1, 2].map((websiteId) => [websiteId, websiteOf(10, websiteId)]));
    const worker = gated();
    const accountOf = (websiteId: number) => websiteId;
    const turnMs = 40;
    const { questions } = ask(sites, worker.openPort, { accountOf, turnMs });
    const numbered = (at: number) => listOf("pages", { filters: [filter("path", "neq", `${at}`)] });
    const alone = questions.ask(1, numbered(1));
    await worker.busy();
    const more = [questions.ask(1, numbered(2)), questions.ask(1, numbered(3))];
    await Bun.sleep(2 * turnMs);
    expect(worker.isLeft()).toBe(false);
    await worker.let1();
    expect((await alone).json).toBe(expected(sites.get(1)!, numbered(1)));
    await worker.busy();
    const other = questions.ask(2, numbered(1));
    await until(worker.isLeft, "the page is left");
    await worker.let1();
    await worker.let1();
    expect((await other).json).toBe(expected(sites.get(2)!, numbered(1)));
    await worker.let1();
    expect((await more[1]!).json).toBe(expected(sites.get(1)!, numbered(3)));
    await worker.busy();
    const next = questions.ask(2, numbered(2));
    await Bun.sleep(2 * turnMs);
    expect(worker.isLeft()).toBe(false);
    await worker.let1();
    expect((await more[0]!).json).toBe(expected(sites.get(1)!, numbered(2)));
    await worker.let1();
    await next;
    expect(turnsOf(worker.requests)).toEqual([1, 1, 2, 1, 1, 2]);
    questions.stop();
  });

  test("a question that was left is not left again because an equal one came meanwhile", async () => {
    const sites = new Map([1, 2].map((websiteId) => [websiteId, websiteOf(10, websiteId)]));
    const worker = gated();
    // A busy machine may stand still for longer than a short turn.
    const turnMs = 200;
    const { questions } = ask(sites, worker.openPort, { accountOf: (websiteId) => websiteId, turnMs });
    const numbered = (at: number) => listOf("pages", { filters: [filter("path", "neq", `${at}`)] });
    const first = questions.ask(1, numbered(1));
    await worker.busy();
    const equal = questions.ask(1, numbered(1));
    const others = [questions.ask(2, numbered(1))];
    await until(worker.isLeft, "the page is left");
    await worker.let1();
    await worker.let1();
    await worker.busy();
    others.push(questions.ask(2, numbered(2)));
    await Bun.sleep(3 * turnMs);
    expect(worker.isLeft()).toBe(false);
    const all = Promise.all([first, equal, ...others]);
    let isOver = false;
    void all.then(() => (isOver = true));
    while (!isOver) await Promise.race([worker.let1(), all]);
    expect((await first).json).toBe(expected(sites.get(1)!, numbered(1)));
    questions.stop();
  });

  test("links of an account have turns of their own, however much they ask for", async () => {
    const sites = new Map([[1, websiteOf(10)]]);
    const worker = gated();
    const { questions } = ask(sites, worker.openPort);
    const under = questions.ask(1, browsers, undefined, true);
    await worker.busy();
    const numbered = (offset: number) =>
      listOf("pages", { offset, filters: [filter("path", "neq", `${offset}`)] });
    const strangers = Array.from({ length: 300 }, (_, offset) =>
      questions.ask(1, numbered(offset), undefined, true),
    );
    const settled = Promise.allSettled(strangers);
    const own = questions.ask(1, pages);
    for (let count = 0; count < 3; count++) await worker.let1();
    expect((await own).json).toBe(expected(sites.get(1)!, pages));
    questions.stop();
    await under;
    await settled;
  });

  test("links of an account have pages of their own, also where they ask for the same as the account", async () => {
    const sites = new Map([[1, websiteOf(10)]]);
    const worker = gated();
    const { questions } = ask(sites, worker.openPort);
    const under = questions.ask(1, browsers, undefined, true);
    await worker.busy();
    const strangers = Array.from({ length: 200 }, (_, offset) =>
      questions.ask(1, listOf("pages", { offset }), undefined, true),
    );
    const own = [questions.ask(1, pages), questions.ask(1, browsers)];
    for (let count = 0; count < 3; count++) await worker.let1();
    await Promise.all([under, ...strangers, ...own]);
    expect((await own[0]!).json).toBe(expected(sites.get(1)!, pages));
    const sizes = worker.requests.map((request) => (request.kind === "ask" ? request.questions.length : 0));
    expect(sizes).toEqual([1, 2, 200]);
    questions.stop();
  });

  test("one that takes too long is given up, in the queue and in the worker, and says so", async () => {
    const worker = gated();
    let signals: Int32Array | undefined;
    const open: OpenPort = (options) => {
      ({ signals } = options);
      return worker.openPort(options);
    };
    const { questions } = ask(new Map([[1, websiteOf(10)]]), open, { answerMs: 30 });
    const answers = await Promise.allSettled([questions.ask(1, browsers), questions.ask(1, summaryAt(1))]);
    for (const answer of answers)
      expect(answer).toMatchObject({
        reason: {
          code: 500,
          retryAfterS: 10,
          message: expect.stringContaining("within 0.03 seconds: try again"),
        },
      });
    expect(new Signals(signals).isCancelled(0)).toBe(false);
    questions.stop();
  });

  test("what a question throws is thrown, and a website that is gone is none", async () => {
    const sites = new Map([[1, websiteOf(10)]]);
    const { questions } = ask(sites, (options) => localQuestionPort(systemDisk, systemClock, options));
    const previous = { ...now, previous: true, nowMs: 1 } as const;
    await expect(questions.ask(1, previous)).rejects.toMatchObject({ code: 400 });
    const answer = questions.ask(1, pages);
    sites.clear();
    await expect(answer).rejects.toMatchObject({ code: 404 });
    await expect(questions.ask(1, pages)).rejects.toMatchObject({ code: 404 });
  });

  test("a website that took the place of another is seen, and one that is gone is forgotten", async () => {
    const sites = new Map([[1, websiteOf(10)]]);
    const worker = gated();
    const { questions } = ask(sites, worker.openPort);
    const answer = async () => {
      const json = questions.ask(1, pages);
      await worker.let1();
      return JSON.parse((await json).json) as unknown[];
    };
    expect(await answer()).toHaveLength(10);
    sites.set(1, websiteOf(3));
    expect(await answer()).toHaveLength(3);
    sites.clear();
    questions.forgetGone();
    await worker.let1();
    expect(worker.requests.at(-1)).toEqual({ kind: "keep", websiteIds: [] });
  });

  test("are asked of a new worker when nobody has asked for a while", async () => {
    const sites = new Map([[1, websiteOf(10)]]);
    let [opened, closed] = [0, 0];
    const open: OpenPort = (options) => {
      opened++;
      const port = localQuestionPort(systemDisk, systemClock, options);
      return { ...port, close: () => void closed++ };
    };
    const { questions } = ask(sites, open, { idleMs: 30 });
    await Promise.all([questions.ask(1, pages), questions.ask(1, browsers)]);
    expect(opened).toBe(1);
    await until(() => closed === 1, "the worker that nobody asks ends");
    expect(opened).toBe(1);
    expect((await questions.ask(1, pages)).json).toBe(expected(sites.get(1) as Site, pages));
    expect([opened, closed]).toEqual([2, 1]);
    questions.stop();
  });

  test("after the stop there is no answer", async () => {
    const worker = gated();
    const { questions } = ask(new Map([[1, websiteOf(10)]]), worker.openPort);
    const all = Promise.allSettled([questions.ask(1, pages), questions.ask(1, browsers)]);
    await worker.busy();
    questions.stop();
    for (const result of await all) expect(result).toMatchObject({ status: "rejected" });
    await expect(questions.ask(1, pages)).rejects.toThrow("stopping");
  });
});

describe("the Worker for questions", () => {
  test("answers as this thread would, also after changes", async () => {
    const site = websiteOf(20_000);
    const { questions } = ask(new Map([[1, site]]), (options) => new QuestionWorkerPort(options));
    for (let round = 0; round < 3; round++) {
      for (const question of [pages, browsers, summaryAt(noonMs * 2)])
        expect((await questions.ask(1, question)).json).toBe(expected(site, question));
      addView(site, { timeMs: noonMs + 30_000, path: `/new ${round}`, ms: 100 });
    }
    questions.stop();
  });

  test("is replaced when it dies, and its question is answered", async () => {
    const ports: QuestionPort[] = [];
    const site = websiteOf(20_000);
    const open: OpenPort = (options) => {
      const port = new QuestionWorkerPort(options);
      ports.push(port);
      return port;
    };
    const { questions, lines } = ask(new Map([[1, site]]), open);
    await questions.ask(1, browsers);
    const answer = questions.ask(1, pages);
    await Promise.resolve();
    ports[0]?.close();
    expect((await answer).json).toBe(expected(site, pages));
    expect(ports).toHaveLength(2);
    expect(lines.join()).toContain("the thread that answers questions ended unexpectedly and is restarted");
    questions.stop();
  });

  test("that dies with each question is not started for ever", async () => {
    let opened = 0;
    const open: OpenPort = () => {
      opened++;
      return { send: () => Promise.reject(new WorkerDied("it is gone")), close: () => {} };
    };
    const { questions } = ask(new Map([[1, websiteOf(1)]]), open);
    await expect(questions.ask(1, pages)).rejects.toThrow("it is gone");
    expect(opened).toBe(2);
  });

  test("leaves a question that nobody waits for any more", async () => {
    const site = websiteOf(400_000);
    const { questions } = ask(new Map([[1, site]]), (options) => new QuestionWorkerPort(options));
    await questions.ask(1, browsers);
    const minutes = { ...now, interval: "minute", nowMs: noonMs + 1e6 } as const;
    // One that is answered before this thread comes to leave it is followed by another.
    for (let answers = 0; ; answers++) {
      const gone = new AbortController();
      const filters = [
        filter("path", "contains", `5${"5".repeat(answers % 4)}`),
        filter("path", "not_contains", `x${answers}`),
      ];
      const [left] = await Promise.allSettled([
        questions.ask(1, { ...minutes, filters }, gone.signal),
        Bun.sleep(1).then(() => gone.abort()),
      ]);
      if (left.status === "fulfilled") continue;
      expect(left.reason).toMatchObject({ message: expect.stringContaining("the request was cancelled") });
      break;
    }
    expect((await questions.ask(1, browsers)).json).toBe(expected(site, browsers));
    questions.stop();
  });
});

test("a page of many questions keeps no answer until all are there", async () => {
  const count = 200;
  const megabyte = 1_000_000;
  const heapBytes = () => {
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  };
  const startBytes = heapBytes();
  let mostBytes = 0;
  const openPort: OpenPort = () => ({
    send: async (request, _, onReply) => {
      if (request.kind !== "ask") throw new Error("expected questions");
      for (const [at, { id }] of request.questions.entries()) {
        const json = `${at}`.padStart(megabyte, "x");
        onReply({ id, answer: { json, timing: "", isApproximate: false, reach: {} } } as never);
        await new Promise((resolve) => setImmediate(resolve));
        if (at % 50 === 49) mostBytes = Math.max(mostBytes, heapBytes());
      }
      return { damaged: [], discarded: [] } as never;
    },
    close: () => {},
  });
  const { questions } = ask(new Map([[1, websiteOf(1)]]), openPort);
  const lengths = Array.from({ length: count }, async (_, offset) => {
    const { json } = await questions.ask(1, { ...pages, offset } as Question);
    return json.length;
  });
  expect(await Promise.all(lengths)).toEqual(Array.from({ length: count }, () => megabyte));
  expect(mostBytes - startBytes).toBeLessThan(20 * megabyte);
  questions.stop();
});
