import { describe, expect, test } from "bun:test";
import {
  growingBuffer,
  loadedBytes,
  loadedWords,
  roomyBytes,
  roomyWords,
} from "../../src/store/values/growing.ts";

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

  test("that begins with what was read is a copy with no more room than it needs, but for what is large", () => {
    const file = Uint8Array.from({ length: 64 * 1024 }, (_, at) => at).buffer;
    const [few, many] = [new Uint32Array(file, 8, 3), new Uint32Array(file, 8, 5_000)];
    expect([...loadedWords(few)]).toEqual([0, ...few]);
    expect([...loadedBytes(new Uint8Array(file, 8, 3))]).toEqual([8, 9, 10]);
    for (const { buffer } of [loadedWords(few), loadedBytes(new Uint8Array(file, 8, 3))])
      expect(buffer.byteLength).toBeLessThan(100);
    const words = loadedWords(many);
    expect([words.length, words[0], words.subarray(1, 5_001)]).toEqual([8_192, 0, many]);
    const bytes = loadedBytes(new Uint8Array(file, 8, 20_000));
    expect(bytes.length).toBe(32 * 1024);
    expect(new Uint8Array(bytes.subarray(0, 20_000))).toEqual(new Uint8Array(file, 8, 20_000));
    for (const { buffer } of [words, bytes]) expect(buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  test("that was read grows to the next power of two", () => {
    expect(roomyWords(loadedWords(new Uint32Array(1_000)), 1_002).length).toBe(1_024);
    expect(roomyBytes(loadedBytes(new Uint8Array(1_025)), 1_026).length).toBe(2_048);
  });
});
