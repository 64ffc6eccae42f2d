import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseHostname } from "../../src/core/addresses/hostname.ts";
import { pastedHostname } from "../../src/core/addresses/pasted-hostname.ts";
import { seed } from "../support/seed.ts";

describe("a pasted hostname", () => {
  test.each([
    ["example.com", "example.com"],
    ["  example.com ", "example.com"],
    ["https://example.com", "example.com"],
    ["HTTPS://Example.com:8443/blog?x=1#top", "example.com"],
    ["http://www.example.com/", "www.example.com"],
    ["example.com/blog", "example.com"],
    ["example.com:8080", "example.com"],
    ["localhost:3000", "localhost"],
    ["https://Bücher.example/", "xn--bcher-kva.example"],
    // The server says what is wrong with these.
    ["Bücher.example", "Bücher.example"],
    ["exa mple.com", "exa mple.com"],
    ["under_score", "under_score"],
    ["https://", "https://"],
    ["", ""],
  ])("%p is %p", (text, hostname) => {
    expect(pastedHostname(text)).toBe(hostname);
  });

  test("an address gives its hostname, a hostname itself", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        const { hostname } = new URL(url);
        expect(pastedHostname(url)).toBe(hostname);
        expect(pastedHostname(hostname)).toBe(hostname);
        expect(parseHostname(pastedHostname(url))).toBe(parseHostname(hostname));
      }),
      { seed: seed() },
    );
  });
});
