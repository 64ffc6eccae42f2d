/**
 * Where questions are answered away from the thread that takes hits: websites as that one shows them, and what earlier
 * answers left. One request after the other. The same desk stands in a Worker or in this thread.
 */
import type { Question } from "../core/query.ts";
import { Refusal } from "../core/refusal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Disk } from "../lib/disk.ts";
import { MappedFiles } from "../snapshot/mapped-files.ts";
import type { ReadSite } from "../store/read-site.ts";
import { viewColumns } from "../store/save-chunk.ts";
import type { SiteView } from "../store/site-view.ts";
import { ViewedSite } from "../store/viewed-site.ts";
import { answerQuestion } from "./answer.ts";
import { Derived } from "./derived.ts";
import { Cancelled, Work } from "./work.ts";

export interface DeskOptions {
  readonly folder: string;
  /** Of mapped files together. */
  readonly mappedBytes: number;
  /** For what questions leave to the next. */
  readonly derivedBytes: number;
  /** One number of shared memory: the question that nobody waits for any more. */
  readonly cancelled: Int32Array;
}

export type DeskRequest =
  | { readonly kind: "ask"; readonly id: number; readonly view: SiteView; readonly question: Question }
  /** Of all other websites nothing may be kept. */
  | { readonly kind: "keep"; readonly websiteIds: readonly number[] };

/** An answer: JSON, and what it took, for `Server-Timing`. */
export interface Answer {
  readonly json: string;
  readonly timing: string;
}

export interface DeskReply {
  readonly answer?: Answer;
  /** A Refusal. */
  readonly refused?: Pick<Refusal, "code" | "message">;
  /** Any other error; for the operator. */
  readonly failed?: string;
  /** Files that were found to be damaged. */
  readonly damaged: readonly string[];
}

/** `site`: the website itself, or a view of it. Throws what the question throws. */
export function answered(site: ReadSite, question: Question, work: Work, clock: Clock): Answer {
  const startMs = clock.monotonicMs();
  const json = JSON.stringify(answerQuestion(site, question, work));
  const ms = (clock.monotonicMs() - startMs).toFixed(2);
  return { json, timing: `answer;dur=${ms};desc="${work.description()}"` };
}

export class Desk {
  private readonly sites = new Map<number, ViewedSite>();
  private readonly derived: Derived;
  private readonly mapped: MappedFiles;
  private damaged: string[] = [];

  constructor(
    disk: Disk,
    private readonly clock: Clock,
    private readonly options: DeskOptions,
  ) {
    const { folder, mappedBytes, derivedBytes } = options;
    this.derived = new Derived(derivedBytes);
    const onDamage = ({ message }: Error) => this.damaged.push(message);
    this.mapped = new MappedFiles({ disk, folder, bytesMax: mappedBytes, onDamage });
  }

  handle(request: DeskRequest): DeskReply {
    const reply = this.outcome(request);
    const { damaged } = this;
    this.damaged = [];
    return { ...reply, damaged };
  }

  private outcome(request: DeskRequest): Omit<DeskReply, "damaged"> {
    try {
      if (request.kind === "ask") return { answer: this.ask(request) };
      this.keep(new Set(request.websiteIds));
      return {};
    } catch (error) {
      if (error instanceof Refusal) return { refused: { code: error.code, message: error.message } };
      if (error instanceof Cancelled) return {};
      return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  }

  private ask({ id, view, question }: DeskRequest & { kind: "ask" }): Answer {
    const site = this.see(view);
    const work = new Work(this.derived, () => Atomics.load(this.options.cancelled, 0) === id);
    return answered(site, question, work, this.clock);
  }

  private see(view: SiteView): ViewedSite {
    const { websiteId, fresh } = view;
    const known = fresh ? undefined : this.sites.get(websiteId);
    const site = known ?? new ViewedSite(websiteId, (file) => this.mapped.reader(file, viewColumns));
    this.sites.set(websiteId, site);
    site.see(view);
    return site;
  }

  private keep(websiteIds: ReadonlySet<number>): void {
    for (const websiteId of this.sites.keys()) if (!websiteIds.has(websiteId)) this.sites.delete(websiteId);
    const files = this.sites.values().flatMap(({ files }) => files.values());
    this.mapped.keepOnly(new Set(files.map(({ name }) => name)));
  }
}
