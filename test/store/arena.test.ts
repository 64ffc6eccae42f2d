import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { processHash, type ByteHash } from "../../src/lib/hashes/hash.ts";
import { Arena } from "../../src/store/values/arena.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

/** From no collision to nothing but collisions. */
const hashes: readonly (readonly [string, ByteHash])[] = [
  ["that of the process", processHash],
  ["of the first byte", (bytes, start, end) => (end > start ? (bytes[start] as number) : 0)],
  ["of the length, in the high bits only", (_bytes, start, end) => ((end - start) << 24) >>> 0],
  ["always 0", () => 0],
  ["always the greatest, so that every search wraps", () => 0xffffffff],
];
const value = fc.oneof(
  fc.uint8Array({ maxLength: 3, max: 3 }),
  fc.uint8Array({ maxLength: 300, size: "max" }),
  // Equal but for the end.
  fc.nat(400).map((number) => new TextEncoder().encode(`/a/long/prefix/that/all/of/them/have/${number}`)),
);

function intern(arena: Arena, bytes: Uint8Array): number {
  const hash = arena.hash(bytes, 0, bytes.length);
  return arena.find(bytes, bytes.length, hash) || arena.add(bytes, bytes.length, hash);
}

describe.each(hashes)("an arena with a hash %s", (_name, hash) => {
  test("is a map from bytes to dense ids and back", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 300, size: "max" }), (values) => {
        const arena = new Arena(hash);
        const model = new Map<string, number>();
        for (const bytes of values) {
          const key = Buffer.from(bytes).toString("hex");
          const known = model.get(key);
          expect(arena.find(bytes, bytes.length, hash(bytes, 0, bytes.length))).toBe(known ?? 0);
          expect(intern(arena, bytes)).toBe(known ?? model.size + 1);
          if (known === undefined) model.set(key, model.size + 1);
        }
        expect(arena.size).toBe(model.size + 1);
        for (const [key, id] of model) expect(Buffer.from(arena.view(id)).toString("hex")).toBe(key);
        arena.check();
      }),
      { seed: seed(), numRuns: rounds(40) },
    );
  });

  test("goes on from what another had, in any number of steps", () => {
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 200, size: "max" }),
        fc.infiniteStream(fc.nat(60)),
        (values, steps) => {
          const arena = new Arena(hash);
          const copy = new Arena(hash);
          const seen: { readonly bytes: Uint8Array; readonly before: string }[] = [];
          let left = 0;
          for (const bytes of values) {
            intern(arena, bytes);
            if (left-- > 0) continue;
            left = steps.next().value as number;
            const added = arena.since(copy.size);
            seen.push({ bytes: added.bytes, before: Buffer.from(added.bytes).toString("hex") });
            copy.append(added.bytes, added.ends);
          }
          const rest = arena.since(copy.size);
          copy.append(rest.bytes, rest.ends);
          copy.check();
          expect(copy.size).toBe(arena.size);
          expect(copy.since(1)).toEqual(arena.since(1));
          for (const bytes of values) expect(intern(copy, bytes)).toBe(intern(arena, bytes));
          for (const { bytes, before } of seen) expect(Buffer.from(bytes).toString("hex")).toBe(before);
        },
      ),
      { seed: seed(), numRuns: rounds(40) },
    );
  });
});

describe("Arena", () => {
  test("keeps half of its slots free, and all ids, over many values", () => {
    const arena = new Arena();
    const bytesOf = (number: number) => new TextEncoder().encode(`/page/${number}`);
    for (let id = 1; id <= 70_000; id++) expect(intern(arena, bytesOf(id))).toBe(id);
    for (let id = 1; id <= 70_000; id += 777) {
      expect(intern(arena, bytesOf(id))).toBe(id);
      expect(arena.text(id)).toBe(`/page/${id}`);
    }
    arena.check();
    expect(arena.since(1).bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  test("looks at no more than the given length", () => {
    const arena = new Arena();
    const bytes = new TextEncoder().encode("abc");
    expect(arena.add(bytes, 2, arena.hash(bytes, 0, 2))).toBe(1);
    expect(arena.text(1)).toBe("ab");
    expect(arena.find(bytes, 2, arena.hash(bytes, 0, 2))).toBe(1);
    expect(arena.find(bytes, 3, arena.hash(bytes, 0, 3))).toBe(0);
  });

  test("asserts that appended values fill their bytes", () => {
    expect(() => new Arena().append(new Uint8Array(5), Uint32Array.of(2, 4))).toThrow("fill the bytes");
  });

  test("an empty one shares its buffers with no other that is filled", () => {
    const [first, second] = [new Arena(), new Arena()];
    intern(first, Uint8Array.of(1));
    expect([second.size, second.find(Uint8Array.of(1), 1, first.hash(Uint8Array.of(1), 0, 1))]).toEqual([
      1, 0,
    ]);
    expect(intern(second, new Uint8Array(0))).toBe(1);
    expect(first.view(1)).toEqual(Buffer.from([1]));
  });
});
