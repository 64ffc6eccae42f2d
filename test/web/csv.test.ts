/** Parts of a list as CSV are put together as if the server had answered with all of it at once. */
import { expect, test } from "bun:test";
import { csv, type CsvRow } from "../../src/query/answers/csv.ts";
import { joined, recordsOf } from "../../src/web/lib/texts/csv.ts";
import { randomFrom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

const texts = ["/", "/a,b", 'say "a"', '","', "two\nlines", "\r\n", "=1+1", "/ä;b", "(other)", '"', ""];

test(`the parts of a list are those of the whole (seed ${seed()})`, () => {
  const random = randomFrom(seed());
  const one = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
  for (let round = 0; round < rounds(300); round++) {
    const rows = Array.from({ length: 1 + Math.floor(random() * 9) }, (_, at): CsvRow => {
      const before = at > 4 || random() < 0.5 ? undefined : Math.floor(random() * 9);
      return { path: one(texts), visitors: at, previous_visitors: before, ...(at === 8 && { other: true }) };
    });
    const cut = 1 + Math.floor(random() * rows.length);
    const parts = [rows.slice(0, cut), rows.slice(cut)].map((part) => csv(part, ["path", "visitors"]));
    expect(joined(parts)).toBe(csv(rows));
    expect(parts.map((part) => recordsOf(part).length - 1)).toEqual([cut, rows.length - cut]);
  }
});

test("a list without rows has its head line", () => {
  expect(joined([csv([], ["path", "visitors"])])).toBe("path,visitors\r\n");
});
