/** Writes a ZIP as Plausible does: stored, with the sizes after each file; or deflated. */
import { crc32, deflateRawSync } from "node:zlib";

export function zipOf(files: Readonly<Record<string, string>>, isDeflated = false): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  const push = (...own: Buffer[]) => {
    parts.push(...own);
    at += own.reduce((sum, { length }) => sum + length, 0);
  };
  for (const [name, text] of Object.entries(files)) {
    const [data, path] = [Buffer.from(text), Buffer.from(name)];
    const packed = isDeflated ? deflateRawSync(data) : data;
    const sizes = words(4, crc32(data), packed.length, data.length);
    const method = words(2, 20, 8, isDeflated ? 8 : 0, 0, 0);
    const from = at;
    push(words(4, 0x04034b50), method, words(4, 0, 0, 0), words(2, path.length, 0), path, packed);
    push(words(4, 0x08074b50), sizes);
    const entry = [words(4, 0x02014b50), words(2, 52), method, sizes, words(2, path.length, 0, 0, 0, 0)];
    list.push(...entry, words(4, 0, from), path);
  }
  const [start, count] = [at, Object.keys(files).length];
  push(...list);
  const end = [words(4, 0x06054b50), words(2, 0, 0, count, count), words(4, at - start, start), words(2, 0)];
  return new Uint8Array(Buffer.concat([...parts, ...end]));
}

function words(bytes: 2 | 4, ...numbers: number[]): Buffer {
  const own = Buffer.alloc(bytes * numbers.length);
  numbers.forEach((number, at) =>
    bytes === 2 ? own.writeUInt16LE(number, 2 * at) : own.writeUInt32LE(number, 4 * at),
  );
  return own;
}
