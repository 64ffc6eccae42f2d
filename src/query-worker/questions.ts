/**
 * Questions about websites. Those about small websites are answered at once; those about large ones in a Worker, which
 * ends when nobody has asked for a while. For the Worker, questions wait in a bounded queue. There, equal questions
 * become one, questions of one page are answered together, and a question that nobody waits for any more is dropped.
 */
import type { Question } from "../core/query.ts";
import { Refusal } from "../core/refusal.ts";
import type { Clock } from "../lib/clock.ts";
import type { MemoryBudget } from "../lib/memory-budget.ts";
import { scratch } from "../lib/scratch.ts";
import { pageKeyOf, QuestionPage } from "../query/answers/answer.ts";
import { QueryCache } from "../query/cache/cache.ts";
import { QueryContext } from "../query/cache/context.ts";
import { answered, type Answer, type QuestionReply } from "./query-worker.ts";
import { QueryWorkerClient, removed, type QueryWorkerClientOptions } from "./client.ts";

/**
 * Questions about a website with at most this many rows take about a millisecond: less than asking another thread
 * costs.
 */
export const smallRowsDefault = 300_000;
/** The most questions that may wait. A dashboard asks about fifteen. */
const waitingMax = 256;
/** A Worker that nobody has asked for this long ends, to free its memory. */
export const idleMsDefault = 10 * 60_000;
/**
 * A filtered question about more rows than this waits for the other questions of its page while they arrive, for at
 * most `gatherTimes` times `gatherMs`. A browser sends them within milliseconds, and answering two pages takes tens of
 * milliseconds more than answering one.
 */
const gatherRowsMin = 1_000_000;
const gatherMs = 2;
const gatherTimes = 5;

export interface QuestionsOptions extends QueryWorkerClientOptions {
  readonly clock: Clock;
  /** Questions about a website with more rows than this are answered in the Worker. */
  readonly smallRows: number;
  /** The Worker ends when nobody has asked for this long. */
  readonly idleMs: number;
  /** The budget of the cache for questions about small websites, in bytes. */
  readonly cacheBytes: number;
  /** The memory budget of this thread. */
  readonly memory: MemoryBudget;
}

interface Waiting {
  readonly id: number;
  readonly key: string;
  readonly websiteId: number;
  /** Equal for questions of one page. */
  readonly page: string;
  readonly question: Question;
  readonly answer: PromiseWithResolvers<Answer>;
  askers: number;
}

/** Questions that are being answered together, by their ids. */
interface RunningPage {
  readonly page: number;
  readonly questions: ReadonlyMap<number, Waiting>;
}

export class Questions {
  /** In the order in which they came, without those that are being answered. */
  private readonly waiting = new Map<string, Waiting>();
  private running: RunningPage | undefined;
  private lastId = 0;
  private readonly worker: QueryWorkerClient;
  private idle: Timer | undefined;
  private working = false;
  private forgetDue = false;
  private stopped = false;
  /** The cache for questions about small websites. */
  private readonly cache: QueryCache;

  constructor(private readonly options: QuestionsOptions) {
    this.cache = new QueryCache(options.cacheBytes, options.memory);
    this.worker = new QueryWorkerClient(options);
  }

  /**
   * Answers a question. `signal` aborts when the asker has gone. Throws what the question throws, and Refusal 500 if
   * too many questions wait or the asker is gone.
   */
  async ask(websiteId: number, question: Question, signal?: AbortSignal): Promise<Answer> {
    const { sites, smallRows, memory, clock } = this.options;
    const site = sites.get(websiteId);
    if (site === undefined) throw removed();
    if (site.rows <= smallRows)
      return memory.run(() => {
        const context = new QueryContext(this.cache);
        return answered(new QuestionPage(site, [question], context), question, context, clock);
      });
    if (signal?.aborted) throw nobodyWaits();
    const waiting = this.join(websiteId, question);
    waiting.askers++;
    const gone = Promise.withResolvers<never>();
    const leave = () => {
      this.leave(waiting);
      gone.reject(nobodyWaits());
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([waiting.answer.promise, gone.promise]);
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Forgets the websites that were removed or replaced, here and in the Worker. */
  forgetGone(): void {
    scratch.clear();
    if (!this.worker.runs) return;
    this.forgetDue = true;
    void this.work();
  }

  stop(): void {
    this.stopped = true;
    for (const { answer } of [...this.waiting.values(), ...(this.running?.questions.values() ?? [])])
      answer.reject(stopping());
    this.waiting.clear();
    clearTimeout(this.idle);
    this.worker.stop();
  }

  private join(websiteId: number, question: Question): Waiting {
    if (this.stopped) throw stopping();
    // "Now" counts as equal for all who wait.
    const key = `${websiteId} ${JSON.stringify({ ...question, nowMs: 0 })}`;
    const known = this.waiting.get(key);
    if (known !== undefined) return known;
    if (this.waiting.size >= waitingMax)
      throw new Refusal(500, "too many questions wait for an answer: try again", 5);
    const id = ++this.lastId;
    const page = `${websiteId} ${pageKeyOf(question)}`;
    const answer = Promise.withResolvers<Answer>();
    const waiting = { id, key, websiteId, page, question, answer, askers: 0 };
    // Errors reach those who wait; there may be none.
    waiting.answer.promise.catch(() => {});
    this.waiting.set(key, waiting);
    void this.work();
    return waiting;
  }

  /** Ends one asker's wait. A page is cancelled once nobody waits for any of its questions. */
  private leave(waiting: Waiting): void {
    if (--waiting.askers > 0) return;
    const { running } = this;
    if (!running?.questions.has(waiting.id)) this.waiting.delete(waiting.key);
    else if (running.questions.values().every(({ askers }) => askers === 0)) this.worker.cancel(running.page);
  }

  /** Works until there is nothing left to do. Never rejects. */
  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    clearTimeout(this.idle);
    while (!this.stopped) {
      // The questions of a page arrive one after the other: this turn reads those that have arrived by now.
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = this.waiting.values();
      if (this.forgetDue) {
        this.forgetDue = false;
        await this.worker.forgetGone();
      } else if (next !== undefined) {
        if (this.waitsForOthers(next)) await this.gather(next);
        await this.answer(next);
      } else break;
    }
    this.working = false;
    if (!this.stopped) this.idle = setTimeout(() => this.worker.end(), this.options.idleMs);
  }

  /** Returns whether it pays to wait for other questions of the page. */
  private waitsForOthers({ question, websiteId }: Waiting): boolean {
    const rows = this.options.sites.get(websiteId)?.rows ?? 0;
    return question.filters.length > 0 && rows > gatherRowsMin;
  }

  /** Waits as long as questions of the same page keep arriving. */
  private async gather({ page }: Waiting): Promise<void> {
    const come = () => this.waiting.values().reduce((sum, waiting) => sum + Number(waiting.page === page), 0);
    let before = 0;
    for (let time = 0; time < gatherTimes && come() > before; time++) {
      before = come();
      await new Promise((resolve) => setTimeout(resolve, gatherMs));
    }
  }

  /** Answers a question, and all waiting ones of the same page. */
  private async answer({ id: page, websiteId, page: pageKey }: Waiting): Promise<void> {
    const questions = new Map<number, Waiting>();
    for (const waiting of this.waiting.values())
      if (waiting.page === pageKey) questions.set(waiting.id, waiting);
    // Everyone who waited may have gone meanwhile.
    if (questions.size === 0) return;
    for (const { key } of questions.values()) this.waiting.delete(key);
    this.running = { page, questions };
    const onReply = (reply: QuestionReply) => settle(questions.get(reply.id), reply);
    try {
      const asked = Array.from(questions.values(), ({ id, question }) => ({ id, question }));
      const { failed } = await this.worker.ask(websiteId, page, asked, onReply);
      // Answered questions are settled already. The others failed with the request, or nobody waits for them.
      for (const { answer } of questions.values()) answer.reject(new Error(failed ?? "nobody waits"));
    } catch (error) {
      for (const { answer } of questions.values()) answer.reject(error);
    } finally {
      this.running = undefined;
    }
  }
}

function settle(waiting: Waiting | undefined, { answer, refused, failed }: QuestionReply): void {
  if (answer !== undefined) waiting?.answer.resolve(answer);
  else if (refused !== undefined) waiting?.answer.reject(new Refusal(refused.code, refused.message));
  else waiting?.answer.reject(new Error(failed));
}

function nobodyWaits(): Refusal {
  return new Refusal(500, "nobody waits for the answer");
}

function stopping(): Refusal {
  return new Refusal(500, "the server is stopping");
}
