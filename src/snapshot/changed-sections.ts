/**
 * Sections that stand in place of a file's. Where few bytes differ from the file's, only these are kept: they are written
 * into each mapping of the file, which is private, when the section is asked for. So a full chunk that hits may still
 * change takes next to nothing in a mirror, as in the thread that has it.
 */
import { free } from "../lib/memory/free.ts";
import type { Sections } from "./named-sections.ts";
import { SnapshotDamage, type Section } from "./section.ts";

/** Bytes of a section that differ from the file's, and where they stand. */
interface Difference {
  readonly at: Uint32Array;
  readonly bytes: Uint8Array;
}

/** The bytes that one byte takes that differs. */
const differenceBytes = 5;

export class ChangedSections {
  /** The sections that are kept whole: all of them, until the file was seen. */
  private whole: ReadonlyMap<string, Uint8Array>;
  private differences: ReadonlyMap<string, Difference> | undefined;
  /** A section of the newest mapping of the file. */
  private mapped: Uint8Array | undefined;

  /** `own`: nothing else has the memory of these, but where it is shared. */
  constructor(own: readonly Section[]) {
    this.whole = new Map(own.map(({ name, data }) => [name, data]));
  }

  /** The bytes in memory. For tests. */
  get bytes(): number {
    const whole = this.whole.values().reduce((sum, { length }) => sum + length, 0);
    const differences = this.differences?.values() ?? [];
    return Array.from(differences).reduce((sum, { bytes }) => sum + differenceBytes * bytes.length, whole);
  }

  /**
   * Returns the sections, and the file's others. `file`: a private mapping of it, the same bytes each time. Throws what
   * reading a section of the file throws, but for damage: a section that is kept whole needs none of it.
   */
  over(file: Sections): Sections {
    if (this.whole.size === 0 && this.differences === undefined) return file;
    this.differences ??= this.differencesFrom(file);
    const get = (name: string) => {
      const section = file.get(name);
      this.mapped = section ?? this.mapped;
      return section;
    };
    return new ChangedFile(file, get, this.whole, this.differences);
  }

  /**
   * Frees their memory and the newest mapping at once: what garbage collection finds stays for long. What `over` returned
   * is gone.
   */
  letGo(): void {
    for (const data of this.whole.values()) free(data);
    if (this.mapped !== undefined) free(this.mapped);
    this.mapped = undefined;
    this.whole = new Map();
  }

  private differencesFrom(file: Sections): ReadonlyMap<string, Difference> {
    const whole = new Map(this.whole);
    const differences = new Map<string, Difference>();
    for (const [name, now] of this.whole) {
      const before = undamaged(file, name);
      this.mapped = before ?? this.mapped;
      const difference = before?.length === now.length ? differenceOf(before, now) : undefined;
      if (difference === undefined) continue;
      differences.set(name, difference);
      whole.delete(name);
      free(now);
    }
    this.whole = whole;
    return differences;
  }
}

function undamaged(file: Sections, name: string): Uint8Array | undefined {
  try {
    return file.get(name);
  } catch (error) {
    if (error instanceof SnapshotDamage) return undefined;
    throw error;
  }
}

/** Returns undefined if it takes more memory than half of the section. */
function differenceOf(before: Uint8Array, now: Uint8Array): Difference | undefined {
  let count = 0;
  for (let at = 0; at < now.length; at++) if (before[at] !== now[at]) count++;
  if (count * differenceBytes > now.length / 2) return undefined;
  const difference = { at: new Uint32Array(count), bytes: new Uint8Array(count) };
  for (let at = 0, next = 0; next < count; at++) {
    if (before[at] === now[at]) continue;
    difference.at[next] = at;
    difference.bytes[next++] = now[at]!;
  }
  return difference;
}

class ChangedFile extends Map<string, Uint8Array> {
  constructor(
    private readonly file: Sections,
    private readonly getOfFile: (name: string) => Uint8Array | undefined,
    whole: ReadonlyMap<string, Uint8Array>,
    private readonly differences: ReadonlyMap<string, Difference>,
  ) {
    super(whole);
  }

  override has(name: string): boolean {
    return super.has(name) || this.file.has(name);
  }

  override get(name: string): Uint8Array | undefined {
    const whole = super.get(name);
    if (whole !== undefined) return whole;
    const section = this.getOfFile(name);
    const difference = section && this.differences.get(name);
    if (difference === undefined) return section;
    for (let at = 0; at < difference.at.length; at++) section![difference.at[at]!] = difference.bytes[at]!;
    return section;
  }
}
