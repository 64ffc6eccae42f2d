/**
 * Answers questions away from the thread that takes hits. It sees websites through the mirrors that this thread
 * publishes to, and has a cache of its own. It handles one request after the other, in a Worker or, in tests, in the
 * same thread.
 */
import type { Question } from "../core/questions/query.ts";
import { Refusal } from "../core/refusal.ts";
import type { SiteWithFacts } from "../facts/facts.ts";
import { UnusableFacts } from "../facts/making/unusable.ts";
import type { Clock } from "../lib/clock.ts";
import { DiskError, type Disk } from "../lib/disk/disk.ts";
import { MemoryBudget } from "../lib/memory/memory-budget.ts";
import { scratch } from "../lib/memory/scratch.ts";
import type { FileEntry } from "../snapshot/manifest.ts";
import { MappedFiles } from "../snapshot/mapped-files.ts";
import type { Sections } from "../snapshot/named-sections.ts";
import type { DamagedFile } from "../snapshot/scrub.ts";
import { SnapshotDamage } from "../snapshot/section.ts";
import type { Columns } from "../store/columns/columns.ts";
import type { SiteDelta } from "../store/mirror/site-publisher.ts";
import { SiteMirror } from "../store/mirror/site-mirror.ts";
import type { ExportPiece } from "../query/export/lines.ts";
import { monthsIn } from "../store/state/months.ts";
import { QuestionPage } from "../query/answers/answer.ts";
import { csvOf } from "../query/answers/csv.ts";
import { headOf } from "../query/answers/csv-head.ts";
import { QueryCache } from "../query/cache/cache.ts";
import { copiedMaxOf } from "../query/quantiles/walked-quantiles.ts";
import { Cancelled, QueryContext, workText } from "../query/cache/context.ts";
import type { Answer } from "./answer.ts";
import { discardedFor, FactsFiles, type DiscardedFacts } from "./facts-files.ts";
import { keptAnswer } from "./kept-answers.ts";
import { Rehearsal } from "./rehearsal.ts";
import { Signals } from "./signals.ts";

/**
 * A question about many values makes garbage of their texts: hundreds of megabytes, until the runtime, which counts mapped
 * files as its own memory too, sees to it. So it is asked to every so often, which unmaps files that were dropped, too. It
 * has to at once where cache and scratch take half of the budget: that costs some milliseconds each time, and keeps what a
 * question takes within a small budget. Mapped files do not count: of a large folder they always fill the budget, and what
 * was collected at once for them was a fourth to two fifths of a new filter (100 million page views, 1 GiB).
 */
const collectMs = 100;

export interface QueryWorkerOptions {
  readonly folder: string;
  /** The budget for the cache, scratch memory and mapped files together, in bytes. */
  readonly memoryBytes: number;
  /** The cache's share of this budget, in bytes. */
  readonly cacheBytes: number;
  /** The memory of `Signals`. */
  readonly signals: Int32Array;
}

export interface AskedQuestion {
  readonly id: number;
  readonly question: Question;
}

export type QueryRequest =
  | {
      readonly kind: "ask";
      readonly page: number;
      readonly delta: SiteDelta;
      /** How many files of facts the server has made so far. */
      readonly factsMade: number;
      /** All questions belong to one page: see `QuestionPage`. */
      readonly questions: readonly AskedQuestion[];
    }
  /** Asks to forget every website that is not listed. */
  | { readonly kind: "keep"; readonly websiteIds: readonly number[] };

/** The answer to one question, or its error. A question for which nobody waits any more gets no reply. */
export interface QuestionReply {
  readonly id: number;
  readonly answer?: Answer;
  /** The Refusal, if the question was refused. */
  readonly refused?: Pick<Refusal, "code" | "message">;
  /** The damage that was found in a file that it needs. */
  readonly damage?: Pick<SnapshotDamage, "file" | "offset" | "what">;
  /** A failure of the disk. A file that is gone was replaced by a checkpoint: the next question finds its successor. */
  readonly disk?: Pick<DiskError, "operation" | "path" | "code">;
  /** The text of any other error, for the operator. */
  readonly failed?: string;
}

/** The reply to a request; it follows all replies to its questions. */
export interface QueryReply {
  /** The error if the request itself failed, for the operator. */
  readonly failed?: string;
  readonly damaged: readonly DamagedFile[];
  /** Facts files that could not be used, and why. */
  readonly discarded: readonly DiscardedFacts[];
}

/** Answers one question of a page, and measures the work. Throws what the question throws. */
export function answered(
  page: QuestionPage,
  question: Question,
  context: QueryContext,
  clock: Clock,
): Answer {
  context.beginQuestion();
  const startMs = clock.monotonicMs();
  const made = page.answer(question);
  const { bytes, ...rest } = made as Partial<ExportPiece>;
  const csv = question.asCsv ? csvOf(made, headOf(question)) : undefined;
  const json = csv === undefined ? JSON.stringify(bytes === undefined ? made : rest) : "";
  const ms = (clock.monotonicMs() - startMs).toFixed(2);
  const { isApproximate } = context;
  return {
    json,
    ...(bytes && { bytes }),
    ...(csv !== undefined && { csv }),
    isApproximate,
    reach: page.reach,
    timing: `answer;dur=${ms};desc="${workText(context)}"`,
  };
}

class WorkerSite extends SiteMirror implements SiteWithFacts {
  readonly facts: FactsFiles;

  constructor(websiteId: number, disk: Disk, folder: string, mapped: MappedFiles) {
    const reader = (file: FileEntry, columns: (sections: Sections) => Columns) =>
      mapped.sectionReader(file.name, columns, file);
    super(websiteId, reader, monthsIn(mapped));
    this.facts = new FactsFiles(disk, folder, mapped, this);
  }
}

export class QueryWorker {
  private readonly sites = new Map<number, WorkerSite>();
  private readonly memory: MemoryBudget;
  private readonly copiedMax: number;
  private readonly cache: QueryCache;
  private readonly signals: Signals;
  private readonly mapped: MappedFiles;
  private damaged: DamagedFile[] = [];
  private discarded: DiscardedFacts[] = [];
  /** When garbage was collected last. */
  private collectedMs = 0;
  private readonly rehearsal: Rehearsal;
  /** The website that was asked about last. */
  private newest: WorkerSite | undefined;

  constructor(
    private readonly disk: Disk,
    private readonly clock: Clock,
    private readonly options: QueryWorkerOptions,
    /** Gives back what is garbage: `now`, or soon, which costs next to nothing. */
    private readonly collect: (now: boolean) => void,
  ) {
    const { folder, memoryBytes, cacheBytes, signals } = options;
    const budget = (this.memory = new MemoryBudget(memoryBytes));
    this.copiedMax = copiedMaxOf(memoryBytes);
    this.cache = new QueryCache(cacheBytes, budget);
    this.rehearsal = new Rehearsal(clock);
    this.signals = new Signals(signals);
    const onDamage = ({ file, message: error }: SnapshotDamage) => this.damaged.push({ file, error });
    this.mapped = new MappedFiles({ disk, folder, budget, clock, onDamage });
  }

  /** Handles a request. `onReply` receives the reply to each question as soon as it is answered. */
  handle(request: QueryRequest, onReply: (reply: QuestionReply) => void): QueryReply {
    this.signals.requestWaits = false;
    let failed: string | undefined;
    this.memory.run(() => {
      try {
        if (request.kind === "ask") this.ask(request, onReply);
        else this.keep(new Set(request.websiteIds));
      } catch (error) {
        failed = textOf(error);
      }
    });
    const { damaged, discarded } = this;
    this.damaged = [];
    this.discarded = [];
    return { ...(failed !== undefined && { failed }), damaged, discarded };
  }

  /** Answers questions that nobody asked (rehearsal.ts), until somebody asks; returns whether there are more. */
  rehearse(): boolean {
    const { newest } = this;
    if (newest === undefined) return false;
    // A cache of its own, which goes with it, leaves that of the questions as it is.
    const cache = new QueryCache(this.options.cacheBytes);
    const context = new QueryContext(newest, cache, () => this.signals.requestWaits, this.copiedMax);
    try {
      return this.memory.run(() => this.rehearsal.next(context));
    } catch {
      // Somebody asks, or there is trouble: a question that meets it says so.
      return false;
    }
  }

  private ask(
    { page, delta, factsMade, questions }: QueryRequest & { kind: "ask" },
    onReply: (reply: QuestionReply) => void,
  ): void {
    const site = this.update(delta);
    site.facts.look(factsMade);
    this.newest = site;
    for (const { question } of questions) this.rehearsal.note(question);
    const cancelled = () => {
      this.collectNowAndThen();
      return this.signals.isCancelled(page);
    };
    const left = [...questions];
    while (left.length > 0) {
      try {
        this.answerAll(site, left, cancelled, onReply);
      } catch (error) {
        if (error instanceof Cancelled) return;
        if (!(error instanceof UnusableFacts)) throw error;
        // Asks the remaining questions again. Each round discards one file, so this ends.
        site.facts.discard(error.file);
        this.discarded.push(discardedFor(error));
      }
    }
    this.discarded.push(...site.facts.discardOutdated());
  }

  /** Answers questions, and removes each answered one from `left`. Throws UnusableFacts and Cancelled. */
  private answerAll(
    site: WorkerSite,
    left: AskedQuestion[],
    cancelled: () => boolean,
    onReply: (reply: QuestionReply) => void,
  ): void {
    const context = new QueryContext(site, this.cache, cancelled, this.copiedMax);
    const page = new QuestionPage(
      left.map(({ question }) => question),
      context,
    );
    for (let asked = left[0]; asked !== undefined; asked = left[0]) {
      onReply({ id: asked.id, ...this.outcome(site, page, asked.question, context) });
      left.shift();
      this.collectNowAndThen();
    }
  }

  private outcome(
    site: WorkerSite,
    page: QuestionPage,
    question: Question,
    context: QueryContext,
  ): Omit<QuestionReply, "id"> {
    try {
      const answer = () => answered(page, question, context, this.clock);
      return { answer: keptAnswer(this.cache, site, question, answer) };
    } catch (error) {
      if (error instanceof UnusableFacts || error instanceof Cancelled) throw error;
      if (error instanceof Refusal) return { refused: { code: error.code, message: error.message } };
      if (error instanceof SnapshotDamage) {
        const { file, offset, what } = error;
        return { damage: { file, offset, what } };
      }
      if (!(error instanceof DiskError)) return { failed: textOf(error) };
      const { operation, path, code } = error;
      return { disk: { operation, path, code } };
    }
  }

  private collectNowAndThen(): void {
    if (this.clock.monotonicMs() - this.collectedMs < collectMs) return;
    const { ownBytes, bytesMax } = this.memory;
    this.collect(ownBytes > bytesMax / 2);
    this.collectedMs = this.clock.monotonicMs();
  }

  private update(delta: SiteDelta): WorkerSite {
    const { disk, mapped, options } = this;
    const { websiteId, fresh } = delta;
    const known = fresh ? undefined : this.sites.get(websiteId);
    const site = known ?? new WorkerSite(websiteId, disk, options.folder, mapped);
    this.sites.set(websiteId, site);
    site.update(delta);
    return site;
  }

  private keep(websiteIds: ReadonlySet<number>): void {
    this.newest = undefined;
    for (const websiteId of this.sites.keys()) if (!websiteIds.has(websiteId)) this.sites.delete(websiteId);
    const names = [...this.sites.values()].flatMap(({ files, reduced, facts }) => [
      ...Array.from(files.values(), ({ name }) => name),
      ...Array.from(reduced.values(), ({ file }) => file.name),
      ...facts.names,
    ]);
    this.mapped.keepOnly(new Set(names));
    scratch.clear();
    // A file that is mapped keeps its place on the disk.
    this.collect(true);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
