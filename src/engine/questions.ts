/**
 * Questions about websites: of small ones answered at once, of large ones by a desk in a Worker, which is started by the
 * first of them and ends when nobody has asked for a while. There, questions wait in a line: it is bounded, equal ones
 * are one, and one that nobody waits for any more is left. A desk that dies is replaced and asked again.
 */
import type { Question } from "../core/query.ts";
import { Refusal } from "../core/refusal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { MemoryAccount } from "../lib/memory-account.ts";
import { scratch } from "../lib/scratch.ts";
import { Derived } from "../query/derived.ts";
import { answered, type Answer, type DeskReply, type DeskRequest } from "../query/desk.ts";
import { Work } from "../query/work.ts";
import type { FileEntry } from "../snapshot/manifest.ts";
import type { Chunk } from "../store/chunk.ts";
import type { Site } from "../store/site.ts";
import { SiteTeller, transferable, type SiteView } from "../store/site-view.ts";
import { DeskDied, type QuestionPort } from "./question-port.ts";

/** Up to so many rows a website's questions take about a millisecond: less than it pays to ask another thread. */
export const smallRowsDefault = 300_000;
/** A dashboard asks about fifteen. */
const waitingMax = 256;
/** A desk that nobody asked for so long gives its memory back. */
export const idleMsDefault = 10 * 60_000;
/** As `filedChunks` says it. */
const noChunks = "0 0";
const discardedText = "a file of aggregates is damaged and is made again";
const damagedText = "a file is damaged; questions that need it fail until it is restored from a backup";

export interface QuestionsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A website with more is asked at the desk. */
  readonly smallRows: number;
  /** The desk ends when nobody has asked for so long. */
  readonly idleMs: number;
  /** For what questions about small websites leave to the next. */
  readonly derivedBytes: number;
  /** Of this thread. */
  readonly memory: MemoryAccount;
  readonly sites: ReadonlyMap<number, Site>;
  /** The file of a sealed chunk whose columns are not in memory. */
  readonly fileOf: (chunk: Chunk) => FileEntry;
  readonly openPort: (cancelled: Int32Array) => QuestionPort;
}

interface Waiting {
  readonly id: number;
  readonly key: string;
  readonly websiteId: number;
  readonly question: Question;
  readonly answer: PromiseWithResolvers<Answer>;
  askers: number;
}

export class Questions {
  /** In the order in which they came; the one that is being answered is not among them. */
  private readonly waiting = new Map<string, Waiting>();
  private running: Waiting | undefined;
  private lastId = 0;
  private port: QuestionPort | undefined;
  /** What the desk was told of each website. */
  private readonly tellers = new Map<number, SiteTeller>();
  private readonly cancelled = new Int32Array(new SharedArrayBuffer(4));
  private idle: Timer | undefined;
  private working = false;
  private forgetDue = false;
  /** Large websites of which aggregates may be missing. */
  private readonly incomplete = new Set<number>();
  /** Which chunks a website had in files when none were. */
  private readonly complete = new WeakMap<Site, string>();
  private stopped = false;

  /** What questions about small websites left. */
  private readonly derived: Derived;

  constructor(private readonly options: QuestionsOptions) {
    this.derived = new Derived(options.derivedBytes, options.memory);
  }

  /**
   * `signal`: aborts when the asker has gone. Throws what the question throws, and Refusal 500 where too many wait or
   * nobody does any more.
   */
  async ask(websiteId: number, question: Question, signal?: AbortSignal): Promise<Answer> {
    const { sites, smallRows, memory, clock } = this.options;
    const site = sites.get(websiteId);
    if (site === undefined) throw removed();
    if (rowsOf(site) <= smallRows)
      return memory.run(() => answered(site, question, new Work(this.derived), clock));
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

  /** Has the aggregates made that are missing, while nobody asks: to be called when chunks have gone into files. */
  aggregateAll(): void {
    for (const site of this.options.sites.values()) this.noteIncomplete(site);
    if (this.incomplete.size > 0) void this.work();
  }

  /** Forgets the websites that are gone, or were made anew, here and at the desk. */
  forgetGone(): void {
    scratch.clear();
    if (this.port === undefined) return;
    this.forgetDue = true;
    void this.work();
  }

  stop(): void {
    this.stopped = true;
    for (const { answer } of [...this.waiting.values(), ...(this.running ? [this.running] : [])])
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
    const waiting = { id, key, websiteId, question, answer: Promise.withResolvers<Answer>(), askers: 0 };
    // Those who wait hear of it; there may be none.
    waiting.answer.promise.catch(() => {});
    this.waiting.set(key, waiting);
    void this.work();
    return waiting;
  }

  private leave(waiting: Waiting): void {
    if (--waiting.askers > 0) return;
    if (this.running === waiting) Atomics.store(this.cancelled, 0, waiting.id);
    else this.waiting.delete(waiting.key);
  }

  /** Until there is nothing to do. Never rejects. */
  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    clearTimeout(this.idle);
    while (!this.stopped) {
      // What comes in one go is told as one.
      await Promise.resolve();
      const [next] = this.waiting.values();
      const [incomplete] = this.incomplete;
      if (this.forgetDue) await this.forget();
      else if (next !== undefined) await this.answer(next);
      else if (incomplete !== undefined) await this.aggregate(incomplete);
      else break;
    }
    this.working = false;
    if (!this.stopped) this.idle = setTimeout(() => this.end(), this.options.idleMs);
  }

  private async answer(waiting: Waiting): Promise<void> {
    const { id, key, websiteId, question, answer } = waiting;
    this.waiting.delete(key);
    this.running = waiting;
    try {
      const reply = await this.send(() => {
        const site = this.options.sites.get(websiteId);
        if (site === undefined) throw removed();
        return { kind: "ask", id, view: this.tell(site), question };
      });
      const site = this.options.sites.get(websiteId);
      if (site !== undefined && reply.discarded.length > 0) this.complete.delete(site);
      if (site !== undefined) this.noteIncomplete(site);
      const { refused, failed } = reply;
      if (reply.answer !== undefined) answer.resolve(reply.answer);
      else if (refused !== undefined) answer.reject(new Refusal(refused.code, refused.message));
      else answer.reject(new Error(failed));
    } catch (error) {
      answer.reject(error);
    } finally {
      this.running = undefined;
    }
  }

  private noteIncomplete(site: Site): void {
    if (rowsOf(site) > this.options.smallRows && (this.complete.get(site) ?? noChunks) !== filedChunks(site))
      this.incomplete.add(site.websiteId);
  }

  /** One step. What is missing in the end, for a disk or a file that failed, is asked of the rows. */
  private async aggregate(websiteId: number): Promise<void> {
    const site = this.options.sites.get(websiteId);
    this.incomplete.delete(websiteId);
    if (site === undefined) return;
    const chunks = filedChunks(site);
    try {
      const { more, failed } = await this.send(() => ({ kind: "aggregate", view: this.tell(site) }));
      if (failed !== undefined) this.options.logger.warn("aggregates could not be made", { error: failed });
      else if (more) this.incomplete.add(websiteId);
      else this.complete.set(site, chunks);
    } catch (error) {
      if (!this.stopped) this.options.logger.warn("aggregates could not be made", { error: String(error) });
    }
  }

  private async forget(): Promise<void> {
    this.forgetDue = false;
    for (const [websiteId, { site }] of this.tellers)
      if (this.options.sites.get(websiteId) !== site) this.tellers.delete(websiteId);
    const request = { kind: "keep", websiteIds: [...this.tellers.keys()] } as const;
    await this.send(() => request).catch((error) =>
      this.options.logger.error("the worker for questions failed", { error: String(error) }),
    );
  }

  /** What is new of a website since the desk was told last. */
  private tell(site: Site): SiteView {
    const known = this.tellers.get(site.websiteId);
    const teller = known?.site === site ? known : new SiteTeller(site);
    this.tellers.set(site.websiteId, teller);
    return teller.next(this.options.fileOf);
  }

  /** Rejects with what `request` throws, and with DeskDied where a second desk died too. */
  private async send(request: () => DeskRequest): Promise<DeskReply> {
    const { logger, openPort } = this.options;
    for (let attempt = 1; ; attempt++) {
      this.port ??= openPort(this.cancelled);
      try {
        const made = request();
        const reply = await this.port.send(made, "view" in made ? transferable(made.view) : []);
        for (const error of reply.damaged) logger.error(damagedText, { error });
        for (const error of reply.discarded) logger.warn(discardedText, { error });
        return reply;
      } catch (error) {
        if (!(error instanceof DeskDied) || this.stopped) throw error;
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

function rowsOf(site: Site): number {
  let sum = 0;
  for (const { rows } of site.chunks.values()) sum += rows;
  return sum;
}

/** How many are in files of their own, and the sum of their numbers: only less are left of them, or greater ones come. */
function filedChunks(site: Site): string {
  let [count, sum] = [0, 0];
  for (const { number, resident, origin } of site.chunks.values()) {
    if (resident || origin !== undefined) continue;
    count++;
    sum += number;
  }
  return `${count} ${sum}`;
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
