/**
 * The Worker that answers questions about large websites, as the server's own thread sees it. The first question starts
 * it; with each it is told what is new of the website. A Worker that dies is replaced and asked again.
 */
import { Refusal } from "../core/refusal.ts";
import type { Logger } from "../lib/log.ts";
import type { AskedQuestion, QueryReply, QueryRequest, QuestionReply } from "./query-worker.ts";
import type { FileEntry } from "../snapshot/manifest.ts";
import type { Chunk } from "../store/columns/chunk.ts";
import type { Site } from "../store/state/site.ts";
import { SitePublisher, transferable, type SiteDelta } from "../store/mirror/site-publisher.ts";
import { WorkerDied, type QuestionPort } from "./port.ts";

const discardedText = "a file of facts cannot be used and is made again";
const damagedText = "a file is damaged; questions that need it fail until it is restored from a backup";

export interface QueryWorkerClientOptions {
  readonly logger: Logger;
  readonly sites: ReadonlyMap<number, Site>;
  /** The file of a sealed chunk whose columns are not in memory. */
  readonly fileOf: (chunk: Chunk) => FileEntry;
  /** How many files of facts were made so far. */
  readonly factsMade: () => number;
  /** Hears of each file of facts that could not be used. */
  readonly onDiscarded: (file: string) => void;
  readonly openPort: (cancelled: Int32Array) => QuestionPort;
}

export class QueryWorkerClient {
  private port: QuestionPort | undefined;
  /** Knows, for each website, what the Worker was told. */
  private readonly publishers = new Map<number, SitePublisher>();
  private readonly cancelled = new Int32Array(new SharedArrayBuffer(4));
  private stopped = false;

  constructor(private readonly options: QueryWorkerClientOptions) {}

  get runs(): boolean {
    return this.port !== undefined;
  }

  /**
   * Asks the questions of one page, numbered `page`; `onReply` hears of each as soon as it is answered. Rejects with
   * Refusal 404 where the website is gone, and with WorkerDied where a second Worker died too.
   */
  async ask(
    websiteId: number,
    page: number,
    questions: readonly AskedQuestion[],
    onReply: (reply: QuestionReply) => void,
  ): Promise<QueryReply> {
    try {
      return await this.send(() => {
        const site = this.options.sites.get(websiteId);
        if (site === undefined) throw removed();
        const factsMade = this.options.factsMade();
        return { kind: "ask", page, view: this.publish(site), factsMade, questions };
      }, onReply);
    } catch (error) {
      // A file that cannot be read ends publishing in its middle: for the next question everything is published anew.
      this.publishers.delete(websiteId);
      throw error;
    }
  }

  /** Nobody waits for the page any more. */
  cancel(page: number): void {
    Atomics.store(this.cancelled, 0, page);
  }

  /** Has the Worker forget the websites that are gone, or were made anew. Never rejects. */
  async forgetGone(): Promise<void> {
    for (const [websiteId, { site }] of this.publishers)
      if (this.options.sites.get(websiteId) !== site) this.publishers.delete(websiteId);
    const request = { kind: "keep", websiteIds: [...this.publishers.keys()] } as const;
    const noQuestion = () => {};
    await this.send(() => request, noQuestion).catch((error) =>
      this.options.logger.error("the worker for questions failed", { error: String(error) }),
    );
  }

  /** Ends the Worker; the next question starts another. */
  end(): void {
    this.port?.close();
    this.port = undefined;
    this.publishers.clear();
  }

  stop(): void {
    this.stopped = true;
    this.end();
  }

  /** Returns what is new of a website since the Worker was told last. */
  private publish(site: Site): SiteDelta {
    const known = this.publishers.get(site.websiteId);
    const publisher = known?.site === site ? known : new SitePublisher(site);
    this.publishers.set(site.websiteId, publisher);
    return publisher.next(this.options.fileOf);
  }

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
}

export function removed(): Refusal {
  return new Refusal(404, "the website was removed");
}
