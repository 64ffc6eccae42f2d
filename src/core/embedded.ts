/**
 * Values that a macro puts into the program, packed into a text. The executable has each text of the program twice, as source
 * and as bytecode: packed, the pages, words, shapes and licences take a megabyte less.
 */

/** A value of the type as a text: base64 of Zstandard of JSON. */
export type Embedded<T> = string & { readonly value?: T };

/** A start from source packs too: a higher level takes longer for little. */
const level = 9;

export function embed<T>(value: T): Embedded<T> {
  return Bun.zstdCompressSync(JSON.stringify(value), { level }).toString("base64");
}

export function embedded<T>(text: Embedded<T>): T {
  return JSON.parse(Bun.zstdDecompressSync(Buffer.from(text, "base64")).toString()) as T;
}
