import { describe, expect, test } from "bun:test";
import { roomFor, Scratch, scratch, ScratchWords, type Holder } from "../../src/lib/memory/scratch.ts";

/** Holders that note when they let go, and how much room was asked for. */
function scene() {
  const own = new Scratch();
  const gone: string[] = [];
  const asked: number[] = [];
  const holder = (name: string): Holder => ({ letGo: () => void gone.push(name) });
  const begin = () => own.begin((bytes) => void asked.push(bytes));
  begin();
  return { own, gone, asked, begin, a: holder("a"), b: holder("b"), c: holder("c") };
}

describe("scratch", () => {
  test("counts what each holder has by now, and asks for room for what is more", () => {
    const { own, asked, a, b } = scene();
    own.hold(a, 100);
    own.hold(b, 10);
    expect(own.bytes).toBe(110);
    own.hold(a, 150);
    own.hold(a, 150);
    own.hold(b, 4);
    expect(own.bytes).toBe(154);
    expect(asked).toEqual([100, 10, 50]);
  });

  test("that the task under way has used stays, the rest goes, longest unused first", () => {
    const { own, gone, begin, a, b, c } = scene();
    own.hold(a, 100);
    own.hold(b, 100);
    own.hold(c, 100);
    begin();
    own.hold(a, 100);
    own.shed(1);
    expect(gone).toEqual(["b"]);
    own.shed(1_000);
    expect(gone).toEqual(["b", "c"]);
    expect(own.bytes).toBe(100);
    own.end(Infinity);
    own.shed(1);
    expect(gone).toEqual(["b", "c", "a"]);
    expect(own.bytes).toBe(0);
  });

  test("goes later where it takes long to make, however long it was not used", () => {
    const { own, gone, begin, a, b } = scene();
    const dear = { isDear: true, letGo: () => void gone.push("dear") };
    for (const holder of [dear, a, b]) own.hold(holder, 100);
    begin();
    own.hold(b, 100);
    own.shed(100);
    expect(gone).toEqual(["a"]);
    own.shed(200);
    expect(gone).toEqual(["a", "dear"]);
    expect(own.bytes).toBe(100);
  });

  test("is not let go by the one who needs it", () => {
    const { own, gone, a, b } = scene();
    own.hold(a, 100);
    own.hold(b, 100);
    own.begin((bytes) => own.shed(bytes));
    own.hold(a, 300);
    expect(gone).toEqual(["b"]);
    expect(own.bytes).toBe(300);
  });

  test("is kept after a task up to a bound", () => {
    const { own, gone, a, b, c } = scene();
    for (const holder of [b, a, c]) own.hold(holder, 100);
    own.end(250);
    expect(gone).toEqual(["b"]);
    own.end(200);
    expect(gone).toEqual(["b"]);
  });

  test("that a task leaves to nobody counts until it is over", () => {
    const { own, asked, begin, a } = scene();
    own.hold(a, 1);
    own.need(70);
    own.need(30);
    expect(own.bytes).toBe(101);
    expect(asked).toEqual([1, 70, 30]);
    own.shed(1_000);
    expect(own.bytes).toBe(101);
    own.end(Infinity);
    expect(own.bytes).toBe(1);
    begin();
    own.need(5);
    begin();
    expect(own.bytes).toBe(1);
  });

  test("is not counted between tasks", () => {
    const { own, asked, a } = scene();
    own.end(Infinity);
    own.hold(a, 1);
    own.need(1);
    expect([own.bytes, asked]).toEqual([0, []]);
  });

  test("goes altogether", () => {
    const { own, gone, begin, a, b } = scene();
    own.hold(a, 1);
    own.hold(b, 2);
    own.clear();
    expect([own.bytes, gone.sort()]).toEqual([0, ["a", "b"]]);
    begin();
    own.hold(a, 7);
    expect(own.bytes).toBe(7);
  });

  test("words are the same until more are asked for, or they were let go", () => {
    const words = new ScratchWords();
    scratch.begin(() => {});
    const before = scratch.bytes;
    const five = words.take(5);
    expect(five).toHaveLength(5);
    expect(words.take(8).buffer).toBe(five.buffer);
    expect(scratch.bytes - before).toBe(32);
    expect(words.take(9).buffer).not.toBe(five.buffer);
    expect(scratch.bytes - before).toBe(64);
    scratch.clear();
    expect(scratch.bytes).toBe(0);
    expect(words.take(1)).toHaveLength(1);
    scratch.end(0);
  });

  test("words that grow keep what they were", () => {
    const words = new ScratchWords();
    words.take(3).set([1, 2, 3]);
    expect([...words.grow(4).subarray(0, 3)]).toEqual([1, 2, 3]);
    const grown = words.grow(100);
    expect(grown.length).toBeGreaterThanOrEqual(100);
    expect([...grown.subarray(0, 3)]).toEqual([1, 2, 3]);
  });

  test("words that are many are freed after the task, at once; few stay", () => {
    const [many, few] = [new ScratchWords(), new ScratchWords()];
    scratch.begin(() => {});
    const before = scratch.bytes;
    const kept = few.take(1_000).buffer;
    const taken = many.take(2 ** 18).buffer;
    const grown = many.grow(2 ** 18 + 1).buffer;
    expect([taken.byteLength, grown.byteLength, scratch.bytes - before]).toEqual([
      0,
      2 ** 21,
      2 ** 21 + 4_096,
    ]);
    scratch.end(Infinity);
    expect([grown.byteLength, scratch.bytes - before]).toEqual([0, 4_096]);
    scratch.begin(() => {});
    expect(few.take(1_000).buffer).toBe(kept);
    expect(many.take(2 ** 18)).toHaveLength(2 ** 18);
    scratch.end(Infinity);
    expect(many.take(1).buffer.byteLength).toBe(2 ** 20);
    scratch.clear();
  });

  test("has room for a power of two", () => {
    expect([0, 1, 2, 3, 64, 65].map(roomFor)).toEqual([0, 1, 2, 4, 64, 128]);
  });
});
