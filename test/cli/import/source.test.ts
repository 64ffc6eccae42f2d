import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LogSource } from "../../../src/cli/import/source.ts";
import { Refusal } from "../../../src/core/refusal.ts";
import { DiskError } from "../../../src/lib/disk/disk.ts";

const folder = mkdtempSync(join(tmpdir(), "footfall-source-"));
afterAll(() => rmSync(folder, { recursive: true }));

const text = "a line of a log\n".repeat(100_000);
const packed = Bun.gzipSync(Buffer.from(text));

function file(name: string, bytes: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

async function* none(): AsyncGenerator<Uint8Array> {}

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function textOf(source: LogSource): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Returns what there may be of a packed file with its head, of some seven bytes. */
function cutOff(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: bytes.length - 7 }, (_, at) => bytes.subarray(0, at + 7));
}

describe("LogSource", () => {
  test("reads a plain file and says how far it is", async () => {
    const source = new LogSource(file("plain.log", text), none());
    expect(source.bytesTotal).toBe(text.length);
    expect(await textOf(source)).toBe(text);
    expect(source.bytesRead).toBe(text.length);
  });

  test("unpacks gzip by its first bytes, whatever it is called, also of several members", async () => {
    expect(await textOf(new LogSource(file("packed.log", packed), none()))).toBe(text);
    const twice = new LogSource(file("twice.log", Buffer.concat([packed, packed])), none());
    expect(await textOf(twice)).toBe(text + text);
    expect(twice.bytesRead).toBe(2 * packed.length);
  });

  test.each([1, 7, 65_536])(
    "reads standard input in pieces of %d bytes, plain and packed",
    async (length) => {
      const short = text.slice(0, 1_000);
      expect(await textOf(new LogSource("-", inPieces(Buffer.from(short), length)))).toBe(short);
      expect(await textOf(new LogSource("-", inPieces(packed, length)))).toBe(text);
      expect(new LogSource("-", none()).bytesTotal).toBeUndefined();
    },
  );

  test.each(["", "a", "\n", `${"a".repeat(255)}\nustar`, `${"a".repeat(257)}usta`])(
    "a file of %j is that",
    async (short) => {
      expect(await textOf(new LogSource(file("short.log", short), none()))).toBe(short);
    },
  );

  test.each([
    ["little", Buffer.from(`\ufeff${text.slice(0, 100)}`, "utf16le")],
    ["big", Buffer.from(`\ufeff${text.slice(0, 100)}`, "utf16le").swap16()],
  ])("UTF-16 is refused by that name, %s end first, also packed", async (_, wide) => {
    const message = "standard input is UTF-16: save it as UTF-8";
    for (const bytes of [wide, Bun.gzipSync(wide as never)])
      await expect(new LogSource("-", inPieces(bytes, 1)).firstLines()).rejects.toThrow(message);
  });

  test("packed data that is cut off or damaged is refused after what could be read", async () => {
    const cut = new LogSource(file("cut.log", packed.subarray(0, packed.length - 100)), none());
    await expect(textOf(cut)).rejects.toThrow(Refusal);
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, 200, 260);
    await expect(textOf(new LogSource(file("damaged.log", damaged), none()))).rejects.toThrow(
      /cut off or damaged/,
    );
  });

  test("zstd is unpacked, also of several frames, and refused wherever it is cut off", async () => {
    const long = Buffer.from(
      Array.from({ length: 60_000 }, (_, at) => `a line ${at * at} of a log\n`).join(""),
    );
    const frame = Buffer.from(Bun.zstdCompressSync(long));
    const twice = Buffer.concat([frame, frame]);
    expect(await textOf(new LogSource("-", inPieces(twice, 65_536)))).toBe(`${long}${long}`);
    const short = Buffer.from(Bun.zstdCompressSync(text.slice(0, 400)));
    expect(await textOf(new LogSource("-", inPieces(short, 1)))).toBe(text.slice(0, 400));
    expect(await textOf(new LogSource("-", inPieces(Bun.zstdCompressSync(""), 9)))).toBe("");
    const cuts = [frame.length >> 1, frame.length - 1, frame.length + 30, twice.length - 4];
    for (const part of [...cuts.map((end) => twice.subarray(0, end)), ...cutOff(short)])
      await expect(textOf(new LogSource("-", inPieces(part, 65_536)))).rejects.toThrow(
        "the zstd data is cut off or damaged",
      );
  });

  test("a file that is not there or is a folder is a DiskError", async () => {
    expect(() => new LogSource(join(folder, "missing"), none())).toThrow(DiskError);
    mkdirSync(join(folder, "directory"));
    await expect(textOf(new LogSource(join(folder, "directory"), none()))).rejects.toThrow(DiskError);
  });
});
