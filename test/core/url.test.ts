import { describe, expect, test } from "bun:test";
import { parseUsername, usernameKey } from "../../src/accounts/username.ts";
import { parseHit } from "../../src/collect/hit.ts";
import { normalizeReferrer } from "../../src/core/addresses/referrer.ts";
import { parseUrl } from "../../src/core/addresses/url.ts";
import { cpuMs } from "../support/cpu-time.ts";

describe("a URL", () => {
  test.each([
    "https://a.example/path?query#fragment",
    "https:a.example",
    "  HTTPS:\\\\a.example\\b",
    "ht\ntps:/\t/\na.exa\nmple/",
    "https:////////a.example",
    "https://bücher.example/",
    "https://user:pass@a.example:8080/?/#?",
    `https://a.example/${"x".repeat(8_000)}`,
    `https://a.example?${"x".repeat(8_000)}`,
    `https://a.example#${"é".repeat(8_000)}`,
    `https://${"a.".repeat(240)}example/`,
    "android-app://org.example.app/",
    "no URL",
    "https://",
    "",
  ])("is what URL makes of it: %j", (text) => {
    expect(parseUrl(text)?.href).toBe(URL.parse(text)?.href as string);
  });

  test.each([
    "https://",
    "https:",
    "https:\\",
    " https:/\n/",
    "https:///",
    "https://a@",
    "https://a:b@",
    "x",
  ])("with a long host after %j is none", (before) =>
    expect(parseUrl(`${before}${"a".repeat(600)}/`)).toBeNull(),
  );
});

describe("very many accents take no time", () => {
  // Canonical order takes the system a time that grows with their square: seconds for as many.
  const accents = "\u0301\u0323".repeat(20_000);
  test.each([
    ["in a URL", () => parseUrl(`https://a${accents}.example/`)],
    ["in a URL, encoded", () => parseUrl(`https://a${encodeURIComponent(accents)}.example/`)],
    ["in a path", () => parseUrl(`https://a.example/${accents}`)],
    ["in a referrer", () => normalizeReferrer(`https://a${accents}`)],
    ["in a hit", () => parseHit({ b: "b", u: `https://a${accents.slice(0, 8_000)}/` })],
    ["in a login", () => usernameKey(accents)],
    ["in a username", () => parseUsername(accents)],
  ])("%s", (_, act) => {
    const beforeMs = cpuMs();
    for (let time = 0; time < 10; time++)
      try {
        act();
      } catch (error) {
        expect(error).toMatchObject({ code: 400 });
      }
    expect(cpuMs() - beforeMs).toBeLessThan(100);
  });
});
