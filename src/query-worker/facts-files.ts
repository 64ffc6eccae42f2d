/**
 * The facts files of one website: found beside the files of its chunks, and mapped when a question needs them. A file
 * with any error in it is treated as missing.
 */
import { join } from "node:path";
import type { ChunkFacts, FactsSource } from "../facts/facts.ts";
import { factsIn } from "../facts/making/file.ts";
import { OtherVersion, usable, type UnusableFacts } from "../facts/making/unusable.ts";
import { DiskError, type Disk } from "../lib/disk/disk.ts";
import { diskFailure } from "../lib/disk/failure.ts";
import { factsName } from "../snapshot/facts-name.ts";
import type { FileEntry } from "../snapshot/manifest.ts";
import type { MappedFiles } from "../snapshot/mapped-files.ts";
import type { Chunk } from "../store/chunks/chunk.ts";

/** A website whose sealed chunks are in files. */
export interface FiledSite {
  readonly websiteId: number;
  /** The files by chunk number. */
  readonly files: ReadonlyMap<number, FileEntry>;
}

/** A file of facts that could not be used, and is made again. */
export interface DiscardedFacts {
  /** Its path below the data folder. */
  readonly file: string;
  readonly error: string;
  /** Whether another version of the program made it, so that nothing is wrong. */
  readonly isOfOtherVersion: boolean;
}

/** Returns what is told of a file that cannot be used. */
export function discardedFor({ file, message: error, cause }: UnusableFacts): DiscardedFacts {
  return { file, error, isOfOtherVersion: cause instanceof OtherVersion };
}

export class FactsFiles implements FactsSource {
  /** The names of the files that are known to exist. */
  private present: ReadonlySet<string> = new Set();
  /** Readers of the files' facts, by file name. */
  private readonly readers = new Map<string, () => ChunkFacts>();
  private readonly discarded = new Set<string>();
  /** Files that are to be made again, by name. */
  private readonly outdated = new Map<string, DiscardedFacts>();
  /** The number of files that the server had made when the directory was last listed. */
  private made = -1;

  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
    private readonly mapped: MappedFiles,
    private readonly site: FiledSite,
  ) {}

  /** Lists the directory again if the server has made more files since. `made`: how many it has made so far. */
  look(made: number): void {
    if (made === this.made) return;
    this.made = made;
    const directory = `chunks/${this.site.websiteId}`;
    this.present = new Set(this.list(directory).map((name) => `${directory}/${name}`));
    this.discarded.clear();
    for (const name of this.readers.keys()) if (!this.present.has(name)) this.readers.delete(name);
  }

  /** Returns the facts of a chunk, whose methods throw UnusableFacts; undefined if there are none, or of another format. */
  ofChunk(chunk: Chunk): ChunkFacts | undefined {
    const file = this.site.files.get(chunk.number);
    if (file === undefined) return undefined;
    const name = factsName(file);
    if (!this.present.has(name) || this.discarded.has(name) || this.outdated.has(name)) return undefined;
    const reader =
      this.readers.get(name) ?? this.mapped.sectionReader(name, (sections) => factsIn(sections, file));
    this.readers.set(name, reader);
    try {
      return usable(name, reader);
    } catch (error) {
      this.outdated.set(name, discardedFor(error as UnusableFacts));
      return undefined;
    }
  }

  makeAgain(chunk: Chunk): void {
    const file = this.site.files.get(chunk.number);
    const name = file && factsName(file);
    if (name === undefined) return;
    const error = `${name}: has sums by channels or labels that values no longer have`;
    this.outdated.set(name, { file: name, error, isOfOtherVersion: true });
  }

  /** Forgets and removes the files that are to be made again, and returns each with the reason. */
  discardOutdated(): DiscardedFacts[] {
    const all = [...this.outdated.values()];
    this.outdated.clear();
    for (const { file } of all) this.discard(file);
    return all;
  }

  /** The names, below the data folder, of all files that were used. */
  get names(): Iterable<string> {
    return this.readers.keys();
  }

  /** Forgets a file that cannot be used, and removes it if it can be removed. */
  discard(name: string): void {
    this.readers.delete(name);
    this.discarded.add(name);
    diskFailure(() => this.disk.remove(join(this.folder, name)));
  }

  /** Returns no names if the directory cannot be read. */
  private list(directory: string): string[] {
    try {
      return this.disk.list(join(this.folder, directory));
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return [];
    }
  }
}
