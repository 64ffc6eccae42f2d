/**
 * Files that are uploaded to be imported: read as they come, in small pieces, so that hits go on meanwhile; one of an
 * account at a time. Where many come at once, one that comes slowly gives its place up.
 * Formats are not known here.
 */
import { minuteMs } from "../../core/hit.ts";
import { Type, type Static } from "@sinclair/typebox";
import { badInput, Refusal } from "../../core/refusal.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Clock } from "../../lib/clock.ts";
import { nextTurn } from "../../lib/threads/turn.ts";
import { count } from "../parsing/schemas.ts";

/** The most bytes of a file as it is sent, mostly packed. Larger ones are for the command line. */
const uploadBytesMax = 1024 * 1024 * 1024;
/** The most bytes that are handed on at once. */
const pieceBytes = 64 * 1024;
/** The most files, each of another account, that are read at once. */
const importsMax = 4;
/** An upload ends after this many seconds without a byte. */
const silenceS = 60;
/** One that brought less than this for each minute that it was waited for, after the first one, makes room for others. */
const slowBytesPerMinute = 1024 * 1024;

export interface ImportedFile {
  /** The bytes as they were sent. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly hostname: string;
  readonly isDryRun: boolean;
  /** Whether it is taken from its start again, although it was imported before. */
  readonly isAnew: boolean;
  /** Throws Refusal once whoever sends it may import no more: a file may come for long. */
  readonly expectAllowed: () => void;
  /** A date; undefined takes all days. */
  readonly from: string | undefined;
  /** A date; undefined takes all days. */
  readonly until: string | undefined;
  /** The name of a format; undefined tells it by the first lines. */
  readonly format: string | undefined;
}

const day = (description: string) => Type.String({ format: "date", description });

/** The report of a file: what was taken of it, or would be. */
export const fileReport = Type.Object({
  format: Type.String({ description: "Such as `combined`" }),
  description: Type.String({ description: "The format in words" }),
  unit: Type.Union([Type.Literal("line"), Type.Literal("row"), Type.Literal("day")]),
  lines: count("Lines of a log, rows of an export, or days of sums: those that were taken or left out"),
  pageviews: count("How many were taken as page views"),
  events: count("How many were taken as events"),
  first_day: Type.Optional(day("The first UTC day of the page views that were taken")),
  last_day: Type.Optional(day("The last of them")),
  event_values: Type.Optional(
    count("Values of these events beside their names, of the exports of Umami and Google Analytics"),
  ),
  left_out: Type.Array(
    Type.Object({
      reason: Type.String({ description: "Such as `crawler`" }),
      text: Type.String({ description: "The reason in words" }),
      lines: count("How many were left out for it"),
      again_from: Type.Optional(day("Of `waiting`: the UTC day from which on these can be imported")),
      host: Type.Optional(Type.String({ description: "Of `host`: the other host that most of them name" })),
    }),
  ),
  unreadable_line: count("The first line that could not be read; 0 for none"),
  unreadable: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Of an export of Footfall: the first ten lines that could not be read, each with its field, what came and what is expected",
    }),
  ),
  disordered_lines: count(
    "How many came more than half an hour after later ones: their visits, and perhaps visitors, are counted too often",
  ),
  proxy_address: Type.Optional(
    Type.String({
      description:
        "The address that most page views have, if it is that of a proxy or container: visitors with the same browser are then one a day",
    }),
  ),
  tracked_days: Type.Array(Type.String({ format: "date" }), {
    description: "UTC days on which the website has page views already: they count twice",
  }),
  foreign_hosts: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Of sums of days: ten hosts of their pages at most, the most frequent one first, if no page is of the website",
    }),
  ),
});
export type FileReport = Static<typeof fileReport>;

/** Imports a file into a website. Throws Refusal 400 for what cannot be read. */
export type FileImporter = (engine: Engine, file: ImportedFile) => Promise<FileReport>;

export class FileImports {
  /** By account. */
  private readonly importing = new Map<number, UploadedBytes>();

  constructor(private readonly importer: FileImporter) {}

  /** Throws Refusal 409 while another file of the account is read, or files of many accounts, none of which come slowly. */
  async run(
    engine: Engine,
    userId: number,
    upload: UploadedBytes,
    file: Omit<ImportedFile, "bytes">,
  ): Promise<FileReport> {
    const { importing } = this;
    if (importing.has(userId) || !this.makeRoom())
      throw new Refusal(409, "another file is being imported: try again when it is done");
    importing.set(userId, upload);
    try {
      return await this.importer(engine, { ...file, bytes: upload.pieces() });
    } finally {
      if (importing.get(userId) === upload) importing.delete(userId);
    }
  }

  /** Ends an upload that is slow if there are as many as there may be, and returns whether there is room for another. */
  private makeRoom(): boolean {
    const { importing } = this;
    if (importing.size < importsMax) return true;
    for (const [userId, upload] of importing) {
      if (!upload.isSlow) continue;
      upload.end();
      return importing.delete(userId);
    }
    return false;
  }
}

/** The body of a request, in small pieces. */
export class UploadedBytes {
  private readonly reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel"> | undefined;
  private bytes = 0;
  /** How long was waited for its bytes, up to the last that came. */
  private waitedMs = 0;
  /** When the bytes were asked for that are to come next, by the monotonic clock; undefined while none are. */
  private askedMs: number | undefined;
  private isEnded = false;

  constructor(
    private readonly request: Request,
    private readonly clock: Clock,
    private readonly allowSilence: (request: Request, seconds: number) => void,
  ) {
    this.reader = request.body?.getReader();
  }

  /** Whether it keeps a place without using it. What the server itself takes for the bytes does not count. */
  get isSlow(): boolean {
    const waitingMs = this.askedMs === undefined ? 0 : this.clock.monotonicMs() - this.askedMs;
    const minutes = (this.waitedMs + waitingMs) / minuteMs;
    return minutes > 1 && this.bytes < minutes * slowBytesPerMinute;
  }

  /** Lets the reader of its bytes know at once that others need its place. */
  end(): void {
    this.isEnded = true;
    void this.reader?.cancel().catch(() => {});
  }

  /** Yields what comes. Throws Refusal 400 for too much, and if the connection ends; 409 once others need its place. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let value = await this.next(); value !== undefined; value = await this.next())
      for (let at = 0; at < value.length; at += pieceBytes) {
        yield value.subarray(at, at + pieceBytes);
        // Whatever else came meanwhile is answered first.
        await nextTurn();
      }
  }

  /** Reads the rest, which is wanted no more: a browser that is still sending would not hear the answer. */
  async drain(): Promise<void> {
    try {
      while ((await this.next()) !== undefined) await nextTurn();
    } catch {
      // Nobody is there to hear the answer.
      void this.reader?.cancel().catch(() => {});
    }
  }

  private async next(): Promise<Uint8Array | undefined> {
    this.allowSilence(this.request, silenceS);
    const askedMs = (this.askedMs = this.clock.monotonicMs());
    const value = await this.reader?.read().then(
      ({ value }) => value as Uint8Array | undefined,
      () => {
        throw new Refusal(400, "body: the connection ended before all of it was received");
      },
    );
    this.askedMs = undefined;
    this.waitedMs += this.clock.monotonicMs() - askedMs;
    if (this.isEnded)
      throw new Refusal(
        409,
        "the file came too slowly while others were waiting: send it again, and it goes on where it stopped",
      );
    this.bytes += value?.length ?? 0;
    if (this.bytes <= uploadBytesMax) return value;
    throw badInput("body", `more than ${uploadBytesMax} bytes`, "a smaller file");
  }
}
