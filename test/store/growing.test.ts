import { describe, expect, test } from "bun:test";
import { growingBuffer, roomyBytes, roomyWords } from "../../src/store/growing.ts";

describe("memory that grows", () => {
  test("is shared between threads once it is large", () => {
    expect(growingBuffer(16 * 1024 - 1)).toBeInstanceOf(ArrayBuffer);
    expect(growingBuffer(16 * 1024)).toBeInstanceOf(SharedArrayBuffer);
  });

  test("stays where it is while there is room, and at least doubles where there is none", () => {
    const words = Uint32Array.of(7, 8, 9);
    expect(roomyWords(words, 3)).toBe(words);
    const longer = roomyWords(words, 4);
    expect([...longer]).toEqual([7, 8, 9, 0, 0, 0, 0, 0]);
    expect(roomyWords(longer, 9).length).toBe(16);
    expect(roomyWords(longer, 100).length).toBe(128);
    const bytes = Buffer.from([1, 2]);
    expect(roomyBytes(bytes, 2)).toBe(bytes);
    expect([...roomyBytes(bytes, 3)]).toEqual([1, 2, 0, 0, 0, 0, 0, 0]);
  });

  test("leaves what was seen of it as it was", () => {
    const before = roomyWords(new Uint32Array(0), 8_000);
    before.set([1, 2, 3]);
    const view = before.subarray(0, 3);
    const after = roomyWords(before, 9_000);
    after[0] = 9;
    expect([...view]).toEqual([1, 2, 3]);
    expect(view.buffer).toBeInstanceOf(SharedArrayBuffer);
  });
});
