/**
 * Files that are uploaded to be imported: read as they come, in small pieces, so that hits go on meanwhile; one of an
 * account at a time.
 * Formats are not known here.
 */
import { badInput, Refusal } from "../../core/refusal.ts";
import type { Engine } from "../../engine/engine.ts";

/** The most bytes of a file as it is sent, mostly packed. Larger ones are for the command line. */
const uploadBytesMax = 1024 * 1024 * 1024;
/** The most bytes that are handed on at once. */
const pieceBytes = 64 * 1024;
/** The most files, each of another account, that are read at once. */
const importsMax = 4;
/** An upload ends after this many seconds without a byte. */
const silenceS = 60;

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
  readonly until: string | undefined;
  /** The name of a format; undefined tells it by the first lines. */
  readonly format: string | undefined;
}

export interface FileReport {
  /** The name of the format, such as `combined`. */
  readonly format: string;
  /** A noun phrase for messages, such as "an access log in the combined format". */
  readonly description: string;
  readonly unit: "line" | "row" | "day";
  readonly lines: number;
  readonly pageviews: number;
  readonly events: number;
  /** The first and the last UTC day of the page views that were taken; undefined if none were. */
  readonly first_day?: string;
  readonly last_day?: string;
  /** How many values these events have beside their names, where the format has such. */
  readonly event_values?: number;
  readonly left_out: readonly { readonly reason: string; readonly text: string; readonly lines: number }[];
  /** The first line that could not be read; 0 for none. */
  readonly unreadable_line: number;
  /** The UTC days on which the website has page views already. */
  readonly tracked_days: readonly string[];
}

/** Imports a file into a website. Throws Refusal 400 for what cannot be read. */
export type FileImporter = (engine: Engine, file: ImportedFile) => Promise<FileReport>;

export class FileImports {
  private readonly importing = new Set<number>();

  constructor(private readonly importer: FileImporter) {}

  /** Throws Refusal 409 while another file of the account is read, or files of many accounts. */
  async run(engine: Engine, userId: number, file: ImportedFile): Promise<FileReport> {
    const { importing } = this;
    if (importing.has(userId) || importing.size >= importsMax)
      throw new Refusal(409, "another file is being imported: try again when it is done");
    importing.add(userId);
    try {
      return await this.importer(engine, file);
    } finally {
      importing.delete(userId);
    }
  }
}

/** The body of a request, in small pieces. */
export class UploadedBytes {
  private readonly reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel"> | undefined;
  private bytes = 0;

  constructor(
    private readonly request: Request,
    private readonly allowSilence: (request: Request, seconds: number) => void,
  ) {
    this.reader = request.body?.getReader();
  }

  /** Yields what comes. Throws Refusal 400 for too much, and if the connection ends. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let value = await this.next(); value !== undefined; value = await this.next())
      for (let at = 0; at < value.length; at += pieceBytes) {
        yield value.subarray(at, at + pieceBytes);
        // Whatever else came meanwhile is answered first.
        await new Promise((resolve) => setImmediate(resolve));
      }
  }

  /** Reads the rest, which is wanted no more: a browser that is still sending would not hear the answer. */
  async drain(): Promise<void> {
    try {
      while ((await this.next()) !== undefined);
    } catch {
      // Nobody is there to hear the answer.
      void this.reader?.cancel().catch(() => {});
    }
  }

  private async next(): Promise<Uint8Array | undefined> {
    this.allowSilence(this.request, silenceS);
    const value = await this.reader?.read().then(
      ({ value }) => value as Uint8Array | undefined,
      () => {
        throw new Refusal(400, "body: the connection ended before all of it was received");
      },
    );
    this.bytes += value?.length ?? 0;
    if (this.bytes <= uploadBytesMax) return value;
    throw badInput("body", `more than ${uploadBytesMax} bytes`, "a smaller file");
  }
}
