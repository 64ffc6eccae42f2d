/**
 * The server's side of the Worker that answers questions about large websites. The first question starts it, and each
 * question first publishes the website's changes to it. A Worker that dies is replaced, and the request is sent again.
 */
import { Refusal } from "../core/refusal.ts";
import type { Logger } from "../lib/log.ts";
import { WorkerDied } from "../lib/threads/worker.ts";
import type { DiscardedFacts } from "./facts-files.ts";
import type { AskedQuestion, QueryReply, QueryRequest, QuestionReply } from "./query-worker.ts";
import type { FileEntry } from "../snapshot/manifest.ts";
import type { Chunk } from "../store/chunks/chunk.ts";
import type { Site } from "../store/state/site.ts";
import { SitePublisher, transferable, type SiteDelta } from "../store/mirror/site-publisher.ts";
import { Signals } from "./signals.ts";
import type { QuestionPort } from "./worker-port.ts";

const discardedText = "files of precomputed sums cannot be used and are made again";
const outdatedText = "files of precomputed sums of another version are made again";
const damagedText = "a file is damaged; questions that need it fail until it is restored from a backup";

export interface QueryWorkerClientOptions {
  readonly logger: Logger;
  readonly sites: ReadonlyMap<number, Site>;
  /** Returns the file of a sealed chunk whose columns are not in memory. */
  readonly fileOf: (chunk: Chunk) => FileEntry;
  /** Returns how many files of facts were made so far. */
  readonly factsMade: () => number;
  /** Receives each file of facts that could not be used. */
  readonly onDiscarded: (file: string) => void;
  /** Receives the name of each file that was found to be damaged. */
  readonly onDamaged: (file: string) => void;
  readonly openPort: (signals: Int32Array) => QuestionPort;
}

export class QueryWorkerClient {
  private port: QuestionPort | undefined;
  /** By website: knows what was published to the Worker. */
  private readonly publishers = new Map<number, SitePublisher>();
  private readonly signals = new Signals();
  private stopped = false;

  constructor(private readonly options: QueryWorkerClientOptions) {}

  get runs(): boolean {
    return this.port !== undefined;
  }

  /**
   * Asks the questions of one page, numbered `page`; `onReply` receives the reply to each as soon as it is answered.
   * Rejects with Refusal 404 if the website is gone, and with WorkerDied if a second Worker died too.
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
        return { kind: "ask", page, delta: this.publish(site), factsMade, questions };
      }, onReply);
    } catch (error) {
      // A file that cannot be read interrupts publishing: the next question publishes everything again.
      this.publishers.delete(websiteId);
      throw error;
    }
  }

  /** Tells the Worker that nobody waits for the page any more. */
  cancel(page: number): void {
    this.signals.cancel(page);
  }

  /** Makes the Worker forget the websites that were removed or replaced. Never rejects. */
  async forgetGone(): Promise<void> {
    for (const [websiteId, { site }] of this.publishers)
      if (this.options.sites.get(websiteId) !== site) this.publishers.delete(websiteId);
    const request = { kind: "keep", websiteIds: [...this.publishers.keys()] } as const;
    const noQuestion = () => {};
    await this.send(() => request, noQuestion).catch((error) => {
      // A stop ends the thread, whatever it was asked.
      if (!this.stopped)
        this.options.logger.error("the thread that answers questions failed", { error: String(error) });
    });
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

  /** Returns the changes of a website since it was last published to the Worker. */
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
    const { logger, openPort, onDamaged, onDiscarded } = this.options;
    for (let attempt = 1; ; attempt++) {
      this.port ??= openPort(this.signals.memory);
      try {
        const made = request();
        const handedOver = "delta" in made ? transferable(made.delta) : [];
        this.signals.requestWaits = true;
        const reply = await this.port.send(made, handedOver, onReply);
        for (const { file, error } of reply.damaged) {
          logger.error(damagedText, { error });
          onDamaged(file);
        }
        tellDiscarded(logger, reply.discarded);
        for (const { file } of reply.discarded) onDiscarded(file);
        return reply;
      } catch (error) {
        if (!(error instanceof WorkerDied) || this.stopped) throw error;
        this.end();
        logger.warn("the thread that answers questions ended unexpectedly and is restarted", {
          error: error.message,
        });
        if (attempt === 2) throw error;
      }
    }
  }
}

/** Tells of files that are made again: those that an upgrade leaves need nobody. */
function tellDiscarded(logger: Logger, files: readonly DiscardedFacts[]): void {
  const [outdated, unusable] = [
    files.filter((file) => file.isOfOtherVersion),
    files.filter((file) => !file.isOfOtherVersion),
  ];
  if (outdated.length > 0) logger.info(outdatedText, { files: outdated.length, first: outdated[0]!.error });
  if (unusable.length > 0) logger.warn(discardedText, { files: unusable.length, first: unusable[0]!.error });
}

export function removed(): Refusal {
  return new Refusal(404, "the website was removed");
}
