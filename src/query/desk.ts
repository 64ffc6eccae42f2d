/**
 * Where questions are answered away from the thread that takes hits: websites as that one shows them, and what earlier
 * answers left. One request after the other. The same desk stands in a Worker or in this thread.
 */
import type { Question } from "../core/query.ts";
import { Refusal } from "../core/refusal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Disk } from "../lib/disk.ts";
import { MemoryAccount } from "../lib/memory-account.ts";
import { scratch } from "../lib/scratch.ts";
import { MappedFiles } from "../snapshot/mapped-files.ts";
import type { Chunk } from "../store/chunk.ts";
import type { ReadSite } from "../store/read-site.ts";
import { viewColumns } from "../store/save-chunk.ts";
import type { SiteView } from "../store/site-view.ts";
import { ViewedSite } from "../store/viewed-site.ts";
import { AggregateFiles } from "./aggregate-files.ts";
import { answerQuestion } from "./answer.ts";
import { Derived } from "./derived.ts";
import { Cancelled, Work } from "./work.ts";

export interface DeskOptions {
  readonly folder: string;
  /** Of what questions leave to the next, scratch and mapped files together. */
  readonly memoryBytes: number;
  /** Of it, for what questions leave to the next. */
  readonly derivedBytes: number;
  /** One number of shared memory: the question that nobody waits for any more. */
  readonly cancelled: Int32Array;
}

export type DeskRequest =
  | { readonly kind: "ask"; readonly id: number; readonly view: SiteView; readonly question: Question }
  /** To make a part of the aggregates that are missing. */
  | { readonly kind: "aggregate"; readonly view: SiteView }
  /** Of all other websites nothing may be kept. */
  | { readonly kind: "keep"; readonly websiteIds: readonly number[] };

/** An answer: JSON, and what it took, for `Server-Timing`. */
export interface Answer {
  readonly json: string;
  readonly timing: string;
}

export interface DeskReply {
  readonly answer?: Answer;
  /** There may be more aggregates to make. */
  readonly more?: boolean;
  /** A Refusal. */
  readonly refused?: Pick<Refusal, "code" | "message">;
  /** Any other error; for the operator. */
  readonly failed?: string;
  /** Files that were found to be damaged, and why. */
  readonly damaged: readonly string[];
  /** Files of aggregates that were; they are made again. */
  readonly discarded: readonly string[];
}

/** `site`: the website itself, or a view of it. Throws what the question throws. */
export function answered(site: ReadSite, question: Question, work: Work, clock: Clock): Answer {
  const startMs = clock.monotonicMs();
  const json = JSON.stringify(answerQuestion(site, question, work));
  const ms = (clock.monotonicMs() - startMs).toFixed(2);
  return { json, timing: `answer;dur=${ms};desc="${work.description()}"` };
}

interface DeskSite {
  readonly site: ViewedSite;
  readonly aggregates: AggregateFiles;
}

export class Desk {
  private readonly sites = new Map<number, DeskSite>();
  private readonly memory: MemoryAccount;
  private readonly derived: Derived;
  private readonly mapped: MappedFiles;
  private damaged: string[] = [];
  private discarded: string[] = [];

  constructor(
    private readonly disk: Disk,
    private readonly clock: Clock,
    private readonly options: DeskOptions,
    /** Gives back what is garbage. */
    private readonly collect: () => void,
  ) {
    const { folder, memoryBytes, derivedBytes } = options;
    const account = (this.memory = new MemoryAccount(memoryBytes));
    this.derived = new Derived(derivedBytes, account);
    const onDamage = ({ message }: Error) => this.damaged.push(message);
    const release = { bytes: (memoryBytes - derivedBytes) / 2, collect };
    this.mapped = new MappedFiles({ disk, folder, account, onDamage, release });
  }

  handle(request: DeskRequest): DeskReply {
    const reply = this.memory.run(() => this.outcome(request));
    const { damaged, discarded } = this;
    this.damaged = [];
    this.discarded = [];
    return { ...reply, damaged, discarded };
  }

  private outcome(request: DeskRequest): Omit<DeskReply, "damaged" | "discarded"> {
    try {
      if (request.kind === "ask") return { answer: this.ask(request) };
      if (request.kind === "aggregate") return { more: this.aggregate(request.view) };
      this.keep(new Set(request.websiteIds));
      return {};
    } catch (error) {
      if (error instanceof Refusal) return { refused: { code: error.code, message: error.message } };
      if (error instanceof Cancelled) return {};
      return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  }

  private ask({ id, view, question }: DeskRequest & { kind: "ask" }): Answer {
    const seen = this.see(view);
    const cancelled = () => Atomics.load(this.options.cancelled, 0) === id;
    return this.withoutDamaged(seen, () =>
      answered(seen.site, question, new Work(this.derived, cancelled), this.clock),
    );
  }

  private aggregate(view: SiteView): boolean {
    const seen = this.see(view);
    const more = this.withoutDamaged(seen, () => seen.aggregates.step());
    // What making them took would stay until the next questions need as much.
    if (!more) this.collect();
    return more;
  }

  /** Again, as often as a file of aggregates turns out to be damaged: each time there is one less. */
  private withoutDamaged<T>({ aggregates }: DeskSite, call: () => T): T {
    for (;;) {
      try {
        return call();
      } catch (error) {
        const path = aggregates.damagedBy(error);
        if (path === undefined) throw error;
        aggregates.discard(path);
        this.discarded.push(String(error));
      }
    }
  }

  private see(view: SiteView): DeskSite {
    const { websiteId, fresh } = view;
    const known = fresh ? undefined : this.sites.get(websiteId);
    const seen = known ?? this.newSite(websiteId);
    this.sites.set(websiteId, seen);
    seen.site.see(view);
    return seen;
  }

  private newSite(websiteId: number): DeskSite {
    const { disk, clock, mapped, options } = this;
    const site = new ViewedSite(websiteId, (file) => mapped.reader(file, viewColumns));
    // What questions left of it has served its time.
    const onMade = (chunk: Chunk) => this.derived.drop(chunk);
    const aggregates = new AggregateFiles(disk, clock, options.folder, mapped, site, onMade);
    site.aggregates = aggregates;
    return { site, aggregates };
  }

  private keep(websiteIds: ReadonlySet<number>): void {
    for (const [websiteId, { aggregates }] of this.sites) {
      if (websiteIds.has(websiteId)) continue;
      this.sites.delete(websiteId);
      for (const path of aggregates.names) aggregates.discard(path);
    }
    const names = [...this.sites.values()].flatMap(({ site, aggregates }) => [
      ...Array.from(site.files.values(), ({ name }) => name),
      ...aggregates.names,
    ]);
    this.mapped.keepOnly(new Set(names));
    scratch.clear();
    // A file that is mapped keeps its place on the disk.
    this.collect();
  }
}
