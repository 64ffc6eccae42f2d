import { describe, expect, test } from "bun:test";
import { parseBoundedJson, TooMuchJson } from "../../src/lib/texts/bounded-json.ts";
import { randomBySeed } from "../support/seed.ts";

const bodyCharacters = 65_536;

/** As many of `part` as fit into a body, in a list. */
function listOf(part: string): string {
  return `[${Array(Math.floor(bodyCharacters / (part.length + 1)) - 1)
    .fill(part)
    .join()}]`;
}

function nested(before: string, after: string): string {
  const depth = Math.floor(bodyCharacters / (before.length + after.length)) - 1;
  return `${before.repeat(depth)}1${after.repeat(depth)}`;
}

describe("a value that takes much more memory or time than its text is refused", () => {
  test.each([
    ["names for which an object has a thousand places", listOf('{"999":1}')],
    ["the same, one in another", nested('{"999":', "}")],
    ["the same, written with escapes", listOf('{"\\u0039\\u00399":1}')],
    ["two in one object, the second of which makes it grow", listOf('{"499":1,"999":1}')],
    ["names with spaces before the colon", listOf('{"999" :1}')],
    ["empty objects", listOf("{}")],
    ["lists, each in another", nested("[", "]")],
  ])("%s", (_, text) => {
    expect(() => parseBoundedJson(text)).toThrow(TooMuchJson);
  });

  test("of more than 32 MiB, however long the text is", () => {
    const text = `[${Array(400_000).fill('{"name":"a text of some length, as of an event"}').join()}]`;
    expect(() => parseBoundedJson(text)).toThrow(TooMuchJson);
  });

  test("before it is made", () => {
    const text = nested('{"999":', "}");
    Bun.gc(true);
    const before = process.memoryUsage().heapUsed;
    for (let time = 0; time < 20; time++) expect(() => parseBoundedJson(text)).toThrow(TooMuchJson);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * 1024 * 1024);
  });
});

describe("any other is what JSON.parse makes of it", () => {
  test.each([
    '{"1":2,"30":"x","999":null}',
    '{"b":"k3v9","d":{"404":true,"500":true,"503":true}}',
    listOf('"999"'),
    listOf('{"a name":[1,22,333,4444,55555]}'),
    `${"[".repeat(1_000)}${"]".repeat(1_000)}`,
    JSON.stringify({ hits: Array(1_000).fill({ b: "k" }) }),
    JSON.stringify({ hits: Array(1_000).fill({ b: "k", d: { a: 1 } }) }),
    JSON.stringify({ hits: Array(1_000).fill({ b: "k3v9", u: "https://example.com/", d: { "404": true } }) }),
    listOf('{"t":1767225600000,"n":"signup","v":"pro"}'),
    JSON.stringify(`${"\\".repeat(20_000)}"{[`),
    JSON.stringify("{".repeat(60_000)),
    '"{[\\"{["',
    "1",
    "null",
  ])("%#", (text) => {
    expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
  });

  test.each(["", "{", '"', '"\\', '{"a":1', "[1,]", '{"999"', "\u0000"])("%j is no JSON", (text) => {
    expect(() => parseBoundedJson(text)).toThrow(SyntaxError);
  });

  test("random values", () => {
    const random = randomBySeed();
    for (let round = 0; round < 300; round++) {
      const text = JSON.stringify(valueOf(random, 4));
      expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
    }
  });
});

const texts = ["", "\\", '"', "{", '\\"', "[[", "999", "ü", "a name", "\u2028"];

function valueOf(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth === 0 ? 3 : 5));
  if (kind === 0) return random() * 1e6;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return texts[Math.floor(random() * texts.length)];
  const values = Array.from({ length: Math.floor(random() * 5) }, () => valueOf(random, depth - 1));
  if (kind === 3) return values;
  return Object.fromEntries(
    values.map((value, at) => [`${texts[Math.floor(random() * texts.length)]}${at}`, value]),
  );
}
