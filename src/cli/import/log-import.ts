/**
 * Imports an access log into the statistics of a website. Lines are read, judged, and sent as batches. Each batch is
 * committed whole, with the position and the digest of its lines. So a file that comes again, has grown, or was
 * interrupted adds only what is new.
 *
 * A last line without a line feed may still be growing: it is left for the next time.
 */
import type { Collector } from "../../collect/fact.ts";
import { dimensionIndex } from "../../core/dimension.ts";
import { bareHost } from "../../core/referrer.ts";
import { Refusal } from "../../core/refusal.ts";
import type { PastLoad } from "../../record/record.ts";
import type { Control, ImportState } from "../control.ts";
import { parseLine, type LogLine } from "./line.ts";
import { Lines } from "./lines.ts";
import { whyNoPageView } from "./page-view.ts";
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
}

export class LogImport {
  private readonly lines = new Lines();
  private readonly visitors = new Visitors();
  private readonly leftOut = { ...noneLeftOut } as Record<LeftOut, number>;
  private count = 0;
  private taken = 0;
  private batch: PastLoad[] = [];
  /** The position at which the batch begins. */
  private batchPosition = 0;
  private state: ImportState | undefined;
  /** SHA-256 of the first line. */
  private file = "";
  /** Whether the part that was imported before is known to be the same. */
  private verified = false;

  constructor(private readonly options: ImportOptions) {}

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
    if (state !== undefined && this.batch.length > 0) await this.send(state);
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
    return state;
  }

  private line(text: string | undefined, state: ImportState): void {
    this.verify(state);
    // Lines that were imported before are read for the visitors of their days.
    const judged = text === undefined ? "unreadable" : this.judge(text, state);
    if (this.lines.position <= state.position) return this.leave("imported");
    if (typeof judged === "string") return this.leave(judged);
    this.count++;
    this.batch.push(judged);
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

  private judge(text: string, { hostname, keptFromMs }: ImportState): PastLoad | LeftOut {
    const line = parseLine(text);
    if (line === undefined) return "unreadable";
    const reason = whyNoPageView(line, this.options.nowMs);
    if (reason !== undefined) return reason;
    if (line.timeMs < keptFromMs) return "expired";
    const url = urlOf(line, hostname);
    if (url === undefined) return "host";
    const { timeMs, referrer, userAgent, address } = line;
    const first = { timeMs, url, referrer, userAgent, unique: false, seen: false };
    const load = this.options.collector.pastLoad(first, hostname);
    if (load === undefined) return "unreadable";
    if (typeof load === "string") return load;
    const path = load.values[dimensionIndex.path] as string;
    return { ...load, ...this.visitors.visit(address, userAgent, path, timeMs) };
  }

  private batchIsDue(): boolean {
    const { length } = this.batch;
    return length >= batchViews || (length > 0 && this.lines.position - this.batchPosition >= batchBytes);
  }

  private async send({ websiteId }: ImportState): Promise<void> {
    const { position } = this.lines;
    await this.options.control.importBatch({
      websiteId,
      file: this.file,
      fromPosition: this.batchPosition,
      position,
      digest: this.lines.digest(),
      loads: this.batch,
    });
    this.taken += this.batch.length;
    this.batch = [];
    this.batchPosition = position;
  }
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
