/**
 * Looks for very many byte strings in files at once: each offset whose four bytes begin one of them is compared. Strings
 * of four bytes happen by chance in large files, so these are told apart.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Found {
  readonly needle: string;
  readonly file: string;
  readonly at: number;
}

interface Needle {
  readonly name: string;
  readonly bytes: Buffer;
}

/** A bit for the hash of each first four bytes. */
const filterBits = 24;

export class Needles {
  size = 0;
  private readonly byStart = new Map<number, Needle[]>();
  private readonly filter = new Uint8Array(1 << (filterBits - 3));

  /** `bytes`: at least four. */
  add(name: string, bytes: Buffer): void {
    const start = bytes.readUInt32BE(0);
    const bit = hashOf(start);
    this.filter[bit >> 3] = (this.filter[bit >> 3] as number) | (1 << (bit & 7));
    const others = this.byStart.get(start);
    if (others === undefined) this.byStart.set(start, [{ name, bytes }]);
    else others.push({ name, bytes });
    this.size++;
  }

  in(file: string, haystack: Buffer): Found[] {
    const { filter } = this;
    const found: Found[] = [];
    let start = 0;
    for (let at = 0; at < haystack.length; at++) {
      start = ((start << 8) | (haystack[at] as number)) >>> 0;
      const bit = hashOf(start);
      if (at < 3 || ((filter[bit >> 3] as number) & (1 << (bit & 7))) === 0) continue;
      const from = at - 3;
      for (const { name, bytes } of this.byStart.get(start) ?? [])
        if (haystack.subarray(from, from + bytes.length).equals(bytes))
          found.push({ needle: name, file, at: from });
    }
    return found;
  }
}

function hashOf(start: number): number {
  return Math.imul(start, 0x9e37_79b1) >>> (32 - filterBits);
}

/** The contents of every file of a folder and those within it. */
export function* filesIn(folder: string): Generator<[file: string, content: Buffer]> {
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    const path = join(folder, name);
    if (statSync(path).isFile()) yield [name, readFileSync(path)];
  }
}
