import { expect, test } from "bun:test";
import { displayHostname } from "../../src/core/addresses/display-hostname.ts";
import { parseHostname } from "../../src/core/addresses/hostname.ts";

const shown = [
  "bücher.example",
  "straße.example",
  "żółw.example",
  "中国.example",
  "日本語.jp",
  "ひらがな.jp",
  "한국.kr",
  "почта.рф",
  "россия.example",
  "ελλάδα.gr",
  "मराठी.example",
  "ישראל.example",
  "a.bücher.example",
];
/** Each of them looks like another name, or has what a name of words has not. */
const ascii = [
  "аpple.com",
  "аррӏе.com",
  "раураӏ.com",
  "gооgle.com",
  "ехе.com",
  "ορο.com",
  "ıcloud.com",
  "googlе.com",
  "comノfoo.example",
  "例ノ例.example",
  "i❤.example",
  "бank.example",
  "ßа.example",
  "१२३.example",
  "example\u0337.com",
];

test("a name of one script is shown as people write it, and parsed back to the same", () => {
  for (const name of shown) {
    const hostname = parseHostname(name) ?? "";
    expect(hostname).toStartWith(name.startsWith("a.") ? "a.xn--" : "xn--");
    expect([name, displayHostname(hostname)]).toEqual([name, name]);
    expect(parseHostname(displayHostname(hostname))).toBe(hostname);
  }
});

test("a name that looks like another stays in ASCII", () => {
  for (const name of ascii) {
    const hostname = parseHostname(name);
    if (hostname === undefined) continue;
    expect([name, displayHostname(hostname)]).toEqual([name, hostname]);
  }
});

test("what is in ASCII, and what is no Punycode, stays as it is", () => {
  for (const hostname of ["example.com", "127.0.0.1", "xn--a", "xn--zz--.example", "xn--", "a.xn--99zzzz"])
    expect(displayHostname(hostname)).toBe(hostname);
});
