import { expect, test } from "bun:test";
import { systemRandom } from "../../src/lib/random.ts";

test("gives as many bytes as asked, other ones each time, of every value", () => {
  expect(systemRandom.bytes(0)).toHaveLength(0);
  expect(systemRandom.bytes(32)).toHaveLength(32);
  const drawn = new Set(Array.from({ length: 100 }, () => systemRandom.bytes(16).toHex()));
  expect(drawn.size).toBe(100);
  expect(new Set(systemRandom.bytes(65_536)).size).toBe(256);
});
