/** Labels show what strangers wrote. */
import { describe, expect, test } from "bun:test";
import { isolated, label, pathLabel } from "../../src/core/questions/label.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

describe("a label", () => {
  test.each([
    ["a right-to-left override", "\u202eRTL", "\\u{202e}RTL"],
    ["isolates", "a\u2066b\u2069", "a\\u{2066}b\\u{2069}"],
    ["marks of direction", "a\u200fb\u200eb\u061c", "a\\u{200f}b\\u{200e}b\\u{61c}"],
    ["control characters", "a\0b\tc\r\n\x7f\x85", "a\\u{0}b\\u{9}c\\u{d}\\u{a}\\u{7f}\\u{85}"],
    ["separators of lines and paragraphs", "a\u2028b\u2029c", "a\\u{2028}b\\u{2029}c"],
    ["what has no width", "a\u200bb\u00adc\ufeff\u2060", "a\\u{200b}b\\u{ad}c\\u{feff}\\u{2060}"],
    [
      "letters and marks without a shape",
      "/\u3164\u115f\u17b4a\u034f\u2800",
      "/\\u{3164}\\u{115f}\\u{17b4}a\\u{34f}\\u{2800}",
    ],
    ["joiners that join nothing", "a\u200db\u200cc \u200d", "a\\u{200d}b\\u{200c}c \\u{200d}"],
    ["a joiner behind a mark of direction", "\u061c\u200c", "\\u{61c}\\u{200c}"],
    [
      "a joiner beside a mark without a shape",
      "\u17b5\u200d \u200c\u034f",
      "\\u{17b5}\\u{200d} \\u{200c}\\u{34f}",
    ],
    [
      "what chooses no shape",
      "/pricing\ufe0f\ufe00\u{e0100}\u{e01ef}",
      "/pricing\\u{fe0f}\\u{fe00}\\u{e0100}\\u{e01ef}",
    ],
    [
      "selectors of other letters",
      "a\u180b\u180d\u180f 日\ufe0f\u180b ᠨ\ufe00",
      "a\\u{180b}\\u{180d}\\u{180f} 日\\u{fe0f}\\u{180b} ᠨ\\u{fe00}",
    ],
    [
      "selectors behind selectors",
      "❤\ufe0f\ufe0f 葛\u{e0101}\u{e0100} ᠨ\u180b\u180c",
      "❤\ufe0f\\u{fe0f} 葛\u{e0101}\\u{e0100} ᠨ\u180b\\u{180c}",
    ],
    ["keys of no telephone", "7\ufe0f 0\ufe00 a\ufe0f\u20e3", "7\\u{fe0f} 0\\u{fe00} a\\u{fe0f}\u20e3"],
    [
      "joiners beside selectors",
      "a\ufe0f\u200d👩 a\u200d\ufe0f ❤️\u200d a",
      "a\\u{fe0f}\\u{200d}👩 a\\u{200d}\\u{fe0f} ❤️\\u{200d} a",
    ],
    ["tags without a flag", "a\u{e0041}\u{e007f}", "a\\u{e0041}\\u{e007f}"],
  ])("writes out %s", (_, text, shown) => {
    expect(label(text)).toBe(shown);
  });

  test.each([
    "/pricing (new) – 50 %",
    "Überprüfung, naïve, 日本語, 한국어, ไทย",
    "مرحبا بالعالم، ٣ ۝",
    "می\u200cخواهم",
    "שלום עולם",
    "ශ්\u200dරී ලංකා, क्\u200dष, র\u200d্য",
    "👨\u200d👩\u200d👧 👩🏽\u200d💻 🏳️\u200d🌈 🏳\u200d🌈 ❤️\u200d🔥",
    "🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 7️⃣",
    "#\ufe0f\u20e3 ⭐\ufe0f ☎\ufe0e ©\ufe0f 🏋\ufe0f\u200d♀\ufe0f",
    "葛\u{e0101}飾区 辻\u{e0100} 神\ufe00",
    "ᠨ\u180bᠠ ᠭ\u180f\u200d",
    "ꡖ\ufe00 က\ufe00 𐫅\ufe00 𓀁\ufe00 𓃓\ufe06",
  ])("leaves %s as it is", (text) => {
    expect(label(text)).toBe(text);
    expect(pathLabel(encodeURI(text))).toBe(text);
  });

  test("shows nothing that turns text round, ends a line, or changes when it is shown twice", () => {
    const random = randomFrom(seed());
    const below = (end: number) => Math.floor(random() * end);
    const signs = [..."a/ش👩🏽🏴️्❤7日ᠨꡖ𓀁", "\u{e0067}", "\u{e007f}", ..."\u200d\u200c\u20e3"];
    signs.push(..."\u180b\u180c\u180f\ufe00\ufe02\ufe06\ufe0e\ufe0f\u{e0100}\u034f");
    const code = () => [below(0x100), 0x2000 + below(0x70), below(0x1_0000), below(0x11_0000)][below(4)] ?? 0;
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: below(6) }, () =>
        below(2) === 0 ? signs[below(signs.length)] : String.fromCodePoint(code()),
      ).join("");
      const shown = label(text);
      expect([text, shown]).toEqual([
        text,
        expect.not.stringMatching(/[\p{Bidi_Control}\p{Cc}\p{Zl}\p{Zp}]/u),
      ]);
      expect([text, label(shown)]).toEqual([text, shown]);
    }
  });
});

test("a selector of shapes is written out behind all signs but emoji and letters", () => {
  const selectors = [..."\u180b\u180f\ufe00\ufe02\ufe06\ufe0e\ufe0f\u{e0100}\u{e01ef}"];
  const mayHaveShapes = /^[\p{Extended_Pictographic}\p{Script=Han}\p{Letter}]/u;
  const wrong: string[] = [];
  let kept = 0;
  for (let code = 0; code < 0x11_0000; code++) {
    const sign = String.fromCodePoint(code);
    if (/[\p{Unassigned}\p{Private_Use}]/u.test(sign)) continue;
    for (const selector of selectors) {
      const shown = label(sign + selector);
      const isKept = shown.endsWith(selector);
      if (isKept) kept++;
      const isGood = isKept
        ? mayHaveShapes.test(sign)
        : shown.endsWith(`\\u{${selector.codePointAt(0)?.toString(16)}}`);
      if (!isGood || label(shown) !== shown) wrong.push(shown);
    }
  }
  expect(wrong).toEqual([]);
  expect(kept).toBeGreaterThan(100_000);
});

describe("a path", () => {
  test.each([
    ["/caf%C3%A9%20au%20lait", "/café au lait"],
    ["/%E2%80%AEexe.gpj", "/%E2%80%AEexe.gpj"],
    ["/a%0Ab", "/a%0Ab"],
    ["/a%2Fb%3F", "/a%2Fb%3F"],
    ["/pricing%EF%B8%80", "/pricing%EF%B8%80"],
    ["/%E2%9D%A4%EF%B8%8F%EF%B8%8F", "/❤️%EF%B8%8F"],
    ["/%zz\u202e", "/%zz%E2%80%AE"],
    ["/%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9", "/👨\u200d👩"],
  ])("%s is shown as %s", (path, shown) => {
    expect(pathLabel(path)).toBe(shown);
  });
});

test("a label has a direction of its own within a sentence where it needs one", () => {
  expect(isolated("/pricing 3")).toBe("/pricing 3");
  for (const text of ["/blog/שלום", "مرحبا 3", "ދިވެހި", "𐤀𐤁", "𞤀𞤁"])
    expect(isolated(text)).toBe(`\u2068${text}\u2069`);
});
