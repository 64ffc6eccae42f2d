/**
 * Splits bytes into lines, the first without its byte order mark. It keeps the position after the last complete line and the SHA-256 of everything up to it,
 * in memory of one chunk and one line.
 */

/** The most bytes of a line. A longer one is not from an access log: servers limit requests to a few kilobytes. */
export const lineBytesMax = 65_536;
/** The same of a row of an export, which may have thousands of events. */
export const rowBytesMax = 16 * 1024 * 1024;
const lineFeed = 0x0a;
const lineFeedBytes = Buffer.of(lineFeed);
const carriageReturn = 0x0d;

/** A place after a line. */
export interface LinePosition {
  readonly position: number;
  /** Returns the SHA-256 of the bytes up to `position`, in hex. */
  digest(): string;
}

export class Lines {
  /** The position after the line feed of the line that was returned last. */
  position = 0;
  private hasher = new Bun.CryptoHasher("sha256");
  /** Includes the start of a line that is too long; replaces `hasher` at the line's end. */
  private ahead: Bun.CryptoHasher | undefined;
  /** The start of a line whose end has not arrived yet, in the pieces that it came in. */
  private pieces: Uint8Array[] = [];
  private piecesBytes = 0;

  /** A line of more than `bytesMax` is too long. */
  constructor(private readonly bytesMax = lineBytesMax) {}

  /** Yields the lines that end in this chunk; undefined for one that is too long. */
  *of(chunk: Uint8Array): Generator<string | undefined> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, start);
      if (end < 0) break;
      this.keep(chunk.subarray(start, end + 1));
      start = end + 1;
      yield this.complete();
    }
    // Kept as a copy: the reader may use its buffer again.
    this.keep(new Uint8Array(chunk.subarray(start)));
  }

  /** The bytes after the last line feed: a line that the server may still be writing. */
  get unfinishedBytes(): number {
    return this.piecesBytes;
  }

  /** Returns the text of these; undefined for too many. */
  unfinished(): string | undefined {
    return this.ahead === undefined ? this.textOf([...this.pieces, lineFeedBytes]) : undefined;
  }

  /** Takes the line feed after these for read. */
  endUnfinished(): void {
    this.keep(lineFeedBytes);
    this.complete();
  }

  /** Returns the SHA-256 of the bytes up to `position`, in hex. */
  digest(): string {
    return this.mark().digest();
  }

  /** Returns the place after the line that was returned last. */
  mark(): LinePosition {
    const { position } = this;
    const hasher = this.hasher.copy();
    return { position, digest: () => hasher.copy().digest("hex") };
  }

  private keep(piece: Uint8Array): void {
    this.piecesBytes += piece.length;
    this.pieces.push(piece);
    if (this.piecesBytes <= this.bytesMax) return;
    // The line is too long already: its bytes count for the digest once it is complete, and need not be kept.
    this.ahead ??= this.hasher.copy();
    this.hashInto(this.ahead);
  }

  private hashInto(hasher: Bun.CryptoHasher): void {
    for (const piece of this.pieces) hasher.update(piece);
    this.pieces = [];
  }

  private complete(): string | undefined {
    const { pieces, ahead } = this;
    const text = ahead === undefined ? this.textOf(pieces) : undefined;
    this.position += this.piecesBytes;
    this.piecesBytes = 0;
    this.hasher = ahead ?? this.hasher;
    this.ahead = undefined;
    this.hashInto(this.hasher);
    return text;
  }

  /** Some programs write a byte order mark before the first line. */
  private textOf(pieces: readonly Uint8Array[]): string {
    const bytes = Buffer.concat(pieces);
    const end = bytes.at(-2) === carriageReturn ? bytes.length - 2 : bytes.length - 1;
    const text = bytes.toString("utf8", 0, end);
    return this.position === 0 ? text.replace(/^\ufeff/, "") : text;
  }
}
