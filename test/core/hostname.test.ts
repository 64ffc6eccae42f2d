import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hostnameCharactersMax, parseHostname, wwwForms } from "../../src/core/addresses/hostname.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

const label63 = "a".repeat(63);

describe("wwwForms", () => {
  test.each(["a.example", "www.a.example", "www.www.a.example"])("of %s are the same", (hostname) => {
    const forms = wwwForms(hostname);
    expect(forms.slice(0, 3)).toEqual(["a.example", "www.a.example", "www.www.a.example"]);
    expect(forms.at(-1)?.length).toBeWithin(hostnameCharactersMax - 3, hostnameCharactersMax + 1);
  });

  test.each([
    ["www", "www"],
    ["www.www", "www"],
    ["wwww.example", "wwww.example"],
    ["a.www.example", "a.www.example"],
    ["127.0.0.1", "127.0.0.1"],
  ])("of %s begin with %s", (hostname, first) => {
    expect(wwwForms(hostname)[0]).toBe(first);
  });
});

describe("parseHostname", () => {
  test.each([
    ["example.com", "example.com"],
    ["WWW.Example.COM", "www.example.com"],
    ["localhost", "localhost"],
    ["127.0.0.1", "127.0.0.1"],
    ["1-2.example", "1-2.example"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["Bücher.example", "xn--bcher-kva.example"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["例え.テスト", "xn--r8jz45g.xn--zckzah"],
    ["faß.de", "xn--fa-hia.de"],
    // UTS 46 maps what looks like a dot or a letter.
    ["ａ．ｂ", "a.b"],
    ["a。b", "a.b"],
    ["exa\u00admple.com", "example.com"],
    [`${label63}.b`, `${label63}.b`],
  ])("%p is %p", (text, hostname) => {
    expect(parseHostname(text)).toBe(hostname);
  });

  test.each([
    "",
    ".",
    ".a",
    "a.",
    "a..b",
    "-a.com",
    "a-.com",
    "a_b.com",
    "a b.com",
    " a.com",
    "a\t.com",
    "a\u0000.com",
    "a.com:80",
    "http://a.com",
    "a.com/x",
    "a.com?x",
    "a.com#x",
    "a@b.com",
    "a%2e.com",
    "a\\b",
    "*.example.com",
    "[::1]",
    "::1",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "01.2.3.4",
    "256.1.1.1",
    "1.2.3.4.",
    "example.123",
    "xn--a",
    "\ud800.com",
    "a／b.com",
    `${label63}a.b`,
  ])("%p is none", (text) => {
    expect(parseHostname(text)).toBeUndefined();
  });

  test("takes 253 characters and not one more", () => {
    const long = `${label63}.${label63}.${label63}.${"a".repeat(61)}`;
    expect(long.length).toBe(hostnameCharactersMax);
    expect(parseHostname(long)).toBe(long);
    expect(parseHostname(`${long}a`)).toBeUndefined();
    // 250 characters that are 400 in ASCII.
    expect(parseHostname(`${"ü".repeat(50)}.`.repeat(4) + "example".repeat(6))).toBeUndefined();
  });

  test("what comes out goes in again, and is what URL gives", () => {
    const pieces = fc.stringMatching(/^[a-zA-Z0-9äß例.:/_-]{0,12}$/);
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), pieces, fc.string({ unit: "binary" })), (text) => {
        const hostname = parseHostname(text);
        if (hostname === undefined) return;
        expect(hostname).toMatch(/^[a-z0-9.-]{1,253}$/);
        expect(parseHostname(hostname)).toBe(hostname);
        expect(new URL(`https://${hostname}:8080/x`).hostname).toBe(hostname);
      }),
      { seed: seed(), numRuns: rounds(1_000) },
    );
  });

  test("every domain name is one", () => {
    fc.assert(
      fc.property(fc.domain(), (domain) => parseHostname(domain) === domain.toLowerCase()),
      { seed: seed() },
    );
  });
});
