import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { lineBytesMax, Lines } from "../../../src/cli/import/lines.ts";
import { seed } from "../../support/seed.ts";

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** All lines with the position and digest after each, the bytes given in pieces of those lengths. */
function read(bytes: Buffer, lengths: readonly number[]) {
  const lines = new Lines();
  const read: { text: string | undefined; position: number; digest: string }[] = [];
  let start = 0;
  for (const length of [...lengths, bytes.length]) {
    // A reader may use its buffer again.
    const chunk = Buffer.from(bytes.subarray(start, start + length));
    for (const text of lines.of(chunk)) read.push({ text, position: lines.position, digest: lines.digest() });
    chunk.fill(0);
    start += length;
  }
  return { lines, read };
}

describe("Lines", () => {
  test("gives the lines that are complete, however they are cut into chunks", () => {
    const line = fc
      .string({ unit: "binary", maxLength: 12, size: "max" })
      .map((text) => text.replace(/[\n\r]/g, ""));
    const lengths = fc.array(fc.nat(20), { maxLength: 30, size: "max" });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12, size: "max" }), line, lengths, (complete, last, cuts) => {
        const bytes = Buffer.from(complete.map((text) => `${text}\n`).join("") + last);
        const result = read(bytes, cuts);
        expect(result.read.map(({ text }) => text)).toEqual(
          complete.map((text) => Buffer.from(text).toString()),
        );
        expect(result.lines.unfinishedBytes).toBe(Buffer.byteLength(last));
        for (const { position, digest } of result.read) {
          expect(bytes[position - 1]).toBe(0x0a);
          expect(digest).toBe(sha256(bytes.subarray(0, position)));
        }
      }),
      { seed: seed() },
    );
  });

  test("a carriage return before the line feed does not belong to the line", () => {
    expect(read(Buffer.from("a\r\nb\r\r\n\r\n\n"), []).read.map(({ text }) => text)).toEqual([
      "a",
      "b\r",
      "",
      "",
    ]);
  });

  test("a line that is too long is told apart, and costs no memory", () => {
    const fits = "x".repeat(lineBytesMax - 1);
    const text = `${fits}\n${fits}y\nshort\n${fits}${fits}`;
    const { lines, read: result } = read(
      Buffer.from(text),
      Array.from({ length: 60 }, () => 5_000),
    );
    expect(result.map((line) => line.text)).toEqual([fits, undefined, "short"]);
    const complete = Buffer.from(text.slice(0, text.lastIndexOf("\n") + 1));
    expect(lines.position).toBe(complete.length);
    // The long start of a line that is not complete yet does not count.
    expect(lines.digest()).toBe(sha256(complete));
    expect(lines.unfinishedBytes).toBe(2 * fits.length);
  });
});
