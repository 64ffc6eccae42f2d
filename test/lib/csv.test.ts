/** Cells: each text comes back from its guarded form, and none is a formula. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  cellsOf,
  csvCell,
  csvText,
  onOneLine,
  readCells,
  unguarded,
  withLineEnds,
} from "../../src/lib/texts/csv.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

const signs = fc.constantFrom(
  "=",
  "+",
  "-",
  "@",
  "\uff1d",
  "'",
  ";",
  "\t",
  "\r",
  "\n",
  " ",
  "a",
  '"',
  ",",
  "\\",
  "n",
);
const text = fc.array(signs, { maxLength: 8 }).map((all) => all.join(""));

test("texts come back from a record on one line", () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
      const line = texts.map((each) => csvText(onOneLine(each))).join(",");
      expect(line).not.toMatch(/[\r\n]/);
      expect(cellsOf(line, 100)?.map((cell) => withLineEnds(unguarded(cell)))).toEqual(texts);
    }),
    { seed: seed(), numRuns: rounds(3_000) },
  );
});

test("texts come back from their guarded form, whatever line ends they have, and begin no formula", () => {
  fc.assert(
    fc.property(text, (each) => {
      const cell = csvText(each);
      const plain = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
      expect(unguarded(plain)).toBe(each);
      expect(plain).not.toMatch(/^\s*[=+\-@\uff1d]|^[\t\r\n]/);
    }),
    { seed: seed(), numRuns: rounds(3_000) },
  );
});

// The two functions as regular expressions, which take too long for some texts.
const formula = /(^|[;\t\r\n])([\s']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?='*[\t\r\n])/g;
const guardedFormula = /(^|[;\t\r\n])'([\s']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])|^'(?='*[\t\r\n])/g;

test("guards stand where a formula would begin", () => {
  fc.assert(
    fc.property(text, (each) => {
      expect(csvText(each)).toBe(csvCell(each.replace(formula, "$1'$2")));
      expect(unguarded(each)).toBe(each.replace(guardedFormula, "$1$2"));
    }),
    { seed: seed(), numRuns: rounds(10_000) },
  );
});

test("every blank that there is may stand before a formula, and no other sign", () => {
  for (let unit = 0; unit < 2 ** 16; unit++) {
    const each = `;${String.fromCharCode(unit)}=`;
    expect(csvText(each)).toBe(csvCell(each.replace(formula, "$1'$2")));
  }
});

test.each(["\n", "\t'", "'", "\n' ", " ", ";", ";'", "=\n", "-", "'=", ";="])(
  "a stranger's text of many %j takes no long time",
  (part) => {
    const long = `${part.repeat(100_000)}a`;
    const beforeMs = cpuMs();
    expect(unguarded(csvText(long).replace(/^"|"$/g, ""))).toBe(long);
    // Looking on from each place took 7 s.
    expect(cpuMs() - beforeMs).toBeLessThan(3_000);
  },
);

test("what is no record is none", () => {
  for (const line of ['"', '"a"b', 'a"b', '"a,b', 'a,"b""']) expect(cellsOf(line, 100)).toBeUndefined();
  expect(cellsOf("", 100)).toEqual([""]);
  expect(cellsOf(',"",', 100)).toEqual(["", "", ""]);
});

test.each([
  ['a"b"",c', ['a"b""', "c"]],
  ['"a"b,c', ["a", "c"]],
  ['a,"b,c""', ["a", 'b,c"']],
  ["a,b,c,d,e", ["a", "b", "c", "d"]],
  ['"a",b,c,d,e', ["a", "b", "c", "d"]],
])("%p is read as far as it can be", (text, cells) => {
  expect(readCells(text, 3).cells).toEqual(cells);
});
