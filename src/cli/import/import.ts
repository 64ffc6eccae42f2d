/**
 * Imports one file into the statistics of a website. Its lines are read by its format, judged, and sent as batches. Each
 * batch is committed whole, with the position and the digest of its lines. So a file that comes again, has grown, or was
 * interrupted adds only what is new.
 *
 * A last line without a line feed may still be growing: it is left for the next time, unless the file is known to be
 * complete and the line can be read. It counts as if the line feed were there, so that the file may come again with it.
 *
 * Page views of a website with visits wait until their visit is over, so that a batch lacks those of visits that
 * go on at its position. Which these are follows from the lines before: an import that was interrupted finds them again.
 */
import { dayMs } from "../../core/hit.ts";
import { parseHostname } from "../../core/addresses/hostname.ts";
import { dimensionIndex } from "../../core/questions/stored-dimension.ts";
import { badInput } from "../../core/refusal.ts";
import type { PastLoad } from "../../record/record.ts";
import type { ImportState } from "../control/control-entries.ts";
import { changed, setBack } from "./file-state.ts";
import type { Reader, Reading, Row } from "./formats/format.ts";
import { lineBytesMax, Lines, rowBytesMax, type LinePosition } from "./lines.ts";
import { eventValuesIn, PastVisits, waitingLoad } from "./past-visits.ts";
import { ownRow } from "./own-hosts.ts";
import type { ImportReport, LeftOut } from "./report/report.ts";
import { Tally } from "./report/tally.ts";
import { addView, type DayViews } from "./tracked-days.ts";
import type { ImportOptions } from "./options.ts";
import { hashOf, Visitors } from "./visitors.ts";

/** A batch is sent when it has this many page views, or after this many bytes of text with what it has. */
const batchViews = 1_000;
const batchBytes = 1024 * 1024;
/** Lines of a time later than this are from the future. The clock of the machine that wrote them may be somewhat ahead. */
const aheadMsMax = 5 * 60_000;

export class Import {
  /** By the number of the UTC day. */
  readonly days = new Map<number, DayViews>();
  private readonly lines: Lines;
  private readonly reader: Reader;
  private readonly visitors: Visitors;
  private readonly visits = new PastVisits();
  private readonly tally = new Tally();
  private lineNumber = 0;
  /** The characters of the lines since the last row. */
  private rowCharacters = 0;
  private isInOrder = true;
  private latestMs = -Infinity;
  private batch: PastLoad[] = [];
  /** The position at which the batch begins. */
  private batchPosition = 0;
  /** Whether page views waited when the last batch was sent. */
  private isPartial = false;
  private state: ImportState | undefined;
  /** SHA-256 of the file up to its first line of data. */
  file = "";
  /** Whether the part that was imported before is known to be the same. */
  private verified = false;
  /** The place before the line that was read last, where `untilDay` may end the import; known only with it. */
  private before: LinePosition;
  /** The place at which the import ended for `untilDay`. */
  private end: LinePosition | undefined;

  constructor(private readonly options: ImportOptions) {
    const { collector, format, rowLimits, rules, aliases } = options;
    const bytesMax = format.unit === "row" ? (rowLimits?.bytes ?? rowBytesMax) : lineBytesMax;
    this.lines = new Lines(bytesMax);
    this.before = this.lines.mark();
    this.visitors = options.visitors ?? new Visitors();
    const hostname = parseHostname(options.hostname) ?? options.hostname;
    const limits = { rowCharactersMax: bytesMax, propertiesMax: rowLimits?.properties };
    this.reader = format.open({ collector, hostname, rules, aliases, ...limits });
  }

  /** Reads and sends everything; `onChunk` is called after each chunk. Throws Refusal for a file that changed. */
  async run(
    chunks: AsyncIterable<Uint8Array>,
    onChunk: (report: ImportReport) => void,
  ): Promise<ImportReport> {
    for await (const chunk of chunks) {
      for (const text of this.lines.of(chunk)) await this.take(this.read(text));
      onChunk(this.report());
    }
    await this.takeLast();
    const { state } = this;
    if (state !== undefined && this.lines.position < state.position) throw changed(state);
    if (state !== undefined) await this.finish(state);
    return this.report();
  }

  private report(): ImportReport {
    return { ...this.tally.report(this.options.format.unit), proxyAddress: this.reader.proxyAddress };
  }

  private read(text: string | undefined): Reading {
    this.lineNumber++;
    this.rowCharacters += text?.length ?? 0;
    return text === undefined ? "unreadable" : this.reader.read(text);
  }

  /** Takes the line that was read last. */
  private async take(reading: Reading): Promise<void> {
    // The first line of data identifies the file: headers are alike.
    if (reading === "none" && this.state === undefined) return;
    this.state ??= await this.begin();
    this.line(reading, this.state);
    if (reading !== "none") this.rowCharacters = 0;
    if (this.batchIsDue()) await this.send(this.state);
    if (this.options.untilDay !== undefined && this.end === undefined) this.before = this.lines.mark();
  }

  /** Takes the last line if it lacks only its line feed. A file that breaks off within a row may come whole yet. */
  private async takeLast(): Promise<void> {
    const { state, lines } = this;
    const { unfinishedBytes } = lines;
    if (unfinishedBytes > 0) {
      const { isComplete, format } = this.options;
      const wasComplete = state !== undefined && state.position === lines.position + unfinishedBytes + 1;
      if (!isComplete?.() && format.unit === "line" && !wasComplete) return this.leave("unfinished");
      const reading = this.read(lines.unfinished());
      const isBroken = reading === "unreadable" || this.reader.isMidway === true;
      if (isBroken && !wasComplete) return this.leave("unfinished");
      lines.endUnfinished();
      await this.take(reading);
    }
    if (this.reader.isMidway) this.leave("unreadable");
  }

  /** Returns the state of the last import. It runs after the first line of data, which identifies the file. */
  private async begin(): Promise<ImportState> {
    const { control, hostname } = this.options;
    this.file = this.lines.digest();
    const known = await control.importState({ hostname, file: this.file });
    const isAnew = this.options.isAnew?.(this.file) === true;
    const state = isAnew ? await setBack(known, this.file, control.importBatch) : known;
    this.batchPosition = state.position;
    this.verified = state.position === 0;
    this.isPartial = state.isPartial;
    return state;
  }

  private line(reading: Reading, state: ImportState): void {
    this.verify(state);
    // Lines that were imported before are read for the visitors of their days.
    const isImported = this.lines.position <= state.position;
    const judged = typeof reading === "string" ? reading : this.judge(reading, state, isImported);
    const over = typeof judged === "string" ? [] : this.wait(judged, state);
    if (!isImported) this.push(over);
    if (judged !== "none") this.count(judged, isImported);
    if (this.lines.position === state.position) this.resume(state);
  }

  private push(loads: readonly PastLoad[]): void {
    this.batch.push(...loads);
    if (this.options.format.hasEventValues) this.tally.values += eventValuesIn(loads);
  }

  private count(judged: Judged | LeftOut, isImported: boolean): void {
    if (isImported) this.leave("imported");
    else if (typeof judged === "string") this.leave(judged);
    else if (judged.row.kind === "time") this.leave("other");
    else if (judged.row.kind === "event") this.tally.events++;
    else this.tally.taken++;
    if (typeof judged !== "string" && judged.row.kind === "view") addView(this.days, judged.row, isImported);
  }

  /** Returns the page views of which no visit goes on any more. */
  private wait({ row, load }: Judged, { visits, isPartial }: ImportState): PastLoad[] {
    if (row.visitor === "" || !(visits || isPartial || this.options.format.hasEvents)) return [load];
    const own = waitingLoad(load, this.rowCharacters);
    return this.visits.add(hashOf(row.visit || row.visitor), row, own);
  }

  /** Takes what waits for imported, unless the last import was interrupted, and this one did not end before that place. */
  private resume({ isPartial }: ImportState): void {
    const { waitingViews, waitingEvents } = this.visits;
    if (!isPartial || this.end !== undefined) {
      this.visits.takeAll();
      // The visits that went on there are left to an import without this end: no batch ends before it begins.
      this.isPartial = false;
      return;
    }
    this.tally.leftOut.imported -= waitingViews + waitingEvents;
    this.tally.taken += waitingViews;
    this.tally.events += waitingEvents;
  }

  /** Sends the rest, with the visits that go on at the end. */
  private async finish(state: ImportState): Promise<void> {
    this.push(this.visits.takeAll());
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
    this.tally.leave(reason, this.lineNumber, this.reader.trouble);
  }

  private judge(read: Row, state: ImportState, isImported: boolean): Judged | LeftOut {
    const { aliases = [], hostname } = this.options;
    const row = ownRow(read, { hostname: state.hostname, aliases }, hostname);
    if (row === undefined) {
      if (!isImported) this.tally.leaveHost(read.hostname);
      return "host";
    }
    const { timeMs, offsetMs, values } = row;
    if (timeMs > this.options.nowMs() + aheadMsMax) return "future";
    this.noteOrder(timeMs);
    if (this.isPastEnd(timeMs + offsetMs)) return "until";
    if (timeMs + offsetMs < (this.options.fromDay ?? -Infinity) * dayMs) return "from";
    if (timeMs < state.keptFromMs) return "expired";
    if (this.visitors.isBehind(timeMs) && row.visitor !== "" && !isImported) this.tally.disordered++;
    const { visibleMs, properties } = row;
    // Through the control socket an empty list would be another one than that of a record without the field.
    const rest = { values, visibleMs, ...(properties.length > 0 && { properties }), ...row.exported };
    if (row.kind !== "view")
      return { row, load: { timeMs, unique: false, seen: true, ...rest, isBare: true } };
    const path = values[dimensionIndex.path]!;
    const flags = row.flags ?? this.visitors.visit(row.visitor, path, timeMs + offsetMs);
    return { row, load: { timeMs, ...flags, ...rest } };
  }

  private noteOrder(timeMs: number): void {
    if (timeMs < this.latestMs - dayMs) this.isInOrder = false;
    this.latestMs = Math.max(this.latestMs, timeMs);
  }

  /** Whether a row stands at or after the first of the day that ends the import. */
  private isPastEnd(localMs: number): boolean {
    const { untilDay } = this.options;
    if (untilDay === undefined) return false;
    const isLate = localMs >= untilDay * dayMs;
    if (isLate) this.end ??= this.before;
    else if (this.end !== undefined && !this.isInOrder)
      throw badInput("until", `line ${this.lineNumber}`, "a file in the order of time: sort it first");
    return this.end !== undefined;
  }

  private batchIsDue(): boolean {
    const { length } = this.batch;
    return length >= batchViews || (length > 0 && this.lines.position - this.batchPosition >= batchBytes);
  }

  /** `isPartial`: visits go on, whose page views still wait. */
  private async send({ websiteId }: ImportState, isPartial = this.visits.waitingLoads > 0): Promise<void> {
    const { position, digest } = this.end ?? this.lines.mark();
    await this.options.control.importBatch({
      websiteId,
      file: this.file,
      fromPosition: this.batchPosition,
      position,
      digest: digest(),
      loads: this.batch,
      isPartial,
    });
    this.isPartial = isPartial;
    this.batch = [];
    this.batchPosition = position;
  }
}

/** A row that is taken, and what is logged of it but for its visit. */
interface Judged {
  readonly row: Row;
  readonly load: PastLoad;
}
