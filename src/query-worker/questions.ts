/**
 * Questions about websites: about small ones answered at once, while they are few, about large ones in a Worker, which ends
 * when nobody has asked for a while. There, questions wait in a queue: it is bounded, accounts share the time, equal
 * questions are one, those of one page are answered together, and one that nobody waits for any more is left. Whoever asks
 * has an answer in time, be it that there is none.
 */
import type { Question } from "../core/questions/query.ts";
import { Refusal } from "../core/refusal.ts";
import type { Clock } from "../lib/clock.ts";
import type { MemoryBudget } from "../lib/memory/memory-budget.ts";
import { DiskError } from "../lib/disk/disk.ts";
import { scratch } from "../lib/memory/scratch.ts";
import { nextTurn } from "../lib/threads/turn.ts";
import { pageKeyOf, QuestionPage } from "../query/answers/answer.ts";
import { QueryCache } from "../query/cache/cache.ts";
import { QueryContext } from "../query/cache/context.ts";
import type { Answer } from "./answer.ts";
import { answered, type QuestionReply } from "./query-worker.ts";
import { QueryWorkerClient, removed, type QueryWorkerClientOptions } from "./client.ts";
import { FairQueue, type Queued } from "./fair-queue.ts";
import { OwnThread } from "./own-thread.ts";
import { nobodyWaits, stopping, tookTooLong, tooMany } from "./no-answer.ts";
import { isSmall } from "./question-work.ts";
import { SnapshotDamage } from "../snapshot/section.ts";

/** A dashboard asks about fifteen. */
const waitingMax = 256;
/**
 * A Worker that nobody asked for 10 minutes gives its memory back; an answer that takes 25 seconds is given up, and a page
 * that takes 5 goes behind another account's.
 */
export const questionTimes = { idleMs: 10 * 60_000, answerMs: 25_000, turnMs: 5_000 } as const;
/** How often it is looked whether the turn of a page is over: twenty times in one. */
const turnParts = 20;

export interface QuestionsOptions extends QueryWorkerClientOptions {
  readonly clock: Clock;
  /** Questions about a website with more are answered in the Worker; so are those that look at very many values. */
  readonly smallRows: number;
  /** The Worker ends when nobody has asked for this long. */
  readonly idleMs: number;
  /** A question is refused after this long in the queue and in the Worker together. */
  readonly answerMs: number;
  /**
   * A page that has taken so long is left once where another account's turn has come, and asked again behind the others of
   * its own. What is cached of it by then stays.
   */
  readonly turnMs: number;
  /** The first owner of a website, at least 1: an account that asks about it takes the time of that one. */
  readonly accountOf: (websiteId: number) => number;
  /** The budget of the cache for questions about small websites. */
  readonly cacheBytes: number;
  /** The memory budget of this thread. */
  readonly memory: MemoryBudget;
}

interface Waiting extends Queued {
  readonly id: number;
  readonly websiteId: number;
  /** A text that is equal for questions of one page that share one account's time. */
  readonly page: string;
  question: Question;
  readonly answer: PromiseWithResolvers<Answer>;
  askers: number;
  isAskedAgain?: boolean;
  /** Its turn was over before its answer was there. */
  hadTurn?: boolean;
  /** An equal question whose answer this one gets too, as one more asker. */
  sharesWith?: Waiting;
}

/** Questions that are being answered together, by their ids; those that have no answer yet. */
interface RunningPage {
  readonly page: number;
  readonly account: number;
  readonly startMs: number;
  readonly questions: Map<number, Waiting>;
}

export class Questions {
  /** The questions that wait, without those that are being answered. */
  private readonly waiting = new FairQueue<Waiting>(waitingMax);
  private running: RunningPage | undefined;
  private lastId = 0;
  private readonly worker: QueryWorkerClient;
  private idle: Timer | undefined;
  private working = false;
  private forgetDue = false;
  private endDue = false;
  private stopped = false;
  /** The cache for questions about small websites. */
  private readonly cache: QueryCache;
  private readonly ownThread: OwnThread;

  constructor(protected readonly options: QuestionsOptions) {
    this.ownThread = new OwnThread(options.clock);
    this.cache = new QueryCache(options.cacheBytes, options.memory);
    this.worker = new QueryWorkerClient(options);
  }

  /**
   * `signal`: aborts when the asker has gone. `isByLink`: a link asks, and so perhaps many strangers. Throws what the
   * question throws, and Refusal 500 where too many wait, the answer takes too long, or nobody waits for it any more.
   */
  async ask(websiteId: number, question: Question, signal?: AbortSignal, isByLink = false): Promise<Answer> {
    const { sites, smallRows, memory, clock, answerMs } = this.options;
    const site = sites.get(websiteId);
    if (site === undefined) throw removed();
    // A file that is damaged is compared with its checksum in the Worker.
    const isDamaged = site.chunks.values().some(({ basis }) => basis?.isDamaged === true);
    if (!isDamaged && isSmall(site, question, smallRows) && this.ownThread.hasTime)
      return memory.run(() => {
        const context = new QueryContext(site, this.cache);
        const page = new QuestionPage([question], context);
        return this.ownThread.run(() => answered(page, question, context, clock));
      });
    if (signal?.aborted) throw nobodyWaits();
    const waiting = this.join(websiteId, question, isByLink);
    waiting.askers++;
    const left = Promise.withResolvers<never>();
    const leave = (why: Refusal) => {
      this.leave(waiting);
      left.reject(why);
    };
    const gone = () => leave(nobodyWaits());
    signal?.addEventListener("abort", gone, { once: true });
    const limit = setTimeout(() => leave(tookTooLong(answerMs)), answerMs);
    try {
      return await Promise.race([waiting.answer.promise, left.promise]);
    } finally {
      clearTimeout(limit);
      signal?.removeEventListener("abort", gone);
    }
  }

  /** Forgets the websites that were removed or replaced, here and in the Worker. */
  forgetGone(): void {
    scratch.clear();
    if (!this.worker.runs) return;
    this.forgetDue = true;
    void this.work();
  }

  /** Ends the Worker after the page under way: the next one compares every file with its checksum again. */
  startAnew(): void {
    if (!this.worker.runs) return;
    this.endDue = true;
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

  private join(websiteId: number, question: Question, isByLink: boolean): Waiting {
    if (this.stopped) throw stopping();
    // All links of an account share another time than its own: strangers must not hold up its page.
    const account = (isByLink ? -1 : 1) * this.options.accountOf(websiteId);
    // Now is the same for all who wait: when the last of them asked.
    const key = `${websiteId} ${JSON.stringify({ ...question, nowMs: 0 })}`;
    const known = this.waiting.find({ account, key });
    if (known !== undefined) return Object.assign(known, { question });
    const id = ++this.lastId;
    const page = `${account} ${websiteId} ${pageKeyOf(question)}`;
    const answer = Promise.withResolvers<Answer>();
    const waiting = { id, account, key, websiteId, page, question, answer, askers: 0 };
    // The callers that wait hear of it; there may be none.
    waiting.answer.promise.catch(() => {});
    this.waiting.add(waiting)?.answer.reject(tooMany());
    void this.work();
    return waiting;
  }

  /** Ends one asker's wait. A page is cancelled once nobody waits for any of its questions. */
  private leave(waiting: Waiting): void {
    if (--waiting.askers > 0) return;
    const { running } = this;
    if (waiting.sharesWith !== undefined) this.leave(waiting.sharesWith);
    else if (!running?.questions.has(waiting.id)) this.waiting.remove(waiting);
    else if (running.questions.values().every(({ askers }) => askers === 0)) this.worker.cancel(running.page);
  }

  /** Works until there is nothing left to do. Never rejects. */
  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    clearTimeout(this.idle);
    while (!this.stopped) {
      // The questions of a page arrive one after the other: this turn reads those that have arrived by now.
      await nextTurn();
      const next = this.waiting.first();
      if (this.endDue) {
        this.endDue = false;
        this.worker.end();
      } else if (this.forgetDue) {
        this.forgetDue = false;
        await this.worker.forgetGone();
      } else if (next !== undefined) await this.answer(next);
      else break;
    }
    this.working = false;
    if (!this.stopped) this.idle = setTimeout(() => this.worker.end(), this.options.idleMs);
  }

  /** Answers a question, and those of the same page that wait. */
  private async answer({ account, websiteId, page: pageKey }: Waiting): Promise<void> {
    const questions = new Map<number, Waiting>();
    for (const waiting of this.waiting.values())
      if (waiting.page === pageKey) questions.set(waiting.id, waiting);
    // Everyone who waited may have gone meanwhile.
    if (questions.size === 0) return;
    for (const waiting of questions.values()) this.waiting.remove(waiting);
    const { clock, turnMs } = this.options;
    const running = { page: ++this.lastId, account, startMs: clock.monotonicMs(), questions };
    this.running = running;
    const turn = setInterval(() => this.endLongTurn(running), turnMs / turnParts);
    const asked = Array.from(questions.values(), ({ id, question }) => ({ id, question }));
    try {
      const { failed } = await this.worker.ask(websiteId, running.page, asked, (reply) =>
        this.reply(running, reply),
      );
      // The others were left.
      for (const waiting of questions.values())
        if (failed === undefined) this.askAgain(waiting);
        else waiting.answer.reject(new Error(failed));
    } catch (error) {
      for (const { answer } of questions.values()) answer.reject(error);
    } finally {
      clearInterval(turn);
      this.waiting.endTurn(account, clock.monotonicMs() - running.startMs);
      this.running = undefined;
    }
  }

  private reply({ questions }: RunningPage, reply: QuestionReply): void {
    const waiting = questions.get(reply.id);
    if (waiting === undefined) return;
    questions.delete(reply.id);
    if (reply.disk?.code !== "ENOENT" || waiting.isAskedAgain) return settle(waiting, reply);
    waiting.isAskedAgain = true;
    this.askAgain(waiting);
  }

  /** Leaves a page that has had its turn, if it is another account's. A page is left once, so that it comes to its end. */
  private endLongTurn({ page, account, startMs, questions }: RunningPage): void {
    const { clock, turnMs } = this.options;
    const tookMs = clock.monotonicMs() - startMs;
    if (tookMs < turnMs || !this.waiting.isDue(account, tookMs)) return;
    if (questions.values().some(({ hadTurn }) => hadTurn)) return;
    for (const waiting of questions.values()) waiting.hadTurn = true;
    this.worker.cancel(page);
  }

  /** Queues a question once more, as the last of its account. An equal one may wait already. */
  private askAgain(waiting: Waiting): void {
    if (waiting.askers === 0) return;
    const known = this.waiting.find(waiting);
    if (known === undefined) return void this.waiting.add(waiting)?.answer.reject(tooMany());
    known.askers++;
    waiting.sharesWith = known;
    if (waiting.hadTurn) known.hadTurn = true;
    known.answer.promise.then(waiting.answer.resolve, waiting.answer.reject);
  }
}

function settle(waiting: Waiting, { answer, refused, damage, disk, failed }: QuestionReply): void {
  if (answer !== undefined) waiting.answer.resolve(answer);
  else if (damage !== undefined)
    waiting.answer.reject(new SnapshotDamage(damage.file, damage.offset, damage.what));
  else if (disk !== undefined) waiting.answer.reject(new DiskError(disk.operation, disk.path, disk.code));
  else if (refused !== undefined) waiting.answer.reject(new Refusal(refused.code, refused.message));
  else waiting.answer.reject(new Error(failed));
}
