/**
 * Imports an access log into the statistics of a website. Lines are read, judged, and sent as batches. Each batch is
 * committed whole, with the position and the digest of its lines. So a file that comes again, has grown, or was
 * interrupted adds only what is new.
 *
 * A last line without a line feed may still be growing: it is left for the next time.
 *
 * Page views of a website with visits wait until their visit is over, so that a batch lacks those of visits that
 * go on at its position. Which these are follows from the lines before: an import that was interrupted finds them again.
 */
import type { Collector, PastView } from "../../collect/fact.ts";
import { dimensionIndex } from "../../core/stored-dimension.ts";
import { bareHost } from "../../core/referrer.ts";
import { Refusal } from "../../core/refusal.ts";
import type { PastLoad } from "../../record/record.ts";
import type { Control, ImportState } from "../control.ts";
import { parseLine, type LogLine } from "./line.ts";
import { Lines } from "./lines.ts";
import { whyNoPageView } from "./page-view.ts";
import { PastVisits } from "./past-visits.ts";
import { Visitors } from "./visitors.ts";

/** The reasons why a line adds no page view, in the words of the report. */
export const leftOutReasons = {
  imported: "already imported",
  unreadable: "not in the combined log format",
  method: "not a GET request",
  status: "answered with an error or a redirect",
  asset: "for a file that is no page",
  future: "from the future",
  expired: "older than what is kept",
  host: "for another host",
  crawler: "from a crawler",
  referrer_spam: "with a spam referrer",
  unfinished: "without a line feed at the end: not complete yet",
} as const;
export type LeftOut = keyof typeof leftOutReasons;

export interface ImportReport {
  readonly lines: number;
  readonly taken: number;
  /** The number of lines by reason; `lines` is the sum of `taken` and all of these. */
  readonly leftOut: Readonly<Record<LeftOut, number>>;
}

/** Returns the reports of several files as one. */
export function summed(reports: readonly ImportReport[]): ImportReport {
  const sumOf = (figure: (report: ImportReport) => number) =>
    reports.reduce((sum, report) => sum + figure(report), 0);
  const reasons = Object.keys(leftOutReasons) as LeftOut[];
  return {
    lines: sumOf(({ lines }) => lines),
    taken: sumOf(({ taken }) => taken),
    leftOut: Object.fromEntries(
      reasons.map((reason) => [reason, sumOf(({ leftOut }) => leftOut[reason])]),
    ) as ImportReport["leftOut"],
  };
}

/** A batch is sent when it has this many page views, or after this many bytes of text with what it has. */
const batchViews = 1_000;
const batchBytes = 1024 * 1024;

const noneLeftOut = Object.fromEntries(Object.keys(leftOutReasons).map((reason) => [reason, 0]));

export interface ImportOptions {
  readonly control: Pick<Control, "importState" | "importBatch">;
  readonly collector: Collector;
  readonly hostname: string;
  /** The clock's time; later lines are from the future. */
  readonly nowMs: number;
  /** Those of files that were read before. */
  readonly visitors?: Visitors;
}

export class LogImport {
  private readonly lines = new Lines();
  private readonly visitors: Visitors;
  private readonly visits = new PastVisits();
  private readonly leftOut = { ...noneLeftOut } as Record<LeftOut, number>;
  private count = 0;
  private taken = 0;
  private batch: PastLoad[] = [];
  /** The position at which the batch begins. */
  private batchPosition = 0;
  /** Whether page views waited when the last batch was sent. */
  private isPartial = false;
  private state: ImportState | undefined;
  /** SHA-256 of the first line. */
  private file = "";
  /** Whether the part that was imported before is known to be the same. */
  private verified = false;

  constructor(private readonly options: ImportOptions) {
    this.visitors = options.visitors ?? new Visitors();
  }

  /** Reads and sends everything; `onChunk` is called after each chunk. Throws Refusal for a file that changed. */
  async run(
    chunks: AsyncIterable<Uint8Array>,
    onChunk: (report: ImportReport) => void,
  ): Promise<ImportReport> {
    for await (const chunk of chunks) {
      for (const text of this.lines.of(chunk)) {
        this.state ??= await this.begin();
        this.line(text, this.state);
        if (this.batchIsDue()) await this.send(this.state);
      }
      onChunk(this.report());
    }
    const { state } = this;
    if (state !== undefined && this.lines.position < state.position) throw changed(state);
    if (state !== undefined) await this.finish(state);
    if (this.lines.unfinishedBytes > 0) this.leave("unfinished");
    return this.report();
  }

  private report(): ImportReport {
    return { lines: this.count, taken: this.taken, leftOut: { ...this.leftOut } };
  }

  /** Returns the state of the last import. It runs after the first line, which identifies the file. */
  private async begin(): Promise<ImportState> {
    const { control, hostname } = this.options;
    this.file = this.lines.digest();
    const state = await control.importState({ hostname, file: this.file });
    this.batchPosition = state.position;
    this.verified = state.position === 0;
    this.isPartial = state.isPartial;
    return state;
  }

  private line(text: string | undefined, state: ImportState): void {
    this.verify(state);
    // Lines that were imported before are read for the visitors of their days.
    const judged = text === undefined ? "unreadable" : this.judge(text, state);
    const isImported = this.lines.position <= state.position;
    const over = typeof judged === "string" ? [] : this.wait(judged, state);
    if (isImported) this.leave("imported");
    else if (typeof judged === "string") this.leave(judged);
    else this.count++;
    if (!isImported) this.batch.push(...over);
    if (this.lines.position === state.position) this.resume(state);
  }

  /** Returns the page views of which no visit goes on any more. */
  private wait({ visitor, ...view }: VisitorView, { visits, isPartial }: ImportState): PastLoad[] {
    return visits || isPartial ? this.visits.add(visitor, view) : [view.load];
  }

  /** Takes what waits for imported, unless the last import was interrupted. */
  private resume({ isPartial }: ImportState): void {
    if (isPartial) this.leftOut.imported -= this.visits.waitingViews;
    else this.visits.takeAll();
  }

  /** Sends the rest, with the visits that go on at the end. */
  private async finish(state: ImportState): Promise<void> {
    const waiting = this.visits.takeAll();
    this.batch.push(...waiting);
    if (this.batch.length > 0 || this.isPartial) await this.send(state, false);
  }

  /** Checks, at the position where the last import stopped, that everything before it is unchanged. */
  private verify(state: ImportState): void {
    const { position } = this.lines;
    if (this.verified || position < state.position) return;
    if (position !== state.position || this.lines.digest() !== state.digest) throw changed(state);
    this.verified = true;
  }

  private leave(reason: LeftOut): void {
    this.count++;
    this.leftOut[reason]++;
  }

  private judge(text: string, { hostname, keptFromMs }: ImportState): VisitorView | LeftOut {
    const line = parseLine(text);
    if (line === undefined) return "unreadable";
    const reason = whyNoPageView(line, this.options.nowMs);
    if (reason !== undefined) return reason;
    if (line.timeMs < keptFromMs) return "expired";
    const url = urlOf(line, hostname);
    if (url === undefined) return "host";
    const { timeMs, referrer, userAgent, address } = line;
    const first = { timeMs, url, referrer, userAgent, unique: false, seen: false };
    const view = this.options.collector.pastLoad(first, hostname);
    if (view === undefined) return "unreadable";
    if (typeof view === "string") return view;
    const path = view.load.values[dimensionIndex.path] as string;
    const load = { ...view.load, ...this.visitors.visit(address, userAgent, path, timeMs) };
    return { ...view, load, visitor: this.visitors.keyOf(address, userAgent) };
  }

  private batchIsDue(): boolean {
    const { length } = this.batch;
    return length >= batchViews || (length > 0 && this.lines.position - this.batchPosition >= batchBytes);
  }

  /** `isPartial`: visits go on, whose page views still wait. */
  private async send({ websiteId }: ImportState, isPartial = this.visits.waitingViews > 0): Promise<void> {
    const { position } = this.lines;
    await this.options.control.importBatch({
      websiteId,
      file: this.file,
      fromPosition: this.batchPosition,
      position,
      digest: this.lines.digest(),
      loads: this.batch,
      isPartial,
    });
    this.isPartial = isPartial;
    this.taken += this.batch.length;
    this.batch = [];
    this.batchPosition = position;
  }
}

/** A page view with a number that tells its visitor from others. */
interface VisitorView extends PastView {
  readonly visitor: number;
}

/** Returns the URL of a line; undefined for a proxy request to another host. */
function urlOf({ target }: LogLine, hostname: string): string | undefined {
  if (target.startsWith("/")) return `http://${hostname}${target}`;
  const url = URL.parse(target);
  return url !== null && bareHost(url.hostname) === bareHost(hostname) ? target : undefined;
}

function changed({ position }: ImportState): Refusal {
  return new Refusal(
    409,
    `the first line is that of a file imported before (${position} bytes), but the file is shorter or those ` +
      "bytes changed: nothing was imported",
  );
}
