/**
 * Questions about websites: about small ones answered at once, about large ones in a Worker, which is started by the
 * first of them and ends when nobody has asked for a while. There, questions wait in a queue: it is bounded, equal ones
 * are one, those of one page are answered together, and one that nobody waits for any more is left. A Worker that dies
 * is replaced and asked again.
 */
import type { Question } from "../core/query.ts";
import { Refusal } from "../core/refusal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { MemoryAccount } from "../lib/memory-account.ts";
import { scratch } from "../lib/scratch.ts";
import { pageKeyOf, QuestionPage } from "../query/answer.ts";
import { QueryCache } from "../query/cache.ts";
import { QueryContext } from "../query/context.ts";
import {
  answered,
  type Answer,
  type QueryReply,
  type QueryRequest,
  type QuestionReply,
} from "../query/query-worker.ts";
import type { FileEntry } from "../snapshot/manifest.ts";
import type { Chunk } from "../store/chunk.ts";
import type { Site } from "../store/site.ts";
import { SiteTeller, transferable, type SiteView } from "../store/site-view.ts";
import { WorkerDied, type QuestionPort } from "./question-port.ts";

/** Up to so many rows a website's questions take about a millisecond: less than it pays to ask another thread. */
export const smallRowsDefault = 300_000;
/** A dashboard asks about fifteen. */
const waitingMax = 256;
/** A Worker that nobody asked for so long gives its memory back. */
export const idleMsDefault = 10 * 60_000;
/**
 * A question that filters more rows than these waits a moment for the others of its page: a browser sends them within
 * milliseconds, and answering two pages takes tens of milliseconds more than answering one.
 */
const gatherRowsMin = 1_000_000;
const gatherMs = 2;
const discardedText = "a file of facts cannot be used and is made again";
const damagedText = "a file is damaged; questions that need it fail until it is restored from a backup";

export interface QuestionsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Questions about a website with more are answered in the Worker. */
  readonly smallRows: number;
  /** The Worker ends when nobody has asked for so long. */
  readonly idleMs: number;
  /** The budget of the cache for questions about small websites. */
  readonly cacheBytes: number;
  /** Of this thread. */
  readonly memory: MemoryAccount;
  readonly sites: ReadonlyMap<number, Site>;
  /** The file of a sealed chunk whose columns are not in memory. */
  readonly fileOf: (chunk: Chunk) => FileEntry;
  /** How many files of facts were made so far. */
  readonly factsMade: () => number;
  /** Hears of each file of facts that could not be used. */
  readonly onDiscarded: (file: string) => void;
  readonly openPort: (cancelled: Int32Array) => QuestionPort;
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
  /** In the order in which they came; those that are being answered are not among them. */
  private readonly waiting = new Map<string, Waiting>();
  private running: RunningPage | undefined;
  private lastId = 0;
  private port: QuestionPort | undefined;
  /** Knows, for each website, what the Worker was told. */
  private readonly tellers = new Map<number, SiteTeller>();
  private readonly cancelled = new Int32Array(new SharedArrayBuffer(4));
  private idle: Timer | undefined;
  private working = false;
  private forgetDue = false;
  private stopped = false;
  /** The cache for questions about small websites. */
  private readonly cache: QueryCache;

  constructor(private readonly options: QuestionsOptions) {
    this.cache = new QueryCache(options.cacheBytes, options.memory);
  }

  /**
   * `signal`: aborts when the asker has gone. Throws what the question throws, and Refusal 500 where too many wait or
   * nobody does any more.
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

  /** Forgets the websites that are gone, or were made anew, here and in the Worker. */
  forgetGone(): void {
    scratch.clear();
    if (this.port === undefined) return;
    this.forgetDue = true;
    void this.work();
  }

  stop(): void {
    this.stopped = true;
    for (const { answer } of [...this.waiting.values(), ...(this.running?.questions.values() ?? [])])
      answer.reject(stopping());
    this.waiting.clear();
    this.end();
  }

  private join(websiteId: number, question: Question): Waiting {
    if (this.stopped) throw stopping();
    // Now is the same for all who wait.
    const key = `${websiteId} ${JSON.stringify({ ...question, nowMs: 0 })}`;
    const known = this.waiting.get(key);
    if (known !== undefined) return known;
    if (this.waiting.size >= waitingMax)
      throw new Refusal(500, "too many questions wait for an answer: try again", 5);
    const id = ++this.lastId;
    const page = `${websiteId} ${pageKeyOf(question)}`;
    const answer = Promise.withResolvers<Answer>();
    const waiting = { id, key, websiteId, page, question, answer, askers: 0 };
    // Those who wait hear of it; there may be none.
    waiting.answer.promise.catch(() => {});
    this.waiting.set(key, waiting);
    void this.work();
    return waiting;
  }

  /** A page is cancelled once nobody waits for any of its questions. */
  private leave(waiting: Waiting): void {
    if (--waiting.askers > 0) return;
    const { running } = this;
    if (!running?.questions.has(waiting.id)) this.waiting.delete(waiting.key);
    else if (running.questions.values().every(({ askers }) => askers === 0))
      Atomics.store(this.cancelled, 0, running.page);
  }

  /** Goes on until there is nothing to do. Never rejects. */
  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    clearTimeout(this.idle);
    while (!this.stopped) {
      // The questions of a page come one after the other: those that have come by now are read first.
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = this.waiting.values();
      if (this.forgetDue) await this.forget();
      else if (next !== undefined) {
        if (this.waitsForOthers(next)) await new Promise((resolve) => setTimeout(resolve, gatherMs));
        await this.answer(next);
      } else break;
    }
    this.working = false;
    if (!this.stopped) this.idle = setTimeout(() => this.end(), this.options.idleMs);
  }

  /** Whether others of its page are worth waiting for. */
  private waitsForOthers({ question, websiteId }: Waiting): boolean {
    const rows = this.options.sites.get(websiteId)?.rows ?? 0;
    return question.filters.length > 0 && rows > gatherRowsMin;
  }

  /** Answers a question, and those of the same page that wait. */
  private async answer({ id: page, websiteId, page: pageKey }: Waiting): Promise<void> {
    const questions = new Map<number, Waiting>();
    for (const waiting of this.waiting.values())
      if (waiting.page === pageKey) questions.set(waiting.id, waiting);
    // Whoever waited may have gone meanwhile.
    if (questions.size === 0) return;
    for (const { key } of questions.values()) this.waiting.delete(key);
    this.running = { page, questions };
    const onReply = (reply: QuestionReply) => settle(questions.get(reply.id), reply);
    try {
      const { failed } = await this.send(() => {
        const site = this.options.sites.get(websiteId);
        if (site === undefined) throw removed();
        const asked = Array.from(questions.values(), ({ id, question }) => ({ id, question }));
        const factsMade = this.options.factsMade();
        return { kind: "ask", page, view: this.tell(site), factsMade, questions: asked };
      }, onReply);
      // What was answered is settled; nobody waits for the others, or the request failed.
      for (const { answer } of questions.values()) answer.reject(new Error(failed ?? "nobody waits"));
    } catch (error) {
      // A file that cannot be read ends the telling in its middle: the next question has everything told anew.
      this.tellers.delete(websiteId);
      for (const { answer } of questions.values()) answer.reject(error);
    } finally {
      this.running = undefined;
    }
  }

  private async forget(): Promise<void> {
    this.forgetDue = false;
    for (const [websiteId, { site }] of this.tellers)
      if (this.options.sites.get(websiteId) !== site) this.tellers.delete(websiteId);
    const request = { kind: "keep", websiteIds: [...this.tellers.keys()] } as const;
    const noQuestion = () => {};
    await this.send(() => request, noQuestion).catch((error) =>
      this.options.logger.error("the worker for questions failed", { error: String(error) }),
    );
  }

  /** Returns what is new of a website since the Worker was told last. */
  private tell(site: Site): SiteView {
    const known = this.tellers.get(site.websiteId);
    const teller = known?.site === site ? known : new SiteTeller(site);
    this.tellers.set(site.websiteId, teller);
    return teller.next(this.options.fileOf);
  }

  /** Rejects with what `request` throws, and with WorkerDied where a second Worker died too. */
  private async send(
    request: () => QueryRequest,
    onReply: (reply: QuestionReply) => void,
  ): Promise<QueryReply> {
    const { logger, openPort, onDiscarded } = this.options;
    for (let attempt = 1; ; attempt++) {
      this.port ??= openPort(this.cancelled);
      try {
        const made = request();
        const handedOver = "view" in made ? transferable(made.view) : [];
        const reply = await this.port.send(made, handedOver, onReply);
        for (const error of reply.damaged) logger.error(damagedText, { error });
        for (const { file, error } of reply.discarded) {
          logger.warn(discardedText, { error });
          onDiscarded(file);
        }
        return reply;
      } catch (error) {
        if (!(error instanceof WorkerDied) || this.stopped) throw error;
        this.end();
        logger.warn("the worker for questions died and is replaced", { error: error.message });
        if (attempt === 2) throw error;
      }
    }
  }

  private end(): void {
    clearTimeout(this.idle);
    this.port?.close();
    this.port = undefined;
    this.tellers.clear();
  }
}

function settle(waiting: Waiting | undefined, { answer, refused, failed }: QuestionReply): void {
  if (answer !== undefined) waiting?.answer.resolve(answer);
  else if (refused !== undefined) waiting?.answer.reject(new Refusal(refused.code, refused.message));
  else waiting?.answer.reject(new Error(failed));
}

function removed(): Refusal {
  return new Refusal(404, "the website was removed");
}

function nobodyWaits(): Refusal {
  return new Refusal(500, "nobody waits for the answer");
}

function stopping(): Refusal {
  return new Refusal(500, "the server is stopping");
}
