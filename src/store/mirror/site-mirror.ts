/**
 * A read-only mirror of a website, built from the deltas that `SitePublisher` published in another thread. A mirror
 * stays as it is until the next delta, so the questions of one page see one moment.
 */
import { assert } from "../../lib/assert.ts";
import { free } from "../../lib/memory/free.ts";
import { storedDimensions } from "../../core/questions/stored-dimension.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { Sections } from "../../snapshot/named-sections.ts";
import { Chunk } from "../chunks/chunk.ts";
import type { Columns } from "../columns/columns.ts";
import type { ReadDictionary, ReadSite, ReadTuples } from "./read-site.ts";
import { rewrittenSource } from "../columns/renumber.ts";
import { chunkHead, viewColumns } from "../files/save-chunk.ts";
import { receivedColumns, sectionsOf, type SentColumns } from "../files/sent-columns.ts";
import { tuplesOf, type TupleColumn } from "../state/site.ts";
import { Months } from "../state/months.ts";
import type { ReducedMonth } from "../state/reduced-month.ts";
import { allDictionaries } from "../values/dictionaries.ts";
import type { ChunkDelta, DictionaryDelta, MonthDelta, SiteDelta, TuplesDelta } from "./site-publisher.ts";

class DictionaryMirror implements ReadDictionary {
  size = 1;
  private bytes: Buffer = Buffer.alloc(0);
  private ends = new Uint32Array(0);

  value(id: number): string {
    assert(id > 0 && id < this.size, `a dictionary that is mirrored has no value ${id} of ${this.size}`);
    return this.bytes.toString("utf8", id === 1 ? 0 : this.ends[id - 2], this.ends[id - 1]);
  }

  /** Returns the values that the mirror shows; bytes behind them belong to later deltas. */
  since(): { readonly bytes: Uint8Array; readonly ends: Uint32Array } {
    return { bytes: this.bytes, ends: this.ends };
  }

  update({ size, bytes, ends }: DictionaryDelta): void {
    this.size = size;
    if (bytes !== undefined) this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (ends !== undefined) this.ends = wordsOf(ends);
  }
}

class TuplesMirror implements ReadTuples {
  size = 1;
  members: readonly Uint32Array[];

  constructor(width: number) {
    this.members = Array.from({ length: width }, () => new Uint32Array(1));
  }

  update({ size, members }: TuplesDelta): void {
    this.size = size;
    if (members !== undefined) this.members = members.map(wordsOf);
  }
}

/** The columns of a chunk that is not sealed, as the newest delta has them. */
class ChunkMirror {
  /** A section of the newest mapping of the file. */
  private mapped: Uint8Array | undefined;

  constructor(private readonly sent: SentColumns) {}

  /** `file`: a private mapping, into which the changes are written. */
  columns(file: Sections = new Map()): Columns {
    this.mapped = file.get(chunkHead);
    return receivedColumns(this.sent, file);
  }

  /** Frees their memory at once, but for what is shared: what garbage collection finds stays for long. */
  letGo(): void {
    for (const { data } of sectionsOf(this.sent)) free(data);
    if (this.mapped !== undefined) free(this.mapped);
  }
}

export class SiteMirror implements ReadSite {
  readonly dictionaries = storedDimensions.map(() => new DictionaryMirror());
  readonly propertyNames = new DictionaryMirror();
  readonly propertyValues = new DictionaryMirror();
  readonly tuples: Readonly<Record<TupleColumn, TuplesMirror>> = tuplesOf((width) => new TuplesMirror(width));
  readonly chunks = new Map<number, Chunk>();
  reduced: ReadonlyMap<number, ReducedMonth> = new Map();
  /** The files of the chunks that have one of their own, by chunk number. */
  readonly files = new Map<number, FileEntry>();
  /** Chunks that are not sealed, by number. */
  private readonly open = new Map<number, ChunkMirror>();

  /** `reader` returns a function that maps a file when it is asked for, and returns what `columns` makes of its sections. */
  constructor(
    readonly websiteId: number,
    private readonly reader: (file: FileEntry, columns: (sections: Sections) => Columns) => () => Columns,
    private readonly monthsOf = new Months(),
  ) {}

  update({ dictionaries, tuples, chunks, months, merged }: SiteDelta): void {
    const all = allDictionaries(this);
    for (const delta of dictionaries) all[delta.at]!.update(delta);
    for (const delta of tuples) this.tuples[delta.column].update(delta);
    for (const delta of chunks) this.updateChunk(delta);
    if (months !== undefined) this.updateMonths(months);
    for (const number of merged) {
      this.chunks.delete(number);
      this.setFile(number, undefined);
    }
  }

  /** A month whose ids are the same stays the same object. */
  private updateMonths(months: readonly MonthDelta[]): void {
    this.reduced = new Map(
      months.map(({ head, file, rewrites, idsBefore }) => {
        const known = this.reduced.get(head.number);
        const isSame = known?.file.name === file.name && known.rewrites.length === rewrites.length;
        return [head.number, isSame ? known : this.monthsOf.of(head, file, rewrites, idsBefore)];
      }),
    );
  }

  private setFile(number: number, file: FileEntry | undefined): void {
    if (file !== undefined) this.files.set(number, file);
    else this.files.delete(number);
  }

  /**
   * Takes a delta of a chunk. If only the place of its columns changed, the chunk stays the same object, so that
   * results cached for it stay valid.
   */
  private updateChunk({ head, version, sealed, rewrites, ...sent }: ChunkDelta): void {
    const { number } = head;
    const { file } = sent;
    const known = this.chunks.get(number);
    // No question is under way: the columns of before are not used again.
    this.open.get(number)?.letGo();
    this.open.delete(number);
    const open = sent.sections && new ChunkMirror(sent);
    if (open !== undefined) this.open.set(number, open);
    const isStored = open === undefined;
    // Columns that are made from a file do not count as that file.
    this.setFile(number, isStored && rewrites === undefined ? file : undefined);
    const source = file && this.reader(file, (sections) => open?.columns(sections) ?? viewColumns(sections));
    const stored = source && rewrites ? rewrittenSource(source, rewrites) : source;
    if (known?.version === version && isStored && stored !== undefined) {
      if (!known.sealed) known.seal();
      known.store(stored);
      return;
    }
    const chunk =
      stored === undefined
        ? Chunk.open(head, open!.columns())
        : isStored
          ? Chunk.sealed(head, stored)
          : Chunk.mirrored(head, stored);
    if (sealed && !chunk.sealed) chunk.seal();
    chunk.version = version;
    this.chunks.set(number, chunk);
  }
}

function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array<ArrayBuffer> {
  return new Uint32Array(buffer as ArrayBuffer, byteOffset, byteLength >>> 2);
}
